"""Scores of a local test: per inner fold, their mean, and those of the averaged models."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from matbench_lite.metrics import summarise
from matbench_lite.run.bagging import RowPredictions, bag_prefixes
from matbench_lite.run.trial_record import PARTS, InnerResult, Metrics, TrialScores
from matbench_lite.submission import is_averaged, score_rows

if TYPE_CHECKING:
    from matbench_lite.metrics import Summary
    from matbench_lite.tasks import Task

Predictions = Mapping[str, RowPredictions]
"""Predictions of one inner model, by part: "train", "valid" and "test"."""

BAGGED_PARTS = ("valid", "test")


def score_part(task: Task, predictions: RowPredictions) -> Metrics:
    """Every metric of the task on some of its rows.

    Raises:
        MetricError: If a prediction is NaN or infinite.

    Examples:
        >>> import numpy as np
        >>> from matbench_lite import load_benchmark
        >>> rows = np.arange(3)
        >>> task = load_benchmark("mini")["mini_gap"]
        >>> score_part(task, RowPredictions(rows=rows, prediction=task.target_values[rows] + 1, type="value"))["mae"]
        1.0
    """
    return score_rows(task.kind, task.target_values[predictions.rows], predictions.scorable())


def trial_scores(
    task: Task, results: Sequence[InnerResult], predictions: Mapping[int, Predictions], *, bagging: bool = True
) -> TrialScores | None:
    """Sum up the inner folds that were scored.

    Args:
        task: The task.
        results: One per inner fold.
        predictions: Those of the scored folds, by number; needed for bagging alone.
        bagging: Whether to score the averaged predictions too.

    Returns:
        The scores; None if no fold was scored.
    """
    scored = [result for result in results if result.state == "scored"]
    if not scored:
        return None
    bagged = {}
    if bagging:
        for part in BAGGED_PARTS:
            prefixes = bag_prefixes([predictions[result.number][part] for result in scored])
            bagged[part] = tuple(score_part(task, prefix) for prefix in prefixes)
    return TrialScores(
        folds=tuple(result.number for result in scored),
        failed=tuple(result.number for result in results if result.state == "error"),
        mean={part: mean_metrics([result.scores[part] for result in scored]) for part in PARTS},
        seconds=mean_metrics([result.seconds for result in scored]),
        bagged=bagged,
    )


def mean_metrics(folds: Sequence[Metrics]) -> dict[str, Summary]:
    """Mean and standard deviation over folds of every metric that all of them have."""
    everywhere = [name for name in folds[0] if all(name in fold for fold in folds) and is_averaged(name)]
    return {name: summarise([fold[name] for fold in folds]) for name in everywhere}
