"""What `submission.json` says of a submission, and back."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from matbench_lite.errors import DataError
from matbench_lite.submission.canonical import plain
from matbench_lite.submission.recorded import RecordedFold
from matbench_lite.submission.scores import score_fold
from matbench_lite.tasks import Task

_DECLARED = ("single_configuration", "external_data")
_DESCRIBED = ("algorithm", "authors", "description", "references", "requirements", "metadata", "imported")


def header_document(header: Mapping[str, Any]) -> dict[str, Any]:
    """The constructor's arguments as the file has them: what is declared in a place of its own."""
    described = {key: value for key, value in header.items() if key not in _DECLARED}
    return {**described, "declarations": {key: header[key] for key in _DECLARED}}


def constructor_arguments(document: Mapping[str, Any]) -> dict[str, Any]:
    """The inverse of `header_document`, but for the benchmark."""
    described = {key: document[key] for key in _DESCRIBED if key in document}
    return {**described, **document["declarations"]}


def task_document(task: Task, recorded: Mapping[int, RecordedFold]) -> dict[str, Any]:
    """What the file says of one task: per fold params, scores, times and the digest of the predictions."""
    return {
        "predictions": next(iter(recorded.values())).predictions.type,
        "folds_sha256": task.folds_sha256,
        "folds": [
            {
                "fold": fold,
                "params": held.params,
                "scores": _scores(task, fold, held),
                "seconds": held.seconds,
                "peak_memory_mb": held.peak_memory_mb,
                "values_sha256": held.predictions.sha256,
            }
            for fold, held in recorded.items()
        ],
    }


def _scores(task: Task, fold: int, held: RecordedFold) -> Any:
    """Computed where the targets are here, else those of the file it was read from."""
    try:
        return plain(score_fold(task, fold, held.predictions))
    except DataError:
        return held.scores
