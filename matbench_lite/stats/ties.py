"""Tie groups: which entries cannot be told apart."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from matbench_lite.stats._matrix import score_matrix
from matbench_lite.stats.holm import holm
from matbench_lite.stats.paired import paired_p_values

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
