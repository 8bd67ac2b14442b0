"""How far predicted numbers are from measured ones.

Each takes measured and predicted values, in the unit of the target and in one order.

Examples:
    >>> mae([1.0, 2.0, 3.0], [1.0, 2.5, 2.0]), rmse([1.0, 2.0, 3.0, 4.0], [1.0, 2.0, 3.0, 6.0])
    (0.5, 1.0)
    >>> max_error([1.0, 2.0, 3.0], [1.0, 2.5, 2.0]), r2([1.0, 2.0, 3.0], [1.0, 2.0, 4.0])
    (1.0, 0.5)
    >>> mape([2.0, 4.0, 0.0], [1.0, 4.0, 9.0])
    0.25
"""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt

from matbench_lite.metrics.arrays import floats, refuse
from matbench_lite.metrics.metric import OVERVIEW, Sample, metric


@metric("MAE", in_target_unit=True, published=True)
def mae(sample: Sample) -> float:
    """Mean absolute error."""
    return float(sample.error.mean())


@metric("RMSE", in_target_unit=True, shown=OVERVIEW, pooled=True, published=True)
def rmse(sample: Sample) -> float:
    """Root of the mean squared error."""
    return math.sqrt(sample.squares.mean())


@metric("mape*", published=True)
def mape(sample: Sample) -> float:
    """Mean of |error| / |target| over rows with |target| > 1e-5, as a fraction.

    NaN if no row is left; `mape_rows` says how many were used.
    """
    used = sample.far_from_zero
    return float((sample.error[used] / np.abs(sample.truth[used])).mean()) if used.any() else math.nan


@metric("rows of mape*", higher_is_better=None, shown=())
def _mape_rows(sample: Sample) -> int:
    """Number of rows that mape* uses."""
    return int(np.count_nonzero(sample.far_from_zero))


def mape_rows(y_true: npt.ArrayLike) -> int:
    """Number of rows that `mape` uses.

    Examples:
        >>> mape_rows([2.0, 4.0, 0.0])
        2
    """
    return int(_mape_rows(y_true, y_true))


_FEW_ROWS = 10


def mape_half_rows(y_true: npt.ArrayLike, y_pred: npt.ArrayLike, folds: npt.ArrayLike) -> int | None:
    """How few rows make more than half of mape*, the mean over the folds whose numbers, from 0, are given for all rows.

    None if it takes more than ten.

    Examples:
        >>> mape_half_rows([1e-4, 1.0, 1.0, 1.0], [0.01, 1.1, 1.1, 1.1], folds=[0, 0, 1, 1])
        1
    """
    *rows_of_all, fold = floats(y_true=y_true, y_pred=y_pred, folds=folds)
    refuse((fold < 0) | (fold != np.floor(fold)), "folds", fold, "is no fold", "number the folds from 0")
    sample = Sample(*rows_of_all)
    used = sample.far_from_zero
    places = fold[used].astype(np.intp)
    part = sample.error[used] / np.abs(sample.truth[used]) / np.bincount(places)[places]
    largest = np.sort(np.partition(part, -_FEW_ROWS)[-_FEW_ROWS:] if len(part) > _FEW_ROWS else part)[::-1]
    enough = np.cumsum(largest) > part.sum() / 2
    return int(enough.argmax()) + 1 if enough.any() else None


@metric("max error", in_target_unit=True, shown=OVERVIEW, published=True)
def max_error(sample: Sample) -> float:
    """Largest absolute error."""
    return float(sample.error.max())


@metric("R²", higher_is_better=True, pooled=True)
def r2(sample: Sample) -> float:
    """Coefficient of determination: 1 is perfect, 0 as good as the mean.

    As in scikit-learn, NaN for a single row; where all measured values are the same, 1 if every prediction is right and
    0 otherwise.
    """
    y = sample.truth
    if len(y) < 2:
        return math.nan
    # Asked of the values, not of their variance: the mean of equal numbers can be off by a rounding error.
    total = 0.0 if (y == y[0]).all() else float(np.square(y - y.mean()).sum())
    residual = float(sample.squares.sum())
    if total == 0:
        return 1.0 if residual == 0 else 0.0
    return 1 - residual / total


REGRESSION_METRICS = (mae, rmse, mape, _mape_rows, max_error, r2)
"""The metrics of regression, in the order of their columns. To add one, write its function, and name it here."""
