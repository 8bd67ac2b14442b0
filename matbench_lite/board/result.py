"""One entry on one task: its scores, their interval, and the scores on rows unlike those in training."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from matbench_lite.board.relatives import Relatives
from matbench_lite.board.rows import Rows, ordered_predictions, read_rows, targets_state
from matbench_lite.board.score_table import WHOLE, Folds
from matbench_lite.board.subset_scores import SubsetScore, as_numbers, from_numbers, subset_scores
from matbench_lite.metrics import DECISION_THRESHOLD, METRICS, Summary, mape_half_rows, ranking_metric
from matbench_lite.stats import Interval, score_interval
from matbench_lite.submission import MAX_PREDICTION, RecordedFold, TaskScores, score_folds
from matbench_lite.tasks import Task

ConstantStd = Literal["all rows", "all rows of a fold"]
"""For which rows a std is the same."""
_POOLED = "pooled_"
"""In the score table, before the name of a metric: its value over the rows of all folds."""
_SINGLE = 1e-4
"""Relative difference of two equal stds, where they follow from ends of intervals in single precision."""


@dataclass(frozen=True, kw_only=True)
class RankedTask:
    """A task, and how it ranks.

    Args:
        task: Name of the task.
        metric: Name of the ranking metric.
        unit: Unit of the target; "" for classification.
    """

    task: str
    metric: str
    unit: str


def ranked_task(task: Task) -> dict[str, Any]:
    """The fields of `RankedTask`."""
    return {"task": task.name, "metric": ranking_metric(task.kind), "unit": task.unit}


@dataclass(frozen=True, kw_only=True)
class _Known:
    """What boards take from a result as it is.

    Args:
        verified: Whether the scores were computed from the predictions, with targets proven to be the published ones.
        interval: 95 % interval of the ranking metric on other rows, for these trained models; None without targets.
        without_relatives: The score on rows with no composition within 5 at.% in the training part of their fold; None
            without targets, or without formulas.
        unseen_systems: The score on rows whose chemical system that part does not have; None as before.
        pooled: Metrics of the rows of all folds together, those that `Metric.pooled` says.
        mape_half_rows: How few rows make more than half of mape*; None if it takes more than ten.
    """

    verified: bool = False
    interval: Interval | None = None
    without_relatives: SubsetScore | None = None
    unseen_systems: SubsetScore | None = None
    pooled: Mapping[str, float] = field(default_factory=dict)
    mape_half_rows: int | None = None


@dataclass(frozen=True, kw_only=True)
class Measured(_Known):
    """What boards say of one entry on one task.

    Args:
        score: The ranking metric over the folds, in its unit; None if there are neither targets nor stated scores.
        scaled_error: The score on the scale that all tasks share.
        metrics: Metrics over the folds.
        mape_share: Share of the rows that mape* uses, from 0 to 1.
        constant_std: Whether the recorded std is the same for "all rows", or for "all rows of a fold"; else None.
    """

    score: Summary | None = None
    scaled_error: float | None = None
    metrics: Mapping[str, Summary] = field(default_factory=dict)
    mape_share: float | None = None
    constant_std: ConstantStd | None = None


@dataclass(frozen=True, kw_only=True)
class Result(_Known):
    """What is known of one entry on one task, all folds recorded.

    Args:
        scores: Every metric of every fold.
        rows: Number of rows of the task.
        cluster_count: Number of clusters of rows; 0 without targets.
        is_constant: Whether all predictions of a fold are the same, or all its labels; None without targets.
    """

    scores: TaskScores
    rows: int
    cluster_count: int = 0
    is_constant: bool | None = None

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
    def errors(self) -> list[float]:
        """The mean loss, fold by fold: the mean absolute error, or one less the balanced accuracy."""
        return [1 - score for score in self.by_fold] if higher_is_better(self.scores.kind) else self.by_fold

    @property
    def mape_share(self) -> float | None:
        """Share of the rows that mape* uses, from 0 to 1; None where that is not known, or no such metric."""
        used = [scores.get("mape_rows", math.nan) for scores in self.scores.folds.values()]
        share = sum(used) / self.rows
        return None if math.isnan(share) else share

    @property
    def constant_std(self) -> ConstantStd | None:
        """Whether the recorded std is the same for all rows, or for all of a fold; None: neither, or there is none."""
        stds = [scores.get("constant_std", math.nan) for scores in self.scores.folds.values()]
        if any(map(math.isnan, stds)):
            return None
        return "all rows" if all(math.isclose(std, stds[0], rel_tol=_SINGLE) for std in stds) else "all rows of a fold"


def measured(task: Task, result: Result) -> dict[str, Any]:
    """What boards say of a result, by the fields of `Measured`."""
    return {
        **{known.name: getattr(result, known.name) for known in fields(_Known)},
        "score": result.ranking,
        "scaled_error": scaled_error(task, result.ranking.mean),
        "metrics": result.scores.metrics,
        "mape_share": result.mape_share,
        "constant_std": result.constant_std,
    }


def higher_is_better(kind: str) -> bool:
    """Whether a high value of the ranking metric is good, for a kind of task."""
    return bool(METRICS[ranking_metric(kind)].higher_is_better)


def computed(
    task: Task, rows: Rows, relatives: Relatives | None, recorded: Mapping[int, RecordedFold]
) -> dict[int, dict[str, float]]:
    """What the score table keeps of an entry on a task: every metric by fold, and values of all folds together."""
    predictions = ordered_predictions(recorded)
    targets = dict(enumerate(rows.split(rows.ordered_targets)))
    scored = score_folds(task, targets, {fold: held.predictions for fold, held in recorded.items()})
    folds = {fold: {name: float(value) for name, value in scores.items()} for fold, scores in scored.items()}
    subsets = {} if relatives is None else subset_scores(rows, relatives, predictions)
    interval = score_interval(rows.score_losses(predictions), rows.design)
    if higher_is_better(task.kind):
        interval = Interval(low=1 - interval.high, high=1 - interval.low)
    whole = {"interval_low": interval.low, "interval_high": interval.high}
    whole["clusters"] = float(rows.design.cluster_count)
    whole["constant"] = float(_is_constant(task, rows.split(predictions)))
    return {**folds, WHOLE: whole | as_numbers(subsets) | _of_all_rows(task, rows, predictions)}


def _of_all_rows(task: Task, rows: Rows, predictions: NDArray[np.float64]) -> dict[str, float]:
    """Metrics of the rows of all folds together, and how few of them make half of mape*."""
    truth = rows.ordered_targets
    pooled = (metric for metric in METRICS.values() if metric.pooled and task.kind in metric.kinds)
    values = {f"{_POOLED}{metric.name}": float(metric(truth, predictions)) for metric in pooled}
    few = mape_half_rows(truth, predictions, rows.design.folds) if task.kind == "regression" else None
    return values if few is None else {**values, "mape_half_rows": float(few)}


def from_computed(task: Task, values: Folds, *, verified: bool) -> Result:
    """The record of what was computed."""
    whole = values[WHOLE]
    folds = {fold: held for fold, held in values.items() if fold != WHOLE}
    return Result(
        scores=TaskScores(task=task.name, kind=task.kind, unit=task.unit, folds=folds, complete=True),
        verified=verified,
        interval=Interval(low=whole["interval_low"], high=whole["interval_high"]),
        without_relatives=from_numbers(whole, "without_relatives"),
        unseen_systems=from_numbers(whole, "unseen_systems"),
        cluster_count=int(whole["clusters"]),
        is_constant=bool(whole["constant"]),
        pooled={name.removeprefix(_POOLED): whole[name] for name in whole if name.startswith(_POOLED)},
        mape_half_rows=int(whole["mape_half_rows"]) if "mape_half_rows" in whole else None,
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


def _is_constant(task: Task, folds: list[NDArray[np.float64]]) -> bool:
    two_classes = task.kind == "classification" and not task.classes
    said = [fold > DECISION_THRESHOLD for fold in folds] if two_classes else folds
    return all(bool((fold == fold[0]).all()) for fold in said)


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
