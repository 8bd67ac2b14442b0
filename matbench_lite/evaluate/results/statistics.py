"""From scores of rows to figures: means, intervals, learning curves."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from matbench_lite.stats import DRAWS, ENDS, Interval, bootstrap_mean

FEWEST_GROUPS = 5
"""A point of a learning curve has an interval from so many groups on."""
_CHUNK = 200


@dataclass(frozen=True, kw_only=True)
class CurvePoint:
    """The mean score after some labels of the group.

    Args:
        labels: Labels seen.
        groups: Groups that have so many rows.
        mean: Mean score over those groups.
        interval: 95 % bootstrap interval over those groups; None for few.
    """

    labels: int
    groups: int
    mean: float
    interval: Interval | None


def mean_interval(groups: Sequence[npt.ArrayLike], *, seed: int = 0) -> Interval | None:
    """95 % percentile interval of the mean over rows, by a bootstrap over groups; None for one group.

    Rows of one group are alike, so whole groups are drawn: drawing rows would promise too much.

    Args:
        groups: The scores of the rows of each group.
        seed: Seed of the draws.

    Examples:
        >>> mean_interval([[0.0, 0.2], [0.4], [0.5, 0.3, 0.4]])
        Interval(low=0.1..., high=0.4...)
    """
    if len(groups) < 2:
        return None
    sums = np.array([np.sum(group) for group in groups])
    sizes = np.array([np.size(group) for group in groups], dtype=np.float64)
    rng = np.random.default_rng(seed)
    means = []
    for start in range(0, DRAWS, _CHUNK):
        counts = rng.multinomial(len(groups), np.full(len(groups), 1 / len(groups)), size=min(_CHUNK, DRAWS - start))
        means.append((counts @ sums) / (counts @ sizes))
    low, high = np.quantile(np.concatenate(means), ENDS)
    return Interval(low=float(low), high=float(high))


def group_interval(means: npt.ArrayLike, *, seed: int = 0) -> Interval | None:
    """95 % interval of the mean over groups, by the studentised bootstrap; None for one group.

    Examples:
        >>> group_interval([0.1, 0.4, 0.4, 0.3])
        Interval(low=0.1..., high=0.4...)
    """
    array = np.asarray(means, dtype=np.float64)
    return None if len(array) < 2 else bootstrap_mean([array], seed=seed)


def learning_curve(groups: Sequence[Sequence[float]]) -> tuple[CurvePoint, ...]:
    """The mean score after 0, 1, 2, … labels, over the groups that have so many rows.

    Args:
        groups: The scores of the rows of each group, in sequence.

    Examples:
        >>> [(point.labels, point.groups, point.mean) for point in learning_curve([[1.0, 0.5], [0.5]])]
        [(0, 2, 0.75), (1, 1, 0.5)]
    """
    points = []
    for labels in range(max(map(len, groups))):
        scores = [group[labels] for group in groups if len(group) > labels]
        points.append(
            CurvePoint(
                labels=labels,
                groups=len(scores),
                mean=float(np.mean(scores)),
                interval=group_interval(scores) if len(scores) >= FEWEST_GROUPS else None,
            )
        )
    return tuple(points)
