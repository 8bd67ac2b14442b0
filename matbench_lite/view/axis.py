"""Axes: from numbers to pixels, with ticks at round numbers."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any, overload

import numpy as np
from numpy.typing import NDArray

from matbench_lite.view.words import fixed, number, text_width

_LEAST = 1e-100
"""What is smaller is zero: no axis needs more."""


@dataclass(frozen=True, kw_only=True)
class Tick:
    """A tick: where it is, in pixels, and what is written at it."""

    at: float
    label: str


@dataclass(frozen=True, kw_only=True)
class Axis:
    """A range of numbers, in the unit of what is drawn, along a line of pixels; `start` is above `end` if it goes up.

    If `log`, equal ratios, not differences, are equally long.
    """

    low: float
    high: float
    start: float
    end: float
    log: bool = False
    ticks: tuple[Tick, ...] = ()

    @overload
    def at(self, value: float) -> float: ...
    @overload
    def at(self, value: NDArray[np.float64]) -> NDArray[np.float64]: ...
    def at(self, value: float | NDArray[np.float64]) -> float | NDArray[np.float64]:
        """Where a number is, in pixels; beyond either end: at the end."""
        if isinstance(value, np.ndarray):
            pixels: NDArray[np.float64] = self._pixels(np.clip(value, self.low, self.high), np.log)
            return pixels
        # numpy takes ten times as long for a number alone, and most numbers are.
        return float(self._pixels(min(max(value, self.low), self.high), math.log))

    def _pixels(self, inside: Any, log: Callable[[Any], Any]) -> Any:
        if self.log:
            part = log(inside / self.low) / math.log(self.high / self.low)
        else:
            part = (inside - self.low) / (self.high - self.low)
        return self.start + part * (self.end - self.start)

    def holds(self, value: float) -> bool:
        """Whether a number is inside the range."""
        return self.low <= value <= self.high


def linear_axis(low: float, high: float, start: float, end: float, *, ticks: int = 5, widen: bool = False) -> Axis:
    """An axis of equal differences, from the smallest number to be seen and its pixel to the largest.

    There may be about so many ticks; if `widen`, the ends move out to the next ones.

    Examples:
        >>> [tick.label for tick in linear_axis(0, 0.73, 0, 400).ticks]
        ['0.0', '0.2', '0.4', '0.6']
        >>> linear_axis(0, 0.73, 0, 400, widen=True).high
        0.8
    """
    low, high = _apart(low, high)
    return _with_steps(Axis(low=low, high=high, start=start, end=end), ticks, widen=widen)


def _with_steps(axis: Axis, most: int, *, widen: bool = False) -> Axis:
    """The axis with ticks at equal steps: so many, or fewer where their numbers would be written over each other."""
    for wanted in range(most, 0, -1):
        step = _step((axis.high - axis.low) / wanted)
        drawn = axis
        if widen:
            low, high = math.floor(axis.low / step + 1e-9) * step, math.ceil(axis.high / step - 1e-9) * step
            drawn = replace(axis, low=float(f"{low:.12g}"), high=float(f"{high:.12g}"))
        drawn = _with_ticks(drawn, *_multiples(drawn.low, drawn.high, step))
        if _is_readable(drawn):
            break
    return drawn


def log_axis(low: float, high: float, start: float, end: float, *, ticks: int = 7) -> Axis:
    """An axis of equal ratios, for numbers above zero; takes what `linear_axis` does.

    Examples:
        >>> [tick.label for tick in log_axis(0.015, 1.1, 0, 400).ticks]
        ['0.02', '0.05', '0.1', '0.2', '0.5', '1']
        >>> [tick.label for tick in log_axis(1, 1e6, 400, 0).ticks]
        ['1', '10', '100', '1,000', '10,000', '100,000', '1,000,000']
    """
    if high <= low:
        low, high = low / 2, high * 2
    axis = Axis(low=low, high=high, start=start, end=end, log=True)
    decades = range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)
    for multiples, every in (((1, 2, 5), 1), ((1, 3), 1), *(((1,), every) for every in (1, 2, 3, 5, 10, 20, 50, 100))):
        values = [float(f"{m}e{decade}") for decade in decades if decade % every == 0 for m in multiples]
        seen = [value for value in values if axis.holds(value)]
        drawn = _with_ticks(axis, seen, [number(value, digits=1) for value in seen])
        if len(seen) <= ticks and _is_readable(drawn):
            break
    if len(drawn.ticks) > 1:
        return drawn
    # Hardly a power of ten: equal differences are equally long, nearly.
    return _with_steps(axis, 4)


def score_axis(values: Sequence[float], start: float, end: float) -> Axis:
    """An axis for scores: linear, but by ratios where the worst is five times the best or more.

    Numbers a thousand times the best and more are left to the edge: one wild entry must not flatten all others. The
    other arguments are those of `linear_axis`.

    Examples:
        >>> score_axis([0.1, 0.2, 0.3], 0, 400).log, score_axis([0.1, 0.2, 0.9], 0, 400).log
        (False, True)
    """
    finite = np.array([value for value in values if math.isfinite(value)] or [0.0, 1.0])
    positive = finite[finite > _LEAST]
    best = float(positive.min()) if positive.size else 0.0
    seen = finite[finite <= 1000 * best] if best and finite.min() >= 0 else finite
    low, high = _apart(float(seen.min()), float(seen.max()))
    if low >= 0 and best and high > 5 * best:
        room = (high / best) ** 0.04
        return log_axis(best / room, high * room, start, end, ticks=6)
    room = 0.05 * (high - low)
    return linear_axis(low - room, high + room, start, end)


def _multiples(low: float, high: float, step: float) -> tuple[list[float], list[str]]:
    """The multiples of a step within a range, and how they are written: all with the same decimals."""
    first, last = math.ceil(low / step - 1e-9), math.floor(high / step + 1e-9)
    decimals = max(0, -math.floor(math.log10(step) + 1e-9))
    most = max(abs(low), abs(high))
    digits = 1 + max(0, math.floor(math.log10(most)) - math.floor(math.log10(step) + 1e-9))
    plain = decimals <= 5 and most < 1e6
    values = [float(f"{place * step:.12g}") for place in range(first, last + 1)]
    return values, [fixed(value, decimals) if plain else number(value, digits=digits) for value in values]


def _with_ticks(axis: Axis, values: Sequence[float], labels: Sequence[str]) -> Axis:
    ticks = tuple(Tick(at=axis.at(value), label=label) for value, label in zip(values, labels, strict=True))
    return replace(axis, ticks=ticks)


def _step(least: float) -> float:
    """The round number, 1, 2 or 5 times a power of ten, at or above."""
    power = 10.0 ** math.floor(math.log10(least))
    return next(float(f"{factor * power:.12g}") for factor in (1, 2, 5, 10) if factor * power >= least * (1 - 1e-9))


def _apart(low: float, high: float) -> tuple[float, float]:
    """A range of some width, also where all numbers are one."""
    if high - low > max(_LEAST, 1e-9 * max(abs(low), abs(high))):
        return low, high
    half = abs(low) / 2 if abs(low) > _LEAST else 0.5
    return low - half, high + half


def _is_readable(axis: Axis) -> bool:
    """Whether no number is written over its neighbour."""
    upright = axis.end < axis.start
    return all(
        abs(after.at - before.at) >= (18 if upright else (text_width(before.label) + text_width(after.label)) / 2 + 6)
        for before, after in pairwise(axis.ticks)
    )
