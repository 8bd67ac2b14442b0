"""The baselines do what their names say."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from matbench_lite import load_benchmark
from matbench_lite.data import add
from matbench_lite.run import load_model
from matbench_lite.run.unit import Job, Outcome, train_fold

BENCH = load_benchmark("mini")


def trained(name: str, task: str, fold: int = 0) -> Outcome:
    outcome = train_fold(Job(model=load_model(name), benchmark="mini", task=task, fold=fold))
    assert outcome.error is None, outcome.details
    return outcome


def error(outcome: Outcome) -> float:
    truth = BENCH[outcome.job.task].test_targets(outcome.job.fold).to_numpy()
    return float(np.abs(outcome.values - truth).mean())


def test_the_dummy_predicts_the_mean_of_the_training_part() -> None:
    outcome = trained("dummy", "mini_gap", 3)
    _, targets = BENCH["mini_gap"].train_data(3)
    assert np.allclose(outcome.values, targets.mean())
    assert outcome.std is None


@pytest.mark.parametrize(
    "name",
    [
        "ridge-magpie",
        "rf-magpie",
        *(pytest.param(slow, marks=pytest.mark.slow) for slow in ("gbt-magpie", "rf-structure")),
    ],
)
def test_every_model_beats_the_dummy_by_far(name: str) -> None:
    assert error(trained(name, "mini_log_gvrh")) < 0.6 * error(trained("dummy", "mini_log_gvrh"))


@pytest.mark.slow
def test_the_uncertainty_of_bagged_trees_covers_what_it_promises() -> None:
    outcome = trained("bagged-gbt", "mini_e_form")
    assert outcome.std is not None
    truth = BENCH["mini_e_form"].test_targets(0).to_numpy()
    inside = np.abs(outcome.values - truth) <= 1.96 * outcome.std
    assert 0.85 <= inside.mean() <= 1.0
    assert error(outcome) < 0.6 * error(trained("dummy", "mini_e_form"))
    assert outcome.std.max() > 1.2 * outcome.std.min(), "not the same for every row"


@pytest.mark.slow
@pytest.mark.real
def test_the_forest_is_about_as_good_as_published_forests_on_compositions(real_data: Path) -> None:
    bench = load_benchmark("matbench_v0.1")
    published = {"matbench_steels": 103.5, "matbench_expt_gap": 0.45, "matbench_glass": 0.86}
    originals = [real_data / "matbench_v0.1" / "original" / f"{name}.json.gz" for name in published]
    assert all(added.error is None for added in add(originals, bench))
    for name, expected in published.items():
        task = bench[name]
        scores = []
        for fold in task.folds if name == "matbench_steels" else [0]:
            job = Job(model=load_model("rf-magpie"), benchmark=bench.name, task=name, fold=fold)
            outcome = train_fold(job)
            assert outcome.values is not None, outcome.details
            truth = task.test_targets(fold).to_numpy()
            if task.kind == "regression":
                scores.append(np.abs(outcome.values - truth).mean())
            else:
                hits = (outcome.values > 0.5) == truth
                scores.append(np.mean([hits[truth == label].mean() for label in (False, True)]))
        assert np.mean(scores) == pytest.approx(expected, rel=0.15)
