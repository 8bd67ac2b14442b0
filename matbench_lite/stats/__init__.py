"""Statistics: arrays in, numbers out.

Two questions, two answers. Would the order hold with other splits: the paired test over folds, and the tie groups made
with it. Would it hold on other test rows, for these trained models: the bootstrap over rows.
"""

from __future__ import annotations

from matbench_lite.stats.bootstrap import DRAWS, ENDS, Interval, bootstrap_balanced_accuracy, bootstrap_mean
from matbench_lite.stats.friedman import Friedman, critical_difference, friedman
from matbench_lite.stats.holm import holm
from matbench_lite.stats.paired import PairedTest, paired_p_values, paired_test
from matbench_lite.stats.ranks import RankInterval, average_ranks, rank_intervals
from matbench_lite.stats.ties import ALPHA, tie_groups

__all__ = [
    "ALPHA",
    "DRAWS",
    "ENDS",
    "Friedman",
    "Interval",
    "PairedTest",
    "RankInterval",
    "average_ranks",
    "bootstrap_balanced_accuracy",
    "bootstrap_mean",
    "critical_difference",
    "friedman",
    "holm",
    "paired_p_values",
    "paired_test",
    "rank_intervals",
    "tie_groups",
]
