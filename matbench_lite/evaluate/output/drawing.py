"""What the report draws, in pixels: numbers in, places out; the template only writes them down."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from matbench_lite.evaluate.results.figures import Results, Scores
from matbench_lite.stats import Interval

WIDTH = 460
"""Width of a drawing: narrow enough to be read on a phone."""
_LEFT, _RIGHT, _ROW = 118, 14, 22
_CURVE_LEFT, _CURVE_HEIGHT = 48, 230
HARDEST = 30
"""So many groups are drawn; all are in the table."""
_COLOURS = 6


@dataclass(frozen=True, kw_only=True)
class Tick:
    """A number at an axis: its place, in pixels, and its text."""

    at: float
    text: str


@dataclass(frozen=True, kw_only=True)
class Mark:
    """A dot with an interval: places along the axis, in pixels; the colour by number."""

    at: float
    low: float | None = None
    high: float | None = None
    colour: int = 0
    title: str = ""


@dataclass(frozen=True, kw_only=True)
class Line:
    """A row of a dot plot: its name, its place from the top, its dots."""

    name: str
    y: float
    marks: tuple[Mark, ...]


@dataclass(frozen=True, kw_only=True)
class Dots:
    """A dot plot: rows down, the score across; `constant` is where a constant guess is."""

    height: float
    ticks: tuple[Tick, ...]
    lines: tuple[Line, ...]
    constant: float | None = None
    left: float = _LEFT
    width: float = WIDTH
    hidden: int = 0


@dataclass(frozen=True, kw_only=True)
class Curve:
    """The learning curve of a model, as SVG paths."""

    name: str
    colour: int
    path: str
    band: str


@dataclass(frozen=True, kw_only=True)
class Curves:
    """Learning curves: labels across, the score up."""

    height: float
    across: tuple[Tick, ...]
    up: tuple[Tick, ...]
    curves: tuple[Curve, ...]
    left: float = _CURVE_LEFT
    width: float = WIDTH


def colours(results: Results) -> dict[str, int]:
    """A colour for every model that has scores, by number."""
    names = [name for name, model in results.models.items() if model.failure is None]
    return {name: number % _COLOURS for number, name in enumerate(names)}


def draw_models(results: Results, column: str) -> Dots | None:
    """Every model's mean over rows with its interval."""
    scores = _scores(results, column)
    if not scores:
        return None
    reference = results.references.get(column)
    constant = None if reference is None else reference.constant
    ends = [end for one in scores.values() for end in _ends(one)]
    axis = _Axis([*ends, *([] if constant is None else [constant]), 0.0], _LEFT, WIDTH - _RIGHT)
    colour = colours(results)
    lines = []
    for number, (name, one) in enumerate(scores.items()):
        low, high = (None, None) if one.interval is None else (axis(one.interval.low), axis(one.interval.high))
        mark = Mark(at=axis(one.mean), low=low, high=high, colour=colour[name], title=f"{name}: {one.mean:.4g}")
        lines.append(Line(name=name, y=20 + _ROW * number, marks=(mark,)))
    return Dots(
        height=20 + _ROW * len(lines) + 26,
        ticks=axis.ticks(),
        lines=tuple(lines),
        constant=None if constant is None else axis(constant),
    )


def hardest_first(scores: Scores, lower_is_better: bool) -> list[Any]:
    """Groups by what a model scores in them, the worst first."""
    return sorted(scores.groups, key=lambda group: scores.groups[group], reverse=lower_is_better)


def draw_groups(results: Results, column: str, lower_is_better: bool) -> Dots | None:
    """The groups that the best model finds hardest, with a dot for every model."""
    scores = _scores(results, column)
    if not scores:
        return None
    best = next(iter(scores.values()))
    order = hardest_first(best, lower_is_better)[:HARDEST]
    axis = _Axis([one.groups[group] for one in scores.values() for group in order] + [0.0], _LEFT, WIDTH - _RIGHT)
    colour = colours(results)
    lines = [
        Line(
            name=str(group),
            y=20 + 18 * number,
            marks=tuple(
                Mark(at=axis(one.groups[group]), colour=colour[name], title=f"{group}, {name}: {one.groups[group]:.4g}")
                for name, one in scores.items()
            ),
        )
        for number, group in enumerate(order)
    ]
    hidden = len(best.groups) - len(order)
    return Dots(height=20 + 18 * len(lines) + 26, ticks=axis.ticks(), lines=tuple(lines), hidden=hidden)


def draw_curves(results: Results, column: str) -> Curves | None:
    """The learning curves of all models, as far as there are two groups."""
    scores = {name: one for name, one in _scores(results, column).items() if len(one.learning_curve) > 1}
    if not scores:
        return None
    shown = {name: [point for point in one.learning_curve if point.groups > 1] for name, one in scores.items()}
    last = max((points[-1].labels for points in shown.values() if points), default=0)
    if last == 0:
        return None
    across = _Axis([0.0, float(last)], _CURVE_LEFT, WIDTH - _RIGHT)
    every = [end for points in shown.values() for point in points for end in (point.mean, *_interval(point.interval))]
    up = _Axis([*every, 0.0], _CURVE_HEIGHT - 34, 14)
    colour = colours(results)
    curves = []
    for name, points in shown.items():
        line = " ".join(
            f"{'M' if not number else 'L'}{across(point.labels):.1f} {up(point.mean):.1f}"
            for number, point in enumerate(points)
        )
        bounded = [point for point in points if point.interval is not None]
        there = [f"{across(point.labels):.1f} {up(point.interval.low):.1f}" for point in bounded if point.interval]
        back = [f"{across(point.labels):.1f} {up(point.interval.high):.1f}" for point in bounded if point.interval]
        band = "M" + "L".join([*there, *reversed(back)]) + "Z" if len(bounded) > 1 else ""
        curves.append(Curve(name=name, colour=colour[name], path=line, band=band))
    return Curves(
        height=_CURVE_HEIGHT,
        across=tuple(tick for tick in across.ticks() if "." not in tick.text),
        up=up.ticks(),
        curves=tuple(curves),
    )


class _Axis:
    """From numbers to pixels, with round numbers for ticks."""

    def __init__(self, values: Sequence[float], start: float, end: float) -> None:
        low, high = min(values), max(values)
        self._step = _round_step((high - low) or 1.0)
        self._low = math.floor(low / self._step) * self._step
        self._high = max(math.ceil(high / self._step) * self._step, self._low + self._step)
        self._start, self._end = start, end

    def __call__(self, value: float) -> float:
        return self._start + (value - self._low) / (self._high - self._low) * (self._end - self._start)

    def ticks(self) -> tuple[Tick, ...]:
        count = round((self._high - self._low) / self._step)
        digits = max(0, -math.floor(math.log10(self._step)))
        values = (self._low + number * self._step for number in range(count + 1))
        return tuple(Tick(at=self(value), text=f"{value:.{digits}f}") for value in values)


def _round_step(span: float) -> float:
    """About five steps of 1, 2 or 5 times a power of ten."""
    rough = span / 5
    power = 10.0 ** math.floor(math.log10(rough))
    return next(factor * power for factor in (1, 2, 5, 10) if factor * power >= rough * 0.999)


def _scores(results: Results, column: str) -> dict[str, Scores]:
    return {name: model.scores[column] for name, model in results.models.items() if model.failure is None}


def _ends(one: Scores) -> tuple[float, ...]:
    return (one.mean, *_interval(one.interval))


def _interval(interval: Interval | None) -> tuple[float, ...]:
    return () if interval is None else (interval.low, interval.high)
