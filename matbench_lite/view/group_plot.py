"""Where does it fail? The error on groups of rows."""

from __future__ import annotations

from matbench_lite.board import Anatomy, Group
from matbench_lite.cleaner import clean
from matbench_lite.tasks import Task
from matbench_lite.text import count, share
from matbench_lite.view.axis import linear_axis
from matbench_lite.view.figure import Plot, draw_rows
from matbench_lite.view.periodic_table import FEWEST
from matbench_lite.view.words import axis_label, number, shorten, with_unit

MOST = 12
"""So many groups are drawn, those with the most rows."""
_LEFT, _RIGHT, _TOP, _ROW = 140, 380, 24, 24

_TITLES = {
    "target": "Where does it fail? Error by true value",
    "number of elements": "Where does it fail? Error by number of elements",
    "crystal system": "Where does it fail? Error by crystal system",
    "space group": "Where does it fail? Error by space group",
}


def error_by_group(task: Task, anatomy: Anatomy, by: str) -> Plot | None:
    """Draw the error on each group of rows; None with fewer than two groups.

    What their rows have in common is "target", "number of elements", "crystal system" or "space group".

    Examples:
        >>> from matbench_lite import load_benchmark
        >>> from matbench_lite.board import Group
        >>> errors = {"cubic": 0.5, "trigonal": 0.2}
        >>> groups = [Group(by="crystal system", label=label, rows=9, error=error) for label, error in errors.items()]
        >>> anatomy = Anatomy(groups=tuple(groups), worst=())
        >>> error_by_group(load_benchmark("mini")["mini_gap"], anatomy, "crystal system").description
        'Error of mini_gap by crystal system: largest for cubic (MAE 0.500 eV, 9 rows), smallest for trigonal ...'
    """
    groups = [group for group in anatomy.groups if group.by == by]
    if len(groups) < 2:
        return None
    shown = groups
    if len(groups) > MOST:
        most = sorted(groups, key=lambda group: -group.rows)[:MOST]
        shown = [group for group in groups if group in most]
    wrong = task.kind == "classification"
    overall = sum(group.error * group.rows for group in groups) / sum(group.rows for group in groups)
    scale = 100 if wrong else 1  # shares are written as percentages
    longest = scale * max(*(group.error for group in shown), overall)
    axis = linear_axis(0, longest or 1.0, _LEFT, _RIGHT, ticks=4)
    drawn = [
        {
            "y": _TOP + _ROW * place,
            "label": shorten(group.label.replace("-", "−"), _LEFT - 10, size=12),
            "end": axis.at(scale * group.error),
            "value": share(group.error) if wrong else number(group.error),
            "rows": f"{group.rows:,}",
            "tip": f"{group.label}: {_error(group, task)}, {count(group.rows, 'row')}",
            "few": group.rows < FEWEST,
        }
        for place, group in enumerate(shown)
    ]
    return draw_rows(
        "error_by_group",
        drawn,
        top=_TOP,
        row=_ROW,
        title=_TITLES[by],
        caption=_caption(task, by, len(shown), len(groups), wrong),
        description=_description(task, by, groups),
        axis=axis,
        axis_name=axis_label("wrong rows", "%") if wrong else axis_label("mean absolute error", task.unit),
        by=shorten(axis_label(clean(task.target), task.unit) if by == "target" else by, _RIGHT, size=12),
        overall=axis.at(scale * overall),
        thick=_ROW - 8,
    )


def _error(group: Group, task: Task) -> str:
    if task.kind == "classification":
        return f"{share(group.error)} wrong"
    return f"MAE {with_unit(number(group.error), task.unit)}"


def _caption(task: Task, by: str, shown: int, groups: int, wrong: bool) -> str:
    parts = [f"Bars: {'share of wrong rows' if wrong else 'mean absolute error'} of each group; dashed: of all rows."]
    if by == "target" and not wrong:
        parts.append(f"The rows are divided into tenths by {clean(task.target)}.")
    if shown < groups:
        parts.append(f"The {shown} most common of {groups} groups.")
    parts.append(f"Grey: fewer than {FEWEST} rows.")
    return " ".join(parts)


def _description(task: Task, by: str, groups: list[Group]) -> str:
    solid = [group for group in groups if group.rows >= FEWEST] or groups
    best, worst = (pick(solid, key=lambda group: group.error) for pick in (min, max))
    what = "true value" if by == "target" else by
    first, last = (
        f"{with_unit(group.label, task.unit if by == 'target' else '')} "
        f"({_error(group, task)}, {count(group.rows, 'row')})"
        for group in (worst, best)
    )
    return f"Error of {task.name} by {what}: largest for {first}, smallest for {last}."
