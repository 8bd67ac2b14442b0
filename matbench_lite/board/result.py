"""One entry on one task: its scores, their interval, and the score on unseen formulas."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from matbench_lite.board.rows import Rows, ordered_predictions, read_rows, row_losses, targets_state
from matbench_lite.board.score_table import WHOLE, Folds
from matbench_lite.metrics import METRICS, Summary, balanced_accuracy, mae, ranking_metric, summarise
from matbench_lite.stats import Interval, bootstrap_balanced_accuracy, bootstrap_mean
from matbench_lite.submission import MAX_PREDICTION, RecordedFold, TaskScores, score_rows
from matbench_lite.tasks import Task

_UNSEEN = "unseen_formulas_"
"""In the score table, before the number of a fold: its ranking metric on formulas that its training part has not."""


@dataclass(frozen=True, kw_only=True)
class Result:
    """What is known of one entry on one task, all folds recorded.

    Args:
        scores: Every metric of every fold.
        rows: Number of rows of the task.
        verified: Whether the scores were computed from the predictions, with targets proven to be the published ones.
        interval: 95 % bootstrap interval of the ranking metric over test rows; None without targets.
        unseen: The ranking metric on rows whose formula the training part does not have; None where there are no such
            rows in some fold, no others, or no targets.
        unseen_share: Share of such rows, from 0 to 1; None without targets.
    """

    scores: TaskScores
    rows: int
    verified: bool
    interval: Interval | None = None
    unseen: Summary | None = None
    unseen_share: float | None = None

    @property
    def ranking(self) -> Summary:
        """The metric that ranks, over the folds."""
        return self.scores.ranking

    @property
    def by_fold(self) -> list[float]:
        """The metric that ranks, fold by fold."""
        metric = ranking_metric(self.scores.kind)
        return [scores[metric] for scores in self.scores.folds.values()]

    @property
    def mape_share(self) -> float | None:
        """Share of the rows that mape* uses, from 0 to 1; None where that is not known, or no such metric."""
        used = [scores.get("mape_rows", math.nan) for scores in self.scores.folds.values()]
        share = sum(used) / self.rows
        return None if math.isnan(share) else share


def higher_is_better(kind: str) -> bool:
    """Whether a high value of the ranking metric is good, for a kind of task."""
    return bool(METRICS[ranking_metric(kind)].higher_is_better)


def computed(task: Task, rows: Rows, recorded: Mapping[int, RecordedFold]) -> dict[int, dict[str, float]]:
    """What the score table keeps of an entry on a task: every metric by fold, and values of all folds together."""
    losses = row_losses(rows.ordered_targets, ordered_predictions(recorded))
    share = float(rows.unseen.mean())
    folds = {
        fold: {
            name: float(value)
            for name, value in score_rows(task.kind, rows.targets_by_fold[fold], held.predictions).items()
        }
        for fold, held in recorded.items()
    }
    unseen = _unseen(task, rows, recorded) if 0 < share < 1 else {}
    interval = _interval(rows, losses)
    whole = {"interval_low": interval.low, "interval_high": interval.high, "unseen_share": share}
    return {**folds, WHOLE: {**whole, **{f"{_UNSEEN}{fold}": value for fold, value in unseen.items()}}}


def from_computed(task: Task, values: Folds, *, verified: bool) -> Result:
    """The record of what was computed."""
    whole = values[WHOLE]
    folds = {fold: held for fold, held in values.items() if fold != WHOLE}
    unseen = [value for name, value in whole.items() if name.startswith(_UNSEEN)]
    return Result(
        scores=TaskScores(task=task.name, kind=task.kind, unit=task.unit, folds=folds, complete=True),
        verified=verified,
        interval=Interval(low=whole["interval_low"], high=whole["interval_high"]),
        unseen=summarise(unseen) if unseen else None,
        unseen_share=whole["unseen_share"],
        rows=task.rows,
    )


def from_recorded(task: Task, recorded: Mapping[int, RecordedFold]) -> Result | None:
    """The scores that the entry states, for want of targets; None if it does not state the one that ranks."""
    folds: dict[int, dict[str, float]] = {}
    for fold, held in recorded.items():
        # Nobody has checked what an entry states: only what we know, and what a statistic can be made of.
        stated = {
            name: value
            for name, value in (held.stated or {}).items()
            if name in METRICS and (value is None or abs(value) <= MAX_PREDICTION)
        }
        if stated.get(ranking_metric(task.kind)) is None:
            return None
        folds[fold] = {name: math.nan if value is None else value for name, value in stated.items()}
    scores = TaskScores(task=task.name, kind=task.kind, unit=task.unit, folds=folds, complete=True)
    return Result(scores=scores, verified=False, rows=task.rows)


def _interval(rows: Rows, losses: np.ndarray[Any, np.dtype[np.float64]]) -> Interval:
    folds = rows.split(losses)
    if rows.targets.dtype == bool:
        return bootstrap_balanced_accuracy(rows.targets_by_fold, [fold == 0 for fold in folds])
    return bootstrap_mean(folds)


def _unseen(task: Task, rows: Rows, recorded: Mapping[int, RecordedFold]) -> dict[int, float]:
    """The ranking metric on unseen formulas, fold by fold; nothing if a fold has no such rows."""
    metric = balanced_accuracy if task.kind == "classification" else mae
    values = {}
    for fold, held in recorded.items():
        places, targets = rows.unseen_by_fold[fold]
        if not len(places):
            return {}
        values[fold] = metric(targets, held.predictions.prediction[places])
    return values


def scaled_error(task: Task, score: float) -> float:
    """The ranking metric of a task on the common scale.

    Args:
        task: The task.
        score: MAE in the unit of the task, or balanced accuracy.

    Returns:
        MAE divided by the mean absolute deviation of the targets, or 2 (1 - balanced accuracy); NaN where the deviation
        is not known or zero.

    Examples:
        >>> from matbench_lite import load_benchmark
        >>> bench = load_benchmark("matbench_v0.1")
        >>> scaled_error(bench["matbench_glass"], 0.9), round(scaled_error(bench["matbench_steels"], 100), 3)
        (0.19..., 0.436)
    """
    if task.kind == "classification":
        return 2 * (1 - score)
    deviation = _deviation(task)
    return score / deviation if deviation else math.nan


def _deviation(task: Task) -> float | None:
    """The registry's, so that it does not hang on the data being here; computed for a benchmark that has none."""
    if task.mean_absolute_deviation is not None:
        return task.mean_absolute_deviation
    state = targets_state(task)
    if state is None:
        return None
    targets = read_rows(task, state.digest).targets
    return float(np.abs(targets - targets.mean()).mean())
