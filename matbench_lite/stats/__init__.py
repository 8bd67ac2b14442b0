"""Statistics: arrays in, numbers out.

Two questions, two answers. Would the order hold with other splits: the paired test over folds, and the tie groups made
with it. Would it hold on other test rows, for these trained models: the bootstrap over rows.
"""

from __future__ import annotations

from matbench_lite.stats.bootstrap import DRAWS, ENDS, Interval, bootstrap_balanced_accuracy, bootstrap_mean
from matbench_lite.stats.paired import ALPHA, PairedTest, holm, paired_p_values, paired_test, tie_groups
from matbench_lite.stats.ranks import (
    Friedman,
    RankInterval,
    average_ranks,
    critical_difference,
    friedman,
    rank_intervals,
)
from matbench_lite.stats.variance import (
    FOLD_WEIGHT,
    TOLD_APART,
    Design,
    Differences,
    Moments,
    class_losses,
    differences,
    moments,
)

__all__ = [
    "ALPHA", "DRAWS", "ENDS", "FOLD_WEIGHT", "TOLD_APART", "Design", "Differences", "Friedman", "Interval", "Moments",
    "PairedTest", "RankInterval", "average_ranks", "bootstrap_balanced_accuracy", "bootstrap_mean", "class_losses",
    "critical_difference", "differences", "friedman", "holm", "moments", "paired_p_values", "paired_test",
    "rank_intervals", "tie_groups",
]  # fmt: skip
