"""The guides tell the truth: their commands exist, and what can be run in a moment runs as it is written.

The guides to `mbl evaluate` and `mbl judge` have tests of their own beside those of their packages.
"""

from __future__ import annotations

import contextlib
import re
import shlex
import shutil
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
import typer

from matbench_lite import Submission, load_benchmark
from matbench_lite.check import check_entry
from matbench_lite.cli.app import app
from matbench_lite.cli.app import run as mbl
from matbench_lite.site.guide_pages import rule_pages

ROOT = Path(__file__).parents[1]
DOCS = ROOT / "leaderboard_docs"
PAGES = {path.relative_to(DOCS).as_posix(): path.read_text() for path in sorted(DOCS.rglob("*.md"))}
PAGES |= {file.path: file.content for file in rule_pages({})}
PAGES |= {
    f"../{name}": (ROOT / name).read_text() for name in ("README.md", "CONTRIBUTING.md") if (ROOT / name).is_file()
}


def blocks(page: str, language: str = "") -> list[str]:
    """The blocks of one language, in order; those without one hold commands, or what is printed."""
    found = re.findall(r"^```(\w*)\n(.*?)^```$", PAGES[page], re.DOTALL | re.MULTILINE)
    return [text for kind, text in found if kind == language]


def commands(page: str) -> Iterator[str]:
    """The commands of ours in a page: in blocks of their own, and in the text."""
    text = PAGES[page].replace("\\\n", " ")
    for line in re.findall(r"^(?:\$ )?mbl ([a-z].*)$", text, re.MULTILINE):
        yield line.partition(" #")[0]
    yield from re.findall(r"`mbl ([a-z][^`\n]*)`", text)


def run_commands(text: str) -> list[int]:
    """The exit codes of the commands in a block."""
    return [mbl(shlex.split(line, comments=True)[1:]) for line in text.splitlines() if line.startswith("mbl ")]


def test_commands_exist_and_take_the_options_that_are_named() -> None:
    group = typer.main.get_command(app)
    context = typer.Context(group)
    for page in PAGES:
        for line in commands(page):
            words = [word.strip("[]") for word in shlex.split(line)]
            command = group
            while words and hasattr(command, "commands"):
                command = command.get_command(context, words.pop(0))
                assert command is not None, f"{page}: mbl {line}"
            known = {option for parameter in command.params for option in parameter.opts}
            assert {word for word in words if word.startswith("-")} <= known, f"{page}: mbl {line}"


def test_the_guide_to_submitting_names_all_steps() -> None:
    named = {line.split()[0] for line in commands("submitting.md")}
    assert {"new", "try", "run", "check", "seal", "review", "submit"} <= named


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where the reader is."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_recording_checking_and_scoring(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    names: dict = {}
    begin, look = blocks("submission.md", "python")
    exec(begin, names)
    task = names["bench"]["mini_gap"]
    for fold in task.folds:
        names["sub"].record(task.name, fold, task.test_targets(fold) * 0.9 + 0.1)
    exec(look, names)
    (folder / "my_forest.py").write_text("x = 1\n")
    exec('sub.save("submissions/my-forest", code="my_forest.py")', names)
    assert run_commands("".join(blocks("checks.md"))) == [0]
    capsys.readouterr()
    exec(blocks("checks.md", "python")[0], {})
    assert capsys.readouterr().out.startswith("True task-specific\n")
    assert mbl(["score", "submissions/my-forest"]) == 0


def test_benchmarks_and_data(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    exec(blocks("data.md", "python")[0], {"load_benchmark": load_benchmark})
    assert mbl(["tasks"]) == mbl(["data", "status"]) == mbl(["data", "verify"]) == 0


def test_a_benchmark_of_ones_own(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    whole, _, scatter, fixed = blocks("own_benchmark.md", "toml")
    (folder / "our_alloys.toml").write_text(whole)
    rows = "".join(f"s{row},Fe{row + 1}Ni,{row / 10}\n" for row in range(1200))
    (folder / "alloys.csv").write_text("sample,formula,hardness\n" + rows)
    names: dict = {}
    exec(blocks("own_benchmark.md", "python")[0], names)
    assert names["sub"].benchmark["hardness"].rows == 1200
    of_task, of_data = (part.strip() for part in scatter.split("[tasks.data]"))
    extended = whole.replace("\n[tasks.data]", f"\n{of_task.splitlines()[-1]}\n\n[tasks.data]\n{of_data}")
    (folder / "extended.toml").write_text(extended.replace('cluster = "alloy"', 'cluster = "formula"'))
    assert load_benchmark(folder / "extended.toml")["hardness"].fold_scatter == 1.6
    assert mbl(["tasks", "--benchmark", "our_alloys.toml"]) == 0
    capsys.readouterr()
    assert mbl(["tasks", "hardness", "--benchmark", "our_alloys.toml", "--json"]) == 0
    digests = dict(re.findall(r'"(folds_sha256|targets_sha256)": "([0-9a-f]{64})"', capsys.readouterr().out))
    for name, digest in digests.items():
        fixed = fixed.replace(f'{name} = "…"', f'{name} = "{digest}"')
    (folder / "our_alloys.toml").write_text(whole.replace("\n[tasks.data]", f"{fixed}\n[tasks.data]"))
    assert mbl(["tasks", "--benchmark", "our_alloys.toml"]) == 0
    (folder / "alloys.csv").write_text("sample,formula,hardness\n" + rows.replace("s7,Fe8Ni,0.7", "s7,Fe8Ni,0.8"))
    assert mbl(["tasks", "--benchmark", "our_alloys.toml"]) == 1


@pytest.mark.slow
def test_a_table_of_three_classes(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    table, model = blocks("own_benchmark.md", "python")[1:]
    exec(table, {})
    (folder / "wines.toml").write_text(blocks("own_benchmark.md", "toml")[1])
    (folder / "bayes.py").write_text(model)
    assert run_commands("".join(blocks("own_benchmark.md"))) == [0, 0, 0, 0]
    assert "macro F1" in capsys.readouterr().out


@pytest.mark.slow
def test_running_a_model(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """As it is written, but with fewer trees, on one task, with two inner folds."""
    copy, trial, *_ = (text for text in blocks("running.md") if text.startswith("mbl "))
    shown, forests, features = blocks("running.md", "python")
    assert run_commands(copy) == [0]
    model = folder / "submissions" / "my-forest" / "model.py"
    assert shown in model.read_text()
    old = re.search(r"    if task.kind.*?(?=    return)", shown, re.DOTALL)
    assert old is not None
    new = "".join(f"    {line}\n" for line in forests.replace("=200", "=20").splitlines())
    model.write_text(model.read_text().replace(old[0], new))
    (model.parent / "about.toml").write_text(blocks("running.md", "toml")[0])
    trial = trial.replace("--tasks mini_gap", "--tasks mini_gap --inner-folds 2")
    assert run_commands(trial.replace("--jobs 2", "--jobs 2 --tasks mini_gap")) == [0, 0, 0]
    assert "my-forest: passes" in capsys.readouterr().out
    entry = Submission.load(model.parent)
    assert (entry.algorithm, entry.authors) == ("A wide forest", ["A. Name"])
    assert entry.scores["mini_gap"].mae.mean < 0.75, "better than a forest on element fractions"
    assert {finding.severity for finding in check_entry(model.parent, others={}).findings} <= {"note"}
    names: dict = {}
    exec(features.replace("magpie_array([", "shape = magpie_array(["), names)
    assert names["shape"] == (2, 132)


DUMMY = """
import numpy as np

class Mean:
    def fit(self, X, y):
        self.mean = float(np.mean(y))
        return self

    def predict(self, X):
        return self.mean + 0.01 * np.array([len(str(x)) for x in X])

def get_estimator(task):
    return Mean()
"""
"""In place of the forests of the guides: what is trained is not what these tests are about."""


def git(*arguments: str) -> None:
    identity = ("-c", "user.name=A. Name", "-c", "user.email=a@example.org")
    subprocess.run(["git", *identity, *arguments], check=True, capture_output=True)


@pytest.mark.slow
def test_submitting_from_a_new_model_to_the_site(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The five steps in a clone, on one task of `mini`; then the site of what is there."""
    new, run, check, review, submit = (text for text in blocks("submitting.md") if text.startswith("mbl "))
    git("init", "-b", "main", ".")
    shutil.copy(ROOT / ".gitignore", folder)
    git("add", ".gitignore")
    git("commit", "-m", "An empty board")
    assert run_commands(new) == [0]
    (folder / "submissions" / "my-model" / "model.py").write_text(DUMMY)
    assert run_commands(run.replace("--jobs 4", "--jobs 2 --benchmark mini --tasks mini_gap")) == [0]
    assert run_commands(check) == [0]
    assert run_commands(review) == [0]
    assert "my-model" in (folder / "build" / "review" / "report.md").read_text()
    assert run_commands(submit) == [0]
    assert "git remote add fork" in capsys.readouterr().out
    build, _ = blocks("site.md")[0].splitlines()
    assert run_commands(f"{build} --benchmark mini --no-render") == [0]
    assert (folder / "build" / "docs" / "index.md").is_file()


@pytest.mark.slow
def test_trying_a_model(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The layout is that of the guide; with two inner folds, and a model that is quick."""
    (folder / "quick.py").write_text(DUMMY)
    command = blocks("trying.md")[0].splitlines()[0]
    assert run_commands(command.replace("rf-magpie", "quick.py") + " --inner-folds 2") == [0]
    printed, shown = capsys.readouterr().out, blocks("trying.md")[1]
    for text in (printed, shown):
        assert re.search(r"score +MAE +RMSE +mape\* +max error +R² +time \(s\)", text)
    for line in ("Mean CV scores", "Bagged scores"):
        assert (line in printed) is (line in shown)
    exec(blocks("trying.md", "python")[0], {})


def test_moving_from_matbench(folder: Path, once: Callable, real_data: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The script after its import was changed, what it leaves as an entry, and both commands back and forth."""
    import numpy as np

    from .real.conftest import filled_by

    data = once("real-targets", filled_by(real_data / "matbench_v0.1" / "truth"))
    monkeypatch.setenv("MATBENCH_LITE_DATA", str(data / "store"))
    script, entry, published = blocks("matbench_moving.md", "python")
    model = type("Model", (), {"fit": lambda *_: None, "predict": lambda _, X: np.zeros(len(X))})()
    names = {"my_model": model, "__file__": __file__}
    exec(script, names)
    exec(entry, names)
    assert run_commands(blocks("matbench_moving.md")[1]) == [0]
    assert mbl(["from-matbench", "results.json.gz", "--output", "submissions/again"]) == 0
    exec(published, {})


@pytest.mark.slow
def test_an_event_from_the_kit_to_the_board(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Both guides to events, on a task of `mini`, by a participant whose model is quick."""
    organising, taking_part = blocks("event_organising.md"), blocks("event_taking_part.md")
    assert run_commands(organising[1]) == [0]
    kit = folder / "gaps" / "kit"
    shutil.copytree(kit / "models" / "start", kit / "models" / "mine")
    (kit / "models" / "mine" / "model.py").write_text(DUMMY)
    (kit / "models" / "mine" / "submission.toml").write_text('participant = "Team A"\n')
    with contextlib.chdir(kit):
        test, pack = (text for text in taking_part if text.startswith("mbl "))
        assert run_commands(test) == [0]
        assert run_commands(pack) == [0, 0]
    (folder / "inbox").mkdir()
    (kit / "submission-mine.zip").rename(folder / "inbox" / "mine.zip")
    steps = [text.replace("hardness", "gaps") for text in organising]
    received = next(text for text in steps if text.startswith("mbl event receive")).splitlines()[0]
    assert run_commands(received.replace("*", "mine")) == [0]
    assert run_commands(next(text for text in steps if text.startswith("mbl event score"))) == [0, 0]
    assert run_commands(next(text for text in steps if text.startswith("mbl event board"))) == [0, 0]
    assert "Team A" in capsys.readouterr().out
