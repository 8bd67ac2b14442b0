"""Two entries on the rows of one task."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from matbench_lite.board.losses import Losses, by_fold
from matbench_lite.board.rows import Rows
from matbench_lite.stats import Interval, bootstrap_balanced_accuracy, bootstrap_mean


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


def compare_rows(rows: Rows, first: Losses, second: Losses) -> Pair:
    """Compare two entries row by row."""
    ours, theirs = first.losses, second.losses
    if rows.targets.dtype == bool:
        right = ([fold == 0 for fold in by_fold(losses, rows)] for losses in (ours, theirs))
        interval = bootstrap_balanced_accuracy(by_fold(rows.targets, rows), *right)
    else:
        interval = bootstrap_mean(by_fold(ours - theirs, rows))
    return Pair(
        interval=interval,
        first_wins=float(np.mean(ours < theirs)),
        second_wins=float(np.mean(theirs < ours)),
    )
