"""Which entries can be told apart over the tasks? Mean ranks with Nemenyi's critical difference."""

from __future__ import annotations

from matbench_lite.board import GeneralBoard, GeneralRow
from matbench_lite.site.plots.figure import WIDTH, Plot, draw
from matbench_lite.site.plots.ranked import (
    LEFT,
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
from matbench_lite.site.plots.words import clean, in_words, number, shorten
from matbench_lite.stats import ALPHA

_ROOM = 24
"""For the scale bar above the rows."""
_BARS = 412
"""Where the bars that join entries begin."""
_MOST_BARS = 8


def critical_difference(board: GeneralBoard) -> Plot | None:
    """Draw the mean ranks of the ranked entries, and join those that cannot be told apart.

    Args:
        board: The general-purpose leaderboard.

    Returns:
        The plot; None with fewer than two ranked entries.

    Examples:
        >>> from matbench_lite.board import GeneralRow
        >>> from matbench_lite.stats import Friedman, Interval
        >>> rows = [
        ...     GeneralRow(
        ...         slug=name,
        ...         algorithm=name,
        ...         category="general-purpose",
        ...         rank=place,
        ...         mean_rank=float(place),
        ...         rank_interval=Interval(1.0, 2.0),
        ...     )
        ...     for place, name in enumerate("AB", start=1)
        ... ]
        >>> board = GeneralBoard(
        ...     task_set="all", ranked_tasks=("t", "u"), best=(), rows=tuple(rows), friedman=Friedman(2.0, 0.16)
        ... )
        >>> critical_difference(board).description
        "Mean ranks over 2 tasks: A 1.00 and B 2.00. Critical difference 1.39, ... Not told apart: A and B."
    """
    distance, test = board.critical_difference, board.friedman
    if distance is None or test is None:
        return None
    rows = board.ranked[:MOST]
    means = [_mean(row) for row in rows]
    axis = rank_axis(max(means[-1], min(1 + distance, len(board.ranked))))
    groups = [group for group in joined(means, distance) if len(group) > 1]
    drawn = [
        RankedRow(
            y=row_y(place) + _ROOM,
            name=shorten(row.algorithm, NAME_ROOM),
            value=f"{mean:.1f}",
            tip=f"{clean(row.algorithm)}: mean rank {mean:.2f} {on_tasks(len(board.ranked_tasks))}",
            at=axis.at(mean),
            first=mean - means[0] < distance,
        )
        for place, (row, mean) in enumerate(zip(rows, means, strict=True))
    ]
    step = min(9.0, (WIDTH - 44 - _BARS) / max(1, len(groups) - 1))
    bottom = TOP + _ROOM + ROW * len(drawn)
    return draw(
        "critical_difference",
        height=bottom + 46,
        title="Which entries can be told apart over these tasks?",
        caption=_caption(board, distance, test.p),
        description=_description(board, rows, groups, distance, test.p),
        rows=drawn,
        axis=axis,
        bars=[
            (_BARS + step * place, drawn[group.start].y - 7, drawn[group.stop - 1].y + 7)
            for place, group in enumerate(groups)
        ],
        scale=(axis.at(1), axis.at(1 + distance), f"critical difference {distance:.2f}"),
        top=TOP + _ROOM,
        bottom=bottom,
        right=WIDTH - 4,
        left=LEFT,
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
        f"Dot: mean rank {on_tasks(len(board.ranked_tasks))}; 1 is best. Entries joined by a vertical bar cannot be "
        f"told apart: "
        f"their mean ranks differ by less than the critical difference, {distance:.2f} (Nemenyi's test, {ALPHA:.0%}). "
        "Blue: not told apart from the first."
    ).replace("5%", "5 %")
    if p >= ALPHA:
        text += f" Friedman's test finds no difference among the entries at all (p = {number(p, digits=2)})."
    return text + only_the_first(board.ranked)


def _description(
    board: GeneralBoard, rows: tuple[GeneralRow, ...], groups: list[range], distance: float, p: float
) -> str:
    names = [clean(row.algorithm) for row in rows]
    listed = in_words([f"{name} {_mean(row):.2f}" for name, row in zip(names, rows, strict=True)])
    together = "; ".join(in_words([names[place] for place in group]) for group in groups)
    return (
        f"Mean ranks {on_tasks(len(board.ranked_tasks))}: {listed}. Critical difference {distance:.2f}, Friedman's p = "
        f"{number(p, digits=2)}. Not told apart: {together or 'none'}."
    )
