"""All metrics, and the scores of some rows by all that apply: the one place that tables and pages ask."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from matbench_lite.errors import MetricError, UnknownNameError
from matbench_lite.metrics.arrays import require_labels
from matbench_lite.metrics.classification import CLASSIFICATION_METRICS
from matbench_lite.metrics.metric import Metric, Sample
from matbench_lite.metrics.regression import REGRESSION_METRICS
from matbench_lite.metrics.uncertainty import UNCERTAINTY_METRICS

METRICS: dict[str, Metric] = {
    metric.name: metric for metric in (*REGRESSION_METRICS, *CLASSIFICATION_METRICS, *UNCERTAINTY_METRICS)
}
"""Every metric by its name, in the order of their columns."""


def scores(kind: str, sample: Sample) -> dict[str, float]:
    """Every metric, by name, that a kind of task, see `Task.scored_as`, has and the predictions for the rows allow.

    A `MetricError` if a value is no label or no probability, in classification.

    Examples:
        >>> scores("regression", Sample([0.0, 2.0, 4.0], [0.0, 2.0, 1.0]))
        {'mae': 1.0, 'rmse': 1.73..., 'mape': 0.375, 'mape_rows': 2, 'max_error': 3.0, 'r2': -0.125}
        >>> scores("classification", Sample([True, False], [0.9, 0.6], probability=True))
        {'balanced_accuracy': 0.5, 'accuracy': 0.5, 'f1': 0.66..., 'rocauc': 1.0, 'log_loss': 0.51...}
    """
    ranking_metric(kind)
    if kind == "classification" and not sample.probability:
        require_labels("y_pred", sample.predicted)
    return {
        metric.name: metric.function(sample)
        for metric in METRICS.values()
        if kind in metric.kinds and sample.has(metric.needs)
    }


def shown_metrics(kind: str, place: str) -> tuple[Metric, ...]:
    """The metrics of a kind of task that are shown in a place, see `Metric.shown`, in the order of their columns.

    Examples:
        >>> [metric.name for metric in shown_metrics("classification", "overview")]
        ['accuracy', 'f1', 'rocauc']
    """
    return tuple(metric for metric in METRICS.values() if kind in metric.kinds and place in metric.shown)


def metric_name(metric: str, unit: str) -> str:
    """The name of a metric with its unit, without remarks.

    Examples:
        >>> metric_name("mae", "eV"), metric_name("balanced_accuracy", "")
        ('MAE (eV)', 'balanced accuracy')
    """
    record = METRICS[metric]
    return f"{record.label} ({unit})" if record.in_target_unit and unit else record.label


_RANKING = {"regression": "mae", "classification": "balanced_accuracy", "multiclass": "balanced_accuracy"}


def ranking_metric(kind: str) -> str:
    """Name of the metric by which entries are ranked on a kind of task, see `Task.scored_as`.

    Examples:
        >>> ranking_metric("regression")
        'mae'
    """
    if kind not in _RANKING:
        raise UnknownNameError(f"{kind=} is not a kind of task", fix=f"use one of {', '.join(_RANKING)}")
    return _RANKING[kind]


@dataclass(frozen=True, slots=True)
class Summary:
    """Mean, standard deviation (ddof=0) and range of a metric over folds, all in the unit of the metric."""

    mean: float
    std: float
    min: float
    max: float


def summarise(values: Sequence[float]) -> Summary:
    """Summarise a metric's values, at least one, over the folds of a task.

    Every number in the summary is NaN if a value is: a mean over fewer folds is another quantity.

    Examples:
        >>> summarise([1.0, 2.0, 3.0, 2.0])
        Summary(mean=2.0, std=0.70..., min=1.0, max=3.0)
        >>> summarise([1.0, float("nan")])
        Summary(mean=nan, std=nan, min=nan, max=nan)
    """
    if not len(values):
        raise MetricError(f"{values=} has nothing to summarise", fix="pass the value of at least one fold")
    if len(values) < _FEW and all(type(value) is float and math.isfinite(value) for value in values):
        return _of_few(values)
    array = np.asarray(values, dtype=np.float64)
    # An infinite score (r2 beyond float's range) has no standard deviation: NaN, and no need to warn.
    with np.errstate(invalid="ignore"):
        return Summary(*(float(number) for number in (array.mean(), array.std(), array.min(), array.max())))


_FEW = 8
"""NumPy adds up fewer numbers than this one after the other, and takes a hundred times as long to begin."""


def _of_few(values: Sequence[float]) -> Summary:
    """What NumPy gives, to the last digit."""
    mean = sum(values[1:], values[0]) / len(values)
    squares = [(value - mean) * (value - mean) for value in values]
    return Summary(mean, math.sqrt(sum(squares[1:], squares[0]) / len(values)), min(values), max(values))
