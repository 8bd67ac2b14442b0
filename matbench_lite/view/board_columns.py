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
from matbench_lite.submission import Reproduced
from matbench_lite.tasks import Benchmark, Task
from matbench_lite.text import ends, number, share
from matbench_lite.view.columns import EMPTY, PEOPLE, Cell, Column, column_of_numbers, data_columns, records
from matbench_lite.view.place_columns import (
    difference_column,
    ink,
    p_column,
    places_column,
    verdict_column,
    word_column,
)
from matbench_lite.view.score_columns import (
    entry_subset_columns,
    heat,
    interval_bars,
    interval_cell,
    metric_cell,
    places_cell,
    pooled_columns,
    scaled_text,
    score_cell,
    subset_columns,
    typical,
    unit_of,
)

_SHOWN_FIRST = {"crps"}
"""The metrics that pages show beside the one that ranks before anybody chooses columns: what a laptop has room for."""
_LEADING = "Entries that are not told apart from the best, or are equivalent to it; the best is counted, too."
_FOR_THESE = (
    "95 % interval of the score on other materials like these, for these trained models (bootstrap by cluster)."
)
_GEOMETRIC_MEAN = (
    "Geometric mean of the scaled errors over the tasks of the set, each at least 0.001, and its 95 % interval on "
    "other tasks like these. It ranks, and follows from the entry alone."
)
_PLACES_OVER = "First and last place, at 95 %, if the tasks are drawn again for all entries; there from ten tasks on."
_MEAN_RANK = "Mean of the ranks over the tasks of the set, among the ranked entries: other entries can move it."
_ROWS_WON = "Share of the rows on which each has the smaller error."
_REPRODUCED = "Whether its code, trained again by a maintainer, made its predictions."
_SECONDS = "Training time of all folds, where recorded."


def task_columns(board: TaskBoard) -> list[Column]:
    """The leaderboard of one task: entries down."""
    rows = board.rows
    metric = METRICS[board.metric]
    higher = bool(metric.higher_is_better)
    scores = [score_cell(row.score, verified=row.verified, ink=ink(row.leading)) for row in rows]
    about_score = f"{metric.description}; mean ± standard deviation over the folds"
    bars = interval_bars([row.score.mean for row in rows], [row.interval for row in rows], log=not higher)
    about_interval = _FOR_THESE if higher else f"{_FOR_THESE} The bars are on a logarithmic scale."
    intervals = [replace(interval_cell(row.interval), before=bar) for row, bar in zip(rows, bars, strict=True)]
    differences = [row.difference_interval for row in rows]
    return [
        Column("rank", "rank", _plain(rows, "rank"), right=True, kind="rank"),
        *data_columns(rows, "slug"),
        _names(rows, [row.leading for row in rows]),
        places_column(rows),
        *data_columns(rows, "first_place", "last_place", "leading", "wide", "reference"),
        replace(_metric_column("score", board.metric, board.unit, scores), note=about_score),
        *data_columns(rows, "scaled_error"),
        replace(_interval(intervals, down=higher), kind="interval", note=about_interval),
        *subset_columns(rows),
        *data_columns(rows, "difference"),
        difference_column(differences, path="difference_interval", down=higher, spare=2),
        word_column(rows),
        p_column([row.p for row in rows], down=True, shown=False, spare=29),
        *_task_metrics(board),
        *pooled_columns(rows),
        *data_columns(rows, "mape_share", "mape_half_rows", "constant_std", "labels_only"),
        _seconds(rows),
        Column("category", "category", _plain(rows, "category"), shown=False, spare=31),
        Column("hardware", "hardware", _plain(rows, "hardware"), shown=False, foreign=True, spare=32),
        reproduced_column([row.reproduced for row in rows], shown=False, spare=30),
        *data_columns(rows, "verified"),
    ]


def _task_metrics(board: TaskBoard) -> Iterator[Column]:
    used = next((row.mape_share for row in board.rows if row.mape_share is not None), None)
    for place, name in enumerate(dict.fromkeys(name for row in board.rows for name in row.metrics)):
        cells = [metric_cell(name, row, labels_only=row.labels_only) for row in board.rows]
        column = _metric_column(name, name, board.unit, cells)
        if name == "mape" and used is not None:
            column = replace(column, unit=f"{share(used)} of rows")
        yield replace(column, path=("metrics", name), shown=name in _SHOWN_FIRST, spare=5 + place)


def best_columns(rows: Sequence[BestRow], benchmark: Benchmark) -> list[Column]:
    """The best entry on each task: tasks down."""
    scores = [score_cell(row.score, verified=row.verified) for row in rows]
    leading = [
        EMPTY
        if row.leading is None
        else Cell(
            text=f"{row.leading} of {row.others + 1}", value=row.leading, small=f"{row.wide} wide" if row.wide else ""
        )
        for row in rows
    ]
    return [
        Column("task", "task", _plain(rows, "task"), kind="name"),
        Column("input", "input", _plain([benchmark[row.task] for row in rows], "input"), spare=6),
        column_of_numbers("rows", [row.samples for row in rows], path=("samples",), spare=3),
        _metrics(rows, spare=1),
        *data_columns(rows, "unit"),
        Column("score", "best score", scores, right=True),
        *data_columns(rows, "slug"),
        Column("entry", "best entry", _plain(rows, "algorithm"), path=("algorithm",), kind="entry", foreign=True),
        Column("leading", "leading group", leading, right=True, spare=2, note=_LEADING),
        replace(_scaled_errors(rows), shown=False, spare=4),
        replace(_interval([interval_cell(row.interval) for row in rows]), shown=False, spare=5),
        *data_columns(rows, "wide", "others", "verified"),
    ]


def rank_columns(rows: Sequence[GeneralRow]) -> list[Column]:
    """General-purpose entries down: ranks over a set of tasks."""
    means = [
        Cell(
            text=scaled_text(row.geometric_mean),
            value=row.geometric_mean,
            small=ends(row.interval) if row.interval else "",
        )
        for row in rows
    ]
    mean = Column("geometric_mean", "scaled error", means, unit="geometric mean, 95 %", right=True)
    places = [places_cell(row.first_place, row.last_place) for row in rows]
    between = Column("places", "places", places, unit="95 %", kind="places", outputs=PEOPLE, spare=1)
    about_led = "Tasks of the set on which no ranked entry is better."
    mean_ranks = [
        EMPTY if row.mean_rank is None else Cell(text=f"{row.mean_rank:.1f}", value=row.mean_rank) for row in rows
    ]
    return [
        Column("rank", "rank", _plain(rows, "rank"), right=True, kind="rank"),
        *data_columns(rows, "slug"),
        _names(rows, [row.rank == 1 for row in rows]),
        replace(mean, note=_GEOMETRIC_MEAN),
        *data_columns(rows, "interval"),
        replace(between, note=_PLACES_OVER),
        *data_columns(rows, "first_place", "last_place"),
        Column("mean_rank", "mean rank", mean_ranks, right=True, spare=1, note=_MEAN_RANK),
        Column("led", "tasks led", _plain(rows, "led"), right=True, down=True, spare=1, note=about_led),
        *data_columns(rows, "reference"),
        Column("category", "category", _plain(rows, "category"), shown=False, spare=2),
        reproduced_column([row.reproduced for row in rows], shown=False, spare=3),
    ]


def matrix_columns(board: GeneralBoard, benchmark: Benchmark) -> list[Column]:
    """General-purpose entries down, tasks across: scaled errors."""
    return [_matrix_column(board, task, short_name(benchmark, task.name)) for task in benchmark]


def _matrix_column(board: GeneralBoard, task: Task, header: str) -> Column:
    scored = [(row.tasks.get(task.name), row.reference) for row in board.rows]
    digits = typical([cell.scaled_std for cell, _ in scored if cell is not None])
    cells = [
        EMPTY
        if cell is None
        else Cell(
            text=scaled_text(cell.scaled_error, digits),
            value=cell.scaled_error,
            data=cell,
            ink=ink(cell.leading),
            heat=None if is_reference else heat(cell.scaled_error),
            mark="*" if cell.best else "~" if cell.wide else "=" if cell.leading else "",
            stated=not cell.verified,
        )
        for cell, is_reference in scored
    ]
    note = f"{task.name}: scaled error"
    return Column(task.name, header, cells, path=("tasks", task.name), right=True, kind="heat", note=note)


def compare_columns(rows: Sequence[CompareRow], pair: Sequence[str], names: Mapping[str, str]) -> list[Column]:
    """Two entries, by their slugs, and what entries are called: tasks down; for people, only the rows of the pair."""
    winners = [(row.winner, names[row.winner]) if row.winner else None for row in rows]
    won = [
        EMPTY if row.first_wins is None else Cell(text=f"{share(row.first_wins)}, {share(row.second_wins)}")
        for row in rows
    ]
    rows_won = Column("rows_won", "rows won", won, unit="first, second", right=True, outputs=PEOPLE)
    return [
        Column("task", "task", _plain(rows, "task"), kind="name"),
        verdict_column([row.word for row in rows], winners),
        *data_columns(rows, "word"),
        _metrics(rows, spare=3),
        *data_columns(rows, "unit", "first", "second"),
        *(
            Column(slug, names[slug], _compared(rows, slug, path), path=(path,), right=True, spare=2)
            for slug, path in zip(pair, ("first_score", "second_score"), strict=True)
        ),
        *data_columns(rows, "difference"),
        difference_column([row.interval for row in rows], path="interval", than="second"),
        p_column([row.p for row in rows]),
        replace(rows_won, spare=4, note=_ROWS_WON),
        *data_columns(rows, "first_wins", "second_wins", "ahead", "verified"),
    ]


def _compared(rows: Sequence[CompareRow], slug: str, score: str) -> list[Cell]:
    inks = ["leading" if row.winner == slug else "" for row in rows]
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
    scores = [
        score_cell(row.score, verified=row.verified)
        if row.score
        else Cell(text=f"{len(row.folds)} folds recorded", value=float("nan"))
        for row in rows
    ]
    yield Column("task", "task", _plain(rows, "task"), kind="name")
    yield Column("rank", "rank", ranks, right=True, note="Among all entries that have the task.")
    yield places_column(places, spare=1)
    yield word_column(places)
    yield _metrics(rows)
    yield Column("score", "score", scores, right=True, note="Mean ± standard deviation over the folds.")
    yield _interval([interval_cell(row.interval) for row in rows])
    yield _scaled_errors(rows)
    yield from entry_subset_columns(rows)
    ranking = {row.metric for row in rows}
    for name, metric in METRICS.items():
        if "entry" in metric.shown and name not in ranking and any(name in row.metrics for row in rows):
            cells = [
                metric_cell(name, row, labels_only=row.predictions == "label") if _kind(row) in metric.kinds else EMPTY
                for row in rows
            ]
            yield replace(_metric_column(name, name, "", cells), unit="", down=False, shown=name in _SHOWN_FIRST)
    yield replace(_seconds(rows), shown=True)


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


def reproduced_column(found: Sequence[Reproduced | None], **about: Any) -> Column:
    """What came of training the code of entries again: on pages with the date, for machines all of it."""
    cells = [
        EMPTY
        if one is None
        else Cell(text=one.verdict, value=one.verdict, data=one, small=one.date, note=reproduced_words(one))
        for one in found
    ]
    return Column("reproduced", "reproduced", cells, note=_REPRODUCED, **about)


def reproduced_words(found: Reproduced) -> str:
    """What was trained again, in words.

    Examples:
        >>> folds, digest = "matbench_steels fold 3", "a1b2" * 16
        >>> reproduced_words(Reproduced(verdict="equal", date="2026-11-19", folds=folds, values_sha256=digest))
        'matbench_steels fold 3 on 2026-11-19; predictions a1b2a1b2a1b2'
    """
    return f"{found.folds} on {found.date}; predictions {found.values_sha256[:12]}"


def _plain(rows: Sequence[Any], name: str) -> list[Cell]:
    """A field of records, shown as it is."""
    values = [getattr(row, name) for row in rows]
    return [EMPTY if value is None else Cell(text=str(value), value=value) for value in values]


def _names(rows: Sequence[TaskRow | GeneralRow], leading: Sequence[bool]) -> Column:
    cells = [
        replace(cell, ink=ink(leads), small="constant guess" if row.reference else "")
        for row, cell, leads in zip(rows, _plain(rows, "algorithm"), leading, strict=True)
    ]
    return Column("entry", "entry", cells, path=("algorithm",), kind="name", foreign=True)


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
    return Column("interval", "95 % interval", cells, right=True, down=down, spare=1, note=_FOR_THESE)


def _scaled_errors(rows: Sequence[BestRow | EntryTask]) -> Column:
    values = [row.scaled_error for row in rows]
    cells = [Cell(text=scaled_text(value), value=value, heat=heat(value)) for value in values]
    note = "0 is perfect, 1 is a constant guess."
    return Column("scaled_error", "scaled error", cells, right=True, kind="heat", note=note)


def _seconds(rows: Sequence[TaskRow | EntryTask]) -> Column:
    cells = [Cell(text=number(row.seconds, None), value=row.seconds) for row in rows]
    return Column("seconds", "training", cells, unit="s", right=True, shown=False, spare=30, note=_SECONDS)
