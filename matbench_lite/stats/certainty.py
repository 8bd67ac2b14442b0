"""What follows from differences: who is better, what is equivalent, who leads, and between which places an entry is."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

import numpy as np
import numpy.typing as npt

from matbench_lite.errors import MetricError
from matbench_lite.stats.bootstrap import Interval
from matbench_lite.stats.variance import TOLD_APART, Differences, Moments, differences

BoolArray: TypeAlias = npt.NDArray[np.bool_]

Word = Literal["better", "worse", "equivalent", "not told apart"]
"""What is said of two entries, from the point of view of the first."""

EQUIVALENT = 0.05
"""Two entries are equivalent if they differ by less than this share of the smaller error, with 90 % certainty."""
ONE_SPLIT = "one split: training variance is assumed, not measured"
"""What is said beside every statement about a task with one fold."""
_CERTAIN_RANGE = 0.90


@dataclass(frozen=True, kw_only=True, eq=False)
class Verdicts:
    """What is said of every pair of entries, the first down, the second across.

    Args:
        better: The first is better: the two are told apart, and not equivalent.
        equivalent: The interval of their difference is within a twentieth of the smaller error.
        told_apart: p is below 1 %.
    """

    better: BoolArray
    equivalent: BoolArray
    told_apart: BoolArray

    def word(self, first: int, second: int) -> Word:
        """What is said of two entries."""
        if self.equivalent[first, second]:
            return "equivalent"
        if self.better[first, second]:
            return "better"
        return "worse" if self.better[second, first] else "not told apart"

    def places(self) -> list[tuple[int, int]]:
        """The first and the last place that each entry may have: behind all better ones, before all worse ones."""
        lowest, highest = 1 + self.better.sum(axis=0), len(self.better) - self.better.sum(axis=1)
        return list(zip(lowest.tolist(), highest.tolist(), strict=True))


def verdicts(found: Differences) -> Verdicts:
    """Say of every pair of entries which one is better, or that they are equivalent.

    Examples:
        >>> from matbench_lite.stats import Design, differences, moments
        >>> rng = np.random.default_rng(0)
        >>> design = Design(folds=np.arange(500) % 5, clusters=np.arange(500))
        >>> good = np.abs(rng.normal(size=500))
        >>> losses = [good, good + 0.3, good * 1.01, np.abs(rng.normal(scale=1.05, size=500))]
        >>> said = verdicts(differences(moments(losses, design)))
        >>> [said.word(0, other) for other in (1, 2, 3)], said.word(1, 0), said.places()
        (['better', 'equivalent', 'not told apart'], 'worse', [(1, 3), (4, 4), (1, 3), (1, 3)])
    """
    told_apart = np.abs(found.t) > found.quantile(1 - TOLD_APART)
    smaller = np.minimum(found.errors[:, np.newaxis], found.errors[np.newaxis])
    equivalent = np.abs(found.difference) + found.half_width(_CERTAIN_RANGE) <= EQUIVALENT * smaller
    return Verdicts(
        better=told_apart & ~equivalent & (found.difference < 0), equivalent=equivalent, told_apart=told_apart
    )


@dataclass(frozen=True, kw_only=True)
class Pair:
    """Two entries on one task.

    Args:
        word: What is said of the first: it is better, worse, equivalent, or not told apart from the second.
        difference: Score of the first less that of the second, in the unit of the metric.
        interval: Its 99 % interval: it excludes zero exactly when the two are told apart.
        p: Two-sided p-value of the difference; told apart is below 1 %.
    """

    word: Word
    difference: float
    interval: Interval
    p: float


def pair(found: Differences, said: Verdicts, first: int, second: int, *, higher_is_better: bool = False) -> Pair:
    """All that is said of two entries, by their positions, in the unit of the score.

    If higher is better, a score is a constant less the error, which is what differences are of.
    """
    sign = -1 if higher_is_better else 1
    difference = sign * float(found.difference[first, second]) + 0.0  # no negative zero
    half = found.quantile(1 - TOLD_APART) * float(np.sqrt(found.variance[first, second]))
    return Pair(
        word=said.word(first, second),
        difference=difference,
        interval=Interval(low=difference - half, high=difference + half),
        p=float(found.p_of(found.t[first, second])),
    )


@dataclass(frozen=True, kw_only=True, eq=False)
class Leaders:
    """The leading group: the best, and all that are not told apart from it or are equivalent to it.

    Args:
        best: The position of the best entry.
        leading: Whether each entry is in the group.
        wide: Whether each entry is in the group although one that is better stands outside it: it scatters too widely
            to say more.
    """

    best: int
    leading: BoolArray
    wide: BoolArray


def leaders(said: Verdicts, *, order: Sequence[int] | None = None, references: npt.ArrayLike | None = None) -> Leaders:
    """Find the leading group.

    Args:
        said: What is said of every pair.
        order: The positions of the entries, best first; without it, they are in this order.
        references: Whether each entry is a reference, such as a constant guess: it is never in the group. Where all are
            references, they are treated as entries.

    Raises:
        MetricError: If there is no entry.
    """
    places = np.arange(len(said.better)) if order is None else np.asarray(order, dtype=np.intp)
    if not len(places):
        raise MetricError("there is no entry that could lead", fix="compare at least one entry")
    reference = np.zeros(len(places), bool) if references is None else np.asarray(references, bool)
    if reference.all():
        reference = np.zeros(len(places), bool)
    best = int(places[~reference[places]][0])
    outside = said.better[best]
    leading = ~outside & ~reference
    below_one_outside = np.zeros(len(places), bool)
    below_one_outside[places] = np.logical_or.accumulate(outside[places])
    return Leaders(best=best, leading=leading, wide=leading & below_one_outside)


def fold_scatter(found: Moments) -> float:
    """By how much the folds of a task scatter beyond their rows (c), measured from the losses of its entries.

    It is the median, over pairs of entries, of the variance of the fold means over the variance of one fold's mean by
    its rows, over what that median is by chance; at least 1.

    Raises:
        MetricError: If there is only one fold, or no two entries that differ.

    Examples:
        >>> from matbench_lite.stats import Design, moments
        >>> rng = np.random.default_rng(0)
        >>> design = Design(folds=np.arange(500) % 5, clusters=np.arange(500))
        >>> round(fold_scatter(moments(np.abs(rng.normal(size=(20, 500))), design)), 1)
        1.0
    """
    from scipy.special import chdtri

    number = found.fold_means.shape[1]
    if number < 2:
        raise MetricError("one fold does not scatter", fix="measure it on several folds")
    told = differences(found)
    of_pairs = np.triu(told.row_variance > 0, k=1)
    if not of_pairs.any():
        raise MetricError("no two entries differ", fix="measure it from two or more different entries")
    ratios = told.fold_variance[of_pairs] / told.row_variance[of_pairs]
    return max(1.0, float(np.median(ratios) * (number - 1) / chdtri(number - 1, 0.5)))
