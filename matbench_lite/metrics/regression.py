"""How far predicted numbers are from measured ones."""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt

from matbench_lite.errors import MetricError
from matbench_lite.metrics.metric import MAPE_THRESHOLD, Metric, Sample


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
    return _mae(Sample(y_true, y_pred))


def rmse(y_true: npt.ArrayLike, y_pred: npt.ArrayLike) -> float:
    """Root of the mean squared error, in the unit of the target; takes and raises what `mae` does.

    Examples:
        >>> rmse([1.0, 2.0, 3.0, 4.0], [1.0, 2.0, 3.0, 6.0])
        1.0
    """
    return _rmse(Sample(y_true, y_pred))


def max_error(y_true: npt.ArrayLike, y_pred: npt.ArrayLike) -> float:
    """Largest absolute error, in the unit of the target; takes and raises what `mae` does.

    Examples:
        >>> max_error([1.0, 2.0, 3.0], [1.0, 2.5, 2.0])
        1.0
    """
    return _max_error(Sample(y_true, y_pred))


def mape(y_true: npt.ArrayLike, y_pred: npt.ArrayLike, *, threshold: float = MAPE_THRESHOLD) -> float:
    """Mean of |error| / |measured value| over the rows that are not close to zero, as a fraction.

    Takes and raises what `mae` does; only rows with |y_true| above `threshold` are used, in the unit of the target.

    Returns:
        A fraction (0.1 is 10 %), NaN if no row is left; `mape_rows` says how many were used.

    Examples:
        >>> mape([2.0, 4.0, 0.0], [1.0, 4.0, 9.0])
        0.25
    """
    return _mape(_with_threshold(Sample(y_true, y_pred), threshold))


def mape_rows(y_true: npt.ArrayLike, *, threshold: float = MAPE_THRESHOLD) -> int:
    """Number of rows that `mape` uses, of which it takes the measured values and the threshold.

    Examples:
        >>> mape_rows([2.0, 4.0, 0.0])
        2
    """
    return _mape_rows(_with_threshold(Sample(y_true, y_true), threshold))


def r2(y_true: npt.ArrayLike, y_pred: npt.ArrayLike) -> float:
    """Coefficient of determination: 1 is perfect, 0 as good as the mean of `y_true`, below that worse.

    Takes and raises what `mae` does.

    Returns:
        A number without unit. As in scikit-learn, NaN for a single row; where all measured values are the same,
        1 if every prediction is right and 0 otherwise.

    Examples:
        >>> r2([1.0, 2.0, 3.0], [1.0, 2.0, 4.0])
        0.5
    """
    return _r2(Sample(y_true, y_pred))


def _mae(sample: Sample) -> float:
    return float(sample.error.mean())


def _rmse(sample: Sample) -> float:
    return math.sqrt(sample.squares.mean())


def _max_error(sample: Sample) -> float:
    return float(sample.error.max())


def _mape(sample: Sample) -> float:
    used = sample.far_from_zero
    return float((sample.error[used] / np.abs(sample.truth[used])).mean()) if used.any() else math.nan


def _mape_rows(sample: Sample) -> int:
    return int(np.count_nonzero(sample.far_from_zero))


def _r2(sample: Sample) -> float:
    y = sample.truth
    if len(y) < 2:
        return math.nan
    # Asked of the values, not of their variance: the mean of equal numbers can be off by a rounding error.
    total = 0.0 if (y == y[0]).all() else float(np.square(y - y.mean()).sum())
    residual = float(sample.squares.sum())
    if total == 0:
        return 1.0 if residual == 0 else 0.0
    return 1 - residual / total


def _with_threshold(sample: Sample, threshold: float) -> Sample:
    if not threshold >= 0:
        raise MetricError(f"{threshold=} is not zero or more", fix=f"the boards use {MAPE_THRESHOLD}")
    sample.far_from_zero = np.abs(sample.truth) > threshold
    return sample


REGRESSION_METRICS = (
    Metric(name="mae", label="MAE", description="mean absolute error", function=_mae, unit="target", published=True),
    Metric(
        name="rmse",
        label="RMSE",
        description="root of the mean squared error",
        function=_rmse,
        unit="target",
        shown=("board", "entry", "overview"),
        published=True,
    ),
    Metric(
        name="mape",
        label="mape*",
        description="mean of |error| / |target| over rows with |target| > 1e-5, as a fraction",
        function=_mape,
        published=True,
    ),
    Metric(
        name="mape_rows",
        label="rows of mape*",
        description="number of rows that mape* uses",
        function=_mape_rows,
        better=None,
        shown=(),
    ),
    Metric(
        name="max_error",
        label="max error",
        description="largest absolute error",
        function=_max_error,
        unit="target",
        shown=("board", "entry", "overview"),
        published=True,
    ),
    Metric(
        name="r2",
        label="R²",
        description="coefficient of determination: 1 is perfect, 0 as good as the mean",
        function=_r2,
        better="higher",
    ),
)
"""The metrics of regression, in the order of their columns. To add one, add its record: nothing else names it."""
