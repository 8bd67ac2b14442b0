"""One metric over the folds of a task."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from matbench_lite.errors import MetricError


@dataclass(frozen=True, slots=True)
class Summary:
    """Mean, standard deviation (ddof=0) and range of a metric over folds, all in the unit of the metric.

    Examples:
        >>> Summary(mean=2.0, std=1.0, min=1.0, max=3.0).mean
        2.0
    """

    mean: float
    std: float
    min: float
    max: float


def summarise(values: Sequence[float]) -> Summary:
    """Summarise a metric's values over the folds of a task.

    Args:
        values: One value per fold, in the unit of the metric.

    Returns:
        The summary; every number in it is NaN if a value is, because a mean over fewer folds is another quantity.

    Raises:
        MetricError: If there is no value.

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
