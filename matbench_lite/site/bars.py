"""Intervals as small bars in a column of a table: HTML, drawn by the stylesheet."""

from __future__ import annotations

import math
from collections.abc import Sequence

from markupsafe import Markup

from matbench_lite.stats import Interval

_MARGIN = 2.0
"""Free room at both ends, in percent."""


def interval_bars(values: Sequence[float], intervals: Sequence[Interval | None], *, log: bool) -> list[Markup]:
    """One bar per row, on one scale.

    Args:
        values: The numbers.
        intervals: Their intervals; None draws the number alone.
        log: Whether the scale is logarithmic: for errors, of which some may be many times others.

    Examples:
        >>> print(interval_bars([1.0, 3.0], [Interval(1.0, 2.0), None], log=False)[0])
        <span class="mbl-bar" style="--at:2.0%;--low:2.0%;--high:50.0%"></span>
    """
    known = [end for value, interval in zip(values, intervals, strict=True) for end in _ends(value, interval)]
    known = [end for end in known if math.isfinite(end) and (end > 0 or not log)]
    if not known:
        return [Markup("")] * len(values)
    low, high = min(known), max(known)

    def place(value: float) -> str:
        inside = min(max(value, low), high)
        along = math.log(inside / low) / math.log(high / low) if log and high > low else _part(inside, low, high)
        return f"{_MARGIN + (100 - 2 * _MARGIN) * along:.1f}%"

    bars = []
    for value, interval in zip(values, intervals, strict=True):
        first, last = _ends(value, interval)
        text = Markup('<span class="mbl-bar" style="--at:{};--low:{};--high:{}"></span>')
        bars.append(text.format(place(value), place(first), place(last)))
    return bars


def _ends(value: float, interval: Interval | None) -> tuple[float, float]:
    return (value, value) if interval is None else (interval.low, interval.high)


def _part(value: float, low: float, high: float) -> float:
    return (value - low) / (high - low) if high > low else 0.5
