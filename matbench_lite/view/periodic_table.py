"""Numbers of elements on a periodic table: how common they are, and where an entry fails."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from markupsafe import Markup, escape

from matbench_lite.board import Anatomy
from matbench_lite.data import SYMBOLS
from matbench_lite.tasks import Task
from matbench_lite.text import count, in_words, share
from matbench_lite.view.figure import Plot, draw
from matbench_lite.view.words import has_unit, number, plain_unit, with_unit

FEWEST = 5
"""An element of fewer rows has no error worth a colour."""
_CELL, _LEFT, _TOP = 26, 6, 4
_ELEMENT = re.compile("[A-Z][a-z]?")


@dataclass(frozen=True, kw_only=True)
class _Cell:
    """How an element is drawn: its square, and both ends of its text; written once for all tables."""

    square: Markup
    opening: Markup
    closing: Markup

    def with_tip(self, tip: str | None) -> str:
        """Its text, with what is shown on hover."""
        return f"{self.opening}<title>{escape(tip)}</title>{self.closing}" if tip else self.opening + self.closing


def element_prevalence(task: Task, formulas: Iterable[str]) -> Plot | None:
    """Draw in how many rows of a task each element occurs, by their reduced formulas; None without rows.

    Examples:
        >>> from matbench_lite import load_benchmark
        >>> element_prevalence(load_benchmark("mini")["mini_gap"], ["GaAs", "InAs"]).description
        'mini_gap has 3 elements. The most common are As (100 % of the rows), Ga (50 % of the rows) and In ...'
    """
    rows = list(formulas)
    # A reduced formula names each of its elements once.
    counts = Counter(_ELEMENT.findall("\n".join(rows)))
    known = {symbol: counts[symbol] / len(rows) for symbol in SYMBOLS if counts[symbol]}
    if not known:
        return None
    scale = _Scale(low=min(known.values()), high=max(known.values()), log=True)
    common = sorted(known, key=lambda symbol: -known[symbol])
    return _draw(
        known,
        scale,
        tips={symbol: f"{symbol}: {count(counts[symbol], 'row')}, {share(part)}" for symbol, part in known.items()},
        legend=("share of the rows", share(scale.low), share(scale.high)),
        title="Which elements are in the data?",
        caption="Colour: the share of the rows that contain the element, on a logarithmic scale. Without colour: no "
        "row.",
        description=f"{task.name} has {len(known)} elements. The most common are "
        f"{in_words([f'{symbol} ({share(known[symbol])} of the rows)' for symbol in common[:5]])}. "
        f"In fewer than {FEWEST} rows: {_few(counts)}.",
    )


def element_errors(task: Task, anatomy: Anatomy) -> Plot | None:
    """Draw the error of an entry on the rows that contain each element; None if no element has enough rows.

    Examples:
        >>> from matbench_lite import load_benchmark
        >>> from matbench_lite.board import Group
        >>> errors = {"Fe": 0.5, "O": 0.2}
        >>> groups = [Group(by="element", label=label, rows=9, error=error) for label, error in errors.items()]
        >>> anatomy = Anatomy(groups=tuple(groups), worst=())
        >>> element_errors(load_benchmark("mini")["mini_gap"], anatomy).description
        'Error of mini_gap by element. Largest for Fe (0.500 eV) and O (0.200 eV); ...'
    """
    groups = {group.label: group for group in anatomy.groups if group.by == "element"}
    known = {symbol: groups[symbol].error for symbol in SYMBOLS if symbol in groups and groups[symbol].rows >= FEWEST}
    if not known:
        return None
    wrong = task.kind == "classification"
    unit = "" if wrong else task.unit
    write = share if wrong else number
    ordered = sorted(known, key=lambda symbol: known[symbol])
    low, high = (known[ordered[round(part * (len(ordered) - 1))]] for part in (0.03, 0.97))
    scale = _Scale(low=low, high=high, log=False)
    name = "wrong rows" if wrong else f"MAE ({plain_unit(unit)})" if has_unit(unit) else "MAE"
    tips = {
        symbol: f"{symbol}: {'wrong' if wrong else 'MAE'} {with_unit(write(group.error), unit)}, "
        f"{count(group.rows, 'row')}"
        for symbol, group in groups.items()
    }
    return _draw(
        known,
        scale,
        tips=tips,
        legend=(name, f"≤ {write(scale.low)}", f"≥ {write(scale.high)}"),
        title="Where does it fail? Error by element",
        caption=f"Colour: {'share of wrong rows' if wrong else 'mean absolute error'} of the rows that contain the "
        f"element. Without colour: fewer than {FEWEST} rows.",
        description=f"Error of {task.name} by element. Largest for "
        f"{in_words([f'{symbol} ({with_unit(write(known[symbol]), unit)})' for symbol in ordered[::-1][:5]])}; "
        f"smallest for "
        f"{in_words([f'{symbol} ({with_unit(write(known[symbol]), unit)})' for symbol in ordered[:5]])}.",
    )


@dataclass(frozen=True, kw_only=True)
class _Scale:
    """From a number to one of nine colours."""

    low: float
    high: float
    log: bool

    def level(self, value: float) -> int:
        if self.high <= self.low:
            return 4
        part = (
            math.log(value / self.low) / math.log(self.high / self.low)
            if self.log
            else (value - self.low) / (self.high - self.low)
        )
        return min(8, max(0, int(9 * part)))


def _draw(
    known: Mapping[str, float], scale: _Scale, *, tips: Mapping[str, str], legend: tuple[str, str, str], **texts: str
) -> Plot:
    levels: dict[int, list[str]] = {}
    for symbol in _CELLS:
        levels.setdefault(scale.level(known[symbol]) if symbol in known else -1, []).append(symbol)
    groups = [
        (
            "none" if level < 0 else f"s{level}",
            Markup("".join(_CELLS[symbol].square for symbol in symbols)),
            Markup("".join(_CELLS[symbol].with_tip(tips.get(symbol)) for symbol in symbols)),
        )
        for level, symbols in sorted(levels.items())
    ]
    name, low, high = legend
    return draw("periodic_table", height=_TOP + 9.4 * _CELL + 4, groups=groups, name=name, low=low, high=high, **texts)


def _few(counts: Mapping[str, int]) -> str:
    few = [symbol for symbol in SYMBOLS if 0 < counts.get(symbol, 0) < FEWEST]
    return in_words(few) if few else "none"


def _cells() -> dict[str, _Cell]:
    size = _CELL - 2
    cells = {}
    for symbol, (row, column) in _positions().items():
        x, y = _LEFT + column * _CELL, _TOP + round(row * _CELL)
        cells[symbol] = _Cell(
            square=Markup(f"M{x} {y}h{size}v{size}h-{size}z"),
            opening=Markup(f'<text x="{x + size // 2}" y="{y + 17}">'),
            closing=Markup(f"{symbol}</text>"),
        )
    return cells


def _positions() -> dict[str, tuple[float, int]]:
    """Row and column of every element; the two rows of the f block lie below, a little apart."""
    places: dict[str, tuple[float, int]] = {}
    first = 0
    for row, length in enumerate((2, 8, 8, 18, 18, 32, 32)):
        for place, symbol in enumerate(SYMBOLS[first : first + length]):
            if length == 32 and 2 <= place < 17:
                places[symbol] = (row + 2.4, place)
            elif place < 2 and not (length == 2 and place == 1):
                places[symbol] = (row, place)
            else:
                places[symbol] = (row, 18 - length + place)
        first += length
    return places


_CELLS = _cells()
