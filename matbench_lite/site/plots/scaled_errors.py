"""How far from a constant guess, task by task? The scaled errors of the general-purpose entries."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass

from matbench_lite.board import BestRow, GeneralBoard
from matbench_lite.site.plots.axis import Axis, log_axis
from matbench_lite.site.plots.figure import WIDTH, Plot, draw
from matbench_lite.site.plots.words import clean, number, shorten
from matbench_lite.tasks import Task

MOST = 30
"""So many entries are drawn per task, the best ones."""
_LEFT, _RIGHT, _TOP, _ROW = 110, 328, 24, 26
_LEAST = 1e-3
"""Scaled errors below it are drawn at the edge."""


@dataclass(frozen=True, kw_only=True)
class _Row:
    """One task, as it is drawn."""

    y: float
    name: str
    best: str
    tip: str
    at: float
    others: tuple[float, ...]


def scaled_errors(board: GeneralBoard, tasks: Iterable[Task]) -> Plot | None:
    """Draw per task the scaled error of the best general-purpose entry, and of the others.

    Args:
        board: The general-purpose leaderboard.
        tasks: The tasks of the benchmark: their names are shortened by what they share.

    Returns:
        The plot, from the task that is done best to the one done worst; None if there is no scaled error.

    Examples:
        >>> from matbench_lite import load_benchmark
        >>> best = BestRow(task="mini_gap", samples=500, metric="mae", unit="eV", algorithm="A", scaled_error=0.25)
        >>> board = GeneralBoard(task_set="all", ranked_tasks=("mini_gap",), best=(best,), rows=(), friedman=None)
        >>> scaled_errors(board, load_benchmark("mini")).description
        'On mini_gap the best entry, A, has a scaled error of 0.250.'
    """
    known = [row for row in board.best if row.scaled_error is not None and math.isfinite(row.scaled_error)]
    if not known:
        return None
    known.sort(key=_error)
    names = short_names(task.name for task in tasks)
    values = {row.task: _all_errors(board, row.task) for row in known}
    lowest = min(_error(row) for row in known)
    highest = max(number for row in known for number in (_error(row), *values[row.task]))
    axis = log_axis(max(_LEAST, min(lowest, 0.5) / 1.25), min(3.0, max(1.25, highest * 1.1)), _LEFT, _RIGHT)
    drawn = [_row(row, values[row.task], names, axis, _TOP + _ROW * (place + 0.5)) for place, row in enumerate(known)]
    bottom = _TOP + _ROW * len(drawn)
    return draw(
        "scaled_errors",
        height=bottom + 46,
        title="How far from a constant guess, task by task?",
        caption="Blue: the best general-purpose entry of each task; grey: the others. 0 is perfect, 1 is as good as "
        "always "
        "guessing the mean (regression) or one class (classification). Further left is better.",
        description=_description(known),
        rows=drawn,
        axis=axis,
        guess=axis.at(1.0),
        top=_TOP,
        bottom=bottom,
        right=WIDTH - 4,
    )


def short_names(names: Iterable[str]) -> dict[str, str]:
    """Names of tasks without the beginning, up to a "_", that all of them share.

    Examples:
        >>> short_names(["mini_gap", "mini_n"])
        {'mini_gap': 'gap', 'mini_n': 'n'}
        >>> short_names(["gap"])
        {'gap': 'gap'}
    """
    listed = list(names)
    beginnings = {name.partition("_")[0] for name in listed if "_" in name}
    shared = len(beginnings) == 1 and all("_" in name for name in listed)
    return {name: name.partition("_")[2] if shared else name for name in listed}


def _error(row: BestRow) -> float:
    assert row.scaled_error is not None
    return row.scaled_error


def _all_errors(board: GeneralBoard, task: str) -> list[float]:
    values = [row.tasks[task].scaled_error for row in board.rows if task in row.tasks]
    return sorted(value for value in values if math.isfinite(value))[:MOST]


def _row(row: BestRow, values: list[float], names: dict[str, str], axis: Axis, y: float) -> _Row:
    tied = f", tied with {row.tied} more" if row.tied else ""
    algorithm = clean(row.algorithm or "")
    return _Row(
        y=y,
        name=shorten(names[row.task], _LEFT - 8),
        best=shorten(algorithm, WIDTH - 4 - _RIGHT - 8),
        tip=f"{row.task} ({row.samples:,} rows): best is {algorithm}, scaled error {number(_error(row))}{tied}",
        at=axis.at(_error(row)),
        others=tuple(axis.at(value) for value in values[1:] if axis.holds(value)),
    )


def _description(known: list[BestRow]) -> str:
    easy, hard = known[0], known[-1]
    if easy is hard:
        best = clean(easy.algorithm or "")
        return f"On {easy.task} the best entry, {best}, has a scaled error of {number(_error(easy))}."
    listed = "; ".join(f"{row.task} {number(_error(row))} ({clean(row.algorithm or '')})" for row in known)
    return (
        f"The best entry is furthest from a constant guess on {easy.task}, with a scaled error of "
        f"{number(_error(easy))}, "
        f"and closest to it on {hard.task}, with {number(_error(hard))}. Scaled error of the best entry of each task: "
        f"{listed}."
    )
