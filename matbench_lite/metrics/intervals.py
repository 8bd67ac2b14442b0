"""95 % intervals: from and to a standard deviation, and how many measured values they hold."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from matbench_lite.errors import MetricError
from matbench_lite.metrics._arrays import FloatArray, floats, require_non_negative

# Half width of the central 95 % of a normal distribution, in standard deviations.
Z_95 = 1.959963984540054


def interval_from_std(prediction: npt.ArrayLike, std: npt.ArrayLike) -> tuple[FloatArray, FloatArray]:
    """The central 95 % interval of a normal distribution about each prediction.

    Args:
        prediction: Predicted values, in the unit of the target.
        std: Their standard deviations, zero or more, in the same unit.

    Returns:
        Lower and upper bounds, in the same unit.

    Raises:
        MetricError: If the arrays differ in length, are empty, have a value that is not finite, or a negative `std`.

    Examples:
        >>> lower, upper = interval_from_std([1.0], [0.5])
        >>> lower.round(2), upper.round(2)
        (array([0.02]), array([1.98]))
    """
    center, deviation = floats(prediction=prediction, std=std)
    require_non_negative(deviation)
    half = Z_95 * deviation
    return center - half, center + half


def std_from_interval(prediction: npt.ArrayLike, lower: npt.ArrayLike, upper: npt.ArrayLike) -> FloatArray | None:
    """The standard deviations whose 95 % intervals these are, if they can be of a normal distribution.

    Bounds are stored in single precision, so an interval counts as symmetric about its prediction when its middle
    is off by no more than such rounding of all three numbers explains (with a factor two to spare).

    Args:
        prediction: Predicted values, in the unit of the target.
        lower: Lower bounds of the 95 % intervals, in the same unit.
        upper: Upper bounds, none below its lower bound.

    Returns:
        Standard deviations, in the same unit; None if a single interval is asymmetric: such intervals have a
        coverage, but no standard deviation.

    Raises:
        MetricError: If the arrays differ in length, are empty, have a value that is not finite, or a lower bound
            above its upper bound.

    Examples:
        >>> std_from_interval([1.0], [0.02], [1.98]).round(3)
        array([0.5])
        >>> std_from_interval([1.0], [0.5], [4.0]) is None
        True
    """
    center, low, high = floats(prediction=prediction, lower=lower, upper=upper)
    _require_order(low, high)
    single = np.finfo(np.float32)
    tolerance = 2 * float(single.eps) * (np.abs(low) + np.abs(high)) + float(single.tiny)
    if (np.abs(low + high - 2 * center) > tolerance).any():
        return None
    return (high - low) / (2 * Z_95)


def coverage(y_true: npt.ArrayLike, lower: npt.ArrayLike, upper: npt.ArrayLike) -> float:
    """Share of the measured values inside their 95 % intervals, bounds included; 0.95 is best.

    Args:
        y_true: Measured values, in the unit of the target.
        lower: Lower bounds of the 95 % intervals, in the same unit.
        upper: Upper bounds, none below its lower bound.

    Returns:
        A share from 0 to 1.

    Raises:
        MetricError: If the arrays differ in length, are empty, have a value that is not finite, or a lower bound
            above its upper bound.

    Examples:
        >>> coverage([1.0, 2.0, 3.0, 4.0], lower=[0.0, 2.0, 4.0, 3.0], upper=[2.0, 3.0, 5.0, 5.0])
        0.75
    """
    y, low, high = floats(y_true=y_true, lower=lower, upper=upper)
    _require_order(low, high)
    return float(((low <= y) & (y <= high)).mean())


def _require_order(lower: FloatArray, upper: FloatArray) -> None:
    crossed = lower > upper
    if crossed.any():
        row = int(np.argmax(crossed))
        raise MetricError(
            f"lower[{row}]={float(lower[row])} > upper[{row}]={float(upper[row])}", fix="swap the two bounds"
        )
