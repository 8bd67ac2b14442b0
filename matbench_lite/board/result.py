"""One entry on one task: its scores, their interval, and the score on unseen formulas."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from matbench_lite.board.losses import by_fold, row_losses
from matbench_lite.board.rows import Rows
from matbench_lite.board.score_table import WHOLE, Folds
from matbench_lite.metrics import METRICS, Summary, balanced_accuracy, mae, ranking_metric, summarise
from matbench_lite.stats import Interval, bootstrap_balanced_accuracy, bootstrap_mean
from matbench_lite.submission import MAX_PREDICTION, RecordedFold, TaskScores, score_fold
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
    losses = row_losses(rows, recorded).losses
    share = float(rows.unseen.mean())
    folds = {
        fold: {name: float(value) for name, value in score_fold(task, fold, held.predictions).items()}
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
    stated = {fold: _believable(held.stated or {}) for fold, held in recorded.items()}
    metric = ranking_metric(task.kind)
    if any(scores.get(metric) is None for scores in stated.values()):
        return None
    return Result(scores=_scores(task, stated), verified=False, rows=task.rows)


def _believable(stated: Mapping[str, float | None]) -> dict[str, float | None]:
    """The scores that we know and that a statistic can be made of; nobody has checked what an entry states."""
    return {
        name: value
        for name, value in stated.items()
        if name in METRICS and (value is None or abs(value) <= MAX_PREDICTION)
    }


def _scores(task: Task, folds: Mapping[int, Mapping[str, float | None]]) -> TaskScores:
    numbers = {
        fold: {name: math.nan if value is None else value for name, value in scores.items()}
        for fold, scores in folds.items()
    }
    return TaskScores(task=task.name, kind=task.kind, unit=task.unit, folds=numbers, complete=True)


def _interval(rows: Rows, losses: np.ndarray[Any, np.dtype[np.float64]]) -> Interval:
    folds = by_fold(losses, rows)
    if rows.targets.dtype == bool:
        return bootstrap_balanced_accuracy(by_fold(rows.targets, rows), [fold == 0 for fold in folds])
    return bootstrap_mean(folds)


def _unseen(task: Task, rows: Rows, recorded: Mapping[int, RecordedFold]) -> dict[int, float]:
    """The ranking metric on unseen formulas, fold by fold; nothing if a fold has no such rows."""
    metric = balanced_accuracy if task.kind == "classification" else mae
    values = {}
    for fold, held in recorded.items():
        here = task.test_rows(fold)
        unseen = rows.unseen[here]
        if not unseen.any():
            return {}
        values[fold] = metric(rows.targets[here][unseen], held.predictions.prediction[unseen])
    return values
