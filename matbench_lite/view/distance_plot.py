"""How far from its training data does a model hold? Its error by the distance to the nearest training composition."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from matbench_lite.board import FEWEST_ROWS, DistanceBin
from matbench_lite.cleaner import clean
from matbench_lite.tasks import Task
from matbench_lite.text import count, px, share
from matbench_lite.view.axis import Axis, linear_axis
from matbench_lite.view.figure import WIDTH, Plot, draw, series_colour
from matbench_lite.view.words import axis_label, number, shorten, with_unit

MOST = 4
"""So many entries are drawn, the first."""
_LEFT, _RIGHT, _RIGHT_ALONE, _TOP, _BOTTOM = 66, 366, 444, 16, 226
_NAME_GAP = 16
_APART = 7
"""Between the dots of two entries at one distance, so that no interval hides another."""


def error_by_distance(task: Task, entries: Sequence[tuple[str, Sequence[DistanceBin]]]) -> Plot | None:
    """Draw errors by the distance to the nearest training composition; None with fewer than two distances.

    Of each entry there is what it is called, and its errors; all are by the same distances.

    Examples:
        >>> from matbench_lite import load_benchmark
        >>> errors = [
        ...     DistanceBin(low=0, high=0, rows=40, error=0.2, half_width=0.1),
        ...     DistanceBin(low=0, high=0.02, rows=40, error=0.5, half_width=0.1),
        ... ]
        >>> error_by_distance(load_benchmark("mini")["mini_gap"], [("A", errors)]).description
        'Error of mini_gap by distance ... A: 0.200 eV for the same composition (40 rows), 0.500 eV up to 2 at.% ...'
    """
    shown = [(name, bins) for name, bins in entries[:MOST] if bins]
    bins = shown[0][1] if shown else ()
    known = [place for place, each in enumerate(bins) if each.rows >= FEWEST_ROWS]
    if len(known) < 2:
        return None
    several, wrong = len(shown) > 1, task.kind == "classification"
    scale = 100 if wrong else 1  # shares are written as percentages
    highest = max(scale * _ends(held[place])[1] for _, held in shown for place in known)
    highest = min(highest, 100.0) if wrong else highest
    y = linear_axis(0, highest or 1.0, _BOTTOM, _TOP, widen=True)
    right = _RIGHT if several else _RIGHT_ALONE
    step = (right - _LEFT) / len(bins)
    middles = [_LEFT + step * (place + 0.5) for place in range(len(bins))]
    curves = [
        _curve(task, name, held, known, y, scale, [at + _APART * (row - (len(shown) - 1) / 2) for at in middles])
        | {"colour": series_colour(row)}
        for row, (name, held) in enumerate(shown)
    ]
    for curve, at in zip(curves, _spread([curve["last"] for curve in curves]), strict=True):
        curve["name_y"] = at + 4.5
    return draw(
        "error_by_distance",
        height=_BOTTOM + 66,
        title=f"How far from the training data {'do they' if several else 'does it'} hold? Error by distance",
        caption=f"Dots: {'share of wrong rows' if wrong else 'mean absolute error'} of the test rows whose composition "
        "is so far from the nearest one trained on (half the sum of the differences of all element fractions); "
        f"bars: its 95 % interval, by clusters of rows. Without a dot: fewer than {FEWEST_ROWS} rows.",
        description=f"Error of {task.name} by distance to the nearest training composition. "
        + " ".join(_in_words(task, name, held, known) for name, held in shown),
        y=y,
        y_name=axis_label("wrong rows", "%") if wrong else axis_label("mean absolute error", task.unit),
        x_name="distance to the nearest training composition",
        left=_LEFT,
        right=right,
        bottom=_BOTTOM,
        ticks=[(at, _label(each), f"{each.rows:,}") for at, each in zip(middles, bins, strict=True)],
        curves=curves,
        named=several,
    )


def _curve(
    task: Task, name: str, bins: Sequence[DistanceBin], known: Sequence[int], y: Axis, scale: int, across: list[float]
) -> dict[str, Any]:
    points = [(across[place], y.at(scale * (bins[place].error or 0.0))) for place in known]
    whiskers = [
        (x, *(y.at(scale * end) for end in _ends(bins[place])))
        for (x, _), place in zip(points, known, strict=True)
        if bins[place].half_width is not None
    ]
    return {
        "path": "M" + "L".join(f"{px(x)} {px(at)}" for x, at in points),
        "whiskers": "".join(f"M{px(x)} {px(low)}V{px(high)}" for x, low, high in whiskers),
        "dots": [(x, at, _tip(task, name, bins[place])) for (x, at), place in zip(points, known, strict=True)],
        "last": points[-1][1],
        "name": shorten(name, WIDTH - _RIGHT - 14),
    }


def _ends(of: DistanceBin) -> tuple[float, float]:
    """The ends of the interval; no error is below nothing."""
    error, half = of.error or 0.0, of.half_width or 0.0
    return max(0.0, error - half), error + half


def _spread(heights: Sequence[float]) -> list[float]:
    """Heights of names beside the ends of curves: in the same order, and none over another."""
    order = sorted(range(len(heights)), key=heights.__getitem__)
    at = [0.0] * len(heights)
    least = _TOP - 4.0
    for place in order:
        at[place] = least = max(heights[place], least)
        least += _NAME_GAP
    most = _BOTTOM - 6.0
    for place in reversed(order):
        at[place] = most = min(at[place], most)
        most -= _NAME_GAP
    return at


def _label(of: DistanceBin) -> str:
    if math.isinf(of.high):
        return f"> {100 * of.low:g}"
    return f"{100 * of.low:g}–{100 * of.high:g}" if of.high else "0"


def _error(task: Task, of: DistanceBin) -> str:
    error = of.error or 0.0
    return f"{share(error)} wrong" if task.kind == "classification" else with_unit(number(error), task.unit)


def _where(of: DistanceBin) -> str:
    if math.isinf(of.high):
        return f"beyond {100 * of.low:g} at.%"
    return f"up to {100 * of.high:g} at.%" if of.high else "for the same composition"


def _tip(task: Task, name: str, of: DistanceBin) -> str:
    low, high = _ends(of)
    if task.kind == "classification":
        about = "" if of.half_width is None else f", 95 % interval {share(low)} to {share(min(1.0, high))}"
    else:
        about = "" if of.half_width is None else f" ± {number(of.half_width, digits=2)}"
    return f"{clean(name)}: {_error(task, of)}{about} {_where(of)}, {count(of.rows, 'row')}"


def _in_words(task: Task, name: str, bins: Sequence[DistanceBin], known: Sequence[int]) -> str:
    parts = [f"{_error(task, bins[at])} {_where(bins[at])} ({count(bins[at].rows, 'row')})" for at in known]
    return f"{clean(name)}: {', '.join(parts)}."
