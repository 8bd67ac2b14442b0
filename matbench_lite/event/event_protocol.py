"""The protocol of an event: the inner folds of `mbl try`; asked are what each holds out, and the private test rows.

Whoever trains, participant or organiser, has the same seeds and with the same rows gets the same predictions.
"""

from __future__ import annotations

import ast
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, cast

import numpy as np

from matbench_lite.event.event_data import read_inputs
from matbench_lite.event.event_settings import Event
from matbench_lite.tasks import Task
from matbench_lite.train import (
    MODEL_FILE,
    Job,
    LocalTest,
    Model,
    Split,
    data_digest,
    inner_folds,
    inner_seed,
    model_inputs,
)

if TYPE_CHECKING:
    import pandas as pd

_LONGEST_SOURCE = 1_000_000  # characters: a longer file is no model that somebody wrote


@dataclass(frozen=True, kw_only=True)
class EventFolds(LocalTest):
    """The inner folds of an event, in data that is public in a kit or private at the organiser's.

    A `kit` has the private inputs without their targets; the organiser has none.
    """

    name: ClassVar[str] = "event"
    fold: int = 0
    kit: Path | None = None

    def label(self, piece: int) -> str:
        """Which inner fold."""
        return f"inner fold {piece}"

    def facts(self) -> Any:
        """The data, and how it is split."""
        return [data_digest(self.task), self.inner_folds, self.kit is None]

    def split(self, job: Job) -> Split:
        """What the inner fold holds out, by its place in the data; the private test rows, counted from 0."""
        inner = inner_folds(self.task, 0, n_folds=self.inner_folds, seed=job.seed)[job.piece]
        model = cast("Model", job.model)
        inputs = model_inputs(model, self.task)
        test = inputs.iloc[inner.test] if self.kit is None else _private(self.kit, self.task, model)
        truth = {"valid": self.task.target_values[inner.valid]}
        if self.kit is None:
            truth["test"] = self.task.target_values[inner.test]
        return Split(
            task=self.task,
            X=inputs.iloc[inner.train],
            y=self.task.targets["target"].iloc[inner.train],
            asked={"valid": inputs.iloc[inner.valid], "test": test},
            rows={"valid": inner.valid, "test": np.arange(len(test), dtype=np.intp)},
            seed=inner_seed(job.seed, self.task.name, 0, job.piece),
            truth=truth,
        )


@lru_cache(maxsize=1)
def _private(kit: Path, task: Task, model: Model) -> pd.Series | pd.DataFrame:
    """The inputs of the private rows, as the model wants them."""
    private = read_inputs(kit, task)
    if model.input == "composition" and task.input == "structure":
        formulas = private.map(lambda structure: structure.composition.reduced_formula)
        return formulas.rename("composition")
    return private


def event_jobs(event: Event, task: Task, model: Model, *, kit: Path | None = None) -> list[Job]:
    """The training of a model for an event, an inner fold each."""
    # The organiser's task with what it has read: its jobs stay in this process. A kit's go to another one.
    protocol = EventFolds(task=task if kit is None else replace(task), inner_folds=event.inner_folds, kit=kit)
    return [Job(model=model, protocol=protocol, piece=number, seed=event.seed) for number in range(event.inner_folds)]


def submitted_model(files: Path, name: str, sha256: str) -> Model:
    """A model that a stranger sent: its file is read, not executed; all but formulas are what the task gives."""
    file = files / MODEL_FILE
    source = file.read_text(encoding="utf-8", errors="replace")
    composition = "composition" if declared_input(source) == "composition" else None
    return Model(name=name, path=files, input=composition, files=(file,), sha256=sha256)  # type: ignore[arg-type]


def declared_input(source: str) -> str | None:
    r"""What a model file declares as its `input`, from its text alone.

    Examples:
        >>> declared_input('input = "composition"\n'), declared_input("import os")
        ('composition', None)
    """
    if len(source) > _LONGEST_SOURCE:
        return None
    try:
        body = ast.parse(source).body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None  # it will fail when it is loaded
    for statement in body:
        if (
            isinstance(statement, ast.Assign)
            and isinstance(statement.value, ast.Constant)
            and any(isinstance(target, ast.Name) and target.id == "input" for target in statement.targets)
        ):
            return str(statement.value.value)
    return None
