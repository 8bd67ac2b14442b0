"""`mbl try` on the terminal: RAMP's layout, nothing cut, JSON, and exit codes."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from matbench_lite import load_benchmark
from matbench_lite.cli import output
from matbench_lite.cli.app import run
from matbench_lite.cli.local_test import print_scores, score_text

MINI = load_benchmark("mini")
TASKS = ("mini_gap", "mini_is_stable")
MODEL = """
import numpy as np

class Mean:
    def fit(self, X, y):
        self.mean = float(np.mean(y))

    def predict(self, X):
        return np.full(len(X), self.mean)

class Share(Mean):
    def predict_proba(self, X):
        return self.predict(X)

def get_estimator(task):
    print("[red]trained[/]")
    if task.name == "mini_n":
        raise ValueError("not [red]this[/] one")
    return Mean() if task.kind == "regression" else Share()
"""


@pytest.fixture(scope="module")
def tried(tmp_path_factory: pytest.TempPathFactory, try_here: Callable[[Path, str, int], None]) -> Path:
    folder = tmp_path_factory.mktemp("tried") / "my-model"
    folder.mkdir()
    (folder / "model.py").write_text(MODEL)
    for name in TASKS:
        try_here(folder, name, 3)
    return folder


@pytest.fixture
def model(tried: Path, tmp_path: Path) -> Path:
    shutil.copytree(tried, tmp_path / "my-model")
    return tmp_path / "my-model"


@pytest.fixture(params=[80, 120])
def width(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> int:
    monkeypatch.setattr(output.out, "_width", request.param)
    return int(request.param)


def mbl(*arguments: object) -> int:
    return run([str(argument) for argument in arguments])


def test_the_layout_is_ramp_s_and_fits(model: Path, width: int, capsys: pytest.CaptureFixture[str]) -> None:
    assert mbl("try", model, "-b", "mini", "--tasks", *TASKS, "--rescore") == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == "Testing mini: mini_gap, band gap (eV)"
    assert lines[1] == "Reading train and test files from the package ..."
    assert lines[2] == "Reading cv ... 3 folds of 320 rows of the training part of fold 0"
    assert lines[3] == "Reading test ... 80 rows of the training part of fold 0"
    assert lines[4] == f"Rescoring {model} ..."
    assert lines[5] == "CV fold 0"
    assert lines[6].split() == ["score", "MAE", "RMSE", "mape*", "max", "error", "R²", "time", "(s)"]
    assert [line.split()[0] for line in lines[7:10]] == ["train", "valid", "test"]
    for title in ("Mean CV scores", "Bagged scores"):
        assert lines.count(title) == len(TASKS)
        rule = lines.index(title)
        assert set(lines[rule - 1]) == set(lines[rule + 1]) == {"-"}
    mean = lines[lines.index("Mean CV scores") : lines.index("Bagged scores")]
    assert any(line.split()[0] == "valid" and "±" in line for line in mean)
    bagged = lines[lines.index("Bagged scores") + 2 :][:3]
    assert [line.split()[0] for line in bagged] == ["score", "valid", "test"]
    assert all(len(line) <= width for line in lines if not line.startswith("Rescoring"))
    assert sum("balanced accuracy" in line for line in lines) == 5, "three folds, their mean, bagged"
    for header in ("MAE", "RMSE", "mape*", "max error", "R²", "time (s)"):
        assert any(header in line for line in mean), "every metric is there, in a second block if need be"


def test_without_bagging_nothing_is_bagged(model: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert mbl("try", model, "-b", "mini", "-t", "mini_gap", "--rescore", "--no-bag") == 0
    printed = capsys.readouterr().out
    assert "Mean CV scores" in printed
    assert "Bagged" not in printed


def test_json_has_everything_and_nothing_else_is_printed(model: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert mbl("try", model, "-b", "mini", "--tasks", *TASKS, "--rescore", "--json") == 0
    first, second = json.loads(capsys.readouterr().out)
    assert (first["settings"]["task"], second["settings"]["task"]) == TASKS
    assert len(first["scores"]["bagged"]["valid"]) == 3, "one per prefix"
    assert first["scores"]["mean"]["valid"]["mae"]["std"] >= 0
    assert [result["state"] for result in first["results"]] == ["scored"] * 3
    assert second["results"][0]["scores"]["test"]["rocauc"] == 0.5


@pytest.mark.slow
def test_training_shows_every_fold_and_one_task_that_fails_does_not_stop_the_others(
    model: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert mbl("try", model, "-b", "mini", "--tasks", "mini_n", "mini_gap", "--inner-folds", 2) == 1
    shown = capsys.readouterr()
    assert "error: mini_n fold 0, inner fold 0: get_estimator of 'my-model' raised ValueError" in shown.out
    assert "not [red]this[/] one" in shown.err, "a stranger's markup is text"
    assert "mini_n: 2 of 2 inner folds failed: 0, 1" in shown.err
    assert shown.out.count("Mean CV scores") == 1, "of mini_gap; of mini_n there is none"
    assert "[red]trained[/]" not in shown.out, "what a model prints is kept with its fold"


def test_nothing_to_rescore_and_wrong_names(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert mbl("try", "dummy", "-b", "mini", "-t", "mini_gap", "--rescore", "-o", tmp_path) == 1
    assert "nothing was tried there" in capsys.readouterr().err
    assert mbl("try", "dummy", "-b", "mini", "-t", "mini_gab") == 2
    assert "did you mean 'mini_gap'?" in capsys.readouterr().err
    assert mbl("try", "dumy", "-b", "mini") == 2
    assert mbl("try", "dummy", "-b", "mini", "--inner-folds", 1) == 2
    assert mbl("try", "dummy", "-b", "mini", "--fold", 9, "-o", tmp_path) == 2


def test_the_help_says_what_bagged_means_here(capsys: pytest.CaptureFixture[str]) -> None:
    assert mbl("try", "--help") == 0
    assert '"Bagged" is a historical name' in capsys.readouterr().out


def test_scores_have_the_decimals_of_the_target_s_scale() -> None:
    assert score_text(MINI["mini_gap"], "mae", 12.34567) == "12.346"
    assert score_text(MINI["mini_gap"], "r2", -1e12) == "-1e+12"
    assert score_text(MINI["mini_gap"], "r2", None) == "–"
    assert score_text(MINI["mini_gap"], "r2", float("nan")) == "–"
    assert score_text(MINI["mini_is_stable"], "f1", 2 / 3) == "0.667"


def test_uncertainty_is_shown_where_a_model_gives_it(width: int, capsys: pytest.CaptureFixture[str]) -> None:
    metrics = ("mae", "rmse", "mape", "max_error", "r2", "coverage", "sharpness", "nll", "crps", "ause")
    parts = {"train": {"mae": 0.5}, "valid": dict.fromkeys(metrics, 0.9), "test": dict.fromkeys(metrics, 0.9)}
    print_scores(MINI["mini_gap"], parts, {"fit": 1.0, "valid": 2.0, "test": 3.0})
    lines = capsys.readouterr().out.splitlines()
    assert all(len(line) <= width for line in lines)
    headers = " ".join(line for line in lines if line.split()[0] == "score")
    for header in ("CRPS", "coverage", "sharpness", "NLL", "time (s)"):
        assert header in headers
    assert "AUSE" not in headers
    assert sum(line.count("–") for line in lines) == 8, "the training rows have one metric of nine"


@pytest.mark.slow
def test_a_cluster_gives_the_same_scores(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    printed = []
    for backend in ("local", "dask"):
        about = ("-b", "mini", "--inner-folds", "2", "--backend", backend, "--output", tmp_path / backend, "--json")
        assert mbl("try", "dummy", *about) == 0
        (trial,) = json.loads(capsys.readouterr().out)
        printed.append([result["scores"] for result in trial["results"]])
    assert printed[0] == printed[1]
