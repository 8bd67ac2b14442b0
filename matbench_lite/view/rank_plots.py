"""Who is ahead over many tasks? Mean ranks with Nemenyi's critical difference, and places with their intervals."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

from matbench_lite.board import GeneralBoard, GeneralRow
from matbench_lite.cleaner import clean
from matbench_lite.stats import ALPHA, Interval
from matbench_lite.text import count, in_words
from matbench_lite.view.axis import Axis, Tick
from matbench_lite.view.figure import WIDTH, Plot, draw_rows
from matbench_lite.view.words import number, shorten

_MOST = 30
"""So many entries are drawn; a table holds them all."""
_LEFT, _RIGHT, _TOP, _ROW = 164, 404, 26, 24
_NAME_ROOM = _LEFT - 16
_ROOM = 24
"""For the scale bar above the rows."""
_BARS = 412
"""Where the bars that join entries begin."""


def _row_y(place: int) -> float:
    """The middle of a row, in pixels from the top."""
    return _TOP + _ROW * (place + 0.5)


def _rank_axis(last: float) -> Axis:
    """An axis from the first rank to the last that is to be seen, with whole numbers."""
    last = max(2, math.ceil(last))
    step = next(step for step in (1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 10**9) if last / step <= 10)
    axis = Axis(low=1, high=last, start=_LEFT + 8, end=_RIGHT - 8)
    ranks = [1, *range(step if step > 1 else 2, last + 1, step)]
    ticks = tuple(Tick(at=axis.at(rank), label=str(rank)) for rank in ranks)
    return replace(axis, ticks=ticks)


def _only_the_first(rows: tuple[GeneralRow, ...]) -> str:
    """A remark for the caption where not all entries are drawn."""
    return f" The first {_MOST} of {len(rows)} entries; the table has them all." if len(rows) > _MOST else ""


def _on_tasks(number: int) -> str:
    """Over how many tasks the ranks are."""
    return f"over {count(number, 'task')}"


def critical_difference(board: GeneralBoard) -> Plot | None:
    """Draw the mean ranks of the ranked entries, and join those that cannot be told apart; None with fewer than two.

    Examples:
        >>> from matbench_lite.stats import Friedman
        >>> ranks = {"category": "general-purpose", "rank_interval": Interval(1.0, 2.0)}
        >>> rows = [
        ...     GeneralRow(slug=name, algorithm=name, rank=place, mean_rank=float(place), **ranks)
        ...     for place, name in enumerate("AB", start=1)
        ... ]
        >>> about = {"task_set": "all", "ranked_tasks": ("t", "u"), "friedman": Friedman(2.0, 0.16)}
        >>> board = GeneralBoard(best=(), rows=tuple(rows), **about)
        >>> critical_difference(board).description
        "Mean ranks over 2 tasks: A 1.00 and B 2.00. Critical difference 1.39, ... Not told apart: A and B."
    """
    distance, test = board.critical_difference, board.friedman
    if distance is None or test is None:
        return None
    rows = board.ranked[:_MOST]
    means = [_mean(row) for row in rows]
    axis = _rank_axis(max(means[-1], min(1 + distance, len(board.ranked))))
    groups = [group for group in joined(means, distance) if len(group) > 1]
    drawn = [
        {
            "y": _row_y(place) + _ROOM,
            "name": shorten(row.algorithm, _NAME_ROOM),
            "value": f"{mean:.1f}",
            "tip": f"{clean(row.algorithm)}: mean rank {mean:.2f} {_on_tasks(len(board.ranked_tasks))}",
            "at": axis.at(mean),
            "first": mean - means[0] < distance,
        }
        for place, (row, mean) in enumerate(zip(rows, means, strict=True))
    ]
    step = min(9.0, (WIDTH - 44 - _BARS) / max(1, len(groups) - 1))
    return draw_rows(
        "critical_difference",
        drawn,
        top=_TOP + _ROOM,
        row=_ROW,
        title="Which entries can be told apart over these tasks?",
        caption=_caption(board, distance, test.p),
        description=_description(board, rows, groups, distance, test.p),
        axis=axis,
        bars=[
            (_BARS + step * place, _row_y(group.start) + _ROOM - 7, _row_y(group.stop - 1) + _ROOM + 7)
            for place, group in enumerate(groups)
        ],
        scale=(axis.at(1), axis.at(1 + distance), f"critical difference {distance:.2f}"),
        left=_LEFT,
    )


def joined(means: list[float], distance: float) -> list[range]:
    """The longest runs of entries, sorted by mean rank, whose ends are closer than the critical difference.

    Examples:
        >>> joined([1.0, 1.5, 2.4, 4.0], 1.2)
        [range(0, 2), range(1, 3), range(3, 4)]
    """
    runs: list[range] = []
    for start, mean in enumerate(means):
        stop = next((place for place in range(start, len(means)) if means[place] - mean >= distance), len(means))
        if not runs or stop > runs[-1].stop:
            runs.append(range(start, stop))
    return runs


def _mean(row: GeneralRow) -> float:
    assert row.mean_rank is not None
    return row.mean_rank


def _caption(board: GeneralBoard, distance: float, p: float) -> str:
    text = (
        f"Dot: mean rank {_on_tasks(len(board.ranked_tasks))}; 1 is best. Entries joined by a vertical bar cannot be "
        f"told apart: their mean ranks differ by less than the critical difference, {distance:.2f} "
        f"(Nemenyi's test, {ALPHA:.0%}). Blue: not told apart from the first."
    ).replace("5%", "5 %")
    if p >= ALPHA:
        text += f" Friedman's test finds no difference among the entries at all (p = {number(p, digits=2)})."
    return text + _only_the_first(board.ranked)


def _description(
    board: GeneralBoard, rows: tuple[GeneralRow, ...], groups: list[range], distance: float, p: float
) -> str:
    names = [clean(row.algorithm) for row in rows]
    listed = in_words([f"{name} {_mean(row):.2f}" for name, row in zip(names, rows, strict=True)])
    together = "; ".join(in_words([names[place] for place in group]) for group in groups)
    return (
        f"Mean ranks {_on_tasks(len(board.ranked_tasks))}: {listed}. Critical difference {distance:.2f}, "
        f"Friedman's p = {number(p, digits=2)}. Not told apart: {together or 'none'}."
    )


def rank_intervals(board: GeneralBoard) -> Plot | None:
    """Draw the place of each ranked entry with its 95 % interval; None with fewer than two of them.

    Examples:
        >>> about = {"category": "general-purpose", "rank_interval": Interval(1.0, 2.0)}
        >>> rows = [GeneralRow(slug=name, algorithm=name, rank=rank, **about) for rank, name in ((1, "A"), (2, "B"))]
        >>> board = GeneralBoard(task_set="all", ranked_tasks=("t",), best=(), rows=tuple(rows), friedman=None)
        >>> rank_intervals(board).description
        'Places that could be the first: A and B. A: place 1, 95 % interval 1 to 2; B: place 2, ...'
    """
    if len(board.ranked) < 2:
        return None
    axis = _rank_axis(max(_interval(row).high for row in board.ranked[:_MOST]))
    drawn = [_interval_row(row, axis, _row_y(place)) for place, row in enumerate(board.ranked[:_MOST])]
    could_be_first = [clean(row.algorithm) for row in board.ranked if _interval(row).low <= 1]
    return draw_rows(
        "rank_intervals",
        drawn,
        top=_TOP,
        row=_ROW,
        title="Would the order hold on other tasks?",
        caption=f"Dot: place by mean rank {_on_tasks(len(board.ranked_tasks))}. Bar: its 95 % interval when the tasks "
        "are drawn again (bootstrap). Blue: could be first." + _only_the_first(board.ranked),
        description=f"Places that could be the first: {in_words(could_be_first)}. "
        + "; ".join(f"{clean(row.algorithm)}: {_range(row)}" for row in board.ranked[:_MOST])
        + ".",
        axis=axis,
    )


def _interval_row(row: GeneralRow, axis: Axis, y: float) -> dict[str, Any]:
    interval = _interval(row)
    assert row.rank is not None
    return {
        "y": y,
        "name": shorten(row.algorithm, _NAME_ROOM),
        "value": f"{interval.low:.0f}–{interval.high:.0f}" if interval.low < interval.high else f"{interval.low:.0f}",
        "tip": f"{clean(row.algorithm)}: {_range(row)}",
        "at": axis.at(row.rank),
        "bar": (axis.at(interval.low), axis.at(interval.high)),
        "first": interval.low <= 1,
    }


def _interval(row: GeneralRow) -> Interval:
    assert row.rank_interval is not None
    return row.rank_interval


def _range(row: GeneralRow) -> str:
    interval = _interval(row)
    return f"place {row.rank}, 95 % interval {interval.low:.0f} to {interval.high:.0f}"
