"""What the report draws, in pixels: numbers in, places out; the template only writes them down."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from string import ascii_uppercase
from textwrap import wrap
from typing import Any

from matbench_lite.cleaner import clean
from matbench_lite.evaluate.evaluation_results import Scores
from matbench_lite.evaluate.scorers import Reference
from matbench_lite.stats import Interval
from matbench_lite.view import Axis, linear_axis, text_width

WIDTH = 460
"""Width of a drawing: narrow enough to be read on a phone."""
_RIGHT, _ROW, _GAP, _LINE = 14, 22, 8, 16
_WIDEST = 150
"""Names up to this width are beside their rows; longer ones are above them."""
_MOST_LINES = 3
_CURVE_LEFT, _CURVE_HEIGHT = 48, 260
_MARKS_ON_CURVE = 5
HARDEST = 30
"""So many groups are drawn; all are in the table."""
BANDS = 6
"""With more models, only those of the first rank have bands: others would hide each other."""

_COLOURS, _SHAPES = 6, 6


@dataclass(frozen=True, kw_only=True)
class Symbol:
    """What stands for a model: by number its colour and its shape, full or open, or letters instead; and dashes."""

    colour: int
    shape: int | None = None
    open: bool = False
    letters: str = ""
    dashes: str = ""


def symbol(number: int) -> Symbol:
    """The symbol of a model by its number, from 0: twelve can be told apart without their colours, all others read."""
    colour, again = number % _COLOURS, number // _COLOURS
    if again < 2:
        # Outlines begin with another shape: no colour has the same shape twice.
        shape = (colour + 3 * again) % _SHAPES
        return Symbol(colour=colour, shape=shape, open=again == 1, dashes="7 3" if again else "")
    rest, letters = number - 2 * _COLOURS, ""
    while rest >= 0:
        letters = ascii_uppercase[rest % 26] + letters
        rest = rest // 26 - 1
    return Symbol(colour=colour, letters=letters, dashes="2 3")


def draw_models(
    scores: Mapping[str, Scores], symbols: Mapping[str, Symbol], reference: Reference | None
) -> dict[str, Any]:
    """Every model's mean over rows with its interval."""
    constant = () if reference is None else (reference.constant,)
    every = [end for one in scores.values() for end in (one.mean, *_ends(one.interval))]
    rows = {name: [(symbols[name], one.mean, _ends(one.interval), f"{one.mean:.4g}")] for name, one in scores.items()}
    return _dots(rows, [*every, *constant], *constant)


def draw_groups(scores: Mapping[str, Scores], symbols: Mapping[str, Symbol], order: Sequence[Any]) -> dict[str, Any]:
    """The groups that the best model finds hardest, with a mark for every model; `order` has the hardest first."""
    rows = {
        str(group): [
            # The best model last, on top of the others.
            (symbols[name], one.groups[group], (), f"{name}: {one.groups[group]:.4g}")
            for name, one in reversed(list(scores.items()))
        ]
        for group in order[:HARDEST]
    }
    every = [one.groups[group] for one in scores.values() for group in order[:HARDEST]]
    return _dots(rows, every, hidden=max(0, len(order) - HARDEST))


def _dots(
    rows: Mapping[str, Sequence[tuple[Symbol, float, Sequence[float], str]]],
    values: Sequence[float],
    constant: float | None = None,
    hidden: int = 0,
) -> dict[str, Any]:
    """Rows of marks down, the score across; of each mark its symbol, value, interval, and what it says.

    Names end at `left`, or stand above their rows where that is 0; each line of a name has its place from the top.
    """
    widest = max(text_width(clean(name)) for name in rows)
    left = widest + _GAP if widest <= _WIDEST else 0.0
    axis = _axis(values, left or _RIGHT, WIDTH - _RIGHT)
    lines, top = [], 6.0
    for name, marks in rows.items():
        labels = [clean(name)] if left else _wrapped(name, WIDTH - _RIGHT)
        y = top + _ROW / 2 if left else top + _LINE * len(labels) + 7
        places = [y + 4] if left else [top + _LINE * number + 12 for number in range(len(labels))]
        drawn = [
            {"symbol": one, "x": axis.at(value), "ends": list(map(axis.at, ends)), "title": f"{name}, {title}", "y": y}
            for one, value, ends, title in marks
        ]
        lines.append({"name": name, "labels": list(zip(places, labels, strict=True)), "marks": drawn})
        top = y + _ROW / 2 + (0 if left else 4)
    at = None if constant is None else axis.at(constant)
    size = {"width": WIDTH, "height": top + 26, "left": left}
    return {"ticks": axis.ticks, "lines": lines, "constant": at, "hidden": hidden, **size}


def _wrapped(name: str, room: float) -> list[str]:
    """A name in lines that fit; cut with an ellipsis only where three are not enough."""
    text = clean(name)
    # Letters differ in width: a little room is left.
    characters = int(0.92 * room * len(text) / max(text_width(text), 1.0))
    return wrap(text, max(characters, 1), max_lines=_MOST_LINES, placeholder="…") or [""]


def draw_curves(
    scores: Mapping[str, Scores], symbols: Mapping[str, Symbol], first: Sequence[str]
) -> dict[str, Any] | None:
    """Learning curves of all models, as far as there are two groups: labels across, the score up; None for nothing.

    A curve's line and band are SVG paths, with its symbol here and there; with many models only those of the first
    rank, `first`, have bands.
    """
    shown = {name: [point for point in one.learning_curve if point.groups > 1] for name, one in scores.items()}
    last = max((points[-1].labels for points in shown.values() if points), default=0)
    if last == 0:
        return None
    across = _axis([float(last)], _CURVE_LEFT, WIDTH - _RIGHT)
    every = [end for points in shown.values() for point in points for end in (point.mean, *_ends(point.interval))]
    up = _axis(every, _CURVE_HEIGHT - 34, 14)
    curves = []
    for number, (name, points) in enumerate(shown.items()):
        line = [(across.at(point.labels), up.at(point.mean)) for point in points]
        bounded = [(across.at(point.labels), point.interval) for point in points if point.interval is not None]
        band = [(x, up.at(one.low)) for x, one in bounded] + [(x, up.at(one.high)) for x, one in reversed(bounded)]
        step = max(1, len(line) // _MARKS_ON_CURVE)
        marked = line[number % step :: step]  # not at the same places as those of the next model
        curves.append(
            {
                "name": name,
                "symbol": symbols[name],
                "path": _path(line),
                "band": _path(band) + "Z" if len(bounded) > 1 and (len(shown) <= BANDS or name in first) else "",
                "marks": [{"symbol": symbols[name], "x": x, "y": y, "title": name} for x, y in marked],
            }
        )
    whole = [tick for tick in across.ticks if "." not in tick.label]
    size = {"width": WIDTH, "height": _CURVE_HEIGHT, "left": _CURVE_LEFT}
    return {"across": whole, "up": up.ticks, "curves": curves, **size}


def _ends(interval: Interval | None) -> tuple[float, ...]:
    return () if interval is None else (interval.low, interval.high)


def _path(points: Sequence[tuple[float, float]]) -> str:
    return "M" + "L".join(f"{x:.1f} {y:.1f}" for x, y in points)


def _axis(values: Sequence[float], start: float, end: float) -> Axis:
    """An axis from tick to tick around zero and all values."""
    low, high = min(0.0, *values), max(0.0, *values)
    return linear_axis(low, high if high > low else 1.0, start, end, widen=True)
