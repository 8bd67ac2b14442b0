"""All metrics, and the scores of some rows by all that apply: the one place that tables and pages ask."""

from __future__ import annotations

from typing import Literal

import numpy.typing as npt

from matbench_lite.errors import MetricError, UnknownNameError
from matbench_lite.metrics.classification import CLASSIFICATION_METRICS
from matbench_lite.metrics.metric import Metric
from matbench_lite.metrics.regression import REGRESSION_METRICS
from matbench_lite.metrics.sample import Sample, require_labels
from matbench_lite.metrics.uncertainty import UNCERTAINTY_METRICS

METRICS: dict[str, Metric] = {
    metric.name: metric for metric in (*REGRESSION_METRICS, *CLASSIFICATION_METRICS, *UNCERTAINTY_METRICS)
}
"""Every metric by its name, in the order of their columns."""


def scores(kind: str, sample: Sample) -> dict[str, float]:
    """Every metric that a kind of task has and the predictions allow.

    Args:
        kind: "regression" or "classification".
        sample: The rows of one fold.

    Returns:
        The metrics by name.

    Raises:
        MetricError: If a value is no label or no probability, in classification.
        UnknownNameError: If it is no kind of task.

    Examples:
        >>> scores("regression", Sample([0.0, 2.0, 4.0], [0.0, 2.0, 1.0]))
        {'mae': 1.0, 'rmse': 1.73..., 'mape': 0.375, 'mape_rows': 2, 'max_error': 3.0, 'r2': -0.125}
    """
    ranking_metric(kind)
    if kind == "classification" and not sample.probability:
        require_labels("y_pred", sample.predicted)
    return {
        metric.name: metric.function(sample)
        for metric in METRICS.values()
        if kind in metric.kinds and sample.has(metric.needs)
    }


def regression_scores(y_true: npt.ArrayLike, y_pred: npt.ArrayLike) -> dict[str, float]:
    """Every regression metric of one fold at once, the same numbers as from the single functions.

    Args:
        y_true: Measured values, in the unit of the target.
        y_pred: Predicted values, in the same unit and order.

    Returns:
        The metrics of `REGRESSION_METRICS` by name.

    Raises:
        MetricError: If the arrays differ in length, are empty, or have a value that is not finite.

    Examples:
        >>> regression_scores([0.0, 2.0, 4.0], [0.0, 2.0, 1.0])["mape_rows"]
        2
    """
    return scores("regression", Sample(y_true, y_pred))


def classification_scores(y_true: npt.ArrayLike, y_pred: npt.ArrayLike, *, probability: bool) -> dict[str, float]:
    """Every classification metric of one fold at once, the same numbers as from the single functions.

    Args:
        y_true: Labels, booleans or 0 and 1.
        y_pred: Labels, or probabilities of the positive class, from 0 to 1; above 0.5 is positive.
        probability: Whether `y_pred` are probabilities; if not, each must be a label and there is no `rocauc`.

    Returns:
        The metrics of `CLASSIFICATION_METRICS` by name.

    Raises:
        MetricError: If the arrays differ in length, are empty, or have a value that is no label or no probability.

    Examples:
        >>> classification_scores([True, False], [0.9, 0.6], probability=True)
        {'balanced_accuracy': 0.5, 'accuracy': 0.5, 'f1': 0.66..., 'rocauc': 1.0}
        >>> classification_scores([True, False], [True, False], probability=False)
        {'balanced_accuracy': 1.0, 'accuracy': 1.0, 'f1': 1.0}
    """
    return scores("classification", Sample(y_true, y_pred, probability=probability))


def uncertainty_scores(
    y_true: npt.ArrayLike,
    y_pred: npt.ArrayLike,
    *,
    std: npt.ArrayLike | None = None,
    lower: npt.ArrayLike | None = None,
    upper: npt.ArrayLike | None = None,
) -> dict[str, float]:
    """Every uncertainty metric of one fold at once, the same numbers as from the single functions.

    Args:
        y_true: Measured values, in the unit of the target.
        y_pred: Predicted values, in the same unit and order.
        std: Standard deviations, zero or more, in the same unit; left out, it is taken from symmetric intervals.
        lower: Lower bounds of the 95 % intervals, in the same unit; left out, they follow from `std`.
        upper: Upper bounds, given if and only if `lower` is.

    Returns:
        The metrics of `UNCERTAINTY_METRICS` by name; only `coverage` if the intervals are asymmetric and `std` is
        not given.

    Raises:
        MetricError: If neither `std` nor both bounds are given, or one of the arrays is not as it should be.

    Examples:
        >>> list(uncertainty_scores([1.0, 2.0], [1.5, 2.0], std=[0.5, 0.5]))
        ['coverage', 'sharpness', 'nll', 'crps', 'miscalibration_area', 'ause']
        >>> uncertainty_scores([1.0, 2.0], [1.5, 2.0], lower=[1.2, 1.0], upper=[9.0, 9.0])
        {'coverage': 0.5}
    """
    sample = Sample(y_true, y_pred, std=std, lower=lower, upper=upper)
    if not sample.has("interval"):
        raise MetricError("uncertainty is incomplete: there is none", fix="pass std, or lower and upper, or all three")
    return {metric.name: metric.function(sample) for metric in UNCERTAINTY_METRICS if sample.has(metric.needs)}


def shown_metrics(kind: str, place: str) -> tuple[Metric, ...]:
    """The metrics of a kind of task that are shown in a place, in the order of their columns.

    Args:
        kind: "regression" or "classification".
        place: "board", "entry" or "overview".

    Examples:
        >>> [metric.name for metric in shown_metrics("classification", "overview")]
        ['accuracy', 'f1', 'rocauc']
    """
    return tuple(metric for metric in METRICS.values() if kind in metric.kinds and place in metric.shown)


def metric_header(metric: str, unit: str) -> str:
    r"""The header of a metric's column, with its unit; a remark goes on a line of its own.

    Examples:
        >>> metric_header("mae", "eV"), metric_header("rocauc", "")
        ('MAE (eV)', 'ROC-AUC\n(probabilities)')
    """
    about = METRICS[metric]
    return f"{about.label} ({unit})" if about.in_target_unit and unit else about.label.replace(" (", "\n(")


def metric_name(metric: str, unit: str) -> str:
    """The name of a metric in a cell, with its unit, without remarks.

    Examples:
        >>> metric_name("balanced_accuracy", "")
        'balanced accuracy'
    """
    return metric_header(metric, unit).partition("\n")[0]


_RANKING: dict[str, Literal["mae", "balanced_accuracy"]] = {
    "regression": "mae",
    "classification": "balanced_accuracy",
}


def ranking_metric(kind: str) -> Literal["mae", "balanced_accuracy"]:
    """Name of the metric by which entries are ranked on a task of this kind.

    Args:
        kind: "regression" or "classification".

    Raises:
        UnknownNameError: If it is neither.

    Examples:
        >>> ranking_metric("regression")
        'mae'
    """
    if kind not in _RANKING:
        raise UnknownNameError(f"{kind=} is not a kind of task", fix=f"use one of {', '.join(_RANKING)}")
    return _RANKING[kind]
