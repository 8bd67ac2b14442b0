"""Histograms as one path each."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from matbench_lite.site.plots.figure import px

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from matbench_lite.site.plots.axis import Axis


def counts(pixels: NDArray[np.float64], axis: Axis, bins: int) -> NDArray[np.int64]:
    """How many values are in each of the equal bins of an axis; those beyond its ends are in the outer bins.

    Args:
        pixels: Where the values are: `axis.at(values)`.
        axis: The axis.
        bins: Number of bins.
    """
    places = ((pixels - axis.start) * (bins / (axis.end - axis.start))).astype(np.int64)
    return np.bincount(np.minimum(places, bins - 1), minlength=bins)


def columns(heights: NDArray[np.float64], axis: Axis, base: float) -> str:
    """Bars that stand on a horizontal line as one path.

    Args:
        heights: Of each bin, in pixels; negative ones hang below the line.
        axis: The axis that the bins divide.
        base: Where the line is, in pixels.
    """
    edges = np.linspace(axis.start, axis.end, len(heights) + 1)
    steps = "".join(f"V{px(base - height)}H{px(edge)}" for height, edge in zip(heights, edges[1:], strict=True))
    return f"M{px(edges[0])} {px(base)}{steps}V{px(base)}z"


def lying_columns(heights: NDArray[np.float64], axis: Axis, base: float) -> str:
    """Bars that lie against a vertical line, to its right, as one path."""
    edges = np.linspace(axis.start, axis.end, len(heights) + 1)
    steps = "".join(f"H{px(base + height)}V{px(edge)}" for height, edge in zip(heights, edges[1:], strict=True))
    return f"M{px(base)} {px(edges[0])}{steps}H{px(base)}z"


def scaled(numbers: NDArray[np.int64], height: float) -> NDArray[np.float64]:
    """Counts as heights, the largest of them of the height given, in pixels."""
    heights: NDArray[np.float64] = numbers * np.float64(height / max(1, int(numbers.max())))
    return heights


def usual_range(values: NDArray[np.float64], *, keep: float = 0.998) -> tuple[float, float]:
    """The range of values, without far tails: where nearly all values need less than 40 % of it, theirs.

    Args:
        values: At least one number.
        keep: The share of the values that is nearly all.

    Examples:
        >>> usual_range(np.array([*range(1000), 1e6])) == (1.0, 999.0)
        True
        >>> usual_range(np.arange(10.0))
        (0.0, 9.0)
    """
    low, high = float(values.min()), float(values.max())
    tail = math.floor(len(values) * (1 - keep) / 2)
    ends = (tail, len(values) - 1 - tail)
    inner_low, inner_high = np.partition(values, ends)[list(ends)].tolist()
    if inner_high > inner_low and inner_high - inner_low < 0.4 * (high - low):
        return inner_low, inner_high
    return low, high
