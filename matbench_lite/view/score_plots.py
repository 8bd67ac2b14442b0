"""How good are the scores? Those of one task with their intervals, and those of all tasks against a constant guess."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from matbench_lite.board import BestRow, GeneralBoard, TaskBoard, TaskRow
from matbench_lite.cleaner import clean
from matbench_lite.metrics import METRICS, metric_name
from matbench_lite.stats import Interval
from matbench_lite.tasks import Benchmark
from matbench_lite.text import place_range
from matbench_lite.view.axis import Axis, log_axis, score_axis
from matbench_lite.view.board_columns import short_name
from matbench_lite.view.figure import WIDTH, Plot, draw_rows
from matbench_lite.view.words import axis_label, number, rounded, shorten, with_unit

_MOST = 30
"""So many entries are drawn; a table holds them all."""
_LEFT, _RIGHT, _TOP, _ROW = 178, 404, 26, 24
_NAME_ROOM = 136
_TASKS_LEFT, _TASKS_RIGHT, _TASKS_TOP, _TASKS_ROW = 110, 328, 24, 26
_LEAST = 1e-3
"""Scaled errors below it are drawn at the edge."""


def error_bars(board: TaskBoard, by_fold: Mapping[str, Sequence[float]] | None = None) -> Plot | None:
    """Draw the entries of a task by rank: score, 95 % interval, folds, places; None if the board is empty.

    The scores of the folds are given by slug, in the unit of the metric; left out, they are not drawn.

    Examples:
        >>> from matbench_lite import Submission, load_benchmark
        >>> from matbench_lite.board import Results, task_board
        >>> bench = load_benchmark("mini")
        >>> zero = Submission(bench, algorithm="Zero")
        >>> for fold in range(5):
        ...     zero.record("mini_gap", fold, [0.0] * 100)
        >>> error_bars(task_board(Results(bench, {"zero": zero}), bench["mini_gap"])).description
        'On mini_gap, Zero has the lowest MAE, 2.05 eV, 95 % interval ... It is the only entry.'
    """
    rows = board.rows[:_MOST]
    if not rows:
        return None
    folds = by_fold or {}
    ends = [end for row in rows if row.interval for end in (row.interval.low, row.interval.high)]
    of_folds = [score for row in rows for score in folds.get(row.slug, ())]
    axis = score_axis([*(row.score.mean for row in rows), *ends, *of_folds], _LEFT, _RIGHT)
    metric = metric_name(board.metric, "")
    drawn = [_entry_row(row, axis, folds.get(row.slug, ()), metric, board.unit) for row in rows]
    return draw_rows(
        "error_bars",
        drawn,
        top=_TOP,
        row=_ROW,
        title="Who is ahead, and is it certain?",
        caption=_caption(board, bool(folds)),
        description=_bars_description(board, metric),
        axis=axis,
        axis_name=axis_label(metric, board.unit if METRICS[board.metric].in_target_unit else "", log=axis.log),
        metric=metric,
        band=drawn[0]["bar"],
    )


def _entry_row(row: TaskRow, axis: Axis, folds: Sequence[float], metric: str, unit: str) -> dict[str, Any]:
    """One entry, in pixels; `beyond` is -1 or 1 where its score is left or right of the axis."""
    interval = row.interval
    return {
        "name": shorten(row.algorithm, _NAME_ROOM),
        "places": place_range(row.first_place, row.last_place) if row.first_place and row.last_place else "",
        "value": rounded(row.score.mean, row.score.std),
        "tip": _tip(row, metric, unit, folds),
        "first": row.leading,
        "at": axis.at(row.score.mean),
        "beyond": (row.score.mean > axis.high) - (row.score.mean < axis.low),
        "bar": (axis.at(interval.low), axis.at(interval.high)) if interval else None,
        "folds": [axis.at(fold) for fold in folds],
    }


def _tip(row: TaskRow, metric: str, unit: str, folds: Sequence[float]) -> str:
    parts = [f"{clean(row.algorithm)}: {metric} {_score(row, unit)}"]
    if row.interval:
        parts.append(_interval(row.interval))
    if folds:
        parts.append(f"folds {', '.join(number(fold) for fold in folds)}")
    parts.append(f"rank {row.rank}")
    if row.first_place and row.last_place:
        parts.append(f"places {place_range(row.first_place, row.last_place)}")
    return "; ".join(parts)


def _caption(board: TaskBoard, folds: bool) -> str:
    parts = ["Dot: mean over the folds."]
    if any(row.interval for row in board.rows):
        parts.append("Bar: its 95 % interval for these trained models (bootstrap by cluster of rows).")
    if folds:
        parts.append("Small dots: the folds.")
    if board.compared:
        parts.append("Left: the places it may have. Blue: not told apart from the best, or equivalent to it.")
    if len(board.rows) > _MOST:
        parts.append(f"The first {_MOST} of {len(board.rows)} entries; the table has them all.")
    return " ".join(parts)


def _bars_description(board: TaskBoard, metric: str) -> str:
    first, last = board.rows[0], board.rows[-1]
    best = "highest" if METRICS[board.metric].higher_is_better else "lowest"
    text = f"On {board.task}, {clean(first.algorithm)} has the {best} {metric}, {_score(first, board.unit)}"
    if first.interval:
        text += f", {_interval(first.interval)}"
    if len(board.rows) == 1:
        return f"{text}. It is the only entry."
    end = f"Last of {len(board.rows)} is {clean(last.algorithm)} with {_score(last, board.unit)}."
    return f"{text}. {board.headline} {end}"


def _interval(interval: Interval) -> str:
    half = (interval.high - interval.low) / 2
    return f"95 % interval {rounded(interval.low, half)} to {rounded(interval.high, half)}"


def _score(row: TaskRow, unit: str) -> str:
    return with_unit(rounded(row.score.mean, row.score.std), unit)


def scaled_errors(board: GeneralBoard, benchmark: Benchmark) -> Plot | None:
    """Draw per task the scaled error of the best general-purpose entry, and of the others.

    It goes from the task that is done best to the one done worst; None if there is no scaled error.

    Examples:
        >>> from matbench_lite import load_benchmark
        >>> best = BestRow(task="mini_gap", samples=500, metric="mae", unit="eV", algorithm="A", scaled_error=0.25)
        >>> board = GeneralBoard(task_set="all", ranked_tasks=("mini_gap",), best=(best,), rows=(), friedman=None)
        >>> scaled_errors(board, load_benchmark("mini")).description
        'On mini_gap the best entry, A, has a scaled error of 0.250.'
    """
    every = [(row.scaled_error, row) for row in board.best if row.scaled_error is not None]
    known = sorted(((error, row) for error, row in every if math.isfinite(error)), key=lambda pair: pair[0])
    if not known:
        return None
    values = {row.task: _all_errors(board, row.task) for _, row in known}
    highest = max(number for error, row in known for number in (error, *values[row.task]))
    low, high = max(_LEAST, min(known[0][0], 0.5) / 1.25), min(3.0, max(1.25, highest * 1.1))
    axis = log_axis(low, high, _TASKS_LEFT, _TASKS_RIGHT)
    drawn = [_task_row(error, row, values[row.task], short_name(benchmark, row.task), axis) for error, row in known]
    return draw_rows(
        "scaled_errors",
        drawn,
        top=_TASKS_TOP,
        row=_TASKS_ROW,
        title="How far from a constant guess, task by task?",
        caption="Blue: the best general-purpose entry of each task; grey: the others. 0 is perfect, 1 is as good as "
        "always guessing the mean (regression) or one class (classification). Further left is better.",
        description=_errors_description(known),
        axis=axis,
        guess=axis.at(1.0),
    )


def _all_errors(board: GeneralBoard, task: str) -> list[float]:
    values = [row.tasks[task].scaled_error for row in board.rows if task in row.tasks and not row.reference]
    return sorted(value for value in values if math.isfinite(value))[:_MOST]


def _task_row(error: float, row: BestRow, values: list[float], name: str, axis: Axis) -> dict[str, Any]:
    group = f", leading group of {row.leading}" if row.leading and row.leading > 1 else ""
    algorithm = clean(row.algorithm or "")
    return {
        "name": shorten(name, _TASKS_LEFT - 8),
        "best": shorten(algorithm, WIDTH - 4 - _TASKS_RIGHT - 8),
        "tip": f"{row.task} ({row.samples:,} rows): best is {algorithm}, scaled error {number(error)}{group}",
        "at": axis.at(error),
        "others": [axis.at(value) for value in values[1:] if axis.holds(value)],
    }


def _errors_description(known: list[tuple[float, BestRow]]) -> str:
    (least, easy), (most, hard) = known[0], known[-1]
    if easy is hard:
        best = clean(easy.algorithm or "")
        return f"On {easy.task} the best entry, {best}, has a scaled error of {number(least)}."
    listed = "; ".join(f"{row.task} {number(error)} ({clean(row.algorithm or '')})" for error, row in known)
    return (
        f"The best entry is furthest from a constant guess on {easy.task}, with a scaled error of "
        f"{number(least)}, and closest to it on {hard.task}, with {number(most)}. "
        f"Scaled error of the best entry of each task: {listed}."
    )
