"""`mbl evaluate`."""

from __future__ import annotations

import io
import json
from collections.abc import Callable
from pathlib import Path

import pandas as pd
import pytest

from matbench_lite.cli.app import run

from .conftest import CONSTANT, MEAN


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


class TestOutside:
    """Code that the evaluation file names is run only if it lies in the working folder, or somebody agrees."""

    LEAVING_A_TRACE = "from pathlib import Path\nPath(__file__).with_name('ran').touch()\n"

    @pytest.fixture
    def elsewhere(self, folder, mbl, tmp_path_factory, monkeypatch) -> Path:
        """The folder of the evaluation, which is not the working folder."""
        folder.write("mean.py", self.LEAVING_A_TRACE + MEAN)
        monkeypatch.chdir(tmp_path_factory.mktemp("working"))
        return folder.path

    def test_without_a_terminal_nothing_is_run(self, folder, mbl, elsewhere) -> None:
        file = folder.file()
        code, out, err = mbl("evaluate", file)
        assert (code, out) == (1, "")
        assert f"names files outside of the working folder, to be run: {elsewhere / 'mean.py'}\n" in err
        assert "fix: look at them; then run it in the folder that holds them, or with --yes" in err
        assert not (elsewhere / "ran").exists()
        assert mbl("evaluate", file, "--yes")[0] == 0
        assert (elsewhere / "ran").exists()

    @pytest.mark.parametrize(("answer", "code"), [("y\n", 0), ("n\n", 1), ("\n", 1), ("", 130)])
    def test_in_a_terminal_it_is_asked_for(self, answer, code, folder, mbl, elsewhere, monkeypatch) -> None:
        class Terminal(io.StringIO):
            def isatty(self) -> bool:
                return True

        monkeypatch.setattr("sys.stdin", Terminal(answer))
        file = folder.file()
        ended, _, err = mbl("evaluate", file)
        assert ended == code
        assert "Go on? [y/N]" in err
        assert (elsewhere / "ran").exists() == (code == 0)

    @pytest.mark.parametrize("key", ["models", "folder", "comparator", "task_encoders", "response_encoders", "aux"])
    @pytest.mark.parametrize("path", ["../evil.py", "{}/evil.py", "link.py", "below/../../evil.py"])
    def test_wherever_code_is_named(self, key, path, folder, mbl, tmp_path, monkeypatch) -> None:
        folder.write("evil.py", self.LEAVING_A_TRACE + CONSTANT)
        here = tmp_path / "here"
        (here / "below").mkdir(parents=True)
        for name in ("rows.csv", "mean.py"):
            (tmp_path / name).rename(here / name)
        (here / "link.py").symlink_to(tmp_path / "evil.py")
        (here / "models").mkdir()
        (here / "models" / "model.py").symlink_to(tmp_path / "evil.py")
        path = path.format(tmp_path)
        changes = {
            "models": {"models": ["mean.py", {"filename": path}]},
            "folder": {"models": ["models"]},
            "comparator": {"comparator": path},
            "task_encoders": {"task_encoders": {"energy": path}},
            "response_encoders": {"response_encoders": {"energy": {"filename": path}}},
            "aux": {
                "aux_evaluations": [{"data_column": "gap", "prediction_fn_name": "predict_gap", "comparator": path}]
            },
        }
        (here / "evaluation.json").write_text(json.dumps(folder.document(**changes[key])))
        monkeypatch.chdir(here)
        code, _, err = mbl("evaluate", "evaluation.json")
        assert code == 1
        assert f"to be run: {tmp_path / 'evil.py'}" in err
        assert not list(tmp_path.rglob("ran"))

    def test_data_elsewhere_is_asked_for_too(self, folder, mbl, tmp_path, monkeypatch) -> None:
        (tmp_path / "here" / "deeper").mkdir(parents=True)
        folder.write("here/mean.py", MEAN)
        folder.write("here/deeper/evaluation.json", folder.document(data_test="../../rows.csv", models=["../mean.py"]))
        assert mbl("evaluate", "here/deeper/evaluation.json")[0] == 0  # all of it lies in the working folder
        monkeypatch.chdir(tmp_path / "here")
        code, _, err = mbl("evaluate", "deeper/evaluation.json")
        assert code == 1
        assert f"outside of the working folder, to be read: {tmp_path / 'rows.csv'}\n" in err

    def test_baselines_and_what_comes_with_the_package_need_nobody(self, folder, mbl, elsewhere) -> None:
        task = {"task": "mini_gap", "group_by": "fold", "limit": {"groups": 2, "rows_per_group": 4}}
        encoder = "%matbench_lite%/evaluate/encoders/label.py"
        changes = {"models": ["dummy"], "data_test": task, "response_encoders": {"mini_gap": encoder}}
        file = folder.file(**changes, data_pre_train=task, corresponding_data=True)
        assert mbl("evaluate", file)[0] == 0
        # Beside the package is not in it.
        changes["response_encoders"] = {"mini_gap": "%matbench_lite%/../tests/evaluate/conftest.py"}
        code, _, err = mbl("evaluate", folder.file(**changes))
        assert code == 1
        assert f"to be run: {Path(__file__).with_name('conftest.py')}" in err
