"""Whether predicted standard deviations and intervals are small, true and informative.

A prediction with a standard deviation is read as a normal distribution. Zero is allowed (a forest whose trees all
agree): it is a distribution of one point, which has every metric here but a likelihood. A 95 % interval that is not
symmetric is read as two halves of normal distributions, see `Sample.sides`.

Examples:
    >>> round(nll([1.0, 2.0], [1.0, 3.0], std=[1.0, 1.0]), 4), round(crps([1.0, 2.0], [1.0, 3.0], std=[1.0, 0.0]), 4)
    (1.1689, 0.6168)
    >>> round(miscalibration_area([1.0, 2.0, 3.0], [1.0, 2.0, 3.0], std=[0.1, 0.1, 0.1]), 4)
    0.5
    >>> ause([1.0, 2.0], [1.0, 3.0], std=[0.2, 0.1])
    1.0
    >>> others = Sample([float(row) for row in range(1, 20)], [0.0] * 19, std=[1.0] * 19)
    >>> conformal_width([1.0, 2.0], [1.0, 3.0], std=[0.5, 1.5], calibration=others)
    38.0
"""

from __future__ import annotations

import math
from functools import partial

import numpy as np
import numpy.typing as npt

from matbench_lite.errors import MetricError
from matbench_lite.metrics.arrays import FloatArray, floats, require_non_negative, require_order
from matbench_lite.metrics.metric import OVERVIEW, Sample, metric

# Evenly spaced from 0 to 1, as many as uncertainty-toolbox has by default.
_LEVELS = np.linspace(0, 1, 100)


def coverage(y_true: npt.ArrayLike, lower: npt.ArrayLike, upper: npt.ArrayLike) -> float:
    """Share of the measured values inside their 95 % intervals, bounds included, all in one unit; 0.95 is best.

    A `MetricError` is raised as by `std_from_interval`.

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

    Examples:
        >>> round(sharpness([3.0, 4.0, 5.0, 0.0]), 3)
        3.536
    """
    (deviation,) = floats(std=std)
    require_non_negative(deviation)
    return math.sqrt(np.square(deviation).mean())


def _deviations(sample: Sample) -> FloatArray:
    assert sample.std is not None, "a metric that needs a std is computed where there is one"
    return sample.std


_of_std = partial(metric, needs="std")


@metric("coverage", needs="interval", higher_is_better=None, shown=OVERVIEW, remark="95 % interval")
def _coverage(sample: Sample) -> float:
    """Share of the targets inside their 95 % interval; 0.95 is best."""
    return coverage(sample.truth, *sample.bounds)


@_of_std("sharpness", in_target_unit=True, shown=("entry", "trial"))
def _sharpness(sample: Sample) -> float:
    """Root-mean-square of the standard deviations."""
    return sharpness(_deviations(sample))


@_of_std("NLL", shown=("entry", "trial"))
def nll(sample: Sample) -> float:
    """Mean negative log likelihood under a normal distribution, in nats.

    Comparable within a task only: another unit of the target shifts it by a constant. NaN if a standard deviation is
    zero, which has no density.
    """
    std = _deviations(sample)
    if not std.all():
        return math.nan
    with np.errstate(over="ignore"):
        return float((np.square(sample.z) / 2 + np.log(std)).mean()) + math.log(2 * math.pi) / 2


@metric("CRPS", needs="interval", in_target_unit=True)
def crps(sample: Sample) -> float:
    """Mean continuous ranked probability score, the absolute error of a distribution: comparable with MAE.

    It is the MAE where the standard deviations are zero. NaN if a prediction lies outside its own interval.
    """
    from scipy.special import erf

    # The closed form of Gneiting et al. (2005) for a normal distribution, arranged so that it holds for a std of zero.
    z, std = sample.z, sample.towards
    with np.errstate(over="ignore"):
        spread = math.sqrt(2 / math.pi) * np.exp(-np.square(z) / 2) - 1 / math.sqrt(math.pi)
    score = float((sample.error * erf(z / math.sqrt(2)) + std * spread).mean())
    below, above = sample.sides
    # The half on the other side is as far from the measured value whatever lies between: only its own width counts.
    return score if below is above else score + _HALF * float((below + above - 2 * std).mean())


_HALF = (math.sqrt(2) - 1) / (2 * math.sqrt(math.pi))
"""What half of a normal distribution adds to the CRPS of a value on the other side, in its standard deviations."""


def conformal_interval(sample: Sample) -> tuple[FloatArray, FloatArray]:
    """Intervals of a fold, in the unit of the target, that hold 95 % of its rows: recalibrated on the other folds.

    Split-conformal: of the n rows of other folds, `sample.calibration`, the score of rank 0.95 (n + 1), rounded up,
    decides. With standard deviations a score is |error| / std, and the intervals reach that many standard deviations to
    either side; with intervals it is how far the measured value lies beyond the nearer end (below zero inside), and
    both ends move by it (Romano et al., 2019). Infinite with fewer than 19 rows; ends that would pass each other meet
    in the middle. A `MetricError` without other folds.

    Examples:
        >>> others = Sample([float(row) for row in range(1, 20)], [0.0] * 19, std=[1.0] * 19)
        >>> conformal_interval(Sample([1.0], [3.0], std=[0.5], calibration=others))
        (array([-6.5]), array([12.5]))
    """
    others = sample.calibration
    if others is None:
        raise MetricError("there are no rows of other folds to recalibrate on", fix="pass calibration=Sample(...)")
    scaled = sample.has_recorded_std and others.has_recorded_std
    lower, upper = others.bounds
    by = _conformal_quantile(others.z if scaled else np.maximum(lower - others.truth, others.truth - upper))
    if scaled:
        half = by * _deviations(sample)
        return sample.predicted - half, sample.predicted + half
    lower, upper = sample.bounds
    crossed, middle = upper - lower < -2 * by, (lower + upper) / 2
    return np.where(crossed, middle, lower - by), np.where(crossed, middle, upper + by)


def _conformal_quantile(scores: FloatArray) -> float:
    rank = -(-19 * (len(scores) + 1) // 20)
    return float(np.partition(scores, rank - 1)[rank - 1]) if rank <= len(scores) else math.inf


@metric("conformal width", needs="calibration", in_target_unit=True, remark="95 %")
def conformal_width(sample: Sample) -> float:
    """Mean width of the intervals that hold 95 % of the rows, once recalibrated on the other folds.

    NaN where the other folds have fewer than 19 rows.
    """
    lower, upper = conformal_interval(sample)
    width = float((upper - lower).mean())
    return width if math.isfinite(width) else math.nan


@metric("constant std", needs="interval", in_target_unit=True, higher_is_better=None, shown=())
def constant_std(sample: Sample) -> float:
    """The standard deviation that all rows have; NaN if they differ by more than single precision rounds."""
    if sample.has_recorded_std:
        std = _deviations(sample)
        return float(std[0]) if (std == std[0]).all() else math.nan
    rounding = 2 * float(np.finfo(np.float32).eps) * np.abs(sample.bounds).max() + float(np.finfo(np.float32).tiny)
    same = all(float(np.ptp(side)) <= rounding for side in sample.sides)
    return float(np.mean(sample.sides)) if same else math.nan


@metric("miscalibration area", needs="interval", shown=("entry",))
def miscalibration_area(sample: Sample) -> float:
    """Area between calibration curve and diagonal, 0 to 0.5.

    The curve is the share of rows observed inside the central interval of each of 100 evenly spaced levels from 0 to
    1, with straight lines between: the default of uncertainty-toolbox.
    """
    from scipy.special import ndtri

    if np.isnan(sample.z).any():
        return math.nan
    # The first level whose interval holds the row; every later one holds it too, and the last holds all.
    first = np.searchsorted(ndtri(0.5 + _LEVELS / 2), sample.z)
    observed = np.cumsum(np.bincount(first, minlength=len(_LEVELS))) / len(sample.z)
    gap = observed - _LEVELS
    left, right = np.abs(gap[:-1]), np.abs(gap[1:])
    # Where the polygon crosses the diagonal there are two triangles, smaller than the trapezoid by this much.
    crossed = gap[:-1] * gap[1:] < 0
    surplus = np.divide(left * right, left + right, out=np.zeros_like(left), where=crossed)
    return float((((left + right) / 2 - surplus) * np.diff(_LEVELS)).sum())


@_of_std("AUSE", shown=("entry",))
def ause(sample: Sample) -> float:
    """Area under the sparsification error curve, relative to the MAE.

    Remove the k rows of largest `std` and take the mean absolute error of the n - k left; do the same with the k rows
    of largest absolute error (the best order there is). The difference of the two, over the mean absolute error of
    all rows, is the sparsification error at k / n. The result is its mean over k = 0, ..., n - 1, which is the
    trapezoid rule from 0 to 1, as the difference is zero at both ends. Rows of equal `std` leave in random order, of
    which the expectation is taken, so that the order of the rows does not matter. 0 (best) where `std` sorts the rows
    as their errors do or all errors are zero.
    """
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


UNCERTAINTY_METRICS = (crps, conformal_width, _coverage, _sharpness, nll, miscalibration_area, ause, constant_std)
"""The metrics of uncertainty, in the order of their columns. To add one, write its function, and name it here."""
