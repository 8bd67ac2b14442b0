"""The guides tell the truth: every example runs, and prints what its page says.

Two examples train a hundred forests, those on real data train for minutes: by default the former run with their
cheapest model, whose figures are compared, and the latter are only begun. `MATBENCH_LITE_LONG=1` compares all.
"""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from matbench_lite import load_benchmark
from matbench_lite.cli import output
from matbench_lite.cli.app import run
from matbench_lite.data import add
from matbench_lite.evaluate import evaluate, rounded
from matbench_lite.text import ends

from ..conftest import LONG

DOCS = Path(__file__).parents[2] / "leaderboard_docs"
PAGES = {page.name: page.read_text() for page in sorted(DOCS.glob("evaluate_*.md"))}
BLOCKS = {
    name: text
    for page in PAGES.values()
    for name, text in re.findall(r"```\n\$ mbl evaluate (\w+)\.json\n(.*?)```", page, re.DOTALL)
}
FILES = {path.stem: json.loads(path.read_text()) for path in sorted((DOCS / "evaluate").glob("*.json"))}
REAL = sorted(name for name, document in FILES.items() if "matbench_log_gvrh" in json.dumps(document))
DEAR = {"capacity_loo", "unseen_mini"}
"""Examples that run with the dummy alone, unless there is time."""
QUICK = {"ordinal", "unseen_mini"}
NUMBER = re.compile(r"(?<![\w-])\d[\d,]*(?:\.\d+)?(?![\w-])")


@pytest.fixture
def examples(tmp_path, monkeypatch) -> Path:
    """A copy of the folder of examples, which is where the reader is."""
    folder = tmp_path / "evaluate"
    shutil.copytree(DOCS / "evaluate", folder)
    monkeypatch.chdir(folder)
    return folder


@pytest.fixture
def log_gvrh(real_data) -> None:
    """The targets of matbench_log_gvrh are in the data directory."""
    path = real_data / "matbench_v0.1" / "truth" / "matbench_log_gvrh.parquet"
    for added in add([path], load_benchmark("matbench_v0.1")):
        assert added.error is None


@pytest.fixture
def printed(monkeypatch, capsys) -> Callable[[str], str]:
    """What the command prints where it has room."""
    monkeypatch.setattr(output.out, "_width", 120)

    def printed(name: str) -> str:
        capsys.readouterr()
        ended = run(["evaluate", f"{name}.json"])
        shown = capsys.readouterr()
        assert ended == 0, shown.err
        return shown.out

    return printed


def assert_same(ours: str, stated: str) -> None:
    """The same words; numbers may move in their last digits with the version of scikit-learn."""
    words = [" ".join(NUMBER.sub("#", text).replace("─", "").split()) for text in (ours, stated)]
    assert words[0] == words[1]
    for one, other in zip(NUMBER.findall(ours), NUMBER.findall(stated), strict=True):
        assert number(one) == pytest.approx(number(other), rel=0.05, abs=0.011), f"{one}, the guide says {other}"


def number(text: str) -> float:
    return float(text.replace(",", ""))


def test_every_example_is_shown_or_told_about() -> None:
    named = "\n".join(PAGES.values())
    assert [name for name in FILES if f"evaluate/{name}.json" not in named] == []
    assert sorted(BLOCKS) == sorted(set(FILES) - {"memory"}), "its four settings are one table"


@pytest.mark.parametrize(
    "name",
    [
        pytest.param(name, marks=[pytest.mark.slow] if name not in QUICK or LONG else [])
        for name in BLOCKS
        if name not in REAL
    ],
)
def test_an_example_prints_what_the_guide_says(examples, printed, name) -> None:
    if name in DEAR and not LONG:
        assert "dummy" in FILES[name]["models"]
        (examples / f"{name}.json").write_text(json.dumps({**FILES[name], "models": ["dummy"]}))
        (model,) = evaluate(examples / f"{name}.json").models.values()
        scores, (stated,) = model.scores["response"], re.findall(r"^ +\d  dummy .*", BLOCKS[name], re.MULTILINE)
        assert f" {rounded(scores.mean, scores.interval)}  {ends(scores.interval)} " in stated
    else:
        assert_same(printed(name), BLOCKS[name])


@pytest.mark.real
@pytest.mark.slow
@pytest.mark.long
@pytest.mark.parametrize("name", REAL)
def test_an_example_on_real_data_prints_what_the_guide_says(examples, log_gvrh, printed, name) -> None:
    assert_same(printed(name), BLOCKS[name])


@pytest.mark.real
@pytest.mark.slow
@pytest.mark.parametrize("name", REAL)
def test_an_example_on_real_data_runs(examples, log_gvrh, name) -> None:
    """One group, with the dummy for baselines; the guide shows a line for every model that the file names."""
    document = FILES[name]
    cheap = [model if isinstance(model, dict) else "dummy" for model in document["models"]][:1]
    limit = {**document["data.test"].get("limit", {}), "groups": 1}
    short = {**document, "models": cheap, "data.test": {**document["data.test"], "limit": limit}}
    (examples / "short.json").write_text(json.dumps(short))
    (model,) = evaluate(examples / "short.json").models.values()
    assert model.error is None, model.error
    for stated in document["models"]:
        shown = stated if isinstance(stated, str) else stated["override_name"]
        assert re.search(rf"^ +\d  {shown} ", BLOCKS[name], re.MULTILINE)


def test_what_a_memorising_model_scores_in_each_setting(examples) -> None:
    page = PAGES["evaluate_settings.md"]
    stated = dict(re.findall(r"`([\w-]+)` (\d\.\d\d)", page[page.index("Measured on `mini_gap`") :]))
    assert list(stated) == ["prediction", "adaption", "loo-coverage", "coverage"]
    for setting, mean in stated.items():
        (examples / "memory.json").write_text(json.dumps({**FILES["memory"], "type": setting}))
        model = evaluate(examples / "memory.json").models["memory"]
        assert f"{model.scores['response'].mean:.2f}" == mean
        assert model.memorising is (setting == "coverage")


def test_files_that_the_guide_prints_are_the_ones_in_the_folder() -> None:
    page = PAGES["evaluate_first.md"]
    assert json.loads(re.search(r"```json\n(.*?)```", page, re.DOTALL)[1]) == FILES["first"]
    code = re.search(r"```python\n(.*?)```", page, re.DOTALL)[1]
    assert (DOCS / "evaluate" / "typical.py").read_text().endswith(code)


def test_the_classes_of_the_ordinal_example_are_made_by_its_script(examples) -> None:
    stated = (examples / "stiffness.csv").read_text()
    exec(compile((examples / "make_stiffness.py").read_text(), "make_stiffness.py", "exec"), {})
    assert (examples / "stiffness.csv").read_text() == stated
