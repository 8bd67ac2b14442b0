"""The one test of the boards: the corrected resampled t-test of Nadeau and Bengio (2003) over paired folds."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from matbench_lite.errors import MetricError
from matbench_lite.stats._matrix import FloatArray, score_matrix


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
