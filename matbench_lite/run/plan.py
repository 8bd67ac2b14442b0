"""What is to be run and how, what is told while it runs, and what came of it."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from matbench_lite.run.backends import Backend
from matbench_lite.run.model import Model
from matbench_lite.run.unit import Outcome
from matbench_lite.submission import Submission


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
