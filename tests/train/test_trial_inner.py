"""Inner folds: what is held out when, and that the official test part stays out of sight."""

from __future__ import annotations

import numpy as np
import pytest

from matbench_lite import load_benchmark
from matbench_lite.errors import RunError, UnknownNameError
from matbench_lite.train import inner_folds

MINI = load_benchmark("mini")


@pytest.mark.parametrize("name", ["mini_gap", "mini_is_stable"])
@pytest.mark.parametrize("fold", [0, 3])
def test_every_row_of_the_training_part_is_held_out_once_or_is_in_the_slice(name: str, fold: int) -> None:
    task = MINI[name]
    folds = inner_folds(task, fold)
    held_out = np.concatenate([inner.valid for inner in folds])
    np.testing.assert_array_equal(np.sort(np.concatenate([held_out, folds[0].test])), task.train_rows(fold))
    for inner in folds:
        np.testing.assert_array_equal(inner.test, folds[0].test)
        np.testing.assert_array_equal(np.sort(np.concatenate([inner.train, inner.valid])), np.sort(held_out))


@pytest.mark.parametrize("name", MINI.names)
def test_the_slice_is_a_fifth(name: str) -> None:
    task = MINI[name]
    assert len(inner_folds(task, 0)[0].test) == pytest.approx(len(task.train_rows(0)) / 5, abs=1)


def test_the_slice_does_not_move_with_seed_or_number_of_folds() -> None:
    task = MINI["mini_gap"]
    first, other = inner_folds(task, 0), inner_folds(task, 0, n_folds=3, seed=7)
    np.testing.assert_array_equal(first[0].test, other[0].test)
    assert len(other) == 3
    assert not np.array_equal(inner_folds(task, 0, seed=7)[0].valid, first[0].valid)


def test_the_same_seed_gives_the_same_folds() -> None:
    task = MINI["mini_gap"]
    for one, two in zip(inner_folds(task, 1, seed=5), inner_folds(task, 1, seed=5), strict=True):
        np.testing.assert_array_equal(one.valid, two.valid)


def test_classes_are_as_frequent_in_every_inner_fold() -> None:
    task = MINI["mini_is_stable"]
    share = task.target_values[task.train_rows(0)].mean()
    for inner in inner_folds(task, 0):
        for rows in (inner.valid, inner.test):
            assert task.target_values[rows].mean() == pytest.approx(share, abs=1 / len(rows))


def test_the_official_test_part_replaces_the_slice_and_nothing_else() -> None:
    task = MINI["mini_gap"]
    for usual, official in zip(inner_folds(task, 2), inner_folds(task, 2, official_test=True), strict=True):
        np.testing.assert_array_equal(official.test, task.test_rows(2))
        np.testing.assert_array_equal(official.train, usual.train)
        np.testing.assert_array_equal(official.valid, usual.valid)


@pytest.mark.parametrize("n_folds", [0, 1, 101])
def test_impossible_numbers_of_folds_are_refused(n_folds: int) -> None:
    with pytest.raises(
        RunError, match=f"mini_gap fold 0: {n_folds} inner folds cannot be made; use 2 to 100 inner folds"
    ):
        inner_folds(MINI["mini_gap"], 0, n_folds=n_folds)


def test_an_unknown_fold_is_refused() -> None:
    with pytest.raises(UnknownNameError, match="no fold 5"):
        inner_folds(MINI["mini_gap"], 5)
