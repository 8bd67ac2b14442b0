"""How far predicted numbers are from measured ones."""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt

from matbench_lite.errors import MetricError
from matbench_lite.metrics._arrays import BoolArray, FloatArray, floats

MAPE_THRESHOLD = 1e-5


def mae(y_true: npt.ArrayLike, y_pred: npt.ArrayLike) -> float:
    """Mean absolute error, in the unit of the target; ranks regression tasks.

    Args:
        y_true: Measured values, in the unit of the target.
        y_pred: Predicted values, in the same unit and order.

    Raises:
        MetricError: If the arrays differ in length, are empty, or have a value that is not finite.

    Examples:
        >>> mae([1.0, 2.0, 3.0], [1.0, 2.5, 2.0])
        0.5
    """
    _, error = _absolute_errors(y_true, y_pred)
    return _mae(error)


def rmse(y_true: npt.ArrayLike, y_pred: npt.ArrayLike) -> float:
    """Root of the mean squared error, in the unit of the target.

    Args:
        y_true: Measured values, in the unit of the target.
        y_pred: Predicted values, in the same unit and order.

    Raises:
        MetricError: If the arrays differ in length, are empty, or have a value that is not finite.

    Examples:
        >>> rmse([1.0, 2.0, 3.0, 4.0], [1.0, 2.0, 3.0, 6.0])
        1.0
    """
    _, error = _absolute_errors(y_true, y_pred)
    return _rmse(np.square(error))


def max_error(y_true: npt.ArrayLike, y_pred: npt.ArrayLike) -> float:
    """Largest absolute error, in the unit of the target.

    Args:
        y_true: Measured values, in the unit of the target.
        y_pred: Predicted values, in the same unit and order.

    Raises:
        MetricError: If the arrays differ in length, are empty, or have a value that is not finite.

    Examples:
        >>> max_error([1.0, 2.0, 3.0], [1.0, 2.5, 2.0])
        1.0
    """
    _, error = _absolute_errors(y_true, y_pred)
    return _max_error(error)


def mape(y_true: npt.ArrayLike, y_pred: npt.ArrayLike, *, threshold: float = MAPE_THRESHOLD) -> float:
    """Mean of |error| / |measured value| over the rows that are not close to zero, as a fraction.

    Args:
        y_true: Measured values, in the unit of the target.
        y_pred: Predicted values, in the same unit and order.
        threshold: Only rows with |y_true| above it are used, in the unit of the target.

    Returns:
        A fraction (0.1 is 10 %), NaN if no row is left; `mape_rows` says how many were used.

    Raises:
        MetricError: If the arrays differ in length, are empty, or have a value that is not finite.

    Examples:
        >>> mape([2.0, 4.0, 0.0], [1.0, 4.0, 9.0])
        0.25
    """
    y, error = _absolute_errors(y_true, y_pred)
    return _mape(y, error, _far_from_zero(y, threshold))


def mape_rows(y_true: npt.ArrayLike, *, threshold: float = MAPE_THRESHOLD) -> int:
    """Number of rows that `mape` uses.

    Args:
        y_true: Measured values, in the unit of the target.
        threshold: Only rows with |y_true| above it are used, in the unit of the target.

    Raises:
        MetricError: If the array is empty or has a value that is not finite.

    Examples:
        >>> mape_rows([2.0, 4.0, 0.0])
        2
    """
    (y,) = floats(y_true=y_true)
    return int(np.count_nonzero(_far_from_zero(y, threshold)))


def r2(y_true: npt.ArrayLike, y_pred: npt.ArrayLike) -> float:
    """Coefficient of determination: 1 is perfect, 0 as good as the mean of `y_true`, below that worse.

    Args:
        y_true: Measured values, in the unit of the target.
        y_pred: Predicted values, in the same unit and order.

    Returns:
        A number without unit. As in scikit-learn, NaN for a single row; where all measured values are the same,
        1 if every prediction is right and 0 otherwise.

    Raises:
        MetricError: If the arrays differ in length, are empty, or have a value that is not finite.

    Examples:
        >>> r2([1.0, 2.0, 3.0], [1.0, 2.0, 4.0])
        0.5
    """
    y, error = _absolute_errors(y_true, y_pred)
    return _r2(y, np.square(error))


def regression_scores(y_true: npt.ArrayLike, y_pred: npt.ArrayLike) -> dict[str, float]:
    """Every regression metric of one fold at once, the same numbers as from the single functions.

    Args:
        y_true: Measured values, in the unit of the target.
        y_pred: Predicted values, in the same unit and order.

    Returns:
        The metrics of `REGRESSION_METRICS` by name, and `mape_rows`, the number of rows that `mape` uses.

    Raises:
        MetricError: If the arrays differ in length, are empty, or have a value that is not finite.

    Examples:
        >>> regression_scores([0.0, 2.0, 4.0], [0.0, 2.0, 1.0])
        {'mae': 1.0, 'rmse': 1.73..., 'mape': 0.375, 'mape_rows': 2, 'max_error': 3.0, 'r2': -0.125}
    """
    y, error = _absolute_errors(y_true, y_pred)
    squares = np.square(error)
    used = _far_from_zero(y, MAPE_THRESHOLD)
    return {
        "mae": _mae(error),
        "rmse": _rmse(squares),
        "mape": _mape(y, error, used),
        "mape_rows": int(np.count_nonzero(used)),
        "max_error": _max_error(error),
        "r2": _r2(y, squares),
    }


def _absolute_errors(y_true: npt.ArrayLike, y_pred: npt.ArrayLike) -> tuple[FloatArray, FloatArray]:
    y, predicted = floats(y_true=y_true, y_pred=y_pred)
    return y, np.abs(y - predicted)


def _mae(error: FloatArray) -> float:
    return float(error.mean())


def _rmse(squares: FloatArray) -> float:
    return math.sqrt(squares.mean())


def _max_error(error: FloatArray) -> float:
    return float(error.max())


def _far_from_zero(y: FloatArray, threshold: float) -> BoolArray:
    if not threshold >= 0:
        raise MetricError(f"{threshold=} is not zero or more", fix=f"the boards use {MAPE_THRESHOLD}")
    return np.abs(y) > threshold


def _mape(y: FloatArray, error: FloatArray, used: BoolArray) -> float:
    return float((error[used] / np.abs(y[used])).mean()) if used.any() else math.nan


def _r2(y: FloatArray, squares: FloatArray) -> float:
    if len(y) < 2:
        return math.nan
    # Asked of the values, not of their variance: the mean of equal numbers can be off by a rounding error.
    total = 0.0 if (y == y[0]).all() else float(np.square(y - y.mean()).sum())
    residual = float(squares.sum())
    if total == 0:
        return 1.0 if residual == 0 else 0.0
    return 1 - residual / total
