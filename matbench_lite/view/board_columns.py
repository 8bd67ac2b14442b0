"""The columns of every board, each described once: terminal, CSV, JSON, Markdown, pages and LaTeX show the same.

To add a column to a board, add a `Column` here.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import fields, replace
from typing import Any

from matbench_lite.board import (
    BestRow,
    CompareBoard,
    CompareRow,
    EntryBoard,
    EntryTask,
    GeneralBoard,
    GeneralRow,
    TaskBoard,
    TaskRow,
)
from matbench_lite.metrics import METRICS, ranking_metric
from matbench_lite.tasks import Benchmark, Task
from matbench_lite.text import number, p_value, share
from matbench_lite.view.columns import DATA, EMPTY, PEOPLE, Cell, Column, records
from matbench_lite.view.score_columns import (
    heat,
    interval_bars,
    interval_cell,
    metric_cell,
    scaled_text,
    score_cell,
    typical,
    unit_of,
    unseen_cell,
)

_SHOWN_FIRST = {"rmse", "r2", "rocauc"}
"""The metrics that pages show beside the one that ranks before anybody chooses columns: what a laptop has room for."""
_TIES = "Entries of one letter cannot be told apart over the folds (Nadeau-Bengio, Holm, 5 %); a has the best."
_TIED = "Entries that the test over the folds cannot tell apart from the best."
_OVER_ROWS = "95 % bootstrap interval of the score over test rows; it says nothing about training again."
_UNSEEN = "The same score on test rows whose formula the training part does not have."
_FROM_BEST = "95 % paired bootstrap interval, over test rows, of the score less that of the first."
_P = "P-value of the paired test over the folds against the first (Nadeau-Bengio, Holm)."
_P_PAIR = "P-value of the paired test over the folds (Nadeau-Bengio)."
_PLACES = "95 % interval of the rank: the tasks are drawn again."
_MEAN_RANK = "Mean of the ranks over the tasks of the set, and its 95 % interval: the tasks are drawn again."
_WINNER = "The entry that is ahead, if the test over the folds tells the two apart at 5 %."
_PAIRED = "95 % paired bootstrap interval over test rows; it says nothing about training again."
_ROWS_WON = "Share of the rows on which each has the smaller error."
_SECONDS = "Training time of all folds, where recorded."


def task_columns(board: TaskBoard) -> list[Column]:
    """The leaderboard of one task: entries down."""
    rows = board.rows
    metric = METRICS[board.metric]
    higher = bool(metric.higher_is_better)
    inks = [_ink(row) for row in rows]
    scores = [score_cell(row.score, verified=row.verified, ink=ink) for row, ink in zip(rows, inks, strict=True)]
    about_score = f"{metric.description}; mean ± standard deviation over the folds"
    bars = interval_bars([row.score.mean for row in rows], [row.interval for row in rows], log=not higher)
    about_interval = _OVER_ROWS if higher else f"{_OVER_ROWS} The bars are on a logarithmic scale."
    intervals = [replace(interval_cell(row.interval), before=bar) for row, bar in zip(rows, bars, strict=True)]
    unseen = Column("unseen", "unseen formulas", [unseen_cell(row.unseen, row.score) for row in rows], right=True)
    partly = board.unseen_share is not None and board.unseen_share < 1
    unseen = replace(unseen, unit=f"{share(board.unseen_share)} of rows", outputs=PEOPLE | DATA if partly else DATA)
    differences = [interval_cell(row.difference_interval, sign=True) for row in rows]
    difference = Column("difference", "difference from best", differences, path=("difference_interval",), right=True)
    return [
        Column("rank", "rank", _plain(rows, "rank"), right=True, kind="rank"),
        *_data(rows, "slug"),
        Column("entry", "entry", _plain(rows, "algorithm", inks), path=("algorithm",), kind="name", foreign=True),
        Column("tie", "tie", _plain(rows, "tie_group", inks), path=("tie_group",), kind="tie", note=_TIES),
        replace(_metric_column("score", board.metric, board.unit, scores), note=about_score),
        *_data(rows, "scaled_error"),
        replace(_interval(intervals, down=higher), kind="interval", note=about_interval),
        replace(unseen, note=_UNSEEN, down=higher, spare=2),
        *_data(rows, "difference"),
        replace(difference, unit="95 % interval", note=_FROM_BEST, down=higher, spare=3),
        Column("p", "p", _p_values(rows), right=True, down=True, spare=4, note=_P),
        *_task_metrics(board),
        *_data(rows, "mape_share", "labels_only"),
        _seconds(rows),
        Column("category", "category", _plain(rows, "category"), shown=False, spare=31),
        Column("hardware", "hardware", _plain(rows, "hardware"), shown=False, foreign=True, spare=32),
        *_data(rows, "verified"),
    ]


def _task_metrics(board: TaskBoard) -> Iterator[Column]:
    used = next((row.mape_share for row in board.rows if row.mape_share is not None), None)
    for place, name in enumerate(dict.fromkeys(name for row in board.rows for name in row.metrics)):
        cells = [metric_cell(name, row.metrics.get(name), labels_only=row.labels_only) for row in board.rows]
        column = _metric_column(name, name, board.unit, cells)
        if name == "mape" and used is not None:
            column = replace(column, unit=f"{share(used)} of rows")
        yield replace(column, path=("metrics", name), shown=name in _SHOWN_FIRST, spare=5 + place)


def best_columns(rows: Sequence[BestRow], benchmark: Benchmark) -> list[Column]:
    """The best entry on each task: tasks down."""
    scores = [score_cell(row.score, verified=row.verified) for row in rows]
    tied = [
        Cell(text=f"{row.tied} of {row.others}", value=row.tied) if row.slug else replace(EMPTY, data=row.tied)
        for row in rows
    ]
    samples = [Cell(text=f"{row.samples:,}", value=row.samples) for row in rows]
    return [
        Column("task", "task", _plain(rows, "task"), kind="name"),
        Column("input", "input", _plain([benchmark[row.task] for row in rows], "input"), spare=6),
        Column("rows", "rows", samples, path=("samples",), right=True, spare=3),
        _metrics(rows, spare=1),
        *_data(rows, "unit"),
        Column("score", "best score", scores, right=True),
        *_data(rows, "slug"),
        Column("entry", "best entry", _plain(rows, "algorithm"), path=("algorithm",), kind="entry", foreign=True),
        Column("tied", "tied with it", tied, right=True, spare=2, note=_TIED),
        replace(_scaled_errors(rows), shown=False, spare=4),
        replace(_interval([interval_cell(row.interval) for row in rows]), shown=False, spare=5),
        *_data(rows, "others", "verified"),
    ]


def rank_columns(rows: Sequence[GeneralRow]) -> list[Column]:
    """General-purpose entries down: ranks over a set of tasks."""
    places = [
        EMPTY if place is None else Cell(text=f"{place.low:.0f} to {place.high:.0f}", data=place)
        for place in (row.rank_interval for row in rows)
    ]
    ranks = [
        cell if place is EMPTY else replace(cell, note=f"places (95 %): {place.text}")
        for cell, place in zip(_plain(rows, "rank"), places, strict=True)
    ]
    names = _plain(rows, "algorithm", ["tied" if row.rank == 1 else "" for row in rows])
    about_led = "Tasks of the set on which no ranked entry is better."
    return [
        Column("rank", "rank", ranks, right=True, kind="rank"),
        *_data(rows, "slug"),
        Column("entry", "entry", names, path=("algorithm",), kind="name", foreign=True),
        Column("places", "places", places, path=("rank_interval",), unit="95 %", right=True, spare=1, note=_PLACES),
        Column("mean_rank", "mean rank", [_mean_rank(row) for row in rows], unit="95 %", right=True, note=_MEAN_RANK),
        *_data(rows, "mean_rank_interval"),
        Column("led", "tasks led", _plain(rows, "led"), right=True, down=True, note=about_led),
        Column("category", "category", _plain(rows, "category"), shown=False, spare=2),
    ]


def _mean_rank(row: GeneralRow) -> Cell:
    if row.mean_rank is None or row.mean_rank_interval is None:
        return EMPTY
    low, high = row.mean_rank_interval.low, row.mean_rank_interval.high
    return Cell(text=f"{row.mean_rank:.1f}", small=f"{low:.1f} to {high:.1f}", value=row.mean_rank)


def matrix_columns(board: GeneralBoard, benchmark: Benchmark) -> list[Column]:
    """General-purpose entries down, tasks across: scaled errors."""
    return [_matrix_column(board, task, short_name(benchmark, task.name)) for task in benchmark]


def _matrix_column(board: GeneralBoard, task: Task, header: str) -> Column:
    scored = [row.tasks.get(task.name) for row in board.rows]
    digits = typical([cell.scaled_std for cell in scored if cell is not None])
    cells = [
        EMPTY
        if cell is None
        else Cell(
            text=scaled_text(cell.scaled_error, digits),
            value=cell.scaled_error,
            data=cell,
            ink=_ink(cell),
            heat=heat(cell.scaled_error),
            mark=f"{'*' if cell.best else ' '}{cell.tie_group}",
            stated=not cell.verified,
        )
        for cell in scored
    ]
    note = f"{task.name}: scaled error"
    return Column(task.name, header, cells, path=("tasks", task.name), right=True, kind="heat", note=note)


def compare_columns(rows: Sequence[CompareRow], pair: Sequence[str], names: Mapping[str, str]) -> list[Column]:
    """Two entries, by their slugs, and what entries are called: tasks down; for people, only the rows of the pair."""
    winners = [
        Cell(text=names[row.winner], data=row.winner, ink="tied") if row.winner else Cell(text="tied") for row in rows
    ]
    differences = [interval_cell(row.interval, sign=True) for row in rows]
    difference = Column("difference", "difference", differences, path=("interval",), unit="95 % interval", right=True)
    won = [
        EMPTY if row.first_wins is None else Cell(text=f"{share(row.first_wins)}, {share(row.second_wins)}")
        for row in rows
    ]
    rows_won = Column("rows_won", "rows won", won, unit="first, second", right=True, outputs=PEOPLE)
    return [
        Column("task", "task", _plain(rows, "task"), kind="name"),
        Column("winner", "winner", winners, kind="entry", foreign=True, note=_WINNER),
        _metrics(rows, spare=3),
        *_data(rows, "unit", "first", "second"),
        *(
            Column(slug, names[slug], _compared(rows, slug, path), path=(path,), right=True, spare=2)
            for slug, path in zip(pair, ("first_score", "second_score"), strict=True)
        ),
        *_data(rows, "difference"),
        replace(difference, spare=1, note=_PAIRED),
        Column("p", "p", _p_values(rows), right=True, note=_P_PAIR),
        replace(rows_won, spare=4, note=_ROWS_WON),
        *_data(rows, "first_wins", "second_wins", "ahead", "verified"),
    ]


def _compared(rows: Sequence[CompareRow], slug: str, score: str) -> list[Cell]:
    inks = ["tied" if row.ahead == slug else "" for row in rows]
    return [
        score_cell(getattr(row, score), verified=row.verified, ink=ink) for row, ink in zip(rows, inks, strict=True)
    ]


def entry_columns(board: EntryBoard, boards: Mapping[str, TaskBoard]) -> Iterator[Column]:
    """One entry, and the leaderboards of its tasks by name: its tasks down."""
    rows = board.rows
    places = [next((each for each in boards[row.task].rows if each.slug == board.slug), None) for row in rows]
    ranks = [
        EMPTY
        if place is None
        else Cell(text=str(place.rank), value=place.rank, small=f"of {len(boards[row.task].rows)}")
        for row, place in zip(rows, places, strict=True)
    ]
    ties = [EMPTY if place is None else Cell(text=place.tie_group, ink=_ink(place)) for place in places]
    scores = [
        score_cell(row.score, verified=row.verified)
        if row.score
        else Cell(text=f"{len(row.folds)} folds recorded", value=float("nan"))
        for row in rows
    ]
    yield Column("task", "task", _plain(rows, "task"), kind="name")
    yield Column("rank", "rank", ranks, right=True, note="Among all entries that have the task.")
    yield Column("tie", "tie", ties, kind="tie", note=_TIES)
    yield _metrics(rows)
    yield Column("score", "score", scores, right=True, note="Mean ± standard deviation over the folds.")
    yield _interval([interval_cell(row.interval) for row in rows])
    yield _scaled_errors(rows)
    yield Column("unseen", "unseen formulas", [_unseen(row) for row in rows], right=True, spare=1, note=_UNSEEN)
    ranking = {row.metric for row in rows}
    for name, metric in METRICS.items():
        if "entry" in metric.shown and name not in ranking and any(name in row.metrics for row in rows):
            cells = [
                metric_cell(name, row.metrics.get(name), labels_only=row.predictions == "label")
                if _kind(row) in metric.kinds
                else EMPTY
                for row in rows
            ]
            yield replace(_metric_column(name, name, "", cells), unit="", down=False, shown=name in _SHOWN_FIRST)
    yield replace(_seconds(rows), shown=True)


def _unseen(row: EntryTask) -> Cell:
    if row.unseen is None or row.score is None:
        return EMPTY
    return replace(unseen_cell(row.unseen, row.score), small=f"{share(row.unseen_share)} of rows")


def _kind(row: EntryTask) -> str:
    return "classification" if row.metric == ranking_metric("classification") else "regression"


def board_document(board: TaskBoard | GeneralBoard | CompareBoard, benchmark: Benchmark) -> dict[str, Any]:
    """A board for a machine: what is said of it, and its rows as their columns have them."""
    document = {"headline": board.headline, **{field.name: getattr(board, field.name) for field in fields(board)}}
    if isinstance(board, GeneralBoard):
        document["best"] = records(best_columns(board.best, benchmark))
    return document | {"rows": records(all_columns(board, benchmark))}


def all_columns(board: TaskBoard | GeneralBoard | CompareBoard, benchmark: Benchmark) -> list[Column]:
    """All columns of all rows of a board."""
    if isinstance(board, TaskBoard):
        return task_columns(board)
    if isinstance(board, GeneralBoard):
        return [*rank_columns(board.rows), *matrix_columns(board, benchmark)]
    return compare_columns(board.rows, board.slugs[:2], {slug: slug for slug in board.slugs})


def short_name(benchmark: Benchmark, task: str) -> str:
    """The name of a task without what all names of the benchmark begin with.

    Examples:
        >>> from matbench_lite import load_benchmark
        >>> short_name(load_benchmark("mini"), "mini_log_kvrh")
        'log kvrh'
    """
    first = benchmark.names[0].partition("_")[0] + "_"
    shared = all(name.startswith(first) and name != first for name in benchmark.names)
    return (task.removeprefix(first) if shared else task).replace("_", " ")


def _plain(rows: Sequence[Any], name: str, inks: Sequence[str] = ()) -> list[Cell]:
    """A field of records, shown as it is."""
    values = [getattr(row, name) for row in rows]
    return [
        EMPTY if value is None else Cell(text=str(value), value=value, ink=ink)
        for value, ink in zip(values, inks or [""] * len(rows), strict=True)
    ]


def _data(rows: Sequence[Any], *names: str) -> Iterator[Column]:
    """Fields of records that only machines read."""
    for name in names:
        yield Column(name, name, [Cell(text="", value=getattr(row, name)) for row in rows], outputs=DATA)


def _ink(row: Any) -> str:
    return "tied" if row.tie_group == "a" else ""


def _metric_column(key: str, metric: str, unit: str, cells: Sequence[Cell]) -> Column:
    """A metric, with its unit; of one without, its remark."""
    record = METRICS[metric]
    unit = unit_of(metric, unit) or record.remark
    down = bool(record.higher_is_better)
    return Column(key, record.label, cells, unit=unit, note=record.description, right=True, down=down)


def _metrics(rows: Sequence[BestRow | CompareRow | EntryTask], spare: int = 0) -> Column:
    cells = [Cell(text=METRICS[row.metric].label, data=row.metric, small=unit_of(row.metric, row.unit)) for row in rows]
    return Column("metric", "metric", cells, unit="unit", spare=spare)


def _interval(cells: Sequence[Cell], *, down: bool = False) -> Column:
    return Column("interval", "95 % interval", cells, right=True, down=down, spare=1, note=_OVER_ROWS)


def _scaled_errors(rows: Sequence[BestRow | EntryTask]) -> Column:
    values = [row.scaled_error for row in rows]
    cells = [Cell(text=scaled_text(value), value=value, heat=heat(value)) for value in values]
    note = "0 is perfect, 1 is a constant guess."
    return Column("scaled_error", "scaled error", cells, right=True, kind="heat", note=note)


def _p_values(rows: Sequence[TaskRow | CompareRow]) -> list[Cell]:
    return [Cell(text=p_value(row.p), value=row.p) for row in rows]


def _seconds(rows: Sequence[TaskRow | EntryTask]) -> Column:
    cells = [Cell(text=number(row.seconds, None), value=row.seconds) for row in rows]
    return Column("seconds", "training", cells, unit="s", right=True, shown=False, spare=30, note=_SECONDS)
