"""Ranks over several tasks: how far they would move on other tasks, and whether they differ at all (Friedman)."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cache

import numpy as np
import numpy.typing as npt

from matbench_lite.errors import MetricError
from matbench_lite.stats.bootstrap import DRAWS, ENDS, Interval
from matbench_lite.stats.paired import ALPHA, FloatArray, score_matrix


@dataclass(frozen=True, slots=True)
class RankInterval:
    """Where an entry stands over a set of tasks.

    Attributes:
        mean: Mean of its ranks over the tasks; 1 is best.
        mean_interval: 95 % interval of the mean rank.
        rank: Its place by mean rank; equal means share the better place.
        rank_interval: 95 % interval of the place.
    """

    mean: float
    mean_interval: Interval
    rank: int
    rank_interval: Interval


def average_ranks(scores: npt.ArrayLike) -> FloatArray:
    """Rank the entries within each task: 1 is the lowest score; equal scores share the mean of their ranks.

    Args:
        scores: Scores of shape (entries, tasks), lower is better.

    Raises:
        MetricError: If the shape is another one, or a score is not finite.

    Examples:
        >>> average_ranks([[0.1, 0.2], [0.3, 0.2], [0.2, 0.9]])
        array([[1. , 1.5],
               [3. , 1.5],
               [2. , 3. ]])
    """
    matrix = score_matrix(scores, columns="task")
    ranks = np.empty_like(matrix)
    for task, column in enumerate(matrix.T):
        _, group, size = np.unique(column, return_inverse=True, return_counts=True)
        ranks[:, task] = (np.cumsum(size) - (size - 1) / 2)[group]
    return ranks


def rank_intervals(ranks: npt.ArrayLike, *, draws: int = DRAWS, seed: int = 0) -> list[RankInterval]:
    """Mean rank and place of each entry, with 95 % intervals: the tasks are drawn again, with replacement.

    It answers "would the order hold on other tasks like these?", the question of the Friedman test, and takes the
    rank within each task as it is. With one task there is nothing to draw: the intervals are of no width.

    Args:
        ranks: Ranks of shape (entries, tasks), e.g. from `average_ranks`.
        draws: How often the tasks are drawn.
        seed: Seed of the draws.

    Raises:
        MetricError: If the shape is another one, or a rank is not finite.

    Examples:
        >>> best, *_ = rank_intervals([[1, 1, 2, 1], [2, 2, 1, 3], [3, 3, 3, 2]])
        >>> best.mean, best.rank, best.rank_interval
        (1.25, 1, Interval(low=1.0, high=2.0))
    """
    matrix = score_matrix(ranks, columns="task")
    tasks = matrix.shape[1]
    counts = np.random.default_rng(seed).multinomial(tasks, np.full(tasks, 1 / tasks), size=draws)
    # Ranks and counts have exact sums, so that equal mean ranks are equal numbers.
    drawn = matrix @ counts.T / tasks
    mean_low, mean_high = np.quantile(drawn, ENDS, axis=1)
    # A place is a whole number: the ends are places that were drawn.
    low, high = np.quantile(_places(drawn), ENDS, axis=1, method="inverted_cdf")
    means = matrix.mean(axis=1)
    return [
        RankInterval(
            mean=float(means[entry]),
            mean_interval=Interval(float(mean_low[entry]), float(mean_high[entry])),
            rank=int(place),
            rank_interval=Interval(float(low[entry]), float(high[entry])),
        )
        for entry, place in enumerate(_places(means[:, np.newaxis])[:, 0])
    ]


def _places(means: FloatArray) -> npt.NDArray[np.intp]:
    """The place of each entry by mean rank, column by column: one more than the number of entries that are better."""
    order = np.argsort(means, axis=0)
    ordered = np.take_along_axis(means, order, axis=0)
    positions = np.broadcast_to(np.arange(1, len(means) + 1)[:, np.newaxis], means.shape).copy()
    positions[1:][ordered[1:] == ordered[:-1]] = 0  # equal to the one before: takes its place
    places = np.empty(means.shape, dtype=np.intp)
    np.put_along_axis(places, order, np.maximum.accumulate(positions, axis=0), axis=0)
    return places


@dataclass(frozen=True, slots=True)
class Friedman:
    """Outcome of Friedman's test.

    Attributes:
        statistic: Chi-squared, with as many degrees of freedom as entries less one; corrected for equal ranks.
        p: Its p-value.
    """

    statistic: float
    p: float


def friedman(ranks: npt.ArrayLike) -> Friedman:
    """Test whether any entry ranks differently from the others over a set of tasks.

    Args:
        ranks: Ranks of shape (entries, tasks), e.g. from `average_ranks`.

    Returns:
        The outcome; where all entries have equal ranks in every task, 0 and a p-value of 1.

    Raises:
        MetricError: If there are fewer than two entries, or a rank is not finite.

    Examples:
        >>> friedman([[1, 1, 1], [2, 2, 3], [3, 3, 2]])
        Friedman(statistic=4.66..., p=0.09...)
    """
    from scipy.special import chdtrc

    matrix = score_matrix(ranks, columns="task")
    entries, tasks = _at_least_two(len(matrix)), matrix.shape[1]
    middle = (entries + 1) / 2
    # The spread of the ranks within the tasks: smaller where ranks are equal, which is the correction.
    within = float(np.square(matrix - middle).sum()) / (tasks * (entries - 1))
    between = tasks * float(np.square(matrix.mean(axis=1) - middle).sum())
    statistic = between / within if within else 0.0
    return Friedman(statistic=statistic, p=float(chdtrc(entries - 1, statistic)))


def critical_difference(entries: int, tasks: int, *, alpha: float = ALPHA) -> float:
    """The smallest difference of two mean ranks that Nemenyi's test calls significant.

    Args:
        entries: Number of entries that are ranked.
        tasks: Number of tasks.
        alpha: Level of the test, over all pairs.

    Raises:
        MetricError: If there are fewer than two entries or no task.

    Examples:
        >>> round(critical_difference(5, 30), 3)  # Demšar (2006): q = 2.728
        1.114
    """
    if tasks < 1:
        raise MetricError(f"{tasks=} has no ranks", fix="rank over at least one task")
    quantile = _range_quantile(1 - alpha, _at_least_two(entries)) / math.sqrt(2)
    return quantile * math.sqrt(entries * (entries + 1) / (6 * tasks))


def _range_quantile(share: float, number: int) -> float:
    """The quantile of the range of some standard normal numbers: the studentised range at infinite freedom.

    scipy.stats has it, at the price of a second and 30 MB for its import, on every page of statistics.
    """
    from scipy.special import ndtr

    nodes, weights = _nodes()
    lowest = 8.5 * nodes  # beyond, the density is nothing
    density = 8.5 * weights * np.exp(-np.square(lowest) / 2) / math.sqrt(2 * math.pi)
    low, high = 0.0, 20.0
    for _ in range(60):
        middle = (low + high) / 2
        within = number * float(density @ (ndtr(lowest + middle) - ndtr(lowest)) ** (number - 1))
        low, high = (middle, high) if within < share else (low, middle)
    return high


@cache
def _nodes() -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]:
    """Where and with what weight a smooth function is added up over -1 to 1."""
    nodes, weights = np.polynomial.legendre.leggauss(200)
    return nodes, weights


def _at_least_two(entries: int) -> int:
    if entries < 2:
        raise MetricError(f"{entries=} cannot be compared", fix="rank at least two entries")
    return entries
