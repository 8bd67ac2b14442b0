"""A submission of ours becomes a result that Matbench 0.6 opens and finds valid."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from matbench_lite.atomic import write_bytes
from matbench_lite.documents import plain
from matbench_lite.matbench.errors import MatbenchError
from matbench_lite.matbench.hashing import matbench_hash, sorted_form
from matbench_lite.matbench.names import BENCHMARK, DATESTAMP, UNCERTAINTY_KEYS, VERSION, fold_key
from matbench_lite.matbench.scoring import written_scores
from matbench_lite.metrics import interval_from_std, std_from_interval
from matbench_lite.submission import FoldPredictions, RecordedFold, Submission
from matbench_lite.tasks import Task

Recorded = Mapping[int, RecordedFold]


def write_results(submission: Submission, path: str | PathLike[str]) -> Path:
    """Write a submission as Matbench 0.6 would have: plain JSON whatever the name, which is all that 0.6 can read.

    Scores are those that Matbench computes, its `rocauc` on labels included.

    Args:
        submission: A submission on `matbench_v0.1`; every task in it must be complete.
        path: The file to write, in one go.

    Raises:
        MatbenchError: If it is of another benchmark, or a fold of a task is not recorded.
        DataMissingError: If the targets are not on this machine and fetching is turned off.
    """
    if submission.benchmark.name != BENCHMARK:
        raise MatbenchError(f"the submission is on {submission.benchmark.name}, Matbench has only {BENCHMARK}")
    if not submission.tasks:
        raise MatbenchError("nothing is recorded yet", fix="record all folds of at least one task")
    if partly := [task.name for task in submission.tasks if task.name not in submission.complete_tasks]:
        raise MatbenchError(
            f"some folds of {', '.join(partly)} are not recorded, and Matbench knows no part of a task",
            fix="record all folds of every task in it",
        )
    document = results_document(
        [(task, submission.recorded(task.name)) for task in submission.tasks],
        user_metadata=submission.metadata,
        created=datetime.now(UTC) if submission.created is None else datetime.fromisoformat(submission.created),
    )
    target = Path(path)
    write_bytes(target, json.dumps(document).encode())
    return target


def results_document(
    tasks: Iterable[tuple[Task, Recorded]], *, user_metadata: Mapping[str, Any], created: datetime
) -> dict[str, Any]:
    """A whole result as plain data, with Matbench's hash.

    Args:
        tasks: Tasks of `matbench_v0.1`, and what is recorded of each.
        user_metadata: Anything to keep, as plain JSON.
        created: When it was made, in UTC.
    """
    document = {
        "@module": "matbench.bench",
        "@class": "MatbenchBenchmark",
        "version": VERSION,
        "tasks": {task.name: task_document(task, recorded) for task, recorded in tasks},
        "user_metadata": plain(user_metadata),
        "benchmark_name": BENCHMARK,
        "datestamp": created.strftime(DATESTAMP),
    }
    return {**document, "hash": matbench_hash(document)}


def task_document(task: Task, recorded: Recorded) -> dict[str, Any]:
    """The results of one task as plain data."""
    return {
        "@class": "MatbenchTask",
        "@module": "matbench.task",
        "benchmark_name": BENCHMARK,
        "dataset_name": task.name,
        "results": {fold_key(fold): fold_document(task, fold, held) for fold, held in recorded.items()},
    }


def fold_document(task: Task, fold: int, held: RecordedFold) -> dict[str, Any]:
    """One fold as plain data: predictions and uncertainties by row id, parameters, scores."""
    return {
        "data": predictions_by_id(task, fold, held.predictions),
        "parameters": sorted_form(held.params),
        "scores": written_scores(task, fold, held.predictions),
        "uncertainty": uncertainty_by_id(task, fold, held.predictions),
    }


def predictions_by_id(task: Task, fold: int, predictions: FoldPredictions) -> dict[str, float | bool]:
    """Predictions by row id: decimal numbers, or booleans for labels."""
    return dict(zip(task.test_ids(fold), as_recorded(predictions).tolist(), strict=True))


def as_recorded(predictions: FoldPredictions) -> NDArray[np.float64] | NDArray[np.bool_]:
    """The predictions of a fold as they were recorded: labels as booleans."""
    return predictions.prediction == 1 if predictions.type == "label" else predictions.prediction


def uncertainty_by_id(task: Task, fold: int, predictions: FoldPredictions) -> dict[str, dict[str, float | None]] | None:
    """Interval and standard deviation by row id, each from the other where only one is recorded; None without both."""
    prediction, std = predictions.prediction, predictions.std
    if predictions.lower is not None and predictions.upper is not None:
        lower, upper = predictions.lower.astype(float), predictions.upper.astype(float)
        deviations = std_from_interval(prediction, lower, upper) if std is None else std
    elif std is not None:
        lower, upper = interval_from_std(prediction, std)
        deviations = std
    else:
        return None
    stds = [None] * len(prediction) if deviations is None else deviations.astype(float).tolist()
    rows = zip(lower.tolist(), upper.tolist(), stds, strict=True)
    return {
        row_id: dict(zip(UNCERTAINTY_KEYS, row, strict=True))
        for row_id, row in zip(task.test_ids(fold), rows, strict=True)
    }
