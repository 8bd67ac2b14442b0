"""Ranks over several tasks, and how far they would move on other tasks."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from matbench_lite.stats._matrix import FloatArray, score_matrix
from matbench_lite.stats.bootstrap import DRAWS, ENDS, Interval


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
