"""The formulas behind `uncertainty`, on arrays that are checked: |error|, std and z = |error| / std, row by row."""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt

from matbench_lite.metrics._arrays import FloatArray, floats, require_non_negative

# Evenly spaced from 0 to 1, as many as uncertainty-toolbox has by default.
LEVELS = np.linspace(0, 1, 100)


def standardised(
    y_true: npt.ArrayLike, y_pred: npt.ArrayLike, std: npt.ArrayLike
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """|error|, std and z of each row; z is 0 where there is no error, infinite where only std is zero."""
    y, predicted, deviation = floats(y_true=y_true, y_pred=y_pred, std=std)
    require_non_negative(deviation)
    error = np.abs(y - predicted)
    with np.errstate(divide="ignore", over="ignore"):
        z = np.divide(error, deviation, out=np.zeros_like(error), where=error > 0)
    return error, deviation, z


def sharpness(std: FloatArray) -> float:
    """Root-mean-square."""
    return math.sqrt(np.square(std).mean())


def nll(std: FloatArray, z: FloatArray) -> float:
    """Mean of -log of the normal density."""
    if not std.all():
        return math.nan
    with np.errstate(over="ignore"):
        return float((np.square(z) / 2 + np.log(std)).mean()) + math.log(2 * math.pi) / 2


def crps(error: FloatArray, std: FloatArray, z: FloatArray) -> float:
    """Mean of the closed form of Gneiting et al. (2005), arranged so that it holds for a std of zero."""
    from scipy.special import erf

    with np.errstate(over="ignore"):
        spread = math.sqrt(2 / math.pi) * np.exp(-np.square(z) / 2) - 1 / math.sqrt(math.pi)
    return float((error * erf(z / math.sqrt(2)) + std * spread).mean())


def miscalibration_area(z: FloatArray) -> float:
    """Area between the diagonal and the polygon of observed over expected shares."""
    from scipy.special import ndtri

    # The first level whose interval holds the row; every later one holds it too, and the last holds all.
    first = np.searchsorted(ndtri(0.5 + LEVELS / 2), z)
    observed = np.cumsum(np.bincount(first, minlength=len(LEVELS))) / len(z)
    gap = observed - LEVELS
    left, right = np.abs(gap[:-1]), np.abs(gap[1:])
    # Where the polygon crosses the diagonal there are two triangles, smaller than the trapezoid by this much.
    crossed = gap[:-1] * gap[1:] < 0
    surplus = np.divide(left * right, left + right, out=np.zeros_like(left), where=crossed)
    return float((((left + right) / 2 - surplus) * np.diff(LEVELS)).sum())


def ause(error: FloatArray, std: FloatArray) -> float:
    """Mean distance of the sparsification curves by std and by error, over the mean error."""
    overall = float(error.mean())
    if overall == 0:
        return 0.0
    _, group, size = np.unique(std, return_inverse=True, return_counts=True)
    by_std = np.repeat(np.bincount(group, weights=error) / size, size)
    # Both from the row kept longest to the one removed first: running means are the errors of what is left.
    distance = np.cumsum(by_std - np.sort(error)) / np.arange(1, len(error) + 1)
    # No order beats that by error; a rounding error below zero would show as -0.000.
    return max(0.0, float(distance.mean()) / overall)
