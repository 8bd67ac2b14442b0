"""One model of variance: how far apart two entries on the rows of one task are, and how sure that is.

Rows of one chemical system are no independent witnesses, and training again on other rows moves an entry, too. The
variance of a difference is that of its clusters of rows, plus whatever the folds scatter beyond their rows.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from matbench_lite.errors import MetricError
from matbench_lite.stats.paired import FloatArray

FOLD_WEIGHT = 4.0
"""By how much what folds scatter beyond their rows counts (k): they share most of their training rows."""
PRIOR = 8
"""So many degrees of freedom has what is known beforehand of the scatter of a task's folds."""
TOLD_APART = 0.01
"""Two entries are told apart below this p-value: one in a hundred such statements may be wrong."""


@dataclass(frozen=True, kw_only=True, eq=False)
class Design:
    """How the rows of a task are tested: in which fold, and which of them belong together.

    Args:
        folds: The fold of every tested row, numbered from 0; a row that is tested several times is there as often.
        clusters: The cluster of every tested row, e.g. its chemical system, numbered from 0.
        scatter: By how much folds of this task scatter beyond their rows (c): a constant of the task, 1 or more.

    Raises:
        MetricError: If the columns differ in length, or a fold has no rows.
    """

    folds: npt.NDArray[np.integer]
    clusters: npt.NDArray[np.integer]
    scatter: float = 2.0

    def __post_init__(self) -> None:
        if self.folds.shape != self.clusters.shape or self.folds.ndim != 1 or not self.folds.size:
            raise MetricError(
                f"{self.folds.shape=} != {self.clusters.shape=}", fix="give the fold and the cluster of every row"
            )
        if (self.sizes == 0).any():
            raise MetricError(f"fold {int(np.argmin(self.sizes))} has no rows", fix="number the folds from 0 on")

    @cached_property
    def sizes(self) -> npt.NDArray[np.intp]:
        """Number of rows of each fold."""
        return np.bincount(self.folds)

    @cached_property
    def cluster_count(self) -> int:
        """Number of clusters that have a row."""
        return int(np.count_nonzero(np.bincount(self.clusters)))

    @property
    def degrees(self) -> int:
        """Degrees of freedom of every difference."""
        return PRIOR + len(self.sizes) - 1


@dataclass(frozen=True, kw_only=True, eq=False)
class Moments:
    """All that is needed of the losses of some entries to compare any two of them.

    Args:
        design: How the rows are tested.
        fold_means: Mean loss by entry and fold.
        rows: Products of the losses of two entries, less their fold means, summed over the rows of a fold and divided
            by the square of its size; the mean over folds. Shape (entries, entries).
        clusters: Products of the summed losses of clusters, in the same way. Shape (entries, entries).
    """

    design: Design
    fold_means: FloatArray
    rows: FloatArray
    clusters: FloatArray


@dataclass(frozen=True, kw_only=True, eq=False)
class Differences:
    """Entries against entries: every array has one value per pair, first entry down, second across.

    Args:
        difference: Score of the first less that of the second, as a mean loss: below zero the first is better.
        row_variance: Variance of one fold's mean difference by its rows (w).
        clustered_variance: Variance of the difference by clusters of rows (V).
        fold_variance: Variance of the fold means (s²); NaN with one fold.
        variance: Variance of the difference: clusters, and what folds scatter beyond rows.
        t: The difference in units of its standard error; 0 where both are nothing.
        p: Two-sided p-value of t.
        degrees: Degrees of freedom.
    """

    difference: FloatArray
    row_variance: FloatArray
    clustered_variance: FloatArray
    fold_variance: FloatArray
    variance: FloatArray
    t: FloatArray
    p: FloatArray
    degrees: int

    def half_width(self, level: float) -> FloatArray:
        """Half the width of the interval of a level, e.g. 0.99, around the difference."""
        from scipy.special import stdtrit

        return np.asarray(stdtrit(self.degrees, (1 + level) / 2) * np.sqrt(self.variance))


def class_losses(truth: npt.ArrayLike, predicted: npt.ArrayLike, folds: npt.NDArray[np.integer]) -> FloatArray:
    """Losses of classified rows whose mean over a fold is one less the balanced accuracy.

    Args:
        truth: The class of every row.
        predicted: The class that was predicted.
        folds: The fold of every row, numbered from 0.

    Examples:
        >>> class_losses([True, True, True, False], [True, False, True, True], np.zeros(4, dtype=int)).tolist()
        [0.0, 0.6666666666666666, 0.0, 2.0]
    """
    classes, codes = np.unique(np.asarray(truth), return_inverse=True)
    wrong = np.asarray(truth) != np.asarray(predicted)
    sizes = np.zeros((int(folds.max()) + 1, len(classes)))
    np.add.at(sizes, (folds, codes), 1)
    present = (sizes > 0).sum(axis=1)
    # A class that a fold has no row of does not count there, as in the metric.
    weights = sizes.sum(axis=1)[folds] / (present[folds] * sizes[folds, codes])
    losses: FloatArray = np.where(wrong, weights, 0.0)
    return losses


def moments(losses: npt.ArrayLike, design: Design) -> Moments:
    """What any two entries are compared by.

    Args:
        losses: One row per entry, one column per tested row, in the unit of the score.
        design: How the rows are tested.

    Raises:
        MetricError: If the shape does not fit, or a loss is not finite.
    """
    matrix = np.atleast_2d(np.asarray(losses, dtype=np.float64))
    if matrix.shape[1:] != design.folds.shape or not np.isfinite(matrix).all():
        raise MetricError(
            f"{matrix.shape=} does not fit {len(design.folds)} rows, or has a value that is not finite",
            fix="give one finite loss per entry and tested row",
        )
    count, number = len(matrix), len(design.sizes)
    means = np.stack([np.bincount(design.folds, weights=row) for row in matrix]) / design.sizes
    residuals = (matrix - means[:, design.folds]) / design.sizes[design.folds]
    sums = np.stack([np.bincount(design.clusters, weights=row) for row in residuals]) / number
    return Moments(
        design=design,
        fold_means=means,
        rows=_products(residuals, count) / number,
        clusters=_products(sums, count) * _small_sample(design.cluster_count),
    )


def differences(found: Moments, *, weight: float = FOLD_WEIGHT) -> Differences:
    """Compare every entry with every other.

    Args:
        found: Of the losses of the entries.
        weight: By how much what folds scatter beyond their rows counts (k).

    Examples:
        >>> rng = np.random.default_rng(0)
        >>> design = Design(folds=np.arange(500) % 5, clusters=np.arange(500))
        >>> good = np.abs(rng.normal(size=500))
        >>> told = differences(moments([good, good + 0.3 + rng.normal(size=500) / 10], design))
        >>> round(float(told.difference[0, 1]), 2), bool(told.p[0, 1] < TOLD_APART)
        (-0.29, True)
    """
    from scipy.special import stdtr

    number, design = found.fold_means.shape[1], found.design
    by_fold = found.fold_means[:, np.newaxis] - found.fold_means[np.newaxis]
    difference = by_fold.mean(axis=2)
    rows, clusters = _of_difference(found.rows), _of_difference(found.clusters)
    clusters = np.maximum(clusters, rows / number)
    if number > 1:
        folds = by_fold.var(axis=2, ddof=1)
        moderated = (PRIOR * design.scatter * rows + (number - 1) * folds) / design.degrees
        excess = np.maximum(0, moderated - rows)
    else:  # training variance is assumed, not measured
        folds = np.full_like(rows, np.nan)
        excess = (design.scatter - 1) * rows
    variance = clusters + weight * excess / number
    with np.errstate(divide="ignore"):  # the same on every row: as certain as can be
        t = np.divide(difference, np.sqrt(variance), out=np.zeros_like(difference), where=difference != 0)
    return Differences(
        difference=difference,
        row_variance=rows,
        clustered_variance=clusters,
        fold_variance=folds,
        variance=variance,
        t=t,
        p=np.asarray(2 * stdtr(design.degrees, -np.abs(t))),
        degrees=design.degrees,
    )


def _small_sample(clusters: int) -> float:
    return clusters / (clusters - 1) if clusters > 1 else 1.0


def _products(rows: FloatArray, count: int) -> FloatArray:
    """Products of all pairs of rows; with two of them not by a matrix product, whose threads cost more than it does."""
    return np.einsum("ir,jr->ij", rows, rows) if count < 3 else rows @ rows.T


def _of_difference(products: FloatArray) -> FloatArray:
    """The sum of squares of the difference of each pair, from the products; a rounding error is no variance."""
    own = np.diagonal(products)
    scale = own[:, np.newaxis] + own[np.newaxis]
    squares = scale - 2 * products
    return np.where(squares > 1e-13 * scale, squares, 0.0)
