"""Which rows each fold trains on and which it tests: drawn by a seed, or as columns of the data say."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import numpy as np

from matbench_lite.errors import DataFormatError, raising
from matbench_lite.tasks.folds import IN_NO_FOLD, Split, assign_folds

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from matbench_lite.tasks.task import Task

Scheme = Literal["drawn", "shuffled", "fold", "group", "time", "repeats"]
"""How rows are shared out: into folds by a seed, by repeated draws, by a column of folds, groups or times, or by one
column per repeat."""
TRAIN = 0
"""A row to train on, in a repeat."""
TEST = 1
"""A row to test on."""
NEITHER = 2
"""A row that is left out."""


@dataclass(frozen=True, kw_only=True, eq=False)
class Marks:
    """What columns of a user's data say of the folds; None where there is no such column.

    Args:
        is_test: Whether a row is to be tested on, where the data says "train" or "test" of every row.
        folds: The fold that tests a row; `IN_NO_FOLD` for one that is always trained on.
        groups: The number of a row's group.
        times: The place of a row's time among all times.
        repeats: For every repeat, what each row is: `TRAIN`, `TEST` or `NEITHER`.
    """

    is_test: NDArray[np.bool_] | None = None
    folds: NDArray[np.uint8] | None = None
    groups: NDArray[np.intp] | None = None
    times: NDArray[np.intp] | None = None
    repeats: tuple[NDArray[np.uint8], ...] = ()


def split_rows(task: Task, rows: NDArray[np.intp], *, n_folds: int, seed: int) -> list[Split]:
    """Split some rows of a task, by their positions, as its data says, else as its benchmark does.

    A column of folds, or one per repeat, has as many folds as it has. A `DataFormatError` if the rows do not suffice.

    Examples:
        >>> import numpy as np
        >>> from matbench_lite import load_benchmark
        >>> splits = split_rows(load_benchmark("mini")["mini_gap"], np.arange(10), n_folds=2, seed=0)
        >>> [split.test.tolist() for split in splits]
        [[1, 2, 4, 8, 9], [0, 3, 5, 6, 7]]
    """
    scheme, marks = task.scheme, task.marks
    if scheme == "repeats":
        splits = [Split(rows[each[rows] == TRAIN], rows[each[rows] == TEST]) for each in marks.repeats]
    elif scheme == "time":
        assert marks.times is not None
        blocks = time_blocks(marks.times[rows], n_folds + 1)
        splits = [Split(rows[blocks < block], rows[blocks == block]) for block in range(1, n_folds + 1)]
    elif scheme == "shuffled":
        splits = [Split(rows[train], rows[test]) for train, test in _drawn_again(task, rows, n_folds, seed)]
    else:
        if scheme == "fold":
            assert marks.folds is not None
            assignment = marks.folds[rows]
            numbers = np.unique(assignment[assignment != IN_NO_FOLD]).tolist()
        elif scheme == "group":
            assert marks.groups is not None
            assignment, numbers = share_groups(marks.groups[rows], n_folds), list(range(n_folds))
        else:
            assignment = assign_folds(task.kind, task.target_values[rows], n_folds=n_folds, seed=seed)
            numbers = list(range(n_folds))
        splits = [Split(rows[assignment != number], rows[assignment == number]) for number in numbers]
    for fold, split in enumerate(splits):
        for what, some in (("train", split.train), ("test", split.test)):
            if not len(some):
                raise DataFormatError(f"fold {fold} has no row to {what} on", fix="add rows, or take fewer folds")
    return splits


def share_groups(groups: NDArray[np.intp], n_folds: int) -> NDArray[np.uint8]:
    """Share groups out whole: from the largest to the smallest, each to the fold that has the fewest rows so far.

    Where groups or folds are of one size, the first comes first: the group by its number, the fold by its own.

    Examples:
        >>> import numpy as np
        >>> share_groups(np.array([0, 0, 0, 1, 1, 2, 3]), 2).tolist()
        [0, 0, 0, 1, 1, 1, 0]
    """
    _, group_of, sizes = np.unique(groups, return_inverse=True, return_counts=True)
    if len(sizes) < n_folds:
        raise DataFormatError(f"{len(sizes)} groups are too few for {n_folds} folds", fix="take fewer folds")
    filled, fold_of = np.zeros(n_folds, dtype=np.intp), np.empty(len(sizes), dtype=np.uint8)
    for group in np.argsort(-sizes, kind="stable"):
        fold_of[group] = np.argmin(filled)
        filled[fold_of[group]] += sizes[group]
    chosen: NDArray[np.uint8] = fold_of[group_of]
    return chosen


def time_blocks(times: NDArray[np.intp], n_blocks: int) -> NDArray[np.intp]:
    """Cut rows into blocks of time, as equal in rows as can be; rows of one time stay together.

    A time goes to the block in which its middle row lies.

    Examples:
        >>> import numpy as np
        >>> time_blocks(np.array([3, 1, 2, 2, 4, 5]), 3).tolist()
        [1, 0, 1, 1, 2, 2]
    """
    _, time_of, sizes = np.unique(times, return_inverse=True, return_counts=True)
    twice_middle = 2 * np.cumsum(sizes) - sizes
    block_of = twice_middle * n_blocks // (2 * len(times))
    if len(set(block_of.tolist())) < n_blocks:
        message = f"{len(sizes)} different times cannot be cut into {n_blocks} blocks of about as many rows"
        raise DataFormatError(message, fix="take fewer folds, or a column with finer times")
    blocks: NDArray[np.intp] = block_of[time_of]
    return blocks


def splits_digest(rows: int, splits: list[Split]) -> str:
    """The sha256 over one byte per row and fold: whether it is to train on, to test on, or neither."""
    sha = hashlib.sha256()
    for split in splits:
        places = np.full(rows, NEITHER, dtype=np.uint8)
        places[split.train], places[split.test] = TRAIN, TEST
        sha.update(places.tobytes())
    return sha.hexdigest()


def _drawn_again(
    task: Task, rows: NDArray[np.intp], n_folds: int, seed: int
) -> list[tuple[NDArray[np.intp], NDArray[np.intp]]]:
    from sklearn.model_selection import ShuffleSplit, StratifiedShuffleSplit

    splitter = ShuffleSplit if task.kind == "regression" else StratifiedShuffleSplit
    drawn = splitter(n_splits=n_folds, test_size=task.test_share, random_state=seed)
    message, fix = f"{len(rows)} rows cannot be split", "add rows, or change the share"
    with raising(DataFormatError, message, fix=fix, on=ValueError):
        pairs = list(drawn.split(np.zeros(len(rows)), task.target_values[rows]))
    return [(np.sort(train), np.sort(test)) for train, test in pairs]
