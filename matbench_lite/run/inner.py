"""Inner cross-validation: folds inside the training part of one fold; nobody tunes on the official test part."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from matbench_lite.errors import RunError
from matbench_lite.tasks import assign_folds

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from matbench_lite.tasks import Task

DEFAULT_INNER_FOLDS = 8
MAX_INNER_FOLDS = 100
_TEST_PARTS = 5  # one of them, 20 % of the rows, is the test slice


@dataclass(frozen=True, kw_only=True)
class InnerFold:
    """One inner fold: positions of rows in the task, in file order.

    Args:
        number: 0 to the number of inner folds - 1.
        train: Rows to train on.
        valid: Rows that this fold holds out.
        test: Rows that no inner fold trains on; the same in every fold.
    """

    number: int
    train: NDArray[np.intp]
    valid: NDArray[np.intp]
    test: NDArray[np.intp]


def inner_folds(
    task: Task, fold: int, *, n_folds: int = DEFAULT_INNER_FOLDS, seed: int = 0, official_test: bool = False
) -> tuple[InnerFold, ...]:
    """Split the training part of one fold for a local test.

    A fifth of the training part is set aside as `test`, the same rows for every `n_folds` and `seed`: a lucky slice
    cannot be looked for. The rest is held out in `n_folds` turns, shuffled; classification is stratified.

    Where the data itself says which rows are to be tested on, `test` is those, and all others are held out in turn.

    Args:
        task: The task; its targets must be on this machine or fetchable.
        fold: The fold whose training part is split.
        n_folds: Number of inner folds, 2 or more.
        seed: Seed of the shuffle.
        official_test: Give the test part of `fold` itself as `test`. What is trained on and held out stays the same.

    Raises:
        UnknownNameError: If the task has no such fold.
        RunError: If there are too few rows for that many folds.

    Examples:
        >>> from matbench_lite import load_benchmark
        >>> task = load_benchmark("mini")["mini_gap"]
        >>> folds = inner_folds(task, 0)
        >>> len(folds), set(folds[0].test) <= set(task.train_rows(0)), set(folds[0].test) & set(folds[0].train)
        (8, True, set())
    """
    rows = task.train_rows(fold)
    targets = task.target_values[rows]
    if task.has_given_parts:
        rest = np.ones(len(rows), dtype=np.bool_)
    else:
        rest = _assign(task, fold, targets, n_folds=_TEST_PARTS, seed=task.seed) != 0
    test = task.test_rows(fold) if official_test or task.has_given_parts else rows[~rest]
    held_out_in = _assign(task, fold, targets[rest], n_folds=n_folds, seed=seed)
    return tuple(
        InnerFold(
            number=number, train=rows[rest][held_out_in != number], valid=rows[rest][held_out_in == number], test=test
        )
        for number in range(n_folds)
    )


def _assign(task: Task, fold: int, targets: NDArray[np.generic], *, n_folds: int, seed: int) -> NDArray[np.uint8]:
    size = len(targets)
    if task.kind == "classification":
        size = min(int(np.count_nonzero(targets == value)) for value in (True, False))
    most = min(size, MAX_INNER_FOLDS)
    if not 2 <= n_folds <= most:
        what = "rows" if task.kind == "regression" else "rows of its rarer class"
        raise RunError(
            f"{task.name} fold {fold}: {n_folds} inner folds cannot be made of {size} {what}",
            fix=f"use 2 to {most} inner folds" if most >= 2 else "use a task with more rows",
        )
    return assign_folds(task.kind, targets, n_folds=n_folds, seed=seed)
