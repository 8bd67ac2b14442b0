"""The unit of work: one fold of one task, trained and predicted in whatever process it lands in."""

from __future__ import annotations

import re
import traceback
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from matbench_lite.errors import MatbenchLiteError
from matbench_lite.run.fitting import fit_predict
from matbench_lite.run.inputs import model_inputs
from matbench_lite.run.model import Model
from matbench_lite.run.seeds import derived_seed
from matbench_lite.tasks import load_benchmark

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from matbench_lite.tasks import Task

QUICK_ROWS = 500
"""Training rows of a fold in a quick run."""
_ADDRESS = re.compile(r" at 0x[0-9a-fA-F]+")


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
    def place(self) -> str:
        """Which task and fold, for messages."""
        return f"{self.task} fold {self.fold}"

    def work(self) -> Outcome:
        """Do it, in this process."""
        return train_fold(self)


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


def train_fold(job: Job) -> Outcome:
    """Train and predict one fold, in this process; errors become part of the outcome.

    Examples:
        >>> from matbench_lite.run import load_model
        >>> outcome = train_fold(Job(model=load_model("dummy"), benchmark="mini", task="mini_gap", fold=0))
        >>> outcome.error, outcome.values.shape
        (None, (100,))
    """
    from matbench_lite.submission import Measurement

    try:
        with Measurement() as block:
            fields = _trained(job)
    except MatbenchLiteError as error:
        message = error.message if error.message.startswith(job.task) else f"{job.place}: {error.message}"
        return Outcome(job=job, error=message, fix=error.fix, details=traceback.format_exc())
    except Exception as error:
        message = f"{job.place}: {type(error).__name__}: {error}"
        return Outcome(job=job, error=message, fix="see the log", details=traceback.format_exc())
    return Outcome(job=job, seconds=round(block.seconds, 3), peak_memory_mb=round(block.peak_memory_mb, 1), **fields)


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
