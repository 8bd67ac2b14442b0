"""The units of work: one fold of one task, what becomes of it, the plan of a whole run, and its log."""

from __future__ import annotations

import re
import traceback
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import NDArray

from matbench_lite.errors import MatbenchLiteError
from matbench_lite.tasks import Task, load_benchmark
from matbench_lite.train.estimators import derived_seed, fit_predict
from matbench_lite.train.model_file import Model, model_inputs

if TYPE_CHECKING:
    from matbench_lite.submission import Submission

Backend = Literal["joblib", "dask"]
"""Where folds are trained: in processes of this machine, or on a cluster."""
QUICK_ROWS = 500
"""Training rows of a fold in a quick run."""
_ADDRESS = re.compile(r" at 0x[0-9a-fA-F]+")
LOG_FILE = Path(".run") / "log.txt"
"""What was done when, what models printed, every traceback; a run that goes on adds to it."""


@dataclass(frozen=True, kw_only=True)
class Job:
    """One fold of one task to train: small, so that it can be sent anywhere; data is read where the work is done.

    Args:
        model: The model.
        benchmark: Name of the benchmark, or the path of its TOML file.
        task: Name of the task.
        fold: The fold.
        seed: The seed that the user chose.
        quick: Whether to train on a few rows only.
        timeout: Seconds after which the work is stopped.
    """

    model: Model
    benchmark: str
    task: str
    fold: int
    seed: int = 0
    quick: bool = False
    timeout: float | None = None

    @property
    def where(self) -> str:
        """Which fold, for messages."""
        return f"fold {self.fold}"

    @property
    def place(self) -> str:
        """Which task and fold, for messages."""
        return f"{self.task} {self.where}"

    def work(self) -> Outcome:
        """Train and predict the fold, in this process; errors become part of the outcome."""
        from matbench_lite.submission import Measurement

        try:
            with Measurement() as block:
                fields = _trained(self)
        except MatbenchLiteError as error:
            message = error.message if error.message.startswith(self.task) else f"{self.place}: {error.message}"
            return Outcome(job=self, error=message, fix=error.fix, details=traceback.format_exc())
        except Exception as error:
            message = f"{self.place}: {type(error).__name__}: {error}"
            return Outcome(job=self, error=message, fix="see the log", details=traceback.format_exc())
        return Outcome(
            job=self, seconds=round(block.seconds, 3), peak_memory_mb=round(block.peak_memory_mb, 1), **fields
        )


@dataclass(frozen=True, kw_only=True)
class Outcome:
    """What became of a job: predictions, or an error.

    Args:
        job: The job.
        values: Predictions for the test part, in its order.
        std: Standard deviations, where the model gives them.
        params: What is recorded of the model.
        seconds: Wall time.
        peak_memory_mb: Most memory the process had, MB.
        error: What went wrong, naming task and fold.
        fix: What to do about it.
        details: Traceback, for the log.
        output: What the model printed.
        packages: Versions of the packages that the process has imported.
    """

    job: Job
    values: NDArray[Any] | None = None
    std: NDArray[np.float64] | None = None
    params: Mapping[str, Any] = field(default_factory=dict)
    seconds: float = 0.0
    peak_memory_mb: float = 0.0
    error: str | None = None
    fix: str | None = None
    details: str = ""
    output: str = ""
    packages: Mapping[str, str] = field(default_factory=dict)


def _trained(job: Job) -> dict[str, Any]:
    task = load_benchmark(Path(job.benchmark))[job.task]
    seed = derived_seed(job.seed, job.task, job.fold)
    rows = training_rows(task, job.fold, quick=job.quick, seed=seed)
    estimator = job.model.estimator(task)
    (predicted,) = fit_predict(
        estimator,
        task,
        model_inputs(job.model, task, rows),
        task.targets["target"].iloc[rows],
        [model_inputs(job.model, task, task.test_rows(job.fold))],
        seed=seed,
        where=f"fold {job.fold}",
    )
    return {"values": predicted.values, "std": predicted.std, "params": _params(estimator, seed, len(rows))}


def training_rows(task: Task, fold: int, *, quick: bool = False, seed: int = 0) -> NDArray[np.intp]:
    """Positions of the rows to train on: the training part of the fold, or a few rows of it, in file order."""
    rows = task.train_rows(fold)
    if quick and len(rows) > QUICK_ROWS:
        chosen = np.random.default_rng(seed).choice(len(rows), QUICK_ROWS, replace=False)
        rows = rows[np.sort(chosen)]
    return rows


def _params(estimator: Any, seed: int, rows: int) -> dict[str, Any]:
    """What is recorded of a trained model: its parameters, and what it has chosen by itself."""
    text = " ".join(_ADDRESS.sub("", repr(estimator)).split())
    params: dict[str, Any] = {"estimator": text[:2000], "seed": seed, "training_rows": rows}
    last = estimator.steps[-1][1] if hasattr(estimator, "steps") else estimator
    if hasattr(last, "best_params_"):
        params["best_params"] = {name: str(value) for name, value in last.best_params_.items()}
    return params


@dataclass(frozen=True, kw_only=True)
class Plan:
    """What is to be run, and how.

    Args:
        model: The model.
        benchmark: Name of the benchmark, or the path of its TOML file.
        output: Folder of the entry.
        tasks: Names of tasks; all that the model takes by default.
        folds: Fold numbers; all by default, the first in a quick run.
        seed: Seed of everything random.
        workers: How many folds are trained at a time.
        backend: Where they are trained.
        scheduler: Address of a Dask scheduler.
        timeout: Seconds after which a fold is given up.
        quick: Train on few rows, to see that the model works; the entry is marked.
        fresh: Forget what an earlier run in that folder has recorded.
    """

    model: Model
    benchmark: str
    output: Path
    tasks: tuple[str, ...] | None = None
    folds: tuple[int, ...] | None = None
    seed: int = 0
    workers: int = 1
    backend: Backend = "joblib"
    scheduler: str | None = None
    timeout: float | None = None
    quick: bool = False
    fresh: bool = False


@dataclass(frozen=True, kw_only=True)
class Step:
    """One fold that has just ended.

    Args:
        outcome: What became of it.
        scores: All metrics of the fold; empty if it failed.
        done: How many folds have ended in this run.
        total: How many there are in this run.
        seconds_left: Estimated wall time until the last has ended.
    """

    outcome: Outcome
    scores: dict[str, float]
    done: int
    total: int
    seconds_left: float


@dataclass(frozen=True, kw_only=True)
class RunResult:
    """What a run has done.

    Args:
        submission: Everything recorded in the folder, by this run and earlier ones.
        folder: The entry's folder; None if there was nothing to save.
        trained: Number of folds trained in this run.
        kept: Number of folds asked for that were there already.
        failed: Folds, or whole tasks, that failed: what went wrong.
        log: The log file.
    """

    submission: Submission
    folder: Path | None
    trained: int
    kept: int
    failed: tuple[str, ...]
    log: Path


class Journal:
    r"""Appends to the log of an output folder.

    Args:
        output: The output folder.

    Examples:
        >>> import tempfile
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     Journal(Path(folder)).note("begun")
        ...     (Path(folder) / LOG_FILE).read_text().endswith("begun\n")
        True
    """

    def __init__(self, output: Path) -> None:
        self.path = output / LOG_FILE
        self.path.parent.mkdir(parents=True, exist_ok=True)

    def note(self, text: str) -> None:
        """Add a line, with the time in UTC."""
        now = datetime.now(UTC).isoformat(sep=" ", timespec="seconds")
        with self.path.open("a", encoding="utf-8") as stream:
            stream.write(f"{now} {text}\n")

    def note_outcome(self, outcome: Outcome, summary: str) -> None:
        """Add what became of a fold, with the traceback and what the model printed."""
        parts = [summary]
        for title, text in (("traceback", outcome.details), ("printed", outcome.output)):
            if text.strip():
                parts += [f"  {title}:", *(f"    {line}" for line in text.strip().splitlines())]
        self.note("\n".join(parts))
