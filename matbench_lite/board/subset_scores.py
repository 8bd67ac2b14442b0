"""Scores on some of the test rows: those unlike all that was trained on, and by the distance to the nearest that was.

Rows without relatives are other rows, with other targets: their error alone would compare rows, not models. So each of
these scores is scaled by the deviation of the same rows.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from matbench_lite.board.composition_search import FAR
from matbench_lite.board.relatives import NEAR, Relatives
from matbench_lite.board.rows import Rows, row_losses
from matbench_lite.metrics import balanced_accuracy, mae
from matbench_lite.text import count

FEWEST_ROWS = 30
"""Fewer rows than these have no score of their own."""
FEWEST_OF_CLASS = 10
"""Of classified rows, so many must be of each class."""
_EDGES = (0.0, 0.02, NEAR, 0.1, FAR, math.inf)
"""The largest distance of each bin but the first is beyond that of the one before."""

Floats = NDArray[np.float64]


@dataclass(frozen=True, kw_only=True)
class SubsetScore:
    """The score on some of the test rows, those of all folds together.

    Args:
        rows: Number of these rows.
        share: Their share of all, from 0 to 1.
        score: The ranking metric on them, in its unit; None where they are too few, or of a class too few.
        scaled_error: Their mean absolute error over the mean absolute deviation of their own targets, or 2 (1 -
            balanced accuracy): 1 is as good as a constant that knows them. None where there is no score, or no
            deviation.
    """

    rows: int
    share: float
    score: float | None
    scaled_error: float | None

    @property
    def is_some(self) -> bool:
        """Whether there are such rows, and others."""
        return 0 < self.share < 1

    def is_easier(self, on_all: float | None) -> bool:
        """Whether the scaled error is lower than that on all rows."""
        return self.scaled_error is not None and on_all is not None and self.scaled_error < on_all


def subset_scores(rows: Rows, relatives: Relatives, predictions: Floats) -> dict[str, SubsetScore]:
    """The scores on rows without relatives in training, and on rows of unseen chemical systems, by the name of each.

    The predictions are those of an entry, fold after fold.
    """
    subsets = {"without_relatives": relatives.without, "unseen_systems": relatives.new_system}
    targets = rows.ordered_targets
    return {name: _score(targets[subset], predictions[subset], len(targets)) for name, subset in subsets.items()}


def _score(targets: NDArray[np.float64] | NDArray[np.bool_], predictions: Floats, of: int) -> SubsetScore:
    score = scaled = None
    if targets.dtype == bool:
        if len(targets) >= FEWEST_ROWS and np.bincount(targets, minlength=2).min() >= FEWEST_OF_CLASS:
            score = float(balanced_accuracy(targets, predictions))
            scaled = 2 * (1 - score)
    elif len(targets) >= FEWEST_ROWS:
        score = float(mae(targets, predictions))
        deviation = float(np.abs(targets - targets.mean()).mean())
        scaled = score / deviation if deviation else None
    return SubsetScore(rows=len(targets), share=len(targets) / of, score=score, scaled_error=scaled)


def easier_words(where: str, scores: Sequence[tuple[SubsetScore | None, float]]) -> str | None:
    """A sentence on entries that do better on some of the rows than on all; None if none does.

    It begins with `where`, which rows these are; of each entry there is the score on them, and the scaled error on all.

    Examples:
        >>> low = SubsetScore(rows=40, share=0.4, score=0.2, scaled_error=0.3)
        >>> easier_words("Without relatives", [(low, 0.35), (low, 0.25)])
        'Without relatives, 1 of 2 entries has a lower scaled error than on all rows: these rows are no harder for it.'
    """
    known = [(held, on_all) for held, on_all in scores if held is not None and held.scaled_error is not None]
    easier = sum(held.is_easier(on_all) for held, on_all in known)
    if not easier or not known[0][0].is_some:
        return None
    verb, whom = ("has", "it") if easier == 1 else ("have", "them")
    of = f"{easier} of {count(len(known), 'entry')}"
    return f"{where}, {of} {verb} a lower scaled error than on all rows: these rows are no harder for {whom}."


def as_numbers(scores: Mapping[str, SubsetScore]) -> dict[str, float]:
    """The scores as the score table keeps them; what is not there is left out."""
    return {
        f"{name}_{field}": float(value)
        for name, held in scores.items()
        for field, value in vars(held).items()
        if value is not None
    }


def from_numbers(values: Mapping[str, float], name: str) -> SubsetScore | None:
    """One of the scores that the table keeps; None if the rows have no compositions."""
    if f"{name}_rows" not in values:
        return None
    return SubsetScore(
        rows=int(values[f"{name}_rows"]),
        share=values[f"{name}_share"],
        score=values.get(f"{name}_score"),
        scaled_error=values.get(f"{name}_scaled_error"),
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class DistanceBin:
    """The error on rows whose nearest training composition is about so far away.

    Args:
        low: The distance that they all are beyond, from 0 to 1; of the first, 0, which they are at.
        high: The largest distance; infinite for the last.
        rows: Number of rows.
        error: Mean absolute error in the unit of the task; for classification the share of wrong rows. None without
            rows.
        half_width: Half of its 95 % interval, by clusters of rows; None where there are fewer than two clusters.
    """

    low: float
    high: float
    rows: int
    error: float | None
    half_width: float | None


def distance_bins(rows: Rows, relatives: Relatives, predictions: Floats) -> Iterator[DistanceBin]:
    """The error of an entry by the distance to the nearest training composition; takes what `subset_scores` does."""
    losses = row_losses(rows.ordered_targets, predictions)
    places = np.searchsorted(_EDGES, relatives.distances)
    for place, high in enumerate(_EDGES):
        chosen = places == place
        error, half = _mean(losses[chosen], rows.design.clusters[chosen])
        low = _EDGES[max(0, place - 1)]
        yield DistanceBin(low=low, high=high, rows=int(chosen.sum()), error=error, half_width=half)


def _mean(losses: Floats, clusters: NDArray[np.intp]) -> tuple[float | None, float | None]:
    """The mean, and half of its 95 % interval, for clusters that are independent of each other."""
    if not len(losses):
        return None, None
    mean = float(losses.mean())
    _, codes = np.unique(clusters, return_inverse=True)
    sums = np.bincount(codes, weights=losses - mean) / len(losses)
    if len(sums) < 2:
        return mean, None
    from scipy.special import stdtrit

    degrees = len(sums) - 1
    return mean, float(stdtrit(degrees, 0.975) * math.sqrt(len(sums) / degrees * (sums @ sums)))
