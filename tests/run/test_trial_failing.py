"""Models that misbehave in a local test: a clear error that names task and fold, and the other folds go on."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from matbench_lite import load_benchmark
from matbench_lite.errors import RunError
from matbench_lite.run import load_model, rescore, try_model
from matbench_lite.run.inner import inner_folds
from matbench_lite.run.trial import trial_folder

GAP = load_benchmark("mini")["mini_gap"]

FAILING = """
import os, signal
import numpy as np
from sklearn.base import BaseEstimator, RegressorMixin

FAULTS = {}

class Failing(RegressorMixin, BaseEstimator):
    def fit(self, X, y):
        print("seen", len(X))
        self.train_ = len(X)
        self.mean_ = y.mean()
        self.fault_ = next((fault for row, fault in FAULTS.items() if row not in X.index), "")
        if self.fault_ == "raises":
            raise ValueError("no [bold]good[/] row")
        if self.fault_ == "killed":
            os.kill(os.getpid(), signal.SIGKILL)
        if self.fault_ == "never ends":
            import time; time.sleep(600)
        return self

    def predict(self, X):
        values = np.full(len(X), self.mean_)
        if len(X) == self.train_:
            return values
        if self.fault_ == "nan":
            values[0] = np.nan
        return {"length": values[1:], "strings": values.astype(str)}.get(self.fault_, values)

def get_estimator(task):
    return Failing()
"""


def failing_model(folder: Path, n_folds: int, faults: dict[int, str]) -> Path:
    """A model that has a fault of its own in each of some inner folds, told by a row that is held out there."""
    folds = inner_folds(GAP, 0, n_folds=n_folds)
    by_row = {str(GAP.ids[folds[number].valid[0]]): fault for number, fault in faults.items()}
    folder.mkdir()
    (folder / "model.py").write_text(FAILING.replace("FAULTS = {}", f"FAULTS = {by_row}"))
    return folder


FAULTS = {
    1: ("raises", "raised ValueError: no [bold]good[/] row"),
    2: ("nan", "predictions of 1 of 53 rows are NaN or infinite"),
    3: ("length", "predictions have shape (52,), there are 53 rows"),
    4: ("strings", "for example"),
}


def test_a_fold_that_fails_costs_that_fold_alone(tmp_path: Path) -> None:
    folder = failing_model(tmp_path / "failing", 6, {number: fault for number, (fault, _) in FAULTS.items()})
    trial = try_model(load_model(folder), GAP, folder, n_folds=6)
    assert not trial.ok
    assert trial.scores is not None
    assert (trial.scores.folds, trial.scores.failed) == ((0, 5), tuple(FAULTS))
    assert len(trial.scores.bagged["valid"]) == 2
    for number, (_, message) in FAULTS.items():
        result = trial.results[number]
        assert (result.state, result.scores) == ("error", {})
        assert result.error is not None
        assert result.error.startswith(f"mini_gap fold 0, inner fold {number}: ")
        assert message in result.error
        on_disk = json.loads((trial_folder(folder, trial.settings).path / f"inner-{number}.json").read_bytes())
        assert (on_disk["state"], on_disk["error"]) == ("error", result.error)
    assert trial.results[1].seconds == {}
    assert 'raise ValueError("no [bold]good[/] row")' in (trial.results[1].traceback or "")
    assert trial.results[0].printed == "seen 266\n"


@pytest.mark.slow
def test_a_process_that_dies_costs_one_fold(tmp_path: Path) -> None:
    folder = failing_model(tmp_path / "dying", 3, {1: "killed"})
    trial = try_model(load_model(folder), GAP, folder, n_folds=3)
    assert [result.state for result in trial.results] == ["scored", "error", "scored"]
    assert "mini_gap fold 0, inner fold 1: the process that trained it was killed by SIGKILL" in str(trial.results[1])


def test_where_every_fold_fails_there_is_no_score_at_all(tmp_path: Path) -> None:
    folder = failing_model(tmp_path / "nan", 2, {0: "nan", 1: "nan"})
    trial = try_model(load_model(folder), GAP, folder, n_folds=2)
    assert trial.scores is None
    assert [result.scores for result in trial.results] == [{}, {}]
    with pytest.raises(RunError, match="has no predictions"):
        rescore(GAP, folder)


@pytest.mark.slow
def test_a_fold_that_never_ends_is_given_up(tmp_path: Path) -> None:
    folder = failing_model(tmp_path / "endless", 2, {1: "never ends"})
    # Long enough for a process to start on a machine with a lot to do.
    trial = try_model(load_model(folder), GAP, folder, n_folds=2, timeout=30)
    assert [result.state for result in trial.results] == ["scored", "error"]
    assert "mini_gap fold 0, inner fold 1: not done after 30 s, stopped" in str(trial.results[1])
