"""`mbl judge`, as an organiser uses it."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from matbench_lite.cli.app import run
from matbench_lite.cli.output import out

TABLE = """algorithm,dataset,run,r2,expression,complexity,property
forest,steels,0,0.95,,5000,0
forest,steels,1,0.94,,5000,0
formula,steels,0,0.90,2*x + 1,,1
formula,steels,1,0.91,2*x + 1,,1
constant,steels,0,0.00,3.5,,1
"""


@pytest.fixture
def mbl(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Callable[..., Any]:
    monkeypatch.setattr(out, "width", 200)

    def mbl(*arguments: object, code: int = 0) -> Any:
        capsys.readouterr()
        ended = run([str(argument) for argument in arguments])
        printed = capsys.readouterr()
        assert ended == code, printed.err
        return json.loads(printed.out) if "--json" in arguments else printed.out + printed.err

    return mbl


@pytest.fixture
def table(tmp_path: Path) -> Path:
    """Declared sizes only: nothing needs to be simplified."""
    path = tmp_path / "results.csv"
    path.write_text(TABLE.replace("2*x + 1,,", ",5,").replace("3.5,,", ",1,"))
    return path


def test_the_rule_sets_are_explained(mbl) -> None:
    assert "harmonic mean" in mbl("judge", "rules")
    assert mbl("judge", "rules", "--json")["final"]["version"] == 1


def test_synthetic_sets_are_listed_and_made(mbl, tmp_path) -> None:
    assert "hall_petch" in mbl("judge", "datasets")
    found = mbl("judge", "datasets", "varshni", "--output", tmp_path / "sets", "--seed", 4, "--json")
    assert [item["name"] for item in found["datasets"]] == ["varshni"]
    assert (tmp_path / "sets" / "hidden" / "varshni.csv").is_file()
    assert "did you mean 'varshni'" in mbl("judge", "datasets", "varshny", code=2)


def test_a_table_is_ranked(mbl, table, tmp_path) -> None:
    page = tmp_path / "page.html"
    formulas = tmp_path / "formulas.csv"
    formulas.write_text(TABLE)
    text = mbl("judge", "rank", formulas, "--page", page)
    for part in ("formula has 2.", "constant on steels, run 0: R2 0.000 is not more than half", "the run is missing"):
        assert part in text
    assert "formula wins" in page.read_text()
    found = mbl("judge", "rank", table, "--rules", "final", "--ties", "average", "--draws", 10, "--json")
    assert found["rules"]["name"] == "final"
    assert found["rules"]["ties"] == "average"
    assert found["algorithms"][0]["algorithm"] == "formula"
    assert found["sensitivity"]["draws"] == 10


def test_options_and_the_competition_file_go_together(mbl, table, tmp_path) -> None:
    file = tmp_path / "c.toml"
    file.write_text(
        'title = "Steels"\nrules = "draft"\nties = "dense"\nmin_accuracy = "off"\nalgorithms = ["absent"]\n'
    )
    found = mbl("judge", "rank", table, "-c", file, "--json")
    assert (found["rules"]["ties"], found["rules"]["min_accuracy"]) == ("dense", "off")
    assert "absent" in {row["algorithm"] for row in found["algorithms"]}
    other = mbl("judge", "rank", table, "-c", file, "--rules", "final", "--min-accuracy", "test", "--json")
    assert (other["rules"]["name"], other["rules"]["ties"], other["rules"]["min_accuracy"]) == (
        "final",
        "dense",
        "test",
    )


def test_the_expert_track_from_dossier_to_names(mbl, table, tmp_path) -> None:
    folder = tmp_path / "dossier"
    found = mbl("judge", "dossier", table, "--dataset", "steels", "--output", folder, "--json")
    key = json.loads(Path(found["key"]).read_text())
    (letters,) = key.values()
    form = folder / "for_experts" / "steels.toml"
    text = form.read_text().replace('expert = ""', 'expert = "Anna"')
    for letter, name in letters.items():
        rank = {"forest": 2, "formula": 1, "constant": 3}.get(name, 0)
        text = text.replace(f"[{letter}]\ntrust = 0", f"[{letter}]\ntrust = {rank}")
    form.write_text(text)
    assert mbl("judge", "trust", form, "--key", found["key"], "--json")["winners"] == ["formula"]
    assert "Trusted most: formula" in mbl("judge", "trust", form, "--key", found["key"])
    page = tmp_path / "page.html"
    mbl("judge", "rank", table, "--opinion", form, "--key", found["key"], "--page", page)
    assert "What the experts trust" in page.read_text()
    assert "key is needed" in mbl("judge", "rank", table, "--opinion", form, code=2)
    assert "is not the key" in mbl("judge", "trust", form, "--key", form, code=1)


@pytest.mark.slow
def test_models_are_run_and_ranked(mbl, model, datasets_folder, tmp_path) -> None:
    good = model("slope", "self.expression_ = repr(self.mean)")
    broken = model("broken", "raise RuntimeError('sorry')")
    competition = tmp_path / "c.toml"
    shutil.copytree(datasets_folder, tmp_path / "sets")
    competition.write_text('[datasets]\nfolder = "sets"\nnames = ["saddle"]\n')
    text = mbl("judge", "run", good, broken, "-c", competition, "-n", 1, "-o", tmp_path / "out", code=1)
    assert "slope on saddle, run 0: R2 -0.0" in text
    assert "the model raised RuntimeError: sorry" in text
    assert "1 run cannot count" in text
    found = mbl("judge", "rank", tmp_path / "out", "-c", competition, "--json")
    assert {failure["algorithm"] for failure in found["failures"]} == {"slope", "broken"}
    assert "there are no datasets to judge on" in mbl("judge", "run", good, code=1)


def test_wrong_use_is_said_without_a_traceback(mbl, tmp_path) -> None:
    (tmp_path / "bad.csv").write_text("a,b\n1,2\n")
    assert "lacks the column algorithm, dataset, run" in mbl("judge", "rank", tmp_path / "bad.csv", code=1)
    said = mbl("judge", "rank", "x.csv", "-c", tmp_path / "no-such.toml", code=1)
    assert "there is no " in said
    assert "no-such.toml" in said
