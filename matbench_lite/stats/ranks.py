"""Ranks: by one score, and whether those over several tasks differ (Friedman, Nemenyi)."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TypeVar

import numpy as np
import numpy.typing as npt

from matbench_lite.errors import MetricError
from matbench_lite.stats.variance import FloatArray

Name = TypeVar("Name")

ALPHA = 0.05
"""Level of the tests over several tasks."""


def ranked(scores: Mapping[Name, float], *, higher_is_better: bool = False) -> dict[Name, int]:
    """The rank of each by its score, best first: 1 is best, equal ones share the better rank and keep their order.

    Every list of models is ranked by it. Scores that differ by rounding alone are equal: sums in another order differ
    in their last bits.

    Examples:
        >>> ranked({"a": 0.3, "b": 0.1 + 0.2, "c": 0.1, "d": 0.4})
        {'c': 1, 'a': 2, 'b': 2, 'd': 4}
    """
    ranks: dict[Name, int] = {}
    first = math.nan
    for number, name in enumerate(sorted(scores, key=scores.__getitem__, reverse=higher_is_better), start=1):
        if not math.isclose(scores[name], first, rel_tol=1e-9, abs_tol=1e-12):
            rank, first = number, scores[name]
        ranks[name] = rank
    return ranks


def tied_ranks(values: npt.ArrayLike) -> FloatArray:
    """The rank of every value: 1 is the lowest, equal ones share the mean of theirs.

    As in scipy.stats, which takes half a second to import.
    """
    _, group, size = np.unique(np.asarray(values), return_inverse=True, return_counts=True)
    return np.asarray((np.cumsum(size) - (size - 1) / 2)[group])


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
    matrix = score_matrix(scores)
    ranks = np.empty_like(matrix)
    for task, column in enumerate(matrix.T):
        ranks[:, task] = tied_ranks(column)
    return ranks


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

    matrix = score_matrix(ranks)
    entries, tasks = _at_least_two(len(matrix)), matrix.shape[1]
    middle = (entries + 1) / 2
    # The spread of the ranks within the tasks: smaller where ranks are equal, which is the correction.
    within = float(np.square(matrix - middle).sum()) / (tasks * (entries - 1))
    between = tasks * float(np.square(matrix.mean(axis=1) - middle).sum())
    statistic = between / within if within else 0.0
    return Friedman(statistic=statistic, p=float(chdtrc(entries - 1, statistic)))


def critical_difference(entries: int, tasks: int) -> float:
    """The smallest difference of two mean ranks that Nemenyi's test calls significant: at 5 %, over all pairs.

    It follows from the numbers of ranked entries and of tasks.

    Raises:
        MetricError: If there are fewer than two entries or no task.

    Examples:
        >>> round(critical_difference(5, 30), 3)  # Demšar (2006): q = 2.728
        1.114
    """
    if tasks < 1:
        raise MetricError(f"{tasks=} has no ranks", fix="rank over at least one task")
    quantile = _range_quantile(1 - ALPHA, _at_least_two(entries)) / math.sqrt(2)
    return quantile * math.sqrt(entries * (entries + 1) / (6 * tasks))


def _range_quantile(share: float, number: int) -> float:
    """The quantile of the range of some standard normal numbers: the studentised range at infinite freedom.

    scipy.stats has it, at the price of a second and 30 MB for its import, on every page of statistics.
    """
    from scipy.special import ndtr

    # Beyond, the density is nothing: of what is smooth and ends so, equal steps give the integral to the last digits.
    lowest, step = np.linspace(-8.5, 8.5, 401, retstep=True)
    density = step * np.exp(-np.square(lowest) / 2) / math.sqrt(2 * math.pi)
    low, high = 0.0, 20.0
    for _ in range(60):
        middle = (low + high) / 2
        within = number * float(density @ (ndtr(lowest + middle) - ndtr(lowest)) ** (number - 1))
        low, high = (middle, high) if within < share else (low, middle)
    return high


def _at_least_two(entries: int) -> int:
    if entries < 2:
        raise MetricError(f"{entries=} cannot be compared", fix="rank at least two entries")
    return entries


def score_matrix(scores: npt.ArrayLike | Sequence[npt.ArrayLike]) -> FloatArray:
    """A finite float64 matrix: one row per entry, one column per task."""
    try:
        matrix = np.asarray(scores, dtype=np.float64)
    except ValueError as error:  # rows of different lengths, or text
        raise MetricError(f"scores are not a table of numbers: {error}", fix="pass one number per task") from error
    if matrix.ndim != 2 or not matrix.shape[0] or not matrix.shape[1]:
        raise MetricError(
            f"scores.shape={matrix.shape} is not (entries, tasks)", fix="pass one row per entry and at least one task"
        )
    if not np.isfinite(matrix).all():
        row, column = (int(index) for index in np.argwhere(~np.isfinite(matrix))[0])
        raise MetricError(
            f"scores[{row}, {column}]={matrix[row, column]} is not finite",
            fix="leave out entries that lack a task: nothing is imputed",
        )
    return matrix
