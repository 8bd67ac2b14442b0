"""The folds: shipped, the same as scikit-learn's, and guarded by a digest."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pyarrow.parquet as pq
import pytest
from sklearn.model_selection import KFold, StratifiedKFold

from matbench_lite import MatbenchLiteError, load_benchmark
from matbench_lite.tasks import assign_folds

BENCH = load_benchmark("matbench_v0.1")
MINI = load_benchmark("mini")


def assert_same_folds(task, splits) -> None:
    for fold, (train, test) in enumerate(splits):
        assert np.array_equal(task.train_rows(fold), train)
        assert np.array_equal(task.test_rows(fold), test)
    assert fold == 4


@pytest.mark.parametrize("task", BENCH.select(kind="regression"), ids=lambda task: task.name)
def test_regression_folds_are_those_of_scikit_learn(task) -> None:
    splitter = KFold(n_splits=5, shuffle=True, random_state=18012019)
    assert_same_folds(task, splitter.split(np.zeros(task.rows)))


@pytest.mark.real
@pytest.mark.parametrize("task", BENCH.select(kind="classification"), ids=lambda task: task.name)
def test_classification_folds_are_those_of_scikit_learn_on_the_real_labels(task, real_data) -> None:
    table = pq.read_table(real_data / "matbench_v0.1" / "truth" / f"{task.name}.parquet")
    labels = table["target"].to_numpy()
    splitter = StratifiedKFold(n_splits=5, shuffle=True, random_state=18012019)
    assert_same_folds(task, splitter.split(np.zeros(task.rows), labels))


@pytest.mark.parametrize("task", MINI, ids=lambda task: task.name)
def test_mini_folds_are_those_of_scikit_learn(task) -> None:
    splitter = {"regression": KFold, "classification": StratifiedKFold}[task.kind]
    splits = splitter(n_splits=5, shuffle=True, random_state=18012019).split(np.zeros(task.rows), task.target_values)
    assert_same_folds(task, splits)


@pytest.mark.parametrize("task", [*BENCH, *MINI], ids=lambda task: task.name)
def test_every_row_is_tested_once_and_never_trained_on_in_that_fold(task) -> None:
    tested = np.concatenate([task.test_rows(fold) for fold in task.folds])
    assert sorted(tested) == list(range(task.rows))
    for fold in task.folds:
        assert not set(task.train_rows(fold)) & set(task.test_rows(fold))
        assert len(task.train_ids(fold)) + len(task.test_ids(fold)) == task.rows


def test_a_changed_fold_file_is_noticed() -> None:
    forged = replace(BENCH["matbench_steels"], folds_sha256="0" * 64)
    with pytest.raises(MatbenchLiteError, match="folds of matbench_steels were changed"):
        forged.test_rows(0)


def test_nobody_can_move_a_fold_in_memory() -> None:
    with pytest.raises(ValueError, match="read-only"):
        BENCH["matbench_steels"].fold_of_rows[0] = 3


def test_new_folds_are_repeatable_and_stratified() -> None:
    labels = np.arange(100) % 10 == 0
    first = assign_folds("classification", labels, n_folds=5, seed=1)
    assert np.array_equal(first, assign_folds("classification", labels, n_folds=5, seed=1))
    assert [labels[first == fold].sum() for fold in range(5)] == [2] * 5
