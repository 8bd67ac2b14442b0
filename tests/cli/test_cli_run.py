"""`mbl run`."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from matbench_lite import Submission

MODEL = """
import numpy as np
input = "composition"
class Mean:
    def __init__(self, task): self.task = task
    def fit(self, X, y): self.mean = float(np.mean(y))
    def predict(self, X):
        if self.task.name == "mini_n": raise ValueError("refractive")
        return np.full(len(X), self.mean)
def get_estimator(task): return Mean(task)
"""


@pytest.fixture
def model(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    path = tmp_path / "my_mean.py"
    path.write_text(MODEL)
    return path


def test_a_run_tells_scores_the_time_left_and_what_comes_next(mbl: Callable[..., Any], model: Path) -> None:
    ended = mbl("run", model, "-b", "mini", "--tasks", "mini_gap", "mini_is_ductile", "--folds", "0,1")
    assert ended.code == 0
    lines = ended.err.splitlines()
    assert len(lines) == 4
    assert lines[0].startswith("1/4 mini_gap fold 0: MAE (eV) 1.")
    assert " left" in lines[0]
    assert " left" not in lines[-1]
    assert "next: mbl check submissions/my-mean" in ended.out
    assert Submission.load("submissions/my-mean").algorithm == "my-mean"
    assert Path("submissions/my-mean/my_mean.py").read_text() == MODEL
    again = mbl("run", model, "mini_gap", "-b", "mini", "--folds", "1", "--json")
    assert again.json["kept"] == 1
    assert again.json["trained"] == 0
    assert again.json["scores"]["mini_gap"]["mae"] > 1


def test_one_task_that_fails_is_exit_code_1_and_the_rest_is_saved(mbl: Callable[..., Any], model: Path) -> None:
    ended = mbl("run", model, "-b", "mini", "--tasks", "mini_n", "mini_gap", "--folds", "2")
    assert ended.code == 1
    assert "mini_n fold 2: the model raised ValueError: refractive" in ended.err
    assert "1 failed:" in ended.err
    assert "next: mbl check" not in ended.out
    assert [task.name for task in Submission.load("submissions/my-mean").tasks] == ["mini_gap"]


def test_a_quick_run_has_a_folder_of_its_own_and_says_so(mbl: Callable[..., Any], model: Path) -> None:
    ended = mbl("run", model, "-b", "mini", "--tasks", "mini_gap", "--quick")
    assert ended.code == 0
    assert "cannot be submitted" in ended.err
    assert "next:" not in ended.out
    assert Submission.load("submissions/my-mean-quick").metadata["quick"] is True


@pytest.mark.slow
def test_a_folder_is_its_own_output(
    mbl: Callable[..., Any], model: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "mine").mkdir()
    model.rename(tmp_path / "mine" / "model.py")
    assert mbl("run", "mine", "-b", "mini", "--tasks", "mini_gap", "--folds", "0").code == 0
    assert (tmp_path / "mine" / "submission.json").is_file()
    monkeypatch.chdir(tmp_path / "mine")
    assert mbl("run", ".", "-b", "mini", "--tasks", "mini_gap", "--quick").code == 0
    assert (tmp_path / "mine-quick" / "submission.json").is_file()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("rf-magpi",), "did you mean 'rf-magpie'"),
        (("dummy", "--tasks", "mini_gapp"), "did you mean 'mini_gap'"),
        (("dummy", "--folds", "9"), "no fold 9"),
        (("dummy", "--folds", "first"), "not a list of fold numbers"),
        (("dummy", "--jobs", "0"), "--jobs"),
        (("dummy", "--backend", "mpi"), "--backend"),
    ],
)
def test_wrong_use_is_exit_code_2(
    mbl: Callable[..., Any], model: Path, arguments: tuple[str, ...], message: str
) -> None:
    ended = mbl("run", *arguments, "-b", "mini")
    assert ended.code == 2
    assert message in ended.err
    assert not Path("submissions").exists()


def test_the_help_has_examples(mbl: Callable[..., Any]) -> None:
    help_text = mbl("run", "--help").out
    assert "mbl run rf-magpie --benchmark mini --jobs 2" in help_text
    assert "--scheduler" in help_text
