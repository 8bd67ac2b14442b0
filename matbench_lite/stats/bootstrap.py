"""Bootstrap over test rows: would a score hold on other rows, for these trained models?

A score is the mean over folds of the fold's metric, so rows are drawn again within their fold. Where two entries are
compared, a row is drawn with the results of both: pass the differences of the rows.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
import numpy.typing as npt

from matbench_lite.errors import MetricError
from matbench_lite.stats.paired import FloatArray

DRAWS = 1000
"""How often the rows are drawn: the ends of an interval scatter by two percent of its width."""
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
        Interval(low=1.00..., high=1.20...)
    """
    values = [_flat(fold) for fold in _some(folds)]
    lows, means, highs = np.array([(rows.min(), rows.mean(), rows.max()) for rows in values]).T
    lowest, mean, highest = (float(of_folds.mean()) for of_folds in (lows, means, highs))
    centred = [rows - middle for rows, middle in zip(values, means, strict=True)]
    # Exactly zero where all rows are equal, whose mean may be off by a rounding error.
    squares = np.array([np.einsum("r,r->", rows, rows) / len(rows) ** 2 for rows in centred])
    error = math.sqrt(squares[highs > lows].sum()) / len(values)
    if error < _NO_ERROR:
        return Interval(lowest, highest)
    largest = max((means - lows).max(), (highs - means).max())
    shift, variance = np.zeros(draws), np.zeros(draws)
    for number, rows in enumerate(centred):
        rows /= largest
        drawn_means, drawn_variances = _draw(rows, draws, (seed, number))
        shift += largest * drawn_means / len(values)
        variance += largest**2 * drawn_variances / len(rows) / len(values) ** 2
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

    The rows of a class that count alike stand together, so that a draw is known from how many rows it takes of the
    first so many. Small classes are drawn row by row; those of a larger one by bins, as in `bootstrap_mean`.

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
        total += _drawn_accuracy(_cells(classes, results), draws, (seed, number))
    low, high = np.quantile(total / len(truth), ENDS)
    return Interval(low=float(low), high=float(high))


def _draw(values: FloatArray, draws: int, seed: tuple[int, int]) -> tuple[FloatArray, FloatArray]:
    """Mean and variance of the rows of one fold in each draw; the mean of the values is zero, none is beyond ±1.

    Large folds are put in order in place.
    """
    rows = len(values)
    bins = min(rows, BINS)
    starts, sizes = _bins(rows, bins)
    if bins < rows:
        values.sort()
    centres = np.add.reduceat(values, starts) / sizes
    squares = np.add.reduceat(np.square(values), starts) / sizes
    spreads = np.maximum(squares - np.square(centres), 0)
    # Not by a matrix product: the threads of BLAS cost more than they save on so small a matrix. Single precision is
    # far finer than the scatter of the draws, and half the work.
    counts = _counts(rows, bins, draws, seed)
    weights = np.stack([centres, spreads, squares]).astype(np.float32)
    sums, inside, moments = np.einsum("kb,bd->kd", weights, counts).astype(np.float64)
    means = (sums + _noise(draws, seed) * np.sqrt(inside)) / rows
    return means, np.maximum(moments / rows - np.square(means), 0)


@lru_cache(maxsize=200)
def _bins(rows: int, bins: int) -> tuple[npt.NDArray[np.intp], npt.NDArray[np.intp]]:
    """Where each bin begins among the sorted rows, and how many it has."""
    if bins == rows:
        starts = np.arange(rows)
    else:
        wide = bins - 2 * _SINGLE
        inner = _SINGLE + np.arange(wide) * (rows - 2 * _SINGLE) // wide
        starts = np.concatenate([np.arange(_SINGLE), inner, np.arange(rows - _SINGLE, rows)])
    return starts, np.diff(starts, append=rows)


@lru_cache(maxsize=400)
def _noise(draws: int, seed: tuple[int, ...]) -> FloatArray:
    """One normal number per draw."""
    noise: FloatArray = np.random.default_rng((*seed, 1)).standard_normal(draws)
    return noise


@lru_cache(maxsize=80)  # all folds of Matbench, 1 MB each: every entry shares them
def _counts(rows: int, bins: int, draws: int, seed: tuple[int, int]) -> npt.NDArray[np.float32]:
    """How many rows each draw takes from each bin: shape (bins, draws)."""
    _, sizes = _bins(rows, bins)
    counts = np.random.default_rng((*seed, 0)).multinomial(rows, sizes / rows, size=draws)
    return counts.T.astype(np.float32, order="C")


def _cells(classes: npt.ArrayLike, results: Sequence[npt.ArrayLike]) -> npt.NDArray[np.int64]:
    """Number of rows by class and, per entry, by whether it is right: two values along each axis."""
    columns = [np.asarray(column, dtype=np.bool_) for column in (classes, *results)]
    if len({column.shape for column in columns}) != 1 or columns[0].ndim != 1 or not columns[0].size:
        raise MetricError(
            f"the columns of a fold have shapes {[column.shape for column in columns]}",
            fix="pass flat columns of one length, with at least one row",
        )
    index = sum(column.view(np.uint8) << place for place, column in enumerate(reversed(columns)))
    return np.bincount(index, minlength=2 ** len(columns)).reshape((2,) * len(columns))


def _drawn_accuracy(cells: npt.NDArray[np.int64], draws: int, seed: tuple[int, int]) -> FloatArray:
    """Mean recall of each draw, or the difference of two; a class that was not drawn is left out, as in the metric."""
    recalls, present = np.zeros((2, draws))
    sizes = cells.reshape(2, -1).sum(axis=1)
    for kind, (cell, counts) in enumerate(zip(cells, _class_counts(*sizes.tolist(), draws, seed), strict=True)):
        # Rows that count for the first stand in front, those that count for the second at the back, all others between.
        ahead, behind = (int(cell[1]), 0) if cell.ndim == 1 else (int(cell[1, 0]), int(cell[0, 1]))
        size, drawn = int(cell.sum()), counts[-1]
        won = _drawn_from_front(counts, size, ahead, (*seed, kind, 0))
        if behind:
            won -= drawn - _drawn_from_front(counts, size, size - behind, (*seed, kind, 1))
        recalls += np.divide(won, drawn, out=np.zeros(draws), where=drawn > 0)
        present += drawn > 0
    return recalls / present


def _drawn_from_front(counts: npt.NDArray[np.int32], size: int, rows: int, seed: tuple[int, ...]) -> FloatArray:
    """How many of the first rows of a class each draw takes: exactly, but for those of a bin that is cut in two."""
    taken: FloatArray
    if rows in (0, size):
        taken = counts[-1 if rows else 0].astype(np.float64)
        return taken
    starts, sizes = _bins(size, len(counts) - 1)
    place = int(np.searchsorted(starts, rows, side="right")) - 1
    taken = counts[place].astype(np.float64)
    if share := (rows - starts[place]) / sizes[place]:
        inside = counts[place + 1] - taken
        noise = _noise(counts.shape[1], seed) * np.sqrt(inside * share * (1 - share))
        taken += np.clip(inside * share + noise, 0, inside)
    return taken


@lru_cache(maxsize=80)  # 1 MB each
def _class_counts(first: int, second: int, draws: int, seed: tuple[int, int]) -> list[npt.NDArray[np.int32]]:
    """How many rows each draw takes from the bins before each bin of a class, and from all: shape (bins + 1, draws)."""
    bins = [min(rows, BINS // 2) for rows in (first, second)]
    sizes = np.concatenate([_bins(first, bins[0])[1], _bins(second, bins[1])[1]])
    rng, rows = np.random.default_rng(seed), first + second
    if rows < 10 * len(sizes):  # the same, drawn faster: each row, and its bin
        drawn = np.repeat(np.arange(len(sizes)), sizes)[rng.integers(rows, size=(draws, rows))]
        drawn += len(sizes) * np.arange(draws)[:, np.newaxis]
        counts = np.bincount(drawn.ravel(), minlength=draws * len(sizes)).reshape(draws, -1).T
    else:
        counts = rng.multinomial(rows, sizes / rows, size=draws).T
    parts = np.split(counts, bins[:1])
    return [np.vstack([np.zeros((1, draws)), np.cumsum(part, axis=0)]).astype(np.int32) for part in parts]


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
