"""The scores of a fold under Matbench's names: as they are, and as Matbench would have written them."""

from __future__ import annotations

from matbench_lite.matbench.names import METRICS
from matbench_lite.submission import FoldPredictions, score_fold
from matbench_lite.tasks import Task


def true_scores(task: Task, fold: int, predictions: FoldPredictions) -> dict[str, float]:
    """Matbench's metrics of one fold. The `rocauc` of labels is their balanced accuracy: a step has one corner."""
    scores = score_fold(task, fold, predictions)
    scores.setdefault("rocauc", scores.get("balanced_accuracy", float("nan")))
    return {metric: float(scores[metric]) for metric in METRICS[task.kind]}


def written_scores(task: Task, fold: int, predictions: FoldPredictions) -> dict[str, float]:
    """What Matbench writes for one fold: it turns probabilities into labels before it computes `rocauc`."""
    scores = true_scores(task, fold, predictions)
    return scores | {"rocauc": scores["balanced_accuracy"]} if task.kind == "classification" else scores
