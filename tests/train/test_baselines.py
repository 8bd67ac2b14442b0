"""The baselines do what their names say."""

from __future__ import annotations

import shutil
from pathlib import Path

import numpy as np
import pytest

from matbench_lite import load_benchmark
from matbench_lite.data import add
from matbench_lite.train import load_model
from matbench_lite.train.jobs import Job, Outcome

from ..conftest import LONG

BENCH = load_benchmark("mini")


def trained(model: str | Path, task: str, fold: int = 0) -> Outcome:
    outcome = Job(model=load_model(model), benchmark="mini", task=task, fold=fold).work()
    assert outcome.error is None, outcome.details
    return outcome


def error(outcome: Outcome) -> float:
    """Of numbers, or of probabilities."""
    truth = BENCH[outcome.job.task].test_targets(outcome.job.fold).to_numpy(dtype=float)
    return float(np.abs(outcome.values - truth).mean())


def test_the_dummy_predicts_the_mean_of_the_training_part() -> None:
    outcome = trained("dummy", "mini_gap", 3)
    _, targets = BENCH["mini_gap"].train_data(3)
    assert np.allclose(outcome.values, targets.mean())
    assert outcome.std is None


@pytest.mark.parametrize("name", ["ridge-magpie", "rf-magpie", "gbt-magpie"])
def test_every_model_beats_the_dummy_by_far(name: str) -> None:
    assert error(trained(name, "mini_log_gvrh")) < 0.6 * error(trained("dummy", "mini_log_gvrh"))
    assert error(trained(name, "mini_is_ductile")) < 0.8 * error(trained("dummy", "mini_is_ductile"))


@pytest.mark.slow
def test_the_forest_on_structures_beats_the_dummy_by_far(structure_features: Path, data_directory: Path) -> None:
    shutil.copytree(structure_features, data_directory, dirs_exist_ok=True)
    assert error(trained("rf-structure", "mini_log_gvrh")) < 0.6 * error(trained("dummy", "mini_log_gvrh"))


@pytest.mark.slow
def test_the_uncertainty_of_bagged_trees_covers_what_it_promises(tmp_path: Path) -> None:
    """With a tenth of the trees, unless there is time."""
    (file,) = load_model("bagged-gbt").files
    text = file.read_text()
    assert '"max_iter": 200' in text
    model = tmp_path / "bagged_gbt.py"
    model.write_text(text if LONG else text.replace('"max_iter": 200', '"max_iter": 20'))
    outcome = trained(model, "mini_e_form")
    assert outcome.std is not None
    truth = BENCH["mini_e_form"].test_targets(0).to_numpy()
    inside = np.abs(outcome.values - truth) <= 1.96 * outcome.std
    assert 0.85 <= inside.mean() <= 1.0
    assert error(outcome) < 0.6 * error(trained("dummy", "mini_e_form"))
    assert outcome.std.max() > 1.2 * outcome.std.min(), "not the same for every row"


PUBLISHED = {"matbench_steels": 103.5, "matbench_expt_gap": 0.45, "matbench_glass": 0.86}
"""Scores of published forests: MAE in MPa and eV, and the balanced accuracy."""


@pytest.mark.slow
@pytest.mark.real
@pytest.mark.parametrize("name", PUBLISHED if LONG else ["matbench_steels"])
def test_the_forest_is_about_as_good_as_published_forests_on_compositions(real_data: Path, name: str) -> None:
    bench = load_benchmark("matbench_v0.1")
    task = bench[name]
    (added,) = add([real_data / "matbench_v0.1" / "original" / f"{name}.json.gz"], bench)
    assert added.error is None
    scores = []
    for fold in task.folds if name == "matbench_steels" else [0]:
        job = Job(model=load_model("rf-magpie"), benchmark=bench.name, task=name, fold=fold)
        outcome = job.work()
        assert outcome.values is not None, outcome.details
        truth = task.test_targets(fold).to_numpy()
        if task.kind == "regression":
            scores.append(np.abs(outcome.values - truth).mean())
        else:
            hits = (outcome.values > 0.5) == truth
            scores.append(np.mean([hits[truth == label].mean() for label in (False, True)]))
    assert np.mean(scores) == pytest.approx(PUBLISHED[name], rel=0.15)
