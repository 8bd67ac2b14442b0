"""Bootstrap over clusters of test rows: would a score hold on other rows, for these trained models?"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
import numpy.typing as npt

from matbench_lite.errors import MetricError
from matbench_lite.stats.variance import Design, FloatArray

DRAWS = 1000
"""How often the rows are drawn: the ends of an interval scatter by two percent of its width."""
ENDS = (0.025, 0.975)
"""What part of the draws lies below each end of a 95 % interval."""
BINS = 250
"""More clusters than this are drawn by bins of those that are next to each other in value."""
_SINGLE = 50
"""So many of them at either end have bins of their own: the tails decide how wide an interval is."""
_NORMAL = 1.96
"""So many standard errors each side of an interval has at least, as a normal one.

Where a few clusters make most of the error, draws that miss them make an end too near."""
_NO_ERROR = 1e-100
_LEAST_ERROR = 0.1
"""A draw that has hardly any spread, because it misses the few rows that have some, gets this share of the error."""


@dataclass(frozen=True, slots=True)
class Interval:
    """Both ends of an interval, of 95 % where nothing else is said, in the unit of the score."""

    low: float
    high: float


def score_interval(losses: npt.ArrayLike, design: Design, *, draws: int = DRAWS, seed: int = 0) -> Interval:
    """95 % interval of a score, the mean over folds of a fold's mean loss, by the studentised bootstrap over clusters.

    It is for these trained models on other rows like these; it says nothing about training again. Each draw's score is
    measured in its own standard error (bootstrap-t): errors have heavy tails, for which plain percentiles are too
    narrow. The losses of a cluster, less the mean of their fold, are added up first. Of classes, the losses
    (`class_losses`) are taken less the mean of their class in their fold, because how many rows of a class are drawn is
    a matter of chance, too.

    The cost of a draw does not grow with the rows. Up to 250 clusters are drawn one by one. More are sorted into 250
    bins, the 50 lowest and the 50 highest into bins of their own: how often each bin is drawn is multinomial, as it is
    for clusters, and the sum over those drawn from a bin is taken as normal with the bin's own mean and variance. Mean
    and variance of the result are those of drawing clusters.

    Args:
        losses: One per tested row, in the unit of the score.
        design: How the rows are tested; with their classes, if they have any.
        draws: How often the clusters are drawn.
        seed: Seed of the draws.

    Returns:
        The interval, never beyond what the smallest and the largest losses of every fold, or class in a fold, make.

    Raises:
        MetricError: If there is not one finite loss per row.

    Examples:
        >>> rng = np.random.default_rng(0)
        >>> design = Design(folds=np.arange(500) % 5, clusters=np.arange(500))
        >>> score_interval(rng.exponential(size=500), design)
        Interval(low=1.00..., high=1.19...)
    """
    values = np.asarray(losses, dtype=np.float64)
    if values.shape != design.folds.shape or not np.isfinite(values).all():
        raise MetricError(
            f"losses of shape {values.shape} do not fit {len(design.folds)} rows, or have a value that is not finite",
            fix="pass one finite loss per tested row",
        )
    # A row counts by its fold's size, and every group of rows whose mean is the score's own is centred by itself.
    groups, weights, (order, starts) = design.groups, design.weights, design.group_order
    sizes = np.bincount(groups)
    means = np.bincount(groups, weights=values) / sizes
    by_group = values[order]
    lows, highs = np.minimum.reduceat(by_group, starts), np.maximum.reduceat(by_group, starts)
    shares = np.bincount(groups, weights=weights)
    lowest, score, highest = (float(np.sum(shares * ends)) for ends in (lows, means, highs))
    own = np.where(highs > lows, means, lows)  # exactly zero is left where all rows of a group are equal
    residuals = (values - own[groups]) * weights
    sums = np.asarray(np.bincount(design.clusters, weights=residuals), dtype=np.float64)[design.cluster_numbers]
    error = math.sqrt(max(design.small_sample * _squares(sums), _squares(residuals)))
    if error < _NO_ERROR or len(sums) < 2:
        return Interval(lowest, highest)
    sums -= sums.mean()
    largest = np.abs(sums).max()
    shift, variance = _draw(sums / largest, draws, seed) if largest > 0 else (np.zeros(draws), np.ones(draws))
    spread = math.sqrt(_squares(sums) / len(sums)) / largest if largest > 0 else 1.0
    scale = np.sqrt(np.maximum(variance, (_LEAST_ERROR * spread) ** 2) / len(sums))
    low, high = np.quantile(shift / scale, ENDS)
    low, high = min(low, -_NORMAL), max(high, _NORMAL)
    return Interval(*np.clip([score - high * error, score - low * error], lowest, highest).tolist())


def _squares(values: FloatArray) -> float:
    """The sum of squares; not by a product of BLAS, whose threads cost more than they save."""
    return float(np.einsum("r,r->", values, values))


def _draw(values: FloatArray, draws: int, seed: int) -> tuple[FloatArray, FloatArray]:
    """Mean and variance of the clusters in each draw; the mean of the values is zero, none is beyond ±1.

    Many are put in order in place.
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
def _noise(draws: int, seed: int) -> FloatArray:
    """One normal number per draw."""
    noise: FloatArray = np.random.default_rng((seed, 0, 1)).standard_normal(draws)
    return noise


@lru_cache(maxsize=80)  # all folds of Matbench, 1 MB each: every entry shares them
def _counts(rows: int, bins: int, draws: int, seed: int) -> npt.NDArray[np.float32]:
    """How many rows each draw takes from each bin: shape (bins, draws)."""
    _, sizes = _bins(rows, bins)
    counts = np.random.default_rng((seed, 0, 0)).multinomial(rows, sizes / rows, size=draws)
    return counts.T.astype(np.float32, order="C")
