"""Entries down the page, ranks across it: what two plots of the general-purpose board share."""

from __future__ import annotations

import math
from dataclasses import dataclass

from matbench_lite.board import GeneralRow
from matbench_lite.site.plots.axis import Axis, Tick
from matbench_lite.site.plots.words import count

MOST = 30
"""So many entries are drawn; a table holds them all."""
LEFT, RIGHT, TOP, ROW = 164, 404, 26, 24
NAME_ROOM = LEFT - 16


@dataclass(frozen=True, kw_only=True)
class RankedRow:
    """One entry, as it is drawn; `bar` are the ends of its interval, in pixels."""

    y: float
    name: str
    value: str
    tip: str
    at: float
    bar: tuple[float, float] | None = None
    first: bool = False


def row_y(place: int) -> float:
    """The middle of a row, in pixels from the top."""
    return TOP + ROW * (place + 0.5)


def rank_axis(last: float) -> Axis:
    """An axis from the first rank to the last that is to be seen, with whole numbers."""
    last = max(2, math.ceil(last))
    step = next(step for step in (1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 10**9) if last / step <= 10)
    axis = Axis(low=1, high=last, start=LEFT + 8, end=RIGHT - 8)
    ranks = [1, *range(step if step > 1 else 2, last + 1, step)]
    ticks = tuple(Tick(at=axis.at(rank), label=str(rank)) for rank in ranks)
    return Axis(low=1, high=last, start=axis.start, end=axis.end, ticks=ticks)


def only_the_first(rows: tuple[GeneralRow, ...]) -> str:
    """A remark for the caption where not all entries are drawn."""
    return f" The first {MOST} of {len(rows)} entries; the table has them all." if len(rows) > MOST else ""


def on_tasks(number: int) -> str:
    """Over how many tasks the ranks are."""
    return f"over {count(number, 'task')}"
