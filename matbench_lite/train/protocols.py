"""How a task becomes pieces: its folds, and the inner folds of a local test inside one of them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any, ClassVar, cast

import numpy as np
from numpy.typing import NDArray

from matbench_lite.tasks import Task
from matbench_lite.train.estimators import derived_seed
from matbench_lite.train.jobs import Job, Protocol, Split, data_digest
from matbench_lite.train.model_file import Model, model_inputs
from matbench_lite.train.trial_record import PARTS, InnerFold, inner_folds

QUICK_ROWS = 500
"""Training rows of a fold in a quick run."""


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
class Folds(Protocol):
    """The folds of a task: the training part is shown, or in a quick run a few rows of it; the test part is asked."""

    name: ClassVar[str] = "folds"
    task: Task
    quick: bool = False

    @property
    def task_name(self) -> str:
        """The task."""
        return self.task.name

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
class LocalTest(Protocol):
    """RAMP's local test: inner folds inside the training part of one fold."""

    name: ClassVar[str] = "local test"
    task: Task
    fold: int
    inner_folds: int
    official_test: bool = False

    @property
    def task_name(self) -> str:
        """The task."""
        return self.task.name

    def label(self, piece: int) -> str:
        """Which fold and inner fold."""
        return f"fold {self.fold}, inner fold {piece}"

    def facts(self) -> Any:
        """The benchmark, the data, and how it is split."""
        return [self.task.benchmark, data_digest(self.task), self.fold, self.inner_folds, self.official_test]

    def folds(self, seed: int) -> tuple[InnerFold, ...]:
        """The inner folds; the seed is the user's."""
        task = kept_task(self.task, self.digest)
        return inner_folds(task, self.fold, n_folds=self.inner_folds, seed=seed, official_test=self.official_test)

    def split(self, job: Job) -> Split:
        """The parts of the inner fold."""
        inner = self.folds(job.seed)[job.piece]
        seed = inner_seed(job.seed, self.task.name, self.fold, job.piece)
        asked = {part: getattr(inner, part) for part in PARTS}
        return rows_split(job, kept_task(self.task, self.digest), inner.train, asked, seed)


def inner_seed(seed: int, task: str, fold: int, number: int) -> int:
    """The seed of the model of one inner fold."""
    return derived_seed(seed, task, fold, "inner", number)
