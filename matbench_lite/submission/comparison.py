"""Whether the scores that an entry states are those of its predictions."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

from matbench_lite.submission.scores import score_fold
from matbench_lite.submission.submission import Submission
from matbench_lite.tasks import Task

TOLERANCE = 1e-9
"""Relative difference that is still rounding, not another number."""


@dataclass(frozen=True, kw_only=True)
class ScoreDifference:
    """One recorded score that is not what the predictions give.

    Args:
        task: Name of the task.
        fold: Fold number.
        metric: Name of the metric.
        recorded: The score in the file; None if it is missing or not defined.
        recomputed: The score from the predictions; None if the metric is not defined.
    """

    task: str
    fold: int
    metric: str
    recorded: float | None
    recomputed: float | None

    def __str__(self) -> str:
        return f"{self.task} fold {self.fold} {self.metric}: recorded {self.recorded}, recomputed {self.recomputed}"


def compare_scores(submission: Submission) -> list[ScoreDifference]:
    """Recompute every score that an entry's file states; a fold that states none is not compared.

    Raises:
        DataMissingError: If the targets are not on this machine and fetching is turned off.
    """
    return [
        difference
        for task in submission.tasks
        for fold, held in submission.recorded(task.name).items()
        if held.scores is not None
        for difference in fold_differences(task, fold, held.scores, score_fold(task, fold, held.predictions))
    ]


def fold_differences(
    task: Task, fold: int, stated: Mapping[str, float | None], scores: Mapping[str, float]
) -> list[ScoreDifference]:
    """In what the stated scores of a fold differ from those computed."""
    return [
        ScoreDifference(task=task.name, fold=fold, metric=metric, recorded=stated.get(metric), recomputed=value)
        for metric, value in _with_none(scores, stated).items()
        if not _same(stated.get(metric), value)
    ]


def _with_none(scores: Mapping[str, float], stated: Mapping[str, float | None]) -> dict[str, float | None]:
    """The scores with NaN as None, as files have it, and None for metrics that only the file names."""
    known: dict[str, float | None] = {name: value if math.isfinite(value) else None for name, value in scores.items()}
    return dict.fromkeys(stated, None) | known


def _same(recorded: float | None, recomputed: float | None) -> bool:
    if recorded is None or recomputed is None:
        return recorded is recomputed
    return math.isclose(recorded, recomputed, rel_tol=TOLERANCE, abs_tol=1e-12)
