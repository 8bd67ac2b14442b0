"""Bootstrap over test rows: would a score hold on other rows, for these trained models?

A score is the mean over folds of the fold's metric, so rows are drawn again within their fold. Where two entries are
compared, a row is drawn with the results of both: pass the differences of the rows.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
import numpy.typing as npt

from matbench_lite.errors import MetricError
from matbench_lite.stats._matrix import FloatArray

DRAWS = 2000
"""How often the rows are drawn."""
ENDS = (0.025, 0.975)
"""What part of the draws lies below each end of a 95 % interval."""
BINS = 250
"""Folds of more rows than this are drawn by bins of rows that are next to each other in value."""
_SINGLE = 50
"""So many rows at either end of a large fold have bins of their own: the tails decide how wide an interval is."""
_NO_ERROR = 1e-100
_LEAST_ERROR = 0.1
"""A draw that has hardly any spread, because it misses the few rows that have some, gets this share of the error."""


@dataclass(frozen=True, slots=True)
class Interval:
    """Both ends of a 95 % interval, in the unit of the score."""

    low: float
    high: float


def bootstrap_mean(folds: Sequence[npt.ArrayLike], *, draws: int = DRAWS, seed: int = 0) -> Interval:
    """95 % interval of the mean over folds of the mean of a row's value, by the studentised bootstrap.

    Each draw's mean is measured in its own standard error (bootstrap-t): errors have heavy tails, for which plain
    percentiles are too narrow.

    The cost of a draw does not grow with the rows. A fold of up to 250 rows is drawn row by row. The rows of a larger
    one are sorted into 250 bins, the 50 lowest and the 50 highest rows into bins of their own: how often each bin is
    drawn is multinomial, as it is for rows, and the sum over the rows drawn from a bin is taken as normal with the
    bin's own mean and variance. Mean and variance of the result are those of drawing rows.

    Args:
        folds: Per fold one value per row, e.g. absolute errors, or differences of those of two entries.
        draws: How often the rows are drawn.
        seed: Seed of the draws.

    Returns:
        The interval, never beyond the smallest and largest values of the folds.

    Raises:
        MetricError: If there is no fold, or a fold is empty, not flat or has a value that is not finite.

    Examples:
        >>> rng = np.random.default_rng(0)
        >>> bootstrap_mean([rng.exponential(size=100) for _ in range(5)])
        Interval(low=1.00..., high=1.19...)
    """
    values = [_flat(fold) for fold in _some(folds)]
    lowest, mean, highest = (float(np.mean([of(rows) for rows in values])) for of in (np.min, np.mean, np.max))
    error = math.sqrt(sum(_variance(rows) / len(rows) for rows in values)) / len(values)
    if error < _NO_ERROR:
        return Interval(lowest, highest)
    shift, variance = np.zeros(draws), np.zeros(draws)
    for number, rows in enumerate(values):
        means, variances = _draw(rows - rows.mean(), draws, (seed, number))
        shift += means / len(values)
        variance += variances / len(rows) / len(values) ** 2
    low, high = np.quantile(shift / np.sqrt(np.maximum(variance, (_LEAST_ERROR * error) ** 2)), ENDS)
    return Interval(*np.clip([mean - high * error, mean - low * error], lowest, highest).tolist())


def bootstrap_balanced_accuracy(
    truth: Sequence[npt.ArrayLike],
    right: Sequence[npt.ArrayLike],
    other: Sequence[npt.ArrayLike] | None = None,
    *,
    draws: int = DRAWS,
    seed: int = 0,
) -> Interval:
    """95 % percentile interval of the mean over folds of the balanced accuracy, or of a difference of two.

    Only the numbers of rows of each kind (class, recognised by the one, by the other) are drawn: multinomial, the same
    as drawing rows.

    Args:
        truth: Per fold the class of every row, as booleans.
        right: Per fold whether the entry recognises each row.
        other: The same for a second entry; given, the interval is that of the first minus the second.
        draws: How often the rows are drawn.
        seed: Seed of the draws.

    Raises:
        MetricError: If there is no fold, a fold is empty, or the lengths differ.

    Examples:
        >>> truth, right = [[True] * 30 + [False] * 70] * 5, [[True] * 80 + [False] * 20] * 5
        >>> bootstrap_balanced_accuracy(truth, right)
        Interval(low=0.83..., high=0.88...)
    """
    entries = [right] if other is None else [right, other]
    if any(len(entry) != len(truth) for entry in entries):
        raise MetricError(f"{len(truth)} folds have the results of {[len(entry) for entry in entries]} folds")
    total = np.zeros(draws)
    for number, (classes, *results) in enumerate(zip(_some(truth), *entries, strict=True)):
        rng = np.random.default_rng((seed, number))
        cells = _cells(classes, results)
        counts = rng.multinomial(cells.sum(), cells.ravel() / cells.sum(), size=draws).reshape(draws, *cells.shape)
        first, *second = (_balanced_accuracy(_kept(counts, entry)) for entry in range(len(results)))
        total += first - second[0] if second else first
    return _percentiles(total / len(truth))


def _draw(values: FloatArray, draws: int, seed: tuple[int, int]) -> tuple[FloatArray, FloatArray]:
    """Mean and variance of the rows of one fold in each draw; the mean of the values is zero."""
    rows = len(values)
    bins = min(rows, BINS)
    starts = _starts(rows, bins)
    sizes = np.diff(starts, append=rows)
    ordered = values if bins == rows else np.sort(values)
    centres = np.add.reduceat(ordered, starts) / sizes
    squares = np.add.reduceat(np.square(ordered), starts) / sizes
    spreads = np.maximum(squares - np.square(centres), 0)
    # Not by a matrix product: the threads of BLAS cost more than they save on so small a matrix.
    counts = _counts(rows, bins, draws, seed).astype(np.float64)
    sums, inside, moments = np.einsum("kb,bd->kd", np.stack([centres, spreads, squares]), counts)
    means = (sums + _noise(draws, seed) * np.sqrt(inside)) / rows
    return means, np.maximum(moments / rows - np.square(means), 0)


def _variance(values: FloatArray) -> float:
    """The variance of the rows: exactly zero if all are equal, whose mean may be off by a rounding error."""
    return 0.0 if np.ptp(values) == 0 else float(values.var())


def _starts(rows: int, bins: int) -> npt.NDArray[np.intp]:
    """Where each bin begins among the sorted rows."""
    if bins == rows:
        return np.arange(rows)
    wide = bins - 2 * _SINGLE
    inner = _SINGLE + np.arange(wide) * (rows - 2 * _SINGLE) // wide
    return np.concatenate([np.arange(_SINGLE), inner, np.arange(rows - _SINGLE, rows)])


@lru_cache(maxsize=80)
def _noise(draws: int, seed: tuple[int, int]) -> FloatArray:
    """One normal number per draw."""
    noise: FloatArray = np.random.default_rng((*seed, 1)).standard_normal(draws)
    return noise


@lru_cache(maxsize=80)  # all folds of Matbench, 1 MB each: every entry shares them
def _counts(rows: int, bins: int, draws: int, seed: tuple[int, int]) -> npt.NDArray[np.unsignedinteger[Any]]:
    """How many rows each draw takes from each bin: shape (bins, draws)."""
    sizes = np.diff(_starts(rows, bins), append=rows)
    counts = np.random.default_rng((*seed, 0)).multinomial(rows, sizes / rows, size=draws)
    return counts.T.astype(np.min_scalar_type(rows), order="C")


def _cells(classes: npt.ArrayLike, results: Sequence[npt.ArrayLike]) -> npt.NDArray[np.int64]:
    """Number of rows by class and, per entry, by whether it is right: two values along each axis."""
    columns = [np.asarray(column, dtype=np.bool_) for column in (classes, *results)]
    if len({column.shape for column in columns}) != 1 or columns[0].ndim != 1 or not columns[0].size:
        raise MetricError(
            f"the columns of a fold have shapes {[column.shape for column in columns]}",
            fix="pass flat columns of one length, with at least one row",
        )
    index = sum(column.astype(np.intp) << place for place, column in enumerate(reversed(columns)))
    return np.bincount(index, minlength=2 ** len(columns)).reshape((2,) * len(columns))


def _kept(counts: npt.NDArray[np.int64], entry: int) -> npt.NDArray[np.int64]:
    """Counts by draw, class and whether this entry is right: summed over the other entry."""
    others = tuple(axis for axis in range(2, counts.ndim) if axis != 2 + entry)
    summed: npt.NDArray[np.int64] = counts.sum(axis=others)
    return summed


def _balanced_accuracy(counts: npt.NDArray[np.int64]) -> FloatArray:
    """Mean recall of each draw; a class that was not drawn is left out, as in the metric."""
    sizes = counts.sum(axis=2)
    recalls = np.divide(counts[:, :, 1], sizes, out=np.zeros(sizes.shape), where=sizes > 0)
    means: FloatArray = recalls.sum(axis=1) / (sizes > 0).sum(axis=1)
    return means


def _percentiles(replicates: FloatArray) -> Interval:
    low, high = np.quantile(replicates, ENDS)
    return Interval(low=float(low), high=float(high))


def _some(folds: Sequence[npt.ArrayLike]) -> Sequence[npt.ArrayLike]:
    if not len(folds):
        raise MetricError("there is no fold to draw rows from", fix="pass the rows of at least one fold")
    return folds


def _flat(values: npt.ArrayLike) -> FloatArray:
    array = np.asarray(values, dtype=np.float64)
    if array.ndim != 1 or not array.size or not np.isfinite(array).all():
        raise MetricError(
            f"a fold of shape {array.shape} is empty, not flat, or has a value that is not finite",
            fix="pass one finite number per row",
        )
    return array
