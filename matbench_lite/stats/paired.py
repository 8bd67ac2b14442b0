"""Which entries can be told apart: the corrected t-test of Nadeau and Bengio (2003) over paired folds, after Holm."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from matbench_lite.errors import MetricError


@dataclass(frozen=True, slots=True)
class PairedTest:
    """Outcome of the test of one difference.

    Attributes:
        difference: Mean difference over the folds, in the unit of the scores.
        t: The corrected t statistic; infinite if all folds differ by the same amount.
        p: Two-sided p-value.
    """

    difference: float
    t: float
    p: float


def paired_test(first: npt.ArrayLike, second: npt.ArrayLike) -> PairedTest:
    """Test whether two entries differ, given the scores of both in the same folds.

    The training parts of k folds overlap, which makes the folds alike: the variance of the mean difference is not
    s² / k but about s² (1 / k + 1 / (k - 1)), where 1 / (k - 1) is the size of a test part by that of a training part.

    Args:
        first: Scores of one entry, one per fold.
        second: Scores of the other, in the same unit and order of folds.

    Raises:
        MetricError: If the lengths differ, there are fewer than two folds, or a score is not finite.

    Examples:
        >>> paired_test([1.0, 2.0, 3.0, 4.0], [2.0, 3.5, 3.5, 6.0])
        PairedTest(difference=-1.25, t=-2.53..., p=0.08...)
    """
    (difference,), (t,), (p,) = _tests(_differences(np.atleast_2d(np.asarray(first)), second))
    return PairedTest(difference=float(difference), t=float(t), p=float(p))


def paired_p_values(scores: npt.ArrayLike, reference: npt.ArrayLike) -> FloatArray:
    """The p-value of `paired_test` for each entry against one reference, all at once.

    Args:
        scores: Scores of shape (entries, folds).
        reference: Scores of the reference, one per fold, in the same unit and order of folds.

    Raises:
        MetricError: If there are fewer than two folds, or a score is not finite.

    Examples:
        >>> paired_p_values([[1.0, 2.0, 3.0], [1.0, 2.5, 4.0]], [1.0, 2.0, 3.0]).round(3)
        array([1.   , 0.388])
    """
    _, _, p = _tests(_differences(scores, reference))
    return p


def _differences(scores: npt.ArrayLike, reference: npt.ArrayLike) -> FloatArray:
    matrix = score_matrix(scores, columns="fold", at_least=2)
    row = score_matrix(np.atleast_2d(np.asarray(reference)), columns="fold", at_least=2)
    if row.shape[1] != matrix.shape[1]:
        raise MetricError(
            f"{matrix.shape[1]} folds are compared with {row.shape[1]}", fix="pass the scores of the same folds"
        )
    return np.subtract(matrix, row)


def _tests(differences: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Mean, t and p of each row of differences."""
    from scipy.special import stdtr

    folds = differences.shape[1]
    mean = differences.mean(axis=1)
    scale = differences.std(axis=1, ddof=1) * math.sqrt(1 / folds + 1 / (folds - 1))
    # Equal differences have no spread but for rounding: then any difference is certain, and none is none.
    constant = np.ptp(differences, axis=1) == 0
    t = np.divide(mean, scale, out=np.where(mean == 0, 0.0, np.copysign(np.inf, mean)), where=~constant & (scale > 0))
    p: FloatArray = 2 * stdtr(folds - 1, -np.abs(t))
    return mean, t, p


FloatArray: TypeAlias = npt.NDArray[np.float64]


def score_matrix(scores: npt.ArrayLike, *, columns: str, at_least: int = 1) -> FloatArray:
    """A finite float64 matrix: one row per entry, one column per fold or task, and `at_least` so many."""
    try:
        matrix = np.asarray(scores, dtype=np.float64)
    except ValueError as error:  # rows of different lengths, or text
        raise MetricError(
            f"scores are not a table of numbers: {error}", fix=f"pass one number per {columns}"
        ) from error
    if matrix.ndim != 2 or not matrix.shape[0] or matrix.shape[1] < at_least:
        raise MetricError(
            f"scores.shape={matrix.shape} is not (entries, {columns}s)",
            fix=f"pass one row per entry and at least {at_least} {columns}s",
        )
    if not np.isfinite(matrix).all():
        row, column = (int(index) for index in np.argwhere(~np.isfinite(matrix))[0])
        raise MetricError(
            f"scores[{row}, {column}]={matrix[row, column]} is not finite",
            fix=f"leave out entries that lack a {columns}: nothing is imputed",
        )
    return matrix


def holm(p_values: npt.ArrayLike) -> FloatArray:
    """Adjust p-values by Holm's step-down method: below 5 % means significant at a family-wise level of 5 %.

    Args:
        p_values: P-values from 0 to 1, in any order; may be empty.

    Returns:
        The adjusted p-values, in the order given.

    Raises:
        MetricError: If one is not from 0 to 1, or they are not a flat list.

    Examples:
        >>> holm([0.01, 0.04, 0.03])
        array([0.03, 0.06, 0.06])
    """
    p = np.asarray(p_values, dtype=np.float64)
    if p.ndim != 1 or not ((p >= 0) & (p <= 1)).all():
        raise MetricError(f"p_values={p_values!r} are not p-values", fix="pass a flat list of numbers from 0 to 1")
    order = np.argsort(p, kind="stable")
    adjusted = np.empty_like(p)
    adjusted[order] = np.minimum(1, np.maximum.accumulate(p[order] * np.arange(len(p), 0, -1)))
    return adjusted


ALPHA = 0.05
"""Level of every test on the boards."""


def tie_groups(scores: npt.ArrayLike, *, higher_is_better: bool, alpha: float = ALPHA) -> list[str]:
    """Put entries that cannot be told apart into one group: "a" holds the best, then come "b", "c", ...

    The best entry is compared with every other one by `paired_test`, Holm-corrected; those not told apart from it
    are its group. The best of the rest opens the next group, and so on. An entry whose folds scatter widely may be in
    a better group than one that is ahead of it.

    Args:
        scores: Scores of shape (entries, folds), in the same folds.
        higher_is_better: Whether a high score is good.
        alpha: Level of the tests.

    Returns:
        One group per entry, in the order given.

    Raises:
        MetricError: If there are fewer than two folds, or a score is not finite.

    Examples:
        >>> tie_groups([[1.0, 1.1, 0.9], [1.1, 1.0, 1.0], [7.0, 7.2, 7.1]], higher_is_better=False)
        ['a', 'a', 'b']
    """
    matrix = score_matrix(scores, columns="fold", at_least=2)
    means = matrix.mean(axis=1)
    left = np.argsort(-means if higher_is_better else means, kind="stable")
    groups = [""] * len(matrix)
    number = 0
    while len(left):
        best, others = left[0], left[1:]
        split = holm(paired_p_values(matrix[others], matrix[best])) < alpha if len(others) else np.array([], bool)
        for entry in (best, *others[~split]):
            groups[entry] = _letters(number)
        left = others[split]
        number += 1
    return groups


def _letters(number: int) -> str:
    """The letters of a column in a spreadsheet: a to z, then aa, ab, ..."""
    letters = ""
    number += 1
    while number:
        number, letter = divmod(number - 1, 26)
        letters = chr(ord("a") + letter) + letters
    return letters
