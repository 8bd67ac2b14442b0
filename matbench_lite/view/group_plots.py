"""What is in the data, and where does an entry fail? Elements on a periodic table, and bars of other groups of rows."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping

from matbench_lite.board import Anatomy, Group
from matbench_lite.cleaner import clean
from matbench_lite.data import SYMBOLS
from matbench_lite.tasks import Task
from matbench_lite.text import count, in_words, share
from matbench_lite.view.axis import Axis, linear_axis
from matbench_lite.view.figure import Plot, draw, draw_rows
from matbench_lite.view.words import axis_label, has_unit, number, plain_unit, shorten, with_unit

FEWEST = 5
"""An element of fewer rows has no error worth a colour."""
_CELL, _LEFT, _TOP = 26, 6, 4
_COLOURS = 9
_ELEMENT = re.compile("[A-Z][a-z]?")


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
    scale = Axis(low=min(known.values()), high=max(known.values()), start=0, end=_COLOURS, log=True)
    common = sorted(known, key=lambda symbol: -known[symbol])
    few = [symbol for symbol in SYMBOLS if 0 < counts[symbol] < FEWEST]
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
        f"In fewer than {FEWEST} rows: {in_words(few) or 'none'}.",
    )


def element_errors(task: Task, anatomy: Anatomy) -> Plot | None:
    """Draw the error of an entry on the rows that contain each element; None if no element has enough rows.

    Examples:
        >>> from matbench_lite import load_benchmark
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
    scale = Axis(low=low, high=high, start=0, end=_COLOURS)
    name = "wrong rows" if wrong else f"MAE ({plain_unit(unit)})" if has_unit(unit) else "MAE"
    listed = [f"{symbol} ({with_unit(write(known[symbol]), unit)})" for symbol in ordered]
    return _draw(
        known,
        scale,
        tips={symbol: _tip(group, task) for symbol, group in groups.items()},
        legend=(name, f"≤ {write(scale.low)}", f"≥ {write(scale.high)}"),
        title="Where does it fail? Error by element",
        caption=f"Colour: {'share of wrong rows' if wrong else 'mean absolute error'} of the rows that contain the "
        f"element. Without colour: fewer than {FEWEST} rows.",
        description=f"Error of {task.name} by element. Largest for {in_words(listed[::-1][:5])}; smallest for "
        f"{in_words(listed[:5])}.",
    )


def _draw(
    known: Mapping[str, float], scale: Axis, *, tips: Mapping[str, str], legend: tuple[str, str, str], **texts: str
) -> Plot:
    groups: dict[str, list[tuple[int, int, str, str | None]]] = {}
    for symbol, (x, y) in _PLACES.items():
        colour = f"s{_level(scale, known[symbol])}" if symbol in known else "none"
        groups.setdefault(colour, []).append((x, y, symbol, tips.get(symbol)))
    name, low, high = legend
    height = _TOP + 9.4 * _CELL + 4
    return draw("periodic_table", height=height, groups=sorted(groups.items()), name=name, low=low, high=high, **texts)


def _level(scale: Axis, value: float) -> int:
    """The colour of a number; the one in the middle where all are the same."""
    return min(_COLOURS - 1, int(scale.at(value))) if scale.high > scale.low else _COLOURS // 2


def _places() -> dict[str, tuple[int, int]]:
    """Where every element is, in pixels; the two rows of the f block lie below, a little apart."""
    places: dict[str, tuple[int, int]] = {}
    first = 0
    for row, length in enumerate((2, 8, 8, 18, 18, 32, 32)):
        for place, symbol in enumerate(SYMBOLS[first : first + length]):
            in_f_block = length == 32 and 2 <= place < 17
            from_left = in_f_block or (place < 2 and symbol != "He")
            column = place if from_left else 18 - length + place
            down = row + 2.4 if in_f_block else row
            places[symbol] = (_LEFT + column * _CELL, _TOP + round(down * _CELL))
        first += length
    return places


_PLACES = _places()


MOST = 12
"""So many groups are drawn, those with the most rows."""
_BARS_LEFT, _BARS_RIGHT, _BARS_TOP, _ROW = 140, 380, 24, 24


def error_by_group(task: Task, anatomy: Anatomy, by: str) -> Plot | None:
    """Draw the error on each group of rows; None with fewer than two groups.

    What their rows have in common is "target", "number of elements", "crystal system" or "space group".

    Examples:
        >>> from matbench_lite import load_benchmark
        >>> by, errors = "crystal system", {"cubic": 0.5, "trigonal": 0.2}
        >>> groups = [Group(by=by, label=label, rows=9, error=error) for label, error in errors.items()]
        >>> anatomy = Anatomy(groups=tuple(groups), worst=())
        >>> error_by_group(load_benchmark("mini")["mini_gap"], anatomy, by).description
        'Error of mini_gap by crystal system: largest for cubic (MAE 0.500 eV, 9 rows), smallest for trigonal ...'
    """
    groups = [group for group in anatomy.groups if group.by == by]
    if len(groups) < 2:
        return None
    most = sorted(groups, key=lambda group: -group.rows)[:MOST]
    shown = [group for group in groups if group in most]
    wrong = task.kind == "classification"
    overall = sum(group.error * group.rows for group in groups) / sum(group.rows for group in groups)
    scale = 100 if wrong else 1  # shares are written as percentages
    longest = scale * max(*(group.error for group in shown), overall)
    axis = linear_axis(0, longest or 1.0, _BARS_LEFT, _BARS_RIGHT, ticks=4)
    drawn = [
        {
            "label": shorten(group.label.replace("-", "−"), _BARS_LEFT - 10, size=12),
            "end": axis.at(scale * group.error),
            "value": share(group.error) if wrong else number(group.error),
            "rows": f"{group.rows:,}",
            "tip": _tip(group, task),
            "few": group.rows < FEWEST,
        }
        for group in shown
    ]
    return draw_rows(
        "error_by_group",
        drawn,
        top=_BARS_TOP,
        row=_ROW,
        title=f"Where does it fail? Error by {_words(by)}",
        caption=_caption(task, by, len(shown), len(groups), wrong),
        description=_description(task, by, groups),
        axis=axis,
        axis_name=axis_label("wrong rows", "%") if wrong else axis_label("mean absolute error", task.unit),
        by=shorten(axis_label(clean(task.target), task.unit) if by == "target" else by, _BARS_RIGHT, size=12),
        overall=axis.at(scale * overall),
        thick=_ROW - 8,
    )


def _error(group: Group, task: Task) -> str:
    if task.kind == "classification":
        return f"{share(group.error)} wrong"
    return f"MAE {with_unit(number(group.error), task.unit)}"


def _words(by: str) -> str:
    """What the rows of a group have in common, as a sentence has it."""
    return "true value" if by == "target" else by


def _tip(group: Group, task: Task) -> str:
    return f"{group.label}: {_error(group, task)}, {count(group.rows, 'row')}"


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
    first, last = (
        f"{with_unit(group.label, task.unit if by == 'target' else '')} "
        f"({_error(group, task)}, {count(group.rows, 'row')})"
        for group in (worst, best)
    )
    return f"Error of {task.name} by {_words(by)}: largest for {first}, smallest for {last}."
