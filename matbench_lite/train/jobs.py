"""The unit of work: a piece of a protocol to be done with a model, and what it leaves behind.

A protocol turns a task into pieces: of each, which rows are shown and which are asked. A job is a piece and a model, in
names and numbers: it is small, can be sent anywhere, and finds its rows where the work is done.
"""

from __future__ import annotations

import hashlib
import json
import re
import time
import traceback
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Literal, cast

import numpy as np
from numpy.typing import NDArray

from matbench_lite._version import __version__
from matbench_lite.errors import MatbenchLiteError, RunError
from matbench_lite.submission import class_numbers
from matbench_lite.tasks import Task
from matbench_lite.train.bagging import RowPredictions
from matbench_lite.train.estimators import Predicted, fit_predict
from matbench_lite.train.model_file import Named

if TYPE_CHECKING:
    import pandas as pd

    from matbench_lite.submission import PredictionType
    from matbench_lite.train.model_file import Model

_ADDRESS = re.compile(r" at 0x[0-9a-fA-F]+")
_LONGEST_TEXT = 2000
Backend = Literal["local", "dask"]
"""Where pieces are done: in processes of this machine, or on a cluster."""


@dataclass(frozen=True, kw_only=True)
class Resources:
    """What training may take, and where it is done. The results do not depend on it, if a model has one thread.

    So many workers do a piece at a time, each in a process of its own with so many threads; `devices` are values of
    `CUDA_VISIBLE_DEVICES`, one for each process in turn. A piece is given up after so many seconds of wall time, or
    above so many MB of memory. On "dask", a cluster of so many workers is started here, unless the address of a
    scheduler is given.
    """

    workers: int = 1
    threads: int = 1
    devices: tuple[str, ...] = ()
    seconds: float | None = None
    memory_mb: float | None = None
    backend: Backend = "local"
    scheduler: str | None = None

    def __post_init__(self) -> None:
        if self.workers < 1:
            raise RunError(f"{self.workers} pieces cannot be done at a time", fix="give 1 or more workers")

    @property
    def limited(self) -> bool:
        """Whether a piece may have to be stopped."""
        return self.seconds is not None or self.memory_mb is not None


@dataclass(frozen=True, kw_only=True)
class Split:
    """The rows of one piece: what a model is shown, and by part what it is asked.

    `rows` are positions of those that are asked, `truth` their targets where they are known; both by part, "train",
    "valid" or "test".
    """

    task: Task
    X: pd.Series | pd.DataFrame
    y: pd.Series
    asked: Mapping[str, pd.Series | pd.DataFrame]
    rows: Mapping[str, NDArray[np.intp]]
    seed: int
    truth: Mapping[str, NDArray[Any]] = field(default_factory=dict)

    def answered(self, predicted: Sequence[Predicted]) -> dict[str, RowPredictions]:
        """What was predicted, by part."""
        found = {}
        for part, of in zip(self.asked, predicted, strict=True):
            truth = self.truth.get(part)
            values, kind = _as_numbers(self.task, of.values)
            found[part] = RowPredictions(
                rows=self.rows[part],
                prediction=values,
                type=kind,
                # On rows that it has learnt by heart, a model may well be certain: no uncertainty to score.
                std=None if part == "train" else of.std,
                truth=None if truth is None else truth.astype(np.float64),
            )
        return found


@dataclass(frozen=True, kw_only=True)
class PieceRecord:
    """What a piece leaves behind, beside its predictions.

    `seconds` is wall time, reading included; `steps` what `fit` took, and to predict each part, s. A trained estimator
    says its `formula` and `complexity`; `log` is what the model noted by itself, plain JSON. `error` names task and
    piece, and comes with what to do (`fix`). `packages` are versions of what its process has imported, once per
    process.
    """

    seconds: float = 0.0
    steps: Mapping[str, float] = field(default_factory=dict)
    peak_memory_mb: float | None = None
    params: Mapping[str, Any] = field(default_factory=dict)
    formula: str | None = None
    complexity: float | None = None
    log: Mapping[str, Any] = field(default_factory=dict)
    error: str | None = None
    fix: str | None = None
    traceback: str | None = None
    printed: str = ""
    packages: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, kw_only=True)
class Outcome:
    """What became of a job: predictions by part, and a record, which has the error if there is one.

    `answers` are plain JSON, one per row that was asked, where a protocol's answers are not numbers alone.
    """

    predictions: Mapping[str, RowPredictions] = field(default_factory=dict)
    answers: Sequence[Any] = ()
    record: PieceRecord = field(default_factory=PieceRecord)

    def failed(self, error: str, fix: str | None = None) -> Outcome:
        """The outcome without predictions, and why."""
        return Outcome(record=replace(self.record, error=error, fix=fix))


class Protocol(ABC):
    """How a task becomes pieces, which are numbered. Subclasses are plain records.

    One that trains an estimator on some rows and asks for others says in `split` which; another does `work` its own
    way.
    """

    name: ClassVar[str]
    """The word for it, in tables."""

    @property
    @abstractmethod
    def task_name(self) -> str:
        """The task, for messages and tables."""

    @abstractmethod
    def label(self, piece: int) -> str:
        """What a piece is called, for messages and tables."""

    @abstractmethod
    def facts(self) -> Any:
        """All that the results of a piece follow from, beside model and seed, as plain JSON: digests and settings."""

    @cached_property
    def digest(self) -> str:
        """A digest over `facts`, and the version of this package."""
        about = [__version__, self.name, self.facts()]
        return hashlib.sha256(json.dumps(about, sort_keys=True, default=str).encode()).hexdigest()

    def split(self, job: Job) -> Split:
        """The rows of a piece, read where the work is done."""
        raise NotImplementedError

    def work(self, job: Job) -> Outcome:
        """Train and predict a piece, in this process."""
        from matbench_lite.submission import Measurement

        with Measurement() as block:
            split = self.split(job)
            estimator = cast("Model", job.model).estimator(split.task)
            marks = [time.perf_counter()]  # what was done before is not part of the training
            predicted = fit_predict(
                estimator,
                split.task,
                split.X,
                split.y,
                list(split.asked.values()),
                seed=split.seed,
                where=self.label(job.piece),
                threads=job.resources.threads,
                step=lambda: marks.append(time.perf_counter()),
            )
        steps = zip(("fit", *split.asked), pairwise(marks), strict=True)
        formula = getattr(estimator, "expression_", None)
        record = PieceRecord(
            seconds=round(block.seconds, 3),
            steps={name: ended - began for name, (began, ended) in steps},
            peak_memory_mb=round(block.peak_memory_mb, 1),
            params=_params(estimator, split.seed, len(split.y)),
            formula=None if formula is None else str(formula),
            complexity=self.complexity(estimator),
        )
        return Outcome(predictions=split.answered(predicted), record=record)

    def complexity(self, estimator: Any) -> float | None:
        """The number that a trained estimator has as `complexity_`; None if it has none."""
        declared = getattr(estimator, "complexity_", None)
        return float(declared) if isinstance(declared, int | float | np.number) else None


@dataclass(frozen=True, kw_only=True)
class Job:
    """One piece to do with one model, with the seed that the user chose."""

    model: Named
    protocol: Protocol
    piece: int
    seed: int = 0
    resources: Resources = Resources()

    @property
    def place(self) -> str:
        """Which task and piece, for messages."""
        return f"{self.protocol.task_name} {self.protocol.label(self.piece)}"

    @property
    def mark(self) -> str:
        """A digest over all that the outcome follows from, but for the number of the piece."""
        text = f"{self.protocol.digest} {self.model.name} {self.model.sha256} {self.seed}"
        return hashlib.sha256(text.encode()).hexdigest()[:32]

    def work(self) -> Outcome:
        """Do the piece, in this process; errors become part of the outcome."""
        try:
            return self.protocol.work(self)
        except MatbenchLiteError as error:
            at = "" if error.message.startswith(self.protocol.task_name) else f"{self.place}: "
            # What the model raised is the cause; the way from there through our code says nothing to its author.
            where = "".join(traceback.format_exception(error.__cause__ or error))
            return Outcome(record=PieceRecord(error=f"{at}{error.message}", fix=error.fix, traceback=where))
        except Exception as error:
            message = f"{self.place}: {type(error).__name__}: {error}"
            return Outcome(record=PieceRecord(error=message, fix="see the log", traceback=traceback.format_exc()))


def _as_numbers(task: Task, values: NDArray[Any]) -> tuple[NDArray[np.float64], PredictionType]:
    """Predictions as numbers, and what they are: of labels of more than two classes, a vote for the class of each."""
    if task.kind == "regression":
        return values.astype(np.float64), "value"
    if task.scored_as == "multiclass" and values.ndim == 1:
        return np.eye(len(task.classes))[class_numbers(task, values)[0]], "label"
    return values.astype(np.float64), "label" if values.dtype == bool else "probability"


def data_digest(task: Task) -> str:
    """A digest over the data of a task and how it is split; it changes with the file of a user's own task."""
    table = None if task.table is None else replace(task.table, path=Path())  # wherever it lies
    about = repr(replace(task, description="", references=(), original=None, table=table))
    content = b""
    if task.table is not None:
        with suppress(OSError):  # what is missing is said by whoever reads it
            content = task.table.path.read_bytes()
    return hashlib.sha256(about.encode() + content).hexdigest()


def _params(estimator: Any, seed: int, rows: int) -> dict[str, Any]:
    """What is recorded of a trained model: its parameters, and what it has chosen by itself."""
    text = " ".join(_ADDRESS.sub("", repr(estimator)).split())
    params: dict[str, Any] = {"estimator": text[:_LONGEST_TEXT], "seed": seed, "training_rows": rows}
    last = estimator.steps[-1][1] if hasattr(estimator, "steps") else estimator
    if hasattr(last, "best_params_"):
        params["best_params"] = {name: str(value) for name, value in last.best_params_.items()}
    return params
