"""Points of a criterion: from values to places to points, with equals, and with those that failed in last place."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

Ties = Literal["competition", "average", "dense"]
"""The place that equals share: the best of theirs, the mean of theirs, or one that leaves no gap after it."""


def points(values: ArrayLike, passed: ArrayLike, *, ties: Ties = "competition") -> NDArray[np.float64]:
    """Give the best N points, the worst 1; those that failed share 1 point and are nobody's better.

    An algorithm in place k of N gets N - k + 1 points. N counts all algorithms, also those that failed: a point is
    worth the same in every run.

    Args:
        values: Shape (..., N), larger is better; numbers of failed algorithms are not looked at.
        passed: Shape (..., N), false where an algorithm failed.
        ties: Which place equals share.

    Returns:
        Shape (..., N), from 1 to N.

    Examples:
        >>> points([0.9, 0.8, 0.9, 0.1], [True, True, True, True]).tolist()
        [4.0, 2.0, 4.0, 1.0]
        >>> points([0.9, 0.8, 0.9, 0.1], [True, True, True, True], ties="average").tolist()
        [3.5, 2.0, 3.5, 1.0]
        >>> points([0.9, 0.8, 0.9, 0.1], [True, True, True, True], ties="dense").tolist()
        [4.0, 3.0, 4.0, 2.0]
        >>> points([0.9, 0.8, 0.9, 5.0], [True, True, True, False]).tolist()
        [4.0, 2.0, 4.0, 1.0]
    """
    value = np.asarray(values, dtype=np.float64)
    fine = np.asarray(passed, dtype=bool)
    # Entry [..., i, j] compares algorithm i with j; few algorithms take part, so all pairs are cheap.
    counts = fine[..., np.newaxis, :] & fine[..., :, np.newaxis]
    mine, theirs = value[..., :, np.newaxis], value[..., np.newaxis, :]
    better, equal = counts & (theirs > mine), counts & (theirs == mine)
    if ties == "dense":
        # Of several equals that are better, only the first one counts.
        first = ~np.tril(equal, k=-1).any(axis=-1)
        better &= first[..., np.newaxis, :]
    place = 1.0 + better.sum(axis=-1)
    if ties == "average":
        place += (equal.sum(axis=-1) - 1) / 2
    return np.where(fine, value.shape[-1] - place + 1.0, 1.0)


def harmonic_mean(parts: ArrayLike, *, axis: int = -1) -> NDArray[np.float64]:
    """The harmonic mean of points, all of them 1 or more: a good compromise beats one strong side.

    Examples:
        >>> round(float(harmonic_mean([3, 1, 2])), 6)
        1.636364
    """
    values = np.asarray(parts, dtype=np.float64)
    mean: NDArray[np.float64] = values.shape[axis] / np.sum(1.0 / values, axis=axis)
    return mean


def simplicity(components: ArrayLike) -> NDArray[np.float64]:
    """Simplicity on a logarithmic scale, rounded, so that 85 and 90 components are the same: -round(log5(n), 1).

    Args:
        components: Number of components, 1 or more.

    Examples:
        >>> simplicity([1, 5, 85, 90]).tolist()
        [0.0, -1.0, -2.8, -2.8]
    """
    count = np.asarray(components, dtype=np.float64)
    with np.errstate(invalid="ignore", divide="ignore"):
        # `0 -`: the simplest is 0, not -0.
        simple: NDArray[np.float64] = 0.0 - np.round(np.log(count) / np.log(5.0), 1)
    return simple
