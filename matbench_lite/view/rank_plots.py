"""Who is ahead over many tasks? Mean ranks with Nemenyi's critical difference, and places on other tasks."""

from __future__ import annotations

import math
from dataclasses import replace

from matbench_lite.board import GeneralBoard, GeneralRow
from matbench_lite.cleaner import clean
from matbench_lite.stats import ALPHA
from matbench_lite.text import count, in_words, place_range
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


def _rank_axis(last: float) -> Axis:
    """An axis from the first rank to the last that is to be seen, with whole numbers."""
    last = max(2, math.ceil(last))
    step = next(step for step in (1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 10**9) if last / step <= 10)
    axis = Axis(low=1, high=last, start=_LEFT + 8, end=_RIGHT - 8)
    ranks = [1, *range(step if step > 1 else 2, last + 1, step)]
    ticks = tuple(Tick(at=axis.at(rank), label=str(rank)) for rank in ranks)
    return replace(axis, ticks=ticks)


def _only_the_first(rows: tuple[GeneralRow, ...]) -> str:
    return f" The first {_MOST} of {len(rows)} entries; the table has them all." if len(rows) > _MOST else ""


def critical_difference(board: GeneralBoard) -> Plot | None:
    """Draw the mean ranks of the ranked entries, and join those that cannot be told apart; None with fewer than two.

    Examples:
        >>> from matbench_lite.stats import Friedman
        >>> rows = [
        ...     GeneralRow(slug=name, algorithm=name, category="", rank=place, mean_rank=float(place))
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
    # By mean rank: entries that are beside each other by another order may be far apart by this one.
    rows = tuple(sorted(board.ranked, key=_mean)[:_MOST])
    means = [_mean(row) for row in rows]
    axis = _rank_axis(max(means[-1], min(1 + distance, len(board.ranked))))
    groups = [group for group in joined(means, distance) if len(group) > 1]
    drawn = [
        {
            "name": shorten(row.algorithm, _NAME_ROOM),
            "value": f"{mean:.1f}",
            "tip": f"{clean(row.algorithm)}: mean rank {mean:.2f} over {count(len(board.ranked_tasks), 'task')}",
            "at": axis.at(mean),
            "first": mean - means[0] < distance,
        }
        for row, mean in zip(rows, means, strict=True)
    ]
    step = min(9.0, (WIDTH - 44 - _BARS) / max(1, len(groups) - 1))
    return draw_rows(
        "critical_difference",
        drawn,
        top=_TOP + _ROOM,
        row=_ROW,
        title="Whose ranks differ over these tasks?",
        caption=_caption(board, distance, test.p),
        description=_description(board, rows, groups, distance, test.p),
        axis=axis,
        bars=[(_BARS + step * place, group.start, group.stop) for place, group in enumerate(groups)],
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
    finds = "finds no difference among the entries at all" if p >= ALPHA else "finds that the entries differ"
    text = (
        f"Each dot is an entry's mean rank over {count(len(board.ranked_tasks), 'task')}; 1 is best, and a vertical "
        f"bar joins entries whose ranks cannot be told apart: they differ by less than the critical difference, "
        f"{distance:.2f} (Nemenyi's test, {100 * ALPHA:.0f} %). Blue: not told apart from the first. Friedman's test "
        f"{finds} (p = {number(p, digits=2)})."
    )
    return text + _only_the_first(board.ranked)


def _description(
    board: GeneralBoard, rows: tuple[GeneralRow, ...], groups: list[range], distance: float, p: float
) -> str:
    names = [clean(row.algorithm) for row in rows]
    listed = in_words([f"{name} {_mean(row):.2f}" for name, row in zip(names, rows, strict=True)])
    together = "; ".join(in_words([names[place] for place in group]) for group in groups)
    return (
        f"Mean ranks over {count(len(board.ranked_tasks), 'task')}: {listed}. Critical difference {distance:.2f}, "
        f"Friedman's p = {number(p, digits=2)}. Not told apart: {together or 'none'}."
    )


def rank_intervals(board: GeneralBoard) -> Plot | None:
    """Draw the places that each ranked entry may have on other tasks; None where the tasks are too few to say so.

    Examples:
        >>> places = {"category": "", "first_place": 1, "last_place": 2}
        >>> rows = [GeneralRow(slug=name, algorithm=name, rank=rank, **places) for rank, name in ((1, "A"), (2, "B"))]
        >>> board = GeneralBoard(task_set="all", ranked_tasks=("t",) * 10, best=(), rows=tuple(rows), friedman=None)
        >>> rank_intervals(board).description
        'On other tasks A and B could be first. A: place 1, 1–2 on other tasks; B: place 2, 1–2 on other tasks.'
    """
    rows = board.ranked[:_MOST]
    places = [(row.rank, row.first_place, row.last_place) for row in rows]
    known = [(rank, first, last) for rank, first, last in places if rank and first and last]
    if len(rows) < 2 or len(known) < len(rows):
        return None
    axis = _rank_axis(max(last for _, _, last in known))
    names = [clean(row.algorithm) for row in rows]
    tips = [
        f"{name}: place {rank}, {place_range(first, last)} on other tasks"
        for name, (rank, first, last) in zip(names, known, strict=True)
    ]
    could_be_first = [name for name, (_, first, _) in zip(names, known, strict=True) if first == 1]
    drawn = [
        {
            "name": shorten(row.algorithm, _NAME_ROOM),
            "value": place_range(first, last),
            "tip": tip,
            "at": axis.at(rank),
            "bar": (axis.at(first), axis.at(last)),
            "first": first == 1,
        }
        for row, tip, (rank, first, last) in zip(rows, tips, known, strict=True)
    ]
    return draw_rows(
        "rank_intervals",
        drawn,
        top=_TOP,
        row=_ROW,
        title="Would the order hold on other tasks?",
        caption="Each bar goes from the first to the last place that an entry may have on other tasks like these "
        f"(95 %: the {len(board.ranked_tasks)} tasks are drawn again, for all entries together). Dot: its place now. "
        "Blue: could be first." + _only_the_first(board.ranked),
        description=f"On other tasks {in_words(could_be_first)} could be first. {'; '.join(tips)}.",
        axis=axis,
    )
