"""One metric over the folds of a task."""

from __future__ import annotations

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
    array = np.asarray(values, dtype=np.float64)
    # An infinite score (r2 beyond float's range) has no standard deviation: NaN, and no need to warn.
    with np.errstate(invalid="ignore"):
        return Summary(*(float(number) for number in (array.mean(), array.std(), array.min(), array.max())))
