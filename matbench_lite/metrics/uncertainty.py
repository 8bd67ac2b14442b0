"""Whether predicted standard deviations are small, true and informative.

A prediction with a standard deviation is read as a normal distribution. Zero is allowed (a forest whose trees all
agree): it is a distribution of one point, which has every metric here but a likelihood.
"""

from __future__ import annotations

import numpy.typing as npt

from matbench_lite.errors import MetricError
from matbench_lite.metrics import _gaussian
from matbench_lite.metrics._arrays import floats, require_non_negative
from matbench_lite.metrics.intervals import coverage, interval_from_std, std_from_interval


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
    return _gaussian.sharpness(deviation)


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
    _, deviation, z = _gaussian.standardised(y_true, y_pred, std)
    return _gaussian.nll(deviation, z)


def crps(y_true: npt.ArrayLike, y_pred: npt.ArrayLike, std: npt.ArrayLike) -> float:
    """Mean continuous ranked probability score of a normal distribution, in the unit of the target; lower is better.

    The absolute error, generalised to a distribution: the two are equal where the standard deviation is zero.

    Args:
        y_true: Measured values, in the unit of the target.
        y_pred: Predicted values, in the same unit and order.
        std: Standard deviations of the predictions, zero or more, in the same unit.

    Raises:
        MetricError: If the arrays differ in length, are empty, have a value that is not finite, or a negative `std`.

    Examples:
        >>> round(crps([1.0, 2.0], [1.0, 3.0], [1.0, 0.0]), 4)
        0.6168
    """
    return _gaussian.crps(*_gaussian.standardised(y_true, y_pred, std))


def miscalibration_area(y_true: npt.ArrayLike, y_pred: npt.ArrayLike, std: npt.ArrayLike) -> float:
    """Area between the calibration curve and the diagonal, from 0 (calibrated) to 0.5.

    The curve is the share of rows observed inside the central interval of each of 100 evenly spaced levels from 0 to
    1, with straight lines between: the default of uncertainty-toolbox.

    Args:
        y_true: Measured values, in the unit of the target.
        y_pred: Predicted values, in the same unit and order.
        std: Standard deviations of the predictions, zero or more, in the same unit.

    Raises:
        MetricError: If the arrays differ in length, are empty, have a value that is not finite, or a negative `std`.

    Examples:
        >>> round(miscalibration_area([1.0, 2.0, 3.0], [1.0, 2.0, 3.0], [0.1, 0.1, 0.1]), 4)
        0.5
    """
    _, _, z = _gaussian.standardised(y_true, y_pred, std)
    return _gaussian.miscalibration_area(z)


def ause(y_true: npt.ArrayLike, y_pred: npt.ArrayLike, std: npt.ArrayLike) -> float:
    """Area under the sparsification error curve: does the model know which of its predictions are bad?

    Remove the k rows of largest `std` and take the mean absolute error of the n - k left; do the same with the k rows
    of largest absolute error (the best order there is). The difference of the two, over the mean absolute error of
    all rows, is the sparsification error at k / n. The result is its mean over k = 0, ..., n - 1, which is the
    trapezoid rule from 0 to 1, as the difference is zero at both ends. Rows of equal `std` leave in random order, of
    which the expectation is taken, so that the order of the rows does not matter.

    Args:
        y_true: Measured values, in the unit of the target.
        y_pred: Predicted values, in the same unit and order.
        std: Standard deviations of the predictions, zero or more, in the same unit.

    Returns:
        A number without unit, 0 (best) where `std` sorts the rows as their errors do or all errors are zero.

    Raises:
        MetricError: If the arrays differ in length, are empty, have a value that is not finite, or a negative `std`.

    Examples:
        >>> ause([1.0, 2.0, 3.0], [1.0, 2.5, 4.0], std=[0.1, 0.2, 0.3])
        0.0
        >>> ause([1.0, 2.0], [1.0, 3.0], std=[0.2, 0.1])
        1.0
    """
    error, deviation, _ = _gaussian.standardised(y_true, y_pred, std)
    return _gaussian.ause(error, deviation)


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
        >>> scores = uncertainty_scores([1.0, 2.0], [1.5, 2.0], std=[0.5, 0.5])
        >>> list(scores)
        ['coverage', 'sharpness', 'nll', 'crps', 'miscalibration_area', 'ause']
        >>> uncertainty_scores([1.0, 2.0], [1.5, 2.0], lower=[1.2, 1.0], upper=[9.0, 9.0])
        {'coverage': 0.5}
    """
    if lower is not None and upper is not None:
        scores = {"coverage": coverage(y_true, lower, upper)}
        std = std_from_interval(y_pred, lower, upper) if std is None else std
    elif std is None or lower is not None or upper is not None:
        given = {"std": std is not None, "lower": lower is not None, "upper": upper is not None}
        raise MetricError(f"uncertainty is incomplete: given={given}", fix="pass std, or lower and upper, or all three")
    else:
        scores = {"coverage": coverage(y_true, *interval_from_std(y_pred, std))}
    if std is None:
        return scores
    error, deviation, z = _gaussian.standardised(y_true, y_pred, std)
    return scores | {
        "sharpness": _gaussian.sharpness(deviation),
        "nll": _gaussian.nll(deviation, z),
        "crps": _gaussian.crps(error, deviation, z),
        "miscalibration_area": _gaussian.miscalibration_area(z),
        "ause": _gaussian.ause(error, deviation),
    }
