"""Whether predicted standard deviations are small, true and informative.

A prediction with a standard deviation is read as a normal distribution. Zero is allowed (a forest whose trees all
agree): it is a distribution of one point, which has every metric here but a likelihood.
"""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt

from matbench_lite.metrics.metric import FloatArray, Metric, Sample, floats, require_non_negative, require_order

# Evenly spaced from 0 to 1, as many as uncertainty-toolbox has by default.
_LEVELS = np.linspace(0, 1, 100)


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
    require_order(low, high)
    return float(((low <= y) & (y <= high)).mean())


def sharpness(std: npt.ArrayLike) -> float:
    """Root-mean-square of the standard deviations, in the unit of the target: how sure the model says it is.

    As uncertainty-toolbox defines it. Smaller is sharper, which is good only where the calibration is.

    Args:
        std: Standard deviations of the predictions, zero or more, in the unit of the target.

    Raises:
        MetricError: If the array is empty, or has a value that is not finite or negative.

    Examples:
        >>> round(sharpness([3.0, 4.0, 5.0, 0.0]), 3)
        3.536
    """
    (deviation,) = floats(std=std)
    require_non_negative(deviation)
    return _root_mean_square(deviation)


def nll(y_true: npt.ArrayLike, y_pred: npt.ArrayLike, std: npt.ArrayLike) -> float:
    """Mean negative log likelihood under a normal distribution, in nats; lower is better.

    Comparable within a task only: another unit of the target shifts it by a constant.

    Args:
        y_true: Measured values, in the unit of the target.
        y_pred: Predicted values, in the same unit and order.
        std: Standard deviations of the predictions, zero or more, in the same unit.

    Returns:
        The mean; NaN if a standard deviation is zero, which has no density.

    Raises:
        MetricError: If the arrays differ in length, are empty, have a value that is not finite, or a negative `std`.

    Examples:
        >>> round(nll([1.0, 2.0], [1.0, 3.0], [1.0, 1.0]), 4)
        1.1689
    """
    return _nll(Sample(y_true, y_pred, std=std))


def crps(y_true: npt.ArrayLike, y_pred: npt.ArrayLike, std: npt.ArrayLike) -> float:
    """Mean continuous ranked probability score of a normal distribution, in the unit of the target; lower is better.

    The absolute error, generalised to a distribution: the two are equal where the standard deviation is zero.

    Takes and raises what `nll` does.

    Examples:
        >>> round(crps([1.0, 2.0], [1.0, 3.0], [1.0, 0.0]), 4)
        0.6168
    """
    return _crps(Sample(y_true, y_pred, std=std))


def miscalibration_area(y_true: npt.ArrayLike, y_pred: npt.ArrayLike, std: npt.ArrayLike) -> float:
    """Area between the calibration curve and the diagonal, from 0 (calibrated) to 0.5.

    The curve is the share of rows observed inside the central interval of each of 100 evenly spaced levels from 0 to
    1, with straight lines between: the default of uncertainty-toolbox.

    Takes and raises what `nll` does.

    Examples:
        >>> round(miscalibration_area([1.0, 2.0, 3.0], [1.0, 2.0, 3.0], [0.1, 0.1, 0.1]), 4)
        0.5
    """
    return _miscalibration_area(Sample(y_true, y_pred, std=std))


def ause(y_true: npt.ArrayLike, y_pred: npt.ArrayLike, std: npt.ArrayLike) -> float:
    """Area under the sparsification error curve: does the model know which of its predictions are bad?

    Remove the k rows of largest `std` and take the mean absolute error of the n - k left; do the same with the k rows
    of largest absolute error (the best order there is). The difference of the two, over the mean absolute error of
    all rows, is the sparsification error at k / n. The result is its mean over k = 0, ..., n - 1, which is the
    trapezoid rule from 0 to 1, as the difference is zero at both ends. Rows of equal `std` leave in random order, of
    which the expectation is taken, so that the order of the rows does not matter.

    Takes and raises what `nll` does.

    Returns:
        A number without unit, 0 (best) where `std` sorts the rows as their errors do or all errors are zero.

    Examples:
        >>> ause([1.0, 2.0, 3.0], [1.0, 2.5, 4.0], std=[0.1, 0.2, 0.3])
        0.0
        >>> ause([1.0, 2.0], [1.0, 3.0], std=[0.2, 0.1])
        1.0
    """
    return _ause(Sample(y_true, y_pred, std=std))


def _root_mean_square(values: FloatArray) -> float:
    return math.sqrt(np.square(values).mean())


def _nll(sample: Sample) -> float:
    std = _deviations(sample)
    if not std.all():
        return math.nan
    with np.errstate(over="ignore"):
        return float((np.square(sample.z) / 2 + np.log(std)).mean()) + math.log(2 * math.pi) / 2


def _crps(sample: Sample) -> float:
    """The closed form of Gneiting et al. (2005), arranged so that it holds for a std of zero."""
    from scipy.special import erf

    z = sample.z
    with np.errstate(over="ignore"):
        spread = math.sqrt(2 / math.pi) * np.exp(-np.square(z) / 2) - 1 / math.sqrt(math.pi)
    return float((sample.error * erf(z / math.sqrt(2)) + _deviations(sample) * spread).mean())


def _miscalibration_area(sample: Sample) -> float:
    """Area between the diagonal and the polygon of observed over expected shares."""
    from scipy.special import ndtri

    # The first level whose interval holds the row; every later one holds it too, and the last holds all.
    first = np.searchsorted(ndtri(0.5 + _LEVELS / 2), sample.z)
    observed = np.cumsum(np.bincount(first, minlength=len(_LEVELS))) / len(sample.z)
    gap = observed - _LEVELS
    left, right = np.abs(gap[:-1]), np.abs(gap[1:])
    # Where the polygon crosses the diagonal there are two triangles, smaller than the trapezoid by this much.
    crossed = gap[:-1] * gap[1:] < 0
    surplus = np.divide(left * right, left + right, out=np.zeros_like(left), where=crossed)
    return float((((left + right) / 2 - surplus) * np.diff(_LEVELS)).sum())


def _ause(sample: Sample) -> float:
    """Mean distance of the sparsification curves by std and by error, over the mean error."""
    error = sample.error
    overall = float(error.mean())
    if overall == 0:
        return 0.0
    _, group, size = np.unique(_deviations(sample), return_inverse=True, return_counts=True)
    by_std = np.repeat(np.bincount(group, weights=error) / size, size)
    # Both from the row kept longest to the one removed first: running means are the errors of what is left.
    distance = np.cumsum(by_std - np.sort(error)) / np.arange(1, len(error) + 1)
    # No order beats that by error; a rounding error below zero would show as -0.000.
    return max(0.0, float(distance.mean()) / overall)


def _deviations(sample: Sample) -> FloatArray:
    assert sample.std is not None, "a metric that needs a std is computed where there is one"
    return sample.std


UNCERTAINTY_METRICS = (
    Metric(
        name="coverage",
        label="coverage",
        remark="95 % interval",
        description="share of the targets inside their 95 % interval; 0.95 is best",
        function=lambda sample: coverage(sample.truth, *sample.bounds),
        needs="interval",
        better=None,
        shown=("board", "entry", "overview"),
    ),
    Metric(
        name="sharpness",
        label="sharpness",
        description="root-mean-square of the standard deviations",
        function=lambda sample: _root_mean_square(_deviations(sample)),
        needs="std",
        unit="target",
    ),
    Metric(
        name="nll",
        label="NLL",
        description="mean negative log likelihood under a normal distribution, in nats",
        function=_nll,
        needs="std",
    ),
    Metric(
        name="crps",
        label="CRPS",
        description="mean continuous ranked probability score of a normal distribution",
        function=_crps,
        needs="std",
        unit="target",
        shown=("entry",),
    ),
    Metric(
        name="miscalibration_area",
        label="miscalibration area",
        description="area between calibration curve and diagonal, 0 to 0.5",
        function=_miscalibration_area,
        needs="std",
        shown=("entry",),
    ),
    Metric(
        name="ause",
        label="AUSE",
        description="area under the sparsification error curve, relative to the MAE",
        function=_ause,
        needs="std",
        shown=("entry",),
    ),
)
"""The metrics of uncertainty, in the order of their columns. To add one, add its record: nothing else names it."""
