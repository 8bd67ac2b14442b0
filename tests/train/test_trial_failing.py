"""Models that misbehave in a local test: a clear error that names task and fold, and the other folds go on."""

from __future__ import annotations

from pathlib import Path

import pytest

from matbench_lite import load_benchmark
from matbench_lite.errors import RunError
from matbench_lite.train import Resources, inner_folds, load_model, rescore, trial_journal, try_model

GAP = load_benchmark("mini")["mini_gap"]

FAILING = """
import os, signal
import numpy as np

FAULTS = {}

class Failing:
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
    2: ("nan", "predictions of 1 of 46 rows are NaN or infinite"),
    3: ("length", "predictions have shape (45,), there are 46 rows"),
    4: ("strings", "for example"),
    5: ("killed", "the process that trained it was killed by SIGKILL"),
}


@pytest.mark.slow
def test_a_fold_that_fails_costs_that_fold_alone(tmp_path: Path) -> None:
    folder = failing_model(tmp_path / "failing", 7, {number: fault for number, (fault, _) in FAULTS.items()})
    trial = try_model(load_model(folder), GAP, folder, n_folds=7)
    assert not trial.ok
    assert trial.scores is not None
    assert (trial.scores.folds, trial.scores.failed) == ((0, 6), tuple(FAULTS))
    assert len(trial.scores.bagged["valid"]) == 2
    kept = trial_journal(folder, GAP, 0).read()
    for number, (_, message) in FAULTS.items():
        result = trial.results[number]
        assert (result.state, result.scores) == ("error", {})
        assert result.error is not None
        assert result.error.startswith(f"mini_gap fold 0, inner fold {number}: ")
        assert message in result.error
        assert kept[number].outcome.record.error == result.error
    assert trial.results[1].seconds == {}
    assert 'raise ValueError("no [bold]good[/] row")' in (trial.results[1].traceback or "")
    assert trial.results[0].printed == "seen 274\n"


@pytest.mark.slow
def test_folds_that_never_end_are_given_up_and_where_every_fold_fails_there_is_no_score_at_all(tmp_path: Path) -> None:
    """All of them: how long a fold takes that does end is the machine's business."""
    folder = failing_model(tmp_path / "endless", 2, dict.fromkeys(range(2), "never ends"))
    trial = try_model(load_model(folder), GAP, folder, n_folds=2, resources=Resources(seconds=1))
    assert [result.state for result in trial.results] == ["error", "error"]
    for number, result in enumerate(trial.results):
        assert f"mini_gap fold 0, inner fold {number}: not done after 1 s, stopped" in str(result)
        assert result.scores == {}
    assert trial.scores is None
    with pytest.raises(RunError, match="has no predictions"):
        rescore(GAP, folder)
