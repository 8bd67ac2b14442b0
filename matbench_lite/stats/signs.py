"""Signs of a forgery: how the errors of one entry lie beside those of the others, and beside the labels.

Each is a number that honest entries hardly ever have; none is a proof. What was measured of honest entries and of
forged ones is on the pages of the rules that use them.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property, lru_cache

import numpy as np
import numpy.typing as npt

from matbench_lite.stats.ranks import tied_ranks
from matbench_lite.stats.variance import FloatArray

FAMILY = {"regression": 0.9, "classification": 0.75}
"""Entries whose errors correlate by more than this are one family, and one witness; right or wrong says less."""
_COMMON = 0.05
"""A target that a larger share of the rows has, such as zero, is hit by everybody: it tells nothing about errors."""
_FEWEST_ROWS = 100
_AGREE = 1 / 3
"""Others agree on a row if all are within this share of the way from their median to the label."""
_QUANTILE = 2.576
"""Half the width of a 99 % interval in standard errors."""
_ROWS_PER_ENTRY = 20
"""So many rows of half a fold there are for every entry that another one is regressed on."""
_MOST_OTHERS = 40
"""Entries, the most alike, that another one is regressed on; and families that are asked what they agree on."""
_EQUAL = 0.01
"""Predictions that differ by less than this share of the typical error are equal."""
_NEAR = 3e-4
"""A prediction within this share of the label is as good as copied."""
_SHARED_LABEL = 0.01
"""Labels of a larger share of the rows, such as zero, are hit by accident."""
_LOOKED_AT, _ON_GRID = 1000, 0.5
"""If, of so many predictions, more than this share are values that labels have, they are made of the labels' digits."""


@dataclass(frozen=True, kw_only=True, eq=False)
class Field:
    """The entries of a task that are more than a constant guess: one row per entry, one column per tested row.

    Args:
        kind: Kind of the task.
        truth: The targets; of classes, their numbers.
        folds: The fold of every row, numbered from 0.
        predictions: In the unit of the target; of classes, their numbers.
    """

    kind: str
    truth: FloatArray
    folds: npt.NDArray[np.integer]
    predictions: FloatArray

    @cached_property
    def errors(self) -> FloatArray:
        """Prediction less target; of a class, 1 where it is wrong."""
        if self._ranked:
            return self.predictions - self.truth
        return np.asarray(self.predictions != self.truth, dtype=np.float64)

    @property
    def _ranked(self) -> bool:
        return self.kind == "regression"

    @cached_property
    def alike(self) -> FloatArray:
        """Correlation of the errors of every two entries: of their ranks, so that a few large ones do not decide."""
        return _correlations(_standard(self.errors, self._ranked))

    @cached_property
    def sizes_alike(self) -> FloatArray:
        """The same of their sizes, without sign."""
        return _correlations(self._sizes)

    @cached_property
    def _sizes(self) -> FloatArray:
        return _standard(self._telling, self._ranked)

    @cached_property
    def _telling(self) -> FloatArray:
        """The sizes of the errors, on rows whose target is not that of many others."""
        if not self._ranked:
            return self.errors
        rows = shared_by_at_most(self.truth, _COMMON)
        return np.abs(self.errors[:, rows] if rows.sum() >= _FEWEST_ROWS else self.errors)

    @cached_property
    def families(self) -> npt.NDArray[np.intp]:
        """The number of every entry's family: that of its first member."""
        found = np.arange(len(self.predictions))
        for one, other in np.argwhere(np.triu(self.alike > FAMILY[self.kind])).tolist():
            found[found == max(found[one], found[other])] = min(found[one], found[other])
        return found

    def rivals(self, entry: int) -> int:
        """How many families there are without the entry: so many independent witnesses."""
        return len(np.unique(np.delete(self.families, entry)))

    @cached_property
    def hardness(self) -> FloatArray:
        """Whether each entry errs where others do: how the sizes of its errors correlate with those of others.

        With those of the median of the other families, or of the entry that it resembles most: errors that were drawn
        by chance correlate with nobody's. NaN without others.
        """
        return np.array([self._hardness_of(entry) for entry in range(len(self.predictions))])

    def _hardness_of(self, entry: int) -> float:
        others = self._by_family(entry, self._telling)
        if not len(others):
            return math.nan
        middle = np.median(others, axis=0) if self._ranked else others.mean(axis=0)
        likeness = _standard(middle[np.newaxis], self._ranked)[0] @ self._sizes[entry]
        return float(max(likeness, np.delete(self.sizes_alike[entry], entry).max()))

    def pull(self, entry: int) -> tuple[FloatArray, npt.NDArray[np.intp]]:
        """How far an entry goes from what others agree on to the label (0 to 1) where they agree on something else.

        Returns:
            A number per such row, and which rows these are. Of classes: 1 where it alone is right.
        """
        others = self._by_family(entry, self.predictions if self._ranked else self.errors)
        if len(others) < 2:
            return np.empty(0), np.empty(0, dtype=np.intp)
        if not self._ranked:
            rows = np.flatnonzero((others >= 0.5).all(axis=0))
            return 1 - self.errors[entry][rows], rows
        agreed = np.median(others, axis=0)
        way = self.truth - agreed
        far = np.abs(way) > np.median(np.abs(way))
        rows = np.flatnonzero(far & (np.abs(others - agreed).max(axis=0) < _AGREE * np.abs(way)))
        return (self.predictions[entry] - agreed)[rows] / way[rows], rows

    def left_over(self, entry: int) -> FloatArray:
        """What is left of an entry in each fold when the other entries and the label have told all that they can.

        Its predictions are regressed on theirs, and on the label, in one half of the fold; what is left is measured in
        the other half: its median, over that of the entry's own error. Of a blend nothing is left.
        """
        nearest = [other for other in np.argsort(-np.abs(self.alike[entry])).tolist() if other != entry]
        left = []
        for fold in np.unique(self.folds):
            rows = np.flatnonzero(self.folds == fold)
            most = max(3, min(_MOST_OTHERS, len(rows) // (2 * _ROWS_PER_ENTRY)))
            columns = np.vstack([self.predictions[nearest[:most]][:, rows], self.truth[rows], np.ones(len(rows))]).T
            found = self.predictions[entry][rows].copy()
            for fitted, asked in ((slice(0, None, 2), slice(1, None, 2)), (slice(1, None, 2), slice(0, None, 2))):
                known, own = columns[fitted], self.predictions[entry][rows][fitted]
                found[asked] -= columns[asked] @ np.linalg.lstsq(known.T @ known, known.T @ own, rcond=None)[0]
            errors = np.abs(self.errors[entry][rows])
            size = float(np.median(errors)) or float(errors.mean()) or 1.0
            left.append(float(np.median(np.abs(found))) / size)
        return np.array(left)

    def equal_shares(self, entry: int) -> FloatArray:
        """For every other entry, the share of rows on which it predicts the same; -1 for the entry itself.

        Of the rows with a prediction that no other row has: zeros and clipped values are the same by accident.
        """
        own, shares = self.predictions[entry], np.zeros(len(self.predictions))
        rows = shared_by_at_most(own, 0)
        if self._ranked and rows.sum() >= _ROWS_PER_ENTRY:
            near = np.abs(self.predictions[:, rows] - own[rows]) <= _EQUAL * np.median(np.abs(self.errors[entry]))
            shares = near.mean(axis=1)
        shares[entry] = -1.0
        return shares

    def _by_family(self, entry: int, values: FloatArray) -> FloatArray:
        """The means over the families of all but one entry, the best families first, as far as there are many."""
        members = [np.setdiff1d(np.flatnonzero(self.families == family), entry) for family in self._best_families]
        means = [values[each].mean(axis=0) for each in members if len(each)]
        return np.stack(means[:_MOST_OTHERS]) if means else np.empty((0, values.shape[1]))

    @cached_property
    def _best_families(self) -> list[int]:
        sizes = np.abs(self.errors).mean(axis=1)
        return list(dict.fromkeys(self.families[np.argsort(sizes)].tolist()))


@dataclass(frozen=True, kw_only=True, eq=False)
class NearLabels:
    """Which predictions are as near to their labels as only copies are.

    Args:
        found: Their places.
        expected: How many are to be expected, from those that are a little farther away.
        rows: How many were looked at: those with a label that hardly any other row has.
    """

    found: npt.NDArray[np.intp]
    expected: float
    rows: int

    @property
    def excess(self) -> float:
        """The share of rows that are too many."""
        return (len(self.found) - self.expected) / self.rows if self.rows else 0.0


def near_labels(truth: npt.ArrayLike, predictions: npt.ArrayLike) -> NearLabels:
    """Count predictions that are the label, or nearly so.

    Errors have a density: as many as lie within a small distance of zero lie in a ring around that of the same width.
    If predictions are made of the labels' own digits, as those of a language model are, the distance is half of the
    last one.

    Examples:
        >>> rng = np.random.default_rng(0)
        >>> truth = rng.normal(5, 1, size=1000)
        >>> honest = truth + rng.normal(scale=0.3, size=1000)
        >>> copied = np.where(truth > 6, truth, honest)
        >>> near_labels(truth, honest).excess < 0.01, near_labels(truth, copied).excess > 0.1
        (True, True)
    """
    labels, predicted = np.asarray(truth, dtype=np.float64), np.asarray(predictions, dtype=np.float64)
    values, places = _own_labels(labels.tobytes())
    labels, predicted = labels[places], predicted[places]
    near = _NEAR * np.abs(labels)
    if len(values) > 1 and np.isin(predicted[:_LOOKED_AT], values).mean() > _ON_GRID:
        near = np.full(len(labels), np.diff(values).min() / 2)
    errors = np.abs(predicted - labels)
    ring = int(((errors > near) & (errors <= 3 * near)).sum())
    return NearLabels(found=places[errors <= near], expected=ring / 2, rows=len(labels))


@lru_cache(maxsize=16)
def _own_labels(labels: bytes) -> tuple[FloatArray, npt.NDArray[np.intp]]:
    """The values that labels have, and the places of those that hardly any other row has: the same for every entry."""
    values, of_row, counts = np.unique(np.frombuffer(labels), return_inverse=True, return_counts=True)
    return values, np.flatnonzero((counts <= max(1, _SHARED_LABEL * len(of_row)))[of_row])


def shared_by_at_most(values: npt.NDArray[np.float64], share: float) -> npt.NDArray[np.bool_]:
    """Whether a value is that of no larger share of all of them; with a share of 0, whether it occurs once."""
    _, place, counts = np.unique(values, return_inverse=True, return_counts=True)
    return np.asarray((counts <= max(1, share * len(values)))[place])


def least_median(values: npt.ArrayLike) -> float:
    """The lower end of the 99 % interval of a median; NaN for fewer than ten values, which have none.

    The ranks of its ends are those of a normal distribution, which are right to one.
    """
    ordered = np.sort(np.asarray(values, dtype=np.float64))
    below = round((len(ordered) - _QUANTILE * math.sqrt(len(ordered))) / 2)
    return float(ordered[below - 1]) if below > 0 else math.nan


def _standard(rows: FloatArray, ranked: bool) -> FloatArray:
    """Rows, or their ranks, of mean 0 and length 1: their products are correlations."""
    values = np.stack([tied_ranks(row) for row in rows]) if ranked else rows
    centred = values - values.mean(axis=1, keepdims=True)
    lengths = np.linalg.norm(centred, axis=1, keepdims=True)
    return np.asarray(np.divide(centred, lengths, out=np.zeros_like(centred), where=lengths > 0))


def _correlations(rows: FloatArray) -> FloatArray:
    found = rows @ rows.T
    np.fill_diagonal(found, 0.0)
    return np.asarray(found)
