"""Who is ahead on a task, and is it certain? Scores with their intervals."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from matbench_lite.board import TaskBoard, TaskRow
from matbench_lite.metrics import METRICS, metric_name
from matbench_lite.site.plots.axis import Axis, score_axis
from matbench_lite.site.plots.figure import WIDTH, Plot, draw
from matbench_lite.site.plots.words import axis_label, clean, count, in_words, number, rounded, shorten, with_unit

MOST = 30
"""So many entries are drawn; a table holds them all."""
_LEFT, _RIGHT, _TOP, _ROW = 164, 404, 26, 24
_NAME_ROOM = 136


@dataclass(frozen=True, kw_only=True)
class _Row:
    """One entry, as it is drawn, in pixels; `beyond` is -1 or 1 where its score is left or right of the axis."""

    y: float
    name: str
    group: str
    value: str
    tip: str
    first: bool
    at: float
    beyond: int
    bar: tuple[float, float] | None
    folds: tuple[float, ...]


def error_bars(board: TaskBoard, by_fold: Mapping[str, Sequence[float]] | None = None) -> Plot | None:
    """Draw the entries of a task by rank: score, 95 % interval, folds, tie group.

    Args:
        board: The leaderboard of the task.
        by_fold: The score of each fold by slug, in the unit of the metric; left out, the folds are not drawn.

    Returns:
        The plot; None if the board is empty.

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
    rows = board.rows[:MOST]
    if not rows:
        return None
    folds = by_fold or {}
    axis = score_axis([value for row in rows for value in _numbers(row, folds)], _LEFT, _RIGHT)
    metric = metric_name(board.metric, "")
    drawn = [
        _row(row, axis, tuple(folds.get(row.slug, ())), metric, board.unit, _TOP + _ROW * (place + 0.5))
        for place, row in enumerate(rows)
    ]
    bottom = _TOP + _ROW * len(drawn)
    return draw(
        "error_bars",
        height=bottom + 46,
        title="Who is ahead, and is it certain?",
        caption=_caption(board, bool(folds)),
        description=_description(board, metric),
        rows=drawn,
        axis=axis,
        axis_name=axis_label(metric, board.unit if METRICS[board.metric].in_target_unit else "", log=axis.log),
        metric=metric,
        top=_TOP,
        bottom=bottom,
        right=WIDTH - 4,
        band=drawn[0].bar,
    )


def _row(row: TaskRow, axis: Axis, folds: tuple[float, ...], metric: str, unit: str, y: float) -> _Row:
    value = rounded(row.score.mean, row.score.std)
    interval = row.interval
    return _Row(
        y=y,
        name=shorten(row.algorithm, _NAME_ROOM),
        group=row.tie_group,
        value=value,
        tip=_tip(row, metric, unit, folds),
        first=row.tie_group == "a",
        at=axis.at(row.score.mean),
        beyond=(row.score.mean > axis.high) - (row.score.mean < axis.low),
        bar=(axis.at(interval.low), axis.at(interval.high)) if interval else None,
        folds=tuple(axis.at(fold) for fold in folds),
    )


def _numbers(row: TaskRow, folds: Mapping[str, Sequence[float]]) -> list[float]:
    ends = [row.interval.low, row.interval.high] if row.interval else []
    return [row.score.mean, *ends, *folds.get(row.slug, ())]


def _tip(row: TaskRow, metric: str, unit: str, folds: Sequence[float]) -> str:
    parts = [f"{clean(row.algorithm)}: {metric} {with_unit(rounded(row.score.mean, row.score.std), unit)}"]
    if row.interval:
        half = (row.interval.high - row.interval.low) / 2
        parts.append(f"95 % interval {rounded(row.interval.low, half)} to {rounded(row.interval.high, half)}")
    if folds:
        parts.append(f"folds {', '.join(number(fold) for fold in folds)}")
    return f"{'; '.join(parts)}; rank {row.rank}, tie group {row.tie_group}"


def _caption(board: TaskBoard, folds: bool) -> str:
    parts = ["Dot: mean over the folds."]
    if any(row.interval for row in board.rows):
        parts.append("Bar: its 95 % interval over test rows (bootstrap).")
    if folds:
        parts.append("Small dots: the folds.")
    parts.append(
        "Entries with the same letter cannot be told apart (corrected paired t-test over the folds, 5 %); "
        "those tied with the best are blue."
    )
    if len(board.rows) > MOST:
        parts.append(f"The first {MOST} of {len(board.rows)} entries; the table has them all.")
    return " ".join(parts)


def _description(board: TaskBoard, metric: str) -> str:
    first, last = board.rows[0], board.rows[-1]
    best = "highest" if METRICS[board.metric].higher_is_better else "lowest"
    text = f"On {board.task}, {clean(first.algorithm)} has the {best} {metric}, {_score(first, board.unit)}"
    if first.interval:
        half = (first.interval.high - first.interval.low) / 2
        text += f", 95 % interval {rounded(first.interval.low, half)} to {rounded(first.interval.high, half)}"
    tied = [clean(row.algorithm) for row in board.rows[1:] if row.tie_group == "a"]
    if len(board.rows) == 1:
        return f"{text}. It is the only entry."
    if tied:
        named = in_words(tied) if len(tied) <= 5 else count(len(tied), "other entr").replace("entrs", "entries")
        text += f". Not told apart from it: {named}"
    else:
        text += ". It is told apart from all others"
    return f"{text}. Last of {len(board.rows)} is {clean(last.algorithm)} with {_score(last, board.unit)}."


def _score(row: TaskRow, unit: str) -> str:
    return with_unit(rounded(row.score.mean, row.score.std), unit)
