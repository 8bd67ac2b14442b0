"""A recorded fold as plain data and back: for people who keep their objects with monty."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from matbench_lite.submission.predictions import FoldPredictions, check_predictions
from matbench_lite.submission.recorded import RecordedFold
from matbench_lite.tasks import Task


def fold_as_dict(fold: int, held: RecordedFold) -> dict[str, Any]:
    """Everything that is known of a recorded fold but its scores, which are computed."""
    return {
        "fold": fold,
        "type": held.predictions.type,
        "params": held.params,
        "seconds": held.seconds,
        "peak_memory_mb": held.peak_memory_mb,
        **{name: array.tolist() for name, array in held.predictions.arrays.items()},
    }


def fold_from_dict(task: Task, fields: Mapping[str, Any]) -> tuple[int, RecordedFold]:
    """The inverse of `fold_as_dict`; the predictions are checked as when they are recorded."""
    interval = (fields["lower"], fields["upper"]) if "lower" in fields else None
    checked = check_predictions(task, fields["fold"], fields["prediction"], std=fields.get("std"), interval=interval)
    # Labels are kept as 0.0 and 1.0, which alone would be taken for probabilities.
    predictions = FoldPredictions(type=fields["type"], **checked.arrays)
    times = {key: fields[key] for key in ("seconds", "peak_memory_mb")}
    return fields["fold"], RecordedFold(predictions=predictions, params=fields["params"], **times)
