"""One model of variance: how far apart two entries on the rows of one task are, and how sure that is.

Rows of one chemical system are no independent witnesses, and training again on other rows moves an entry, too. The
variance of a difference is that of its clusters of rows, plus whatever the folds scatter beyond their rows.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from matbench_lite.errors import MetricError

FloatArray: TypeAlias = npt.NDArray[np.float64]

FOLD_WEIGHT = 3.0
"""By how much what folds scatter beyond their rows counts (k): they are few, and share most of their training rows.

As small as simulations allow in which entries are equal (`perf/evidence.py`)."""
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
        scatter: By how much folds of this task scatter beyond their rows (c): a constant of the task, 1 or more; 2
            where nobody has measured it.
        classes: The class of every tested row, numbered from 0; None for regression.

    Raises:
        MetricError: If the columns differ in length, or a fold has no rows.
    """

    folds: npt.NDArray[np.integer]
    clusters: npt.NDArray[np.integer]
    scatter: float = 2.0
    classes: npt.NDArray[np.integer] | None = None

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
    def cluster_numbers(self) -> npt.NDArray[np.intp]:
        """The numbers of the clusters that have a row."""
        return np.flatnonzero(np.bincount(self.clusters))

    @property
    def cluster_count(self) -> int:
        """Number of clusters that have a row."""
        return len(self.cluster_numbers)

    @property
    def small_sample(self) -> float:
        """By what the sum of squares of clusters is too small, because their mean is their own."""
        return self.cluster_count / (self.cluster_count - 1) if self.cluster_count > 1 else 1.0

    @cached_property
    def groups(self) -> npt.NDArray[np.intp]:
        """The fold of every row, or its class in the fold, numbered from 0: rows whose mean loss is measured as one."""
        if self.classes is None:
            return np.asarray(self.folds, dtype=np.intp)
        codes = np.asarray(self.folds, dtype=np.intp) * (int(self.classes.max()) + 1) + self.classes
        return np.unique(codes, return_inverse=True)[1]

    @cached_property
    def group_order(self) -> tuple[npt.NDArray[np.intp], npt.NDArray[np.intp]]:
        """All rows group by group, and where each group begins."""
        order = np.argsort(self.groups, kind="stable")
        return order, np.cumsum(np.bincount(self.groups)) - np.bincount(self.groups)

    @cached_property
    def weights(self) -> FloatArray:
        """What the loss of every row counts in the score: all folds alike."""
        return np.asarray(1 / (len(self.sizes) * self.sizes[self.folds]), dtype=np.float64)


@dataclass(frozen=True, kw_only=True, eq=False)
class Moments:
    """All that is needed of the losses of some entries to compare any two of them.

    Args:
        scatter: By how much the folds scatter beyond their rows (c).
        cluster_count: Number of clusters.
        fold_means: Mean loss by entry and fold.
        rows: Products of the losses of two entries, less their fold means, summed over the rows of a fold and divided
            by the square of its size; the mean over folds. Shape (entries, entries).
        clusters: Products of the summed losses of clusters, in the same way. Shape (entries, entries).
    """

    scatter: float
    cluster_count: int
    fold_means: FloatArray
    rows: FloatArray
    clusters: FloatArray


@dataclass(frozen=True, kw_only=True, eq=False)
class Differences:
    """Entries against entries: every array but the first has one value per pair, first entry down, second across.

    Args:
        errors: Mean loss of every entry.
        difference: Score of the first less that of the second, as a mean loss: below zero the first is better.
        row_variance: Variance of one fold's mean difference by its rows (w).
        clustered_variance: Variance of the difference by clusters of rows (V).
        fold_variance: Variance of the fold means (s²); NaN with one fold.
        variance: Variance of the difference: clusters, and what folds scatter beyond rows.
        t: The difference in units of its standard error; 0 where both are nothing.
        degrees: Degrees of freedom.
    """

    errors: FloatArray
    difference: FloatArray
    row_variance: FloatArray
    clustered_variance: FloatArray
    fold_variance: FloatArray
    variance: FloatArray
    t: FloatArray
    degrees: int

    @cached_property
    def p(self) -> FloatArray:
        """Two-sided p-value of t."""
        return self.p_of(self.t)

    def p_of(self, t: npt.ArrayLike) -> FloatArray:
        """Two-sided p-value of some values of t: those of all pairs take long where there are many."""
        from scipy.special import stdtr

        return np.asarray(2 * stdtr(self.degrees, -np.abs(t)))

    def quantile(self, level: float) -> float:
        """Half the width of the interval of a level, e.g. 0.99, in standard errors."""
        from scipy.special import stdtrit

        return float(stdtrit(self.degrees, (1 + level) / 2))

    def half_width(self, level: float) -> FloatArray:
        """Half the width of the interval of a level, e.g. 0.99, around the difference."""
        return self.quantile(level) * np.sqrt(self.variance)


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
        scatter=design.scatter,
        cluster_count=design.cluster_count,
        fold_means=means,
        rows=_products(residuals, count) / number,
        clusters=_products(sums, count) * design.small_sample,
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
    number = found.fold_means.shape[1]
    by_fold = found.fold_means[:, np.newaxis] - found.fold_means[np.newaxis]
    difference = by_fold.mean(axis=2)
    rows = _of_difference(found.rows)
    clusters = np.maximum(_of_difference(found.clusters), rows / number)
    folds = by_fold.var(axis=2, ddof=1) if number > 1 else np.full_like(rows, np.nan)
    variance = clusters + _beyond_rows(rows, folds, found, weight)
    with np.errstate(divide="ignore"):  # the same on every row: as certain as can be
        t = np.divide(difference, np.sqrt(variance), out=np.zeros_like(difference), where=difference != 0)
    return Differences(
        errors=found.fold_means.mean(axis=1),
        difference=difference,
        row_variance=rows,
        clustered_variance=clusters,
        fold_variance=folds,
        variance=variance,
        t=t,
        # A handful of clusters cannot tell their own variance better than this.
        degrees=min(PRIOR + number - 1, max(1, found.cluster_count - 1)),
    )


def score_variances(found: Moments) -> FloatArray:
    """The variance of the mean loss of every entry: that of its difference from one that makes no error.

    Examples:
        >>> rng = np.random.default_rng(0)
        >>> design = Design(folds=np.arange(500) % 5, clusters=np.arange(500), scatter=1.0)
        >>> variance, = score_variances(moments(rng.exponential(size=500), design))
        >>> round(float(variance) * 500, 1)
        1.1
    """
    number = found.fold_means.shape[1]
    rows, clusters = found.rows.diagonal(), found.clusters.diagonal()
    folds = found.fold_means.var(axis=1, ddof=1) if number > 1 else np.full_like(rows, np.nan)
    return np.asarray(np.maximum(clusters, rows / number) + _beyond_rows(rows, folds, found, FOLD_WEIGHT))


def _beyond_rows(rows: FloatArray, folds: FloatArray, found: Moments, weight: float) -> FloatArray:
    """What the folds scatter beyond their rows, as a variance of the mean over them."""
    number = found.fold_means.shape[1]
    excess = (found.scatter - 1) * rows  # with one fold, training variance is assumed, not measured
    if number > 1:
        moderated = (PRIOR * found.scatter * rows + (number - 1) * folds) / (PRIOR + number - 1)
        excess = np.maximum(0, moderated - rows)
    return np.asarray(weight * excess / number)


def _products(rows: FloatArray, count: int) -> FloatArray:
    """Products of all pairs of rows; with two of them not by a matrix product, whose threads cost more than it does."""
    return np.einsum("ir,jr->ij", rows, rows) if count < 3 else rows @ rows.T


def _of_difference(products: FloatArray) -> FloatArray:
    """The sum of squares of the difference of each pair, from the products; a rounding error is no variance."""
    own = np.diagonal(products)
    scale = own[:, np.newaxis] + own[np.newaxis]
    squares = scale - 2 * products
    return np.where(squares > 1e-13 * scale, squares, 0.0)
