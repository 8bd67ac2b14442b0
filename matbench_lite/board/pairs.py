"""Two entries on the rows of one task, and who is ahead on it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from matbench_lite.board.result import Result, higher_is_better
from matbench_lite.board.rows import Rows
from matbench_lite.stats import Interval, bootstrap_balanced_accuracy, bootstrap_mean, holm, paired_p_values, tie_groups
from matbench_lite.tasks import Task


@dataclass(frozen=True, kw_only=True)
class Pair:
    """Two entries, row by row.

    Args:
        interval: 95 % paired bootstrap interval over test rows of the ranking metric of the first minus that of the
            second, in the unit of the metric.
        first_wins: Share of the rows on which the first has the smaller error, from 0 to 1.
        second_wins: Share of the rows on which the second has.
    """

    interval: Interval
    first_wins: float
    second_wins: float


def compare_rows(rows: Rows, first: NDArray[np.float64], second: NDArray[np.float64]) -> Pair:
    """Compare two entries row by row, from their losses, fold after fold."""
    if rows.targets.dtype == bool:
        right = ([fold == 0 for fold in rows.split(losses)] for losses in (first, second))
        interval = bootstrap_balanced_accuracy(rows.targets_by_fold, *right)
    else:
        interval = bootstrap_mean(rows.split(first - second))
    return Pair(
        interval=interval, first_wins=float(np.mean(first < second)), second_wins=float(np.mean(second < first))
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """The place of one entry on one task; rank, tie group and p-value as in `TaskRow`."""

    slug: str
    rank: int
    tie_group: str
    p: float | None


def order(task: Task, results: Mapping[str, Result]) -> list[Place]:
    """Order entries by the ranking metric, best first; equal ones by slug."""
    if not results:
        return []
    sign = -1 if higher_is_better(task.kind) else 1
    slugs = sorted(results, key=lambda slug: (sign * results[slug].ranking.mean, slug))
    scores = [results[slug].by_fold for slug in slugs]
    groups = tie_groups(scores, higher_is_better=sign < 0)
    p_values = [None, *holm(paired_p_values(scores[1:], scores[0])).tolist()] if len(slugs) > 1 else [None]
    places: list[Place] = []
    for position, (slug, group, p) in enumerate(zip(slugs, groups, p_values, strict=True)):
        equal = places and results[slug].ranking.mean == results[places[-1].slug].ranking.mean
        rank = places[-1].rank if equal else position + 1
        places.append(Place(slug=slug, rank=rank, tie_group=group, p=p))
    return places
