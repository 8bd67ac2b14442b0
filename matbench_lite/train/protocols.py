"""How a task becomes pieces: its folds, and the inner folds of a local test inside one of them.

Inner folds lie inside the training part of one fold: nobody tunes on the official test part.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any, ClassVar, cast

import numpy as np
from numpy.typing import NDArray

from matbench_lite.errors import DataFormatError, RunError
from matbench_lite.tasks import IN_NO_FOLD, Task, assign_folds, share_groups, split_rows
from matbench_lite.tasks import Split as RowSplit
from matbench_lite.train.estimators import derived_seed
from matbench_lite.train.jobs import Job, Protocol, Split, data_digest
from matbench_lite.train.model_file import Model, model_inputs

QUICK_ROWS = 500
"""Training rows of a fold in a quick run."""
DEFAULT_INNER_FOLDS = 8
"""Inner folds of a local test, unless another number is given."""
MAX_INNER_FOLDS = 100
"""The most that a test may have."""
_TEST_PARTS = 5  # one of them, 20 % of the rows, is the test slice
PARTS = ("train", "valid", "test")
"""What every inner model predicts."""


@lru_cache(maxsize=1)
def kept_task(task: Task, digest: str) -> Task:  # noqa: ARG001 - part of the key: data may change on disk
    """The task with what it has read: a job brings a bare record, the process that does several reads data once."""
    return replace(task)


def rows_split(
    job: Job, task: Task, train: NDArray[np.intp], asked: Mapping[str, NDArray[np.intp]], seed: int
) -> Split:
    """Some rows of a task to train on, and some to ask for, as the model wants them."""
    model = cast("Model", job.model)
    inputs = model_inputs(model, task)
    return Split(
        task=task,
        X=inputs.iloc[train],
        y=task.targets["target"].iloc[train],
        asked={part: inputs.iloc[rows] for part, rows in asked.items()},
        rows=asked,
        seed=seed,
        truth={part: task.target_values[rows] for part, rows in asked.items()},
    )


@dataclass(frozen=True, kw_only=True)
class _OfTask(Protocol):
    task: Task

    @property
    def task_name(self) -> str:
        """The task."""
        return self.task.name


@dataclass(frozen=True, kw_only=True)
class Folds(_OfTask):
    """The folds of a task: the training part is shown, or in a quick run a few rows of it; the test part is asked."""

    name: ClassVar[str] = "folds"
    quick: bool = False

    def label(self, piece: int) -> str:
        """Which fold."""
        return f"fold {piece}"

    def facts(self) -> Any:
        """The benchmark, the data, and whether the run is a quick one."""
        return [self.task.benchmark, data_digest(self.task), self.quick]

    def split(self, job: Job) -> Split:
        """The parts of the fold."""
        task = kept_task(self.task, self.digest)
        seed = derived_seed(job.seed, task.name, job.piece)
        train = training_rows(task, job.piece, quick=self.quick, seed=seed)
        return rows_split(job, task, train, {"test": task.test_rows(job.piece)}, seed)


def training_rows(task: Task, fold: int, *, quick: bool = False, seed: int = 0) -> NDArray[np.intp]:
    """Positions of the rows to train on: the training part of the fold, or a few rows of it, in file order."""
    rows = task.train_rows(fold)
    if quick and len(rows) > QUICK_ROWS:
        chosen = np.random.default_rng(seed).choice(len(rows), QUICK_ROWS, replace=False)
        rows = rows[np.sort(chosen)]
    return rows


@dataclass(frozen=True, kw_only=True)
class LocalTest(_OfTask):
    """RAMP's local test: inner folds inside the training part of one fold."""

    name: ClassVar[str] = "local test"
    fold: int
    inner_folds: int
    official_test: bool = False

    def label(self, piece: int) -> str:
        """Which fold and inner fold."""
        return f"fold {self.fold}, inner fold {piece}"

    def facts(self) -> Any:
        """The benchmark, the data, and how it is split."""
        return [self.task.benchmark, data_digest(self.task), self.fold, self.inner_folds, self.official_test]

    def split(self, job: Job) -> Split:
        """The parts of the inner fold."""
        task = kept_task(self.task, self.digest)
        folds = inner_folds(task, self.fold, n_folds=self.inner_folds, seed=job.seed, official_test=self.official_test)
        inner, seed = folds[job.piece], derived_seed(job.seed, task.name, self.fold, "inner", job.piece)
        return rows_split(job, task, inner.train, {part: getattr(inner, part) for part in PARTS}, seed)


@dataclass(frozen=True, kw_only=True)
class InnerFold:
    """One inner fold: positions of rows in the task, in file order.

    `test` are rows that no inner fold trains on, the same in every fold.
    """

    number: int
    train: NDArray[np.intp]
    valid: NDArray[np.intp]
    test: NDArray[np.intp]


def inner_folds(
    task: Task, fold: int, *, n_folds: int | None = None, seed: int = 0, official_test: bool = False
) -> tuple[InnerFold, ...]:
    """Split the training part of one fold for a local test.

    A fifth of the training part is set aside as `test`, the same rows for every `n_folds` and `seed`: a lucky slice
    cannot be looked for. The rest is held out in `n_folds` turns, shuffled; classification is stratified.

    Where the data itself says which rows are to be tested on, `test` is those, and all others are held out in turn.
    What is held out follows the folds of the benchmark: groups stay together, what is held out comes after what is
    trained on, repeats are drawn again. A column of folds is one of groups, and of folds where the data has parts.
    `official_test` gives the test part of `fold` itself as `test`; what is trained on and held out stays the same.
    `n_folds` is 2 or more, by default 8, or as many as the data gives.

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
    rows, given = task.train_rows(fold), _given(task)
    rest, test = rows, task.test_rows(fold)
    if not task.has_given_parts:
        # A row of the latest times, where times count: no model is tested on what came before.
        aside = _held_out(task, fold, rows, n_folds=_TEST_PARTS, seed=task.seed, is_slice=True)
        split = aside[-1 if task.scheme == "time" else 0]
        rest, test = split.train, test if official_test else split.test
    if n_folds is None:
        groups = _groups(task)
        n_folds = given or DEFAULT_INNER_FOLDS if groups is None else min(DEFAULT_INNER_FOLDS, len(set(groups[rest])))
    if not 2 <= n_folds <= (given or MAX_INNER_FOLDS) or n_folds < (given or 2):
        how_many = str(given) if given else f"2 to {MAX_INNER_FOLDS}"
        message = f"{task.name} fold {fold}: {n_folds} inner folds cannot be made"
        raise RunError(message, fix=f"use {how_many} inner folds")
    return tuple(
        InnerFold(number=number, train=split.train, valid=split.test, test=test)
        for number, split in enumerate(_held_out(task, fold, rest, n_folds=n_folds, seed=seed))
    )


def _given(task: Task) -> int | None:
    """How many inner folds the data gives."""
    if not task.has_given_parts:
        return None
    if task.scheme == "repeats":
        return len(task.marks.repeats)
    folds = task.marks.folds
    return None if folds is None else len(set(folds[task.train_rows(0)].tolist()) - {IN_NO_FOLD})


def _groups(task: Task) -> NDArray[np.generic] | None:
    """What keeps rows together; a column of folds does, too, where it is the benchmark's folds that it gives."""
    return task.marks.groups if task.scheme == "group" or task.has_given_parts else task.marks.folds


def _held_out(
    task: Task, fold: int, rows: NDArray[np.intp], *, n_folds: int, seed: int, is_slice: bool = False
) -> list[RowSplit]:
    """Some rows of a task, held out in turn; or in as many slices, of which one is set aside."""
    try:
        if (groups := _groups(task)) is not None:
            some = groups[rows].astype(np.intp)
            shares = share_groups(some, min(n_folds, len(set(some))) if is_slice else n_folds)
        elif task.scheme == "time" or (not is_slice and (task.has_given_parts or task.scheme == "shuffled")):
            if task.scheme in ("drawn", "shuffled"):
                _check_enough(task, fold, task.target_values[rows], n_folds)
            return split_rows(task, rows, n_folds=n_folds - is_slice, seed=seed)
        else:
            # What repeats hold out says nothing of the rows that one of them trains on.
            _check_enough(task, fold, task.target_values[rows], n_folds, is_slice=is_slice)
            shares = assign_folds(task.kind, task.target_values[rows], n_folds=n_folds, seed=seed)
    except DataFormatError as error:
        message = f"{task.name} fold {fold}: {n_folds} inner folds cannot be made: {error.message}"
        raise RunError(message, fix="use fewer inner folds, or a benchmark with more rows") from error
    return [RowSplit(rows[shares != number], rows[shares == number]) for number in range(1 + int(shares.max()))]


def _check_enough(task: Task, fold: int, targets: NDArray[np.generic], n_folds: int, *, is_slice: bool = False) -> None:
    size = len(targets)
    if task.kind == "classification":
        size = min(int(np.count_nonzero(targets == value)) for value in range(max(2, len(task.classes))))
    if n_folds <= size:
        return
    have = f"{size} rows" if task.kind == "regression" else f"{size} rows of its rarer class"
    what = "a fifth cannot be set aside" if is_slice else f"{n_folds} inner folds cannot be made"
    fix = "use a task with more rows" if is_slice or size < 2 else f"use 2 to {size} inner folds"
    raise RunError(f"{task.name} fold {fold}: {what} of {have}", fix=fix)
