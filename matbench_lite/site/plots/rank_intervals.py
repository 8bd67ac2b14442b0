"""Would the order hold on other tasks? The places of the entries with their intervals."""

from __future__ import annotations

from matbench_lite.board import GeneralBoard, GeneralRow
from matbench_lite.site.plots.axis import Axis
from matbench_lite.site.plots.figure import WIDTH, Plot, draw
from matbench_lite.site.plots.ranked import (
    MOST,
    NAME_ROOM,
    ROW,
    TOP,
    RankedRow,
    on_tasks,
    only_the_first,
    rank_axis,
    row_y,
)
from matbench_lite.site.plots.words import clean, in_words, shorten
from matbench_lite.stats import Interval


def rank_intervals(board: GeneralBoard) -> Plot | None:
    """Draw the place of each ranked entry with its 95 % interval.

    Args:
        board: The general-purpose leaderboard.

    Returns:
        The plot; None with fewer than two ranked entries.

    Examples:
        >>> about = {"category": "general-purpose", "rank_interval": Interval(1.0, 2.0)}
        >>> rows = [GeneralRow(slug=name, algorithm=name, rank=rank, **about) for rank, name in ((1, "A"), (2, "B"))]
        >>> board = GeneralBoard(task_set="all", ranked_tasks=("t",), best=(), rows=tuple(rows), friedman=None)
        >>> rank_intervals(board).description
        'Places that could be the first: A and B. A: place 1, 95 % interval 1 to 2; B: place 2, ...'
    """
    if len(board.ranked) < 2:
        return None
    axis = rank_axis(max(_interval(row).high for row in board.ranked[:MOST]))
    drawn = [_row(row, axis, row_y(place)) for place, row in enumerate(board.ranked[:MOST])]
    bottom = TOP + ROW * len(drawn)
    could_be_first = [clean(row.algorithm) for row in board.ranked if _interval(row).low <= 1]
    return draw(
        "rank_intervals",
        height=bottom + 46,
        title="Would the order hold on other tasks?",
        caption=f"Dot: place by mean rank {on_tasks(len(board.ranked_tasks))}. Bar: its 95 % interval when the tasks "
        f"are drawn "
        "again (bootstrap). Blue: could be first." + only_the_first(board.ranked),
        description=f"Places that could be the first: {in_words(could_be_first)}. "
        + "; ".join(f"{clean(row.algorithm)}: {_range(row)}" for row in board.ranked[:MOST])
        + ".",
        rows=drawn,
        axis=axis,
        top=TOP,
        bottom=bottom,
        right=WIDTH - 4,
    )


def _row(row: GeneralRow, axis: Axis, y: float) -> RankedRow:
    interval = _interval(row)
    assert row.rank is not None
    return RankedRow(
        y=y,
        name=shorten(row.algorithm, NAME_ROOM),
        value=f"{interval.low:.0f}–{interval.high:.0f}" if interval.low < interval.high else f"{interval.low:.0f}",
        tip=f"{clean(row.algorithm)}: {_range(row)}",
        at=axis.at(row.rank),
        bar=(axis.at(interval.low), axis.at(interval.high)),
        first=interval.low <= 1,
    )


def _interval(row: GeneralRow) -> Interval:
    assert row.rank_interval is not None
    return row.rank_interval


def _range(row: GeneralRow) -> str:
    interval = _interval(row)
    return f"place {row.rank}, 95 % interval {interval.low:.0f} to {interval.high:.0f}"
