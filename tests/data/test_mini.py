"""The embedded benchmark: real data inside the package, which needs no network and no data directory."""

from __future__ import annotations

from pathlib import Path

import pytest

import matbench_lite.data
from matbench_lite import Task, load_benchmark
from matbench_lite.data import status, verify
from matbench_lite.tasks import assign_folds, folds_digest, inputs_digest, targets_digest

MINI = load_benchmark("mini")
EVERY_TASK = pytest.mark.parametrize("task", MINI, ids=lambda task: task.name)


@pytest.fixture(autouse=True)
def _nowhere(monkeypatch: pytest.MonkeyPatch) -> None:
    """A data directory that is not there and cannot be made."""
    monkeypatch.setenv("MATBENCH_LITE_DATA", "/proc/nothing/here")


def test_it_has_both_inputs_and_both_kinds() -> None:
    assert len(MINI) >= 6
    assert {(task.input, task.kind) for task in MINI} == {
        (kind_of_input, kind)
        for kind_of_input in ("structure", "composition")
        for kind in ("regression", "classification")
    }


def test_all_of_it_is_under_a_megabyte() -> None:
    folder = Path(matbench_lite.data.__file__).parent / "mini"
    assert sum(path.stat().st_size for path in folder.iterdir()) < 1e6
    assert {path.name for path in folder.glob("*.parquet")} == {
        f"{task.name}.{part}.parquet" for task in MINI for part in ("targets", "inputs")
    }


@EVERY_TASK
def test_a_task_has_200_to_500_rows_in_five_folds(task: Task) -> None:
    assert 200 <= task.rows <= 500
    assert len(task.targets) == len(task.inputs) == len(task.ids) == task.rows
    assert task.ids[0] == f"mini-{task.name.removeprefix('mini_').replace('_', '-')}-001"
    assert list(task.folds) == [0, 1, 2, 3, 4]


@EVERY_TASK
def test_its_digests_are_the_registrys(task: Task) -> None:
    assert targets_digest(task.ids, task.target_values) == task.targets_sha256
    assert folds_digest(task.fold_of_rows) == task.folds_sha256
    if task.input == "composition":
        assert inputs_digest(task.ids, task.inputs) == task.inputs_sha256


@EVERY_TASK
def test_its_folds_are_those_of_scikit_learn(task: Task) -> None:
    again = assign_folds(task.kind, task.target_values, n_folds=5, seed=18012019)
    assert task.fold_of_rows.tolist() == again.tolist()


@EVERY_TASK
def test_what_the_registry_says_of_its_targets_is_so(task: Task) -> None:
    values = task.target_values
    if task.kind == "regression":
        assert abs(values - values.mean()).mean() == pytest.approx(task.mean_absolute_deviation, rel=1e-6)
    else:
        assert values.mean() == pytest.approx(task.fraction_true, abs=1e-4)


@EVERY_TASK
def test_its_inputs_have_the_formulas_of_its_targets(task: Task) -> None:
    from pymatgen.core import Composition

    for given, formula in zip(task.inputs, task.targets["formula"], strict=True):
        composition = Composition(given) if task.input == "composition" else given.composition
        assert composition.reduced_formula == formula


@EVERY_TASK
def test_its_data_is_cited(task: Task) -> None:
    assert task.description
    assert all("doi" in reference for reference in task.references)
    assert task.references


def test_it_is_all_there_and_passes_verification() -> None:
    assert {item.state for item in status(MINI)} == {"verified"}
    assert [problem for _, problem in verify(MINI)] == [None] * 2 * len(MINI)


def test_a_model_can_be_trained_without_a_data_directory() -> None:
    X, y = MINI["mini_e_form"].train_data(0)
    assert X.index.equals(y.index)
    assert X.iloc[0].volume > 0
    assert not MINI["mini_e_form"].test_inputs(0).index.intersection(X.index).size
