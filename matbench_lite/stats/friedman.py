"""Friedman's test over tasks, and Nemenyi's critical difference of mean ranks."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cache

import numpy as np
import numpy.typing as npt

from matbench_lite.errors import MetricError
from matbench_lite.stats._matrix import score_matrix
from matbench_lite.stats.ties import ALPHA


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
