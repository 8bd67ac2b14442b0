"""The scores of a fold under Matbench's names, and where a published one is not what the predictions give."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from matbench_lite.matbench.matbench_form import METRICS
from matbench_lite.submission import TOLERANCE, FoldPredictions, Submission, same_score, score_fold
from matbench_lite.tasks import Task

_TOLERANCES = {"mape": 1e-6}
"""A target of 1e-5 divides the rounding of the targets to ten decimals by 1e-5."""
_ON_LABELS = "Matbench computed it on labels, where it is the balanced accuracy; recomputed on the probabilities"
_OTHER_RULE = (
    "computed by another rule: recomputed by that of Matbench 0.6, over rows with |target| > 1e-5; "
    "all other scores agree"
)


def true_scores(task: Task, fold: int, predictions: FoldPredictions) -> dict[str, float]:
    """Matbench's metrics of one fold. The `rocauc` of labels is their balanced accuracy: a step has one corner."""
    scores = score_fold(task, fold, predictions)
    scores.setdefault("rocauc", scores.get("balanced_accuracy", float("nan")))
    return {metric: float(scores[metric]) for metric in METRICS[task.kind]}


def written_scores(task: Task, fold: int, predictions: FoldPredictions) -> dict[str, float]:
    """What Matbench writes for one fold: it turns probabilities into labels before it computes `rocauc`."""
    scores = true_scores(task, fold, predictions)
    return scores | {"rocauc": scores["balanced_accuracy"]} if task.kind == "classification" else scores


@dataclass(frozen=True, kw_only=True)
class PublishedDifference:
    """One published score that is not what the predictions give.

    Args:
        task: Name of the task.
        fold: Fold number.
        metric: Name of the metric in Matbench.
        published: The score in Matbench's file; None if it is NaN there.
        recomputed: The score from the predictions; None if it is not defined.
        reason: Why they differ, if known.
    """

    task: str
    fold: int
    metric: str
    published: float | None
    recomputed: float | None
    reason: str | None


def compare_published(submission: Submission) -> list[PublishedDifference]:
    """Compare every published score of an imported entry with the one that its predictions give.

    Relative differences up to 1e-9 are rounding; for mape up to 1e-6.

    Args:
        submission: Read by `read_results`, now or before it was saved; one that is not imported has none published.

    Raises:
        DataMissingError: If the targets are not on this machine and fetching is turned off.
    """
    return [difference for task in submission.tasks for difference in _of_task(submission, task.name)]


def _of_task(submission: Submission, name: str) -> Iterator[PublishedDifference]:
    task = submission.benchmark[name]
    for fold, held in submission.recorded(name).items():
        published = _published(submission, name, fold)
        scores = {metric: _finite(value) for metric, value in true_scores(task, fold, held.predictions).items()}
        different = [metric for metric, value in published.items() if not _same(metric, value, scores.get(metric))]
        for metric in different:
            reason = None
            if metric == "rocauc" and _same(metric, published[metric], scores["balanced_accuracy"]):
                reason = _ON_LABELS
            elif different == ["mape"]:
                reason = _OTHER_RULE
            yield PublishedDifference(
                task=name,
                fold=fold,
                metric=metric,
                published=published[metric],
                recomputed=scores.get(metric),
                reason=reason,
            )


def _published(submission: Submission, task: str, fold: int) -> dict[str, float | None]:
    """The published scores of one fold; an entry on disk may be a stranger's, and say anything."""
    by_task = (submission.imported or {}).get("scores")
    by_metric = by_task.get(task) if isinstance(by_task, dict) else None
    if not isinstance(by_metric, dict):
        return {}
    return {
        str(metric): _finite(values[fold])
        for metric, values in by_metric.items()
        if isinstance(values, list) and len(values) > fold
    }


def _finite(value: Any) -> float | None:
    return float(value) if isinstance(value, int | float) and math.isfinite(value) else None


def _same(metric: str, published: float | None, recomputed: float | None) -> bool:
    return same_score(published, recomputed, _TOLERANCES.get(metric, TOLERANCE))
