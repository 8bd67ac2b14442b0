"""Columns of scores that several tables have: headers, cells, and intervals as small bars drawn by the stylesheet."""

from __future__ import annotations

import math
from collections.abc import Sequence

from markupsafe import Markup

from matbench_lite.metrics import METRICS, Summary
from matbench_lite.stats import Interval
from matbench_lite.text import MISSING, ends, mean_of, number, spread
from matbench_lite.view.columns import EMPTY, Cell
from matbench_lite.view.words import has_unit, plain_unit

STEPS = 9
"""Steps of the colour scale of scaled errors."""
MOST_DECIMALS = 0.01
"""The uncertainty, at least, that the decimals of a scaled error show: three are enough to compare colours by."""
_MARGIN = 2.0
"""Free room at both ends, in percent."""


def unit_of(metric: str, unit: str) -> str:
    """The unit of a metric as a header has it; "" where it has none.

    Examples:
        >>> unit_of("mae", "cm^-1"), unit_of("r2", "eV"), unit_of("mae", "unitless")
        ('cm⁻¹', '', '')
    """
    return plain_unit(unit) if METRICS[metric].in_target_unit and has_unit(unit) else ""


def score_cell(score: Summary | None, *, verified: bool, ink: str = "") -> Cell:
    """A score: its mean and standard deviation over the folds."""
    if score is None:
        return EMPTY
    return Cell(text=spread(score), value=score.mean, data=score, ink=ink, stated=not verified)


def metric_cell(metric: str, value: Summary | None, *, labels_only: bool = False) -> Cell:
    """A metric over the folds; of the largest error, the largest of all folds, not their mean."""
    if metric == "rocauc" and labels_only:
        return Cell(text="labels only", value=math.nan)
    if value is None:
        return EMPTY
    if metric == "max_error":
        return Cell(text=number(value.max, value.std), value=value.max, data=value)
    return Cell(text=mean_of(value), value=value.mean, data=value)


def interval_cell(interval: Interval | None, *, sign: bool = False) -> Cell:
    """An interval; pages sort by and download all its digits."""
    if interval is None:
        return EMPTY
    text = ends(interval, sign=sign)
    return Cell(text=text, value=f"{interval.low:.8g} to {interval.high:.8g}", data=interval)


def unseen_cell(unseen: Summary | None, score: Summary) -> Cell:
    """The score on unseen formulas, with the digits of the score on all."""
    return EMPTY if unseen is None else Cell(text=number(unseen.mean, score.std), value=unseen.mean, data=unseen)


def typical(spreads: Sequence[float]) -> float | None:
    """One number of decimals down a column: by the scatter of the typical entry.

    Examples:
        >>> typical([0.2, 0.003, 0.02]), typical([0.0])
        (0.02, None)
    """
    known = sorted(value for value in spreads if value > 0)
    return max(known[len(known) // 2], MOST_DECIMALS) if known else None


def scaled_text(value: float | None, uncertainty: float | None = MOST_DECIMALS) -> str:
    """A scaled error."""
    return MISSING if value is None or math.isnan(value) else number(value, uncertainty or MOST_DECIMALS)


def heat(scaled_error: float | None) -> int | None:
    """The colour of a scaled error: from 0, perfect, in equal steps to 1, a constant guess, and beyond.

    Examples:
        >>> heat(0.0), heat(0.5), heat(1.0), heat(7.0), heat(float("nan"))
        (0, 4, 8, 8, None)
    """
    if scaled_error is None or math.isnan(scaled_error):
        return None
    return max(0, min(STEPS - 1, int(scaled_error * STEPS)))


def interval_bars(values: Sequence[float], intervals: Sequence[Interval | None], *, log: bool) -> list[Markup]:
    """One bar per row, on one scale: logarithmic for errors, of which some may be many times others.

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
