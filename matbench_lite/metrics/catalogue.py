"""What each metric is called, means, and which way is better: the one place that tables and pages ask."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from matbench_lite.errors import UnknownNameError


@dataclass(frozen=True, slots=True)
class Metric:
    """A metric as people see it.

    Attributes:
        name: Name of its function, and its key in a dictionary of scores.
        label: Header of its column.
        description: What it is, in one line.
        higher_is_better: False if lower is; None if neither, and the best value is in the description.
        in_target_unit: Whether it has the unit of the target; without unit otherwise.

    Examples:
        >>> [metric.label for metric in REGRESSION_METRICS if metric.in_target_unit]
        ['MAE', 'RMSE', 'max error']
    """

    name: str
    label: str
    description: str
    higher_is_better: bool | None = False
    in_target_unit: bool = False


REGRESSION_METRICS = (
    Metric("mae", "MAE", "mean absolute error", in_target_unit=True),
    Metric("rmse", "RMSE", "root of the mean squared error", in_target_unit=True),
    Metric("mape", "mape*", "mean of |error| / |target| over rows with |target| > 1e-5, as a fraction"),
    Metric("max_error", "max error", "largest absolute error", in_target_unit=True),
    Metric("r2", "R²", "coefficient of determination: 1 is perfect, 0 as good as the mean", higher_is_better=True),
)

CLASSIFICATION_METRICS = (
    Metric(
        "balanced_accuracy",
        "balanced accuracy (published as ROC-AUC)",
        "mean over the two classes of the share of their rows that is recognised",
        higher_is_better=True,
    ),
    Metric("accuracy", "accuracy", "share of the rows that are predicted right", higher_is_better=True),
    Metric("f1", "F1", "harmonic mean of precision and recall of the positive class", higher_is_better=True),
    Metric(
        "rocauc",
        "ROC-AUC (probabilities)",
        "how often a positive row has a higher probability than a negative one",
        higher_is_better=True,
    ),
)

UNCERTAINTY_METRICS = (
    Metric(
        "coverage",
        "coverage of the 95 % interval",
        "share of the targets inside their 95 % interval; 0.95 is best",
        higher_is_better=None,
    ),
    Metric("sharpness", "sharpness", "root-mean-square of the standard deviations", in_target_unit=True),
    Metric("nll", "NLL", "mean negative log likelihood under a normal distribution, in nats"),
    Metric("crps", "CRPS", "mean continuous ranked probability score of a normal distribution", in_target_unit=True),
    Metric("miscalibration_area", "miscalibration area", "area between calibration curve and diagonal, 0 to 0.5"),
    Metric("ause", "AUSE", "area under the sparsification error curve, relative to the MAE"),
)

METRICS = {metric.name: metric for metric in (*REGRESSION_METRICS, *CLASSIFICATION_METRICS, *UNCERTAINTY_METRICS)}
"""Every metric by its name."""


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
