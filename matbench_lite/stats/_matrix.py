"""The one check that every table of scores passes: two dimensions, finite, not empty."""

from __future__ import annotations

from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from matbench_lite.errors import MetricError

FloatArray: TypeAlias = npt.NDArray[np.float64]


def score_matrix(scores: npt.ArrayLike, *, columns: str, at_least: int = 1) -> FloatArray:
    """A finite float64 matrix: one row per entry, one column per fold or task.

    Args:
        scores: Numbers of shape (entries, columns).
        columns: What a column is, for messages: "fold" or "task".
        at_least: Smallest number of columns that the statistic is defined for.

    Raises:
        MetricError: If the shape is another one, or a number is not finite.

    Examples:
        >>> score_matrix([[1, 2], [3, 4]], columns="fold").shape
        (2, 2)
    """
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
