"""Is there progress? The best score of a task by date."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, date, datetime
from itertools import pairwise

from matbench_lite.board import History, HistoryRow
from matbench_lite.cleaner import clean
from matbench_lite.metrics import METRICS, metric_name
from matbench_lite.text import px
from matbench_lite.view.axis import Axis, Tick, score_axis
from matbench_lite.view.figure import Box, Plot, draw, place_labels
from matbench_lite.view.words import axis_label, number, rounded, shorten, with_unit

_LEFT, _RIGHT, _TOP, _BOTTOM = 66, 464, 16, 236
_NAME_ROOM = 170
_MOST_NAMES = 12


def best_by_date(history: History) -> Plot | None:
    """Draw the best score of a task from one date to the next; None unless there are steps on two days or more.

    Examples:
        >>> from matbench_lite.metrics import summarise
        >>> about = {"slug": "a", "algorithm": "A", "scaled_error": 0.3, "verified": True}
        >>> steps = [
        ...     HistoryRow(date=f"{2020 + year}-01-20T00:00:00+00:00", score=summarise([score, score + 0.2]), **about)
        ...     for year, score in enumerate((0.4, 0.3))
        ... ]
        >>> best_by_date(History(task="mini_gap", metric="mae", unit="eV", rows=tuple(steps))).description
        'On mini_gap the best MAE went from 0.500 to 0.400 eV in 2 steps. 2020-01-20: A, MAE 0.50 eV; ...'
    """
    steps = [(day, row) for row in history.rows if (day := _day(row.date)) is not None]
    if len({day for day, _ in steps}) < 2:
        return None
    metric = METRICS[history.metric]
    name = metric_name(history.metric, "")
    x = _dates([day for day, _ in steps])
    # Score goes up the page where high is good, and down where low is.
    y = score_axis([row.score.mean for _, row in steps], _BOTTOM - 12, _TOP + 12)
    points = [(x.at(day.toordinal()), y.at(row.score.mean)) for day, row in steps]
    corners = "".join(f"H{px(right)}V{px(down)}" for right, down in points[1:])
    labels = place_labels(
        points[-1:] + points[:-1][::-1],
        [shorten(row.algorithm, _NAME_ROOM) for _, row in steps[-1:] + steps[:-1][::-1]],
        inside=Box(_LEFT, 0, _RIGHT + 12, _BOTTOM),
        taken=_lines(points),
    )
    return draw(
        "best_by_date",
        height=_BOTTOM + 30,
        title="Is there progress? The best score by date",
        caption=f"Each dot is an entry that was better than all before it when it was made; {name}: "
        f"{'higher' if metric.higher_is_better else 'lower'} is better.",
        description=_description(history, [row for _, row in steps], name),
        x=x,
        y=y,
        y_name=axis_label(name, history.unit if metric.in_target_unit else "", log=y.log),
        path=f"M{px(points[0][0])} {px(points[0][1])}{corners}H{px(_RIGHT)}",
        dots=[(point, _tip(row, name, history.unit)) for point, (_, row) in zip(points, steps, strict=True)],
        labels=labels[:_MOST_NAMES],
        bottom=_BOTTOM,
    )


def _day(text: str) -> date | None:
    """The day of an ISO date; None if it is not one, as nobody has checked what an entry states."""
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        return None
    return (moment.astimezone(UTC) if moment.tzinfo else moment).date()


def _dates(days: list[date]) -> Axis:
    """An axis of days, with ticks at the first of January, or of months where there are less than two years."""
    first, last = min(days), max(days)
    room = max(30, round(0.06 * (last - first).days))
    low, high = max(1, first.toordinal() - room), min(date.max.toordinal(), last.toordinal() + 2 * room)
    axis = Axis(low=low, high=high, start=_LEFT, end=_RIGHT)
    years = range(date.fromordinal(low).year, date.fromordinal(high).year + 1)
    every = max(1, -(-len(years) // 7))
    months = (1,) if len(years) > 3 else (1, 7) if len(years) > 1 and high - low > 300 else range(1, 13, 2)
    starts = [date(year, month, 1) for year in years if year % every == 0 for month in months]
    ticks = [
        Tick(at=axis.at(start.toordinal()), label=f"{start:%Y}" if months == (1,) else f"{start:%b %Y}")
        for start in starts
        if axis.holds(start.toordinal()) and (months == (1,) or axis.at(start.toordinal()) < _RIGHT - 14)
    ]
    return replace(axis, ticks=_apart(ticks))


def _apart(ticks: list[Tick]) -> tuple[Tick, ...]:
    """Without those that would be written over the one before."""
    kept: list[Tick] = []
    for tick in ticks:
        if not kept or tick.at - kept[-1].at >= 62 - 20 * (len(tick.label) == 4):
            kept.append(tick)
    return tuple(kept)


def _lines(points: list[tuple[float, float]]) -> list[Box]:
    """The steps themselves: no name is written over them."""
    level = [Box(left, down - 2, right, down + 2) for (left, down), (right, _) in pairwise([*points, (_RIGHT, 0)])]
    upright = [Box(right - 2, min(a, b), right + 2, max(a, b)) for (_, a), (right, b) in pairwise(points)]
    return level + upright


def _tip(row: HistoryRow, name: str, unit: str) -> str:
    return f"{row.date[:10]}: {clean(row.algorithm)}, {name} {with_unit(rounded(row.score.mean, row.score.std), unit)}"


def _description(history: History, rows: list[HistoryRow], name: str) -> str:
    first, last = rows[0], rows[-1]
    listed = "; ".join(_tip(row, name, history.unit) for row in rows[:_MOST_NAMES])
    ends = f"from {number(first.score.mean)} to {with_unit(number(last.score.mean), history.unit)}"
    return f"On {history.task} the best {name} went {ends} in {len(rows)} steps. {listed}."
