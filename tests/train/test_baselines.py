"""The baselines do what their names say."""

from __future__ import annotations

import shutil
from pathlib import Path

import numpy as np
import pytest

from matbench_lite import load_benchmark
from matbench_lite.data import add
from matbench_lite.tasks import Task
from matbench_lite.train import Folds, Job, RowPredictions, load_model

from ..conftest import LONG

BENCH = load_benchmark("mini")


def trained(model: str | Path, task: Task, fold: int = 0) -> RowPredictions:
    outcome = Job(model=load_model(model), protocol=Folds(task=task), piece=fold).work()
    assert outcome.record.error is None, outcome.record.traceback
    return outcome.predictions["test"]


def error(model: str | Path, name: str) -> float:
    """Of numbers, or of probabilities."""
    predicted = trained(model, BENCH[name])
    return float(np.abs(predicted.prediction - BENCH[name].target_values[predicted.rows]).mean())


def test_the_dummy_predicts_the_mean_of_the_training_part() -> None:
    predicted = trained("dummy", BENCH["mini_gap"], 3)
    _, targets = BENCH["mini_gap"].train_data(3)
    assert np.allclose(predicted.prediction, targets.mean())
    assert predicted.std is None


@pytest.mark.parametrize("name", ["ridge-magpie", "rf-magpie", "gbt-magpie"])
def test_every_model_beats_the_dummy_by_far(name: str) -> None:
    assert error(name, "mini_log_gvrh") < 0.6 * error("dummy", "mini_log_gvrh")
    assert error(name, "mini_is_ductile") < 0.8 * error("dummy", "mini_is_ductile")


@pytest.mark.slow
def test_the_forest_on_structures_beats_the_dummy_by_far(structure_features: Path, data_directory: Path) -> None:
    shutil.copytree(structure_features, data_directory, dirs_exist_ok=True)
    assert error("rf-structure", "mini_log_gvrh") < 0.6 * error("dummy", "mini_log_gvrh")


@pytest.mark.slow
def test_the_uncertainty_of_bagged_trees_covers_what_it_promises(tmp_path: Path) -> None:
    """With a tenth of the trees, unless there is time."""
    (file,) = load_model("bagged-gbt").files
    text = file.read_text()
    assert '"max_iter": 200' in text
    model = tmp_path / "bagged_gbt.py"
    model.write_text(text if LONG else text.replace('"max_iter": 200', '"max_iter": 20'))
    predicted = trained(model, BENCH["mini_e_form"])
    assert predicted.std is not None
    truth = BENCH["mini_e_form"].test_targets(0).to_numpy()
    errors = np.abs(predicted.prediction - truth)
    assert 0.85 <= (errors <= 1.96 * predicted.std).mean() <= 1.0
    assert errors.mean() < 0.6 * error("dummy", "mini_e_form")
    assert predicted.std.max() > 1.2 * predicted.std.min(), "not the same for every row"


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
        predicted = trained("rf-magpie", task, fold).prediction
        truth = task.test_targets(fold).to_numpy()
        if task.kind == "regression":
            scores.append(np.abs(predicted - truth).mean())
        else:
            hits = (predicted > 0.5) == truth
            scores.append(np.mean([hits[truth == label].mean() for label in (False, True)]))
    assert np.mean(scores) == pytest.approx(PUBLISHED[name], rel=0.15)
