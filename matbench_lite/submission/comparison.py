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
    """One stated score that is not what the predictions give.

    Args:
        task: Name of the task.
        fold: Fold number.
        metric: Name of the metric.
        stated: The score in the file; None if it says that the metric is not defined.
        recomputed: The score from the predictions; None if the metric is not defined.
    """

    task: str
    fold: int
    metric: str
    stated: float | None
    recomputed: float | None

    def __str__(self) -> str:
        return f"{self.task} fold {self.fold} {self.metric}: stated {self.stated}, recomputed {self.recomputed}"


def compare_scores(submission: Submission) -> list[ScoreDifference]:
    """Recompute every score that an entry's file states; a fold that states none is not compared.

    Raises:
        DataMissingError: If the targets are not on this machine and fetching is turned off.
    """
    return [
        difference
        for task in submission.tasks
        for fold, held in submission.recorded(task.name).items()
        if held.stated is not None
        for difference in fold_differences(task, fold, held.stated, score_fold(task, fold, held.predictions))
    ]


def fold_differences(
    task: Task, fold: int, stated: Mapping[str, float | None], scores: Mapping[str, float]
) -> list[ScoreDifference]:
    """In what the stated scores of a fold differ from those computed: metric by metric, those that both have."""
    known = {name: value if math.isfinite(value) else None for name, value in scores.items()}
    return [
        ScoreDifference(task=task.name, fold=fold, metric=metric, stated=value, recomputed=known[metric])
        for metric, value in stated.items()
        if metric in known and not _same(value, known[metric])
    ]


def _same(stated: float | None, recomputed: float | None) -> bool:
    if stated is None or recomputed is None:
        return stated is recomputed
    return math.isclose(stated, recomputed, rel_tol=TOLERANCE, abs_tol=1e-12)
