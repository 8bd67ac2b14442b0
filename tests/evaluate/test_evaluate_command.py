"""`mbl evaluate`."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pandas as pd
import pytest

from matbench_lite.cli.app import run


@pytest.fixture
def mbl(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Callable[..., tuple]:
    monkeypatch.chdir(tmp_path)

    def mbl(*arguments: object) -> tuple[int, str, str]:
        capsys.readouterr()
        code = run([str(argument) for argument in arguments])
        return code, *capsys.readouterr()

    return mbl


def test_it_prints_writes_and_goes_on(folder, mbl) -> None:
    folder.file(type="adaption")
    code, out, _ = mbl("evaluate", "evaluation.json")
    assert code == 0
    assert "evaluation: adaption, 5 rows in 3 groups" in out
    assert "absolute difference, lower is better" in out
    assert "after so many labels of the group:" in out
    written = folder.path / "evaluation-results"
    names = {"results.csv", "results.parquet", "scores.json", "model_log.json", "report.html", ".evaluate"}
    assert {path.name for path in written.iterdir()} == names
    code, again, err = mbl("evaluate", "evaluation.json")
    assert again == out
    assert "mean: 3 of 3 pieces were done by an earlier run" in err


def test_json(folder, mbl) -> None:
    folder.file()
    code, out, _ = mbl("evaluate", "evaluation.json", "--json", "--output", "there")
    document = json.loads(out)
    assert code == 0
    assert document["models"]["mean"]["mean"] == pytest.approx(4.2)
    assert document["models"]["mean"]["mean_groups"] == pytest.approx(5.0)
    assert json.loads((folder.path / "there" / "scores.json").read_text()) == document


def test_a_model_that_fails_ends_with_1_and_the_others_are_there(folder, mbl) -> None:
    folder.write("broken.py", "1 / 0")
    folder.file(models=["mean.py", "broken.py"])
    code, out, err = mbl("evaluate", "evaluation.json")
    assert code == 1
    assert "mean" in out
    assert "broken has no scores:" in err


def test_mistakes_are_a_message(folder, mbl) -> None:
    folder.file(type="predict")
    code, out, err = mbl("evaluate", "evaluation.json")
    assert (code, out) == (1, "")
    assert err.splitlines() == [
        'error: evaluation: type: "predict" is not allowed',
        "fix: give prediction, adaption (or adaptation), coverage or loo-coverage",
    ]
    assert mbl("evaluate", "nothing.json")[0] == 1
    assert mbl("evaluate")[0] == 2


@pytest.mark.filterwarnings("default::matbench_lite.errors.EvaluationWarning")
def test_notes_are_warnings_and_in_the_report(folder, mbl) -> None:
    folder.file(data_pre_train="rows.csv")
    code, _, err = mbl("evaluate", "evaluation.json")
    assert code == 0
    assert "warning: 5 of 5 test rows are in data.pre_train and corresponding_data is false" in err
    assert "models are shown the answers" in (folder.path / "evaluation-results" / "report.html").read_text()


def test_a_folder_that_cannot_be_written(folder, mbl) -> None:
    folder.file()
    folder.write("taken", "a file")
    code, _, err = mbl("evaluate", "evaluation.json", "--output", "taken")
    assert code == 1
    assert "cannot be written" in err


NASTY = "=cmd() [bold]<script>alert(1)</script> \x07\x1b[31m\u202e"
ANSWERING = """
from matbench_lite.evaluate import Model

class Answering(Model):
    def __init__(self, answer):
        super().__init__(answer)
        self.answer = answer

    def predict(self, item, **columns):
        if "fail" in self.answer:
            raise ValueError(self.answer)
        return self.answer
"""


def test_text_of_strangers_does_nothing_anywhere(folder, mbl) -> None:
    """Names, groups, tasks, answers and messages of models: in the terminal, the table and the page."""
    folder.write("answering.py", ANSWERING)
    quoted = NASTY.replace('"', '""')
    folder.write(
        "rows.csv",
        "id,sequence,task,choices,response,response_type,domain\n"
        + "".join(
            f'"{quoted}{n}",0,"{quoted}",a|b,{answer},single-choice,"{quoted}"\n' for n, answer in enumerate("ab")
        ),
    )
    models = [{"filename": "answering.py", "args": {"answer": answer}} for answer in (NASTY, "-1.5", f"fail {NASTY}")]
    folder.file(models=models, comparator="equality", type="adaption")
    code, out, err = mbl("evaluate", "evaluation.json")
    assert code == 1
    written = folder.path / "evaluation-results"
    for text in (out, err, (written / "results.csv").read_text(), (written / "report.html").read_text()):
        assert not {"\x07", "\x1b", "\u202e"} & set(text)
    for text in (out, err):
        assert "[bold]<script>" in text, "not taken for markup"
        assert r"\x07\x1b[31m\u202e" in text
    table = pd.read_csv(written / "results.csv", dtype=str)
    assert set(table["prediction"]) == {"'=cmd() [bold]<script>alert(1)</script> [31m", "-1.5"}
    assert not any(table[name].str.startswith("=").any() for name in table.columns)
    assert "<script>alert" not in (written / "report.html").read_text()
