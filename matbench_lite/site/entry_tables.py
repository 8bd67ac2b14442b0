"""Tables on the page of an entry: its scores, its folds, its worst rows."""

from __future__ import annotations

from collections.abc import Iterator

from matbench_lite.board import EntryBoard, EntryTask
from matbench_lite.digits import number, share, spread
from matbench_lite.metrics import (
    METRICS,
    ranking_metric,
)
from matbench_lite.site import addresses
from matbench_lite.site.score_columns import (
    SHOWN_FIRST,
    header_of,
    interval_cell,
    metric_cell,
    scaled_text,
    unit_of,
    unseen_cell,
)
from matbench_lite.site.site import Site
from matbench_lite.site.tables import EMPTY, Cell, Column, Table, heat
from matbench_lite.tasks import Task


def score_table(site: Site, board: EntryBoard, page: str) -> Table:
    """All tasks of the entry."""
    return Table(
        id="scores",
        label=f"Scores of {board.slug}",
        columns=list(_score_columns(site, board, page)),
        empty="No task is recorded.",
    )


def _score_columns(site: Site, board: EntryBoard, page: str) -> Iterator[Column]:
    rows = board.rows
    places = [site.places[row.task].get(board.slug) for row in rows]
    boards = [addresses.relative(addresses.task_page(row.task), page) for row in rows]
    names = [Cell(text=row.task, value=row.task, link=f"#{addresses.file_name(row.task)}") for row in rows]
    yield Column(key="task", header="task", cells=names, kind="name")
    yield Column(
        key="rank",
        header="rank",
        note="Among all entries that have the task.",
        cells=[
            EMPTY
            if place is None
            else Cell(text=str(place.rank), small=f"of {len(site.boards[row.task].rows)}", link=link)
            for row, place, link in zip(rows, places, boards, strict=True)
        ],
        right=True,
    )
    yield Column(
        key="tie",
        header="tie",
        kind="tie",
        note="Entries of one letter cannot be told apart over the folds; a has the best.",
        cells=[
            EMPTY if place is None else Cell(text=place.tie_group, ink="tied" if place.tie_group == "a" else "")
            for place in places
        ],
    )
    yield Column(
        key="metric",
        header="metric",
        unit="unit",
        cells=[Cell(text=header_of(row.metric), small=unit_of(row.metric, row.unit)) for row in rows],
    )
    yield Column(
        key="score",
        header="score",
        note="Mean ± standard deviation over the folds.",
        cells=[
            Cell(text=f"{len(row.folds)} folds recorded", value="")
            if row.score is None
            else Cell(text=spread(row.score), value=row.score.mean, stated=not row.verified)
            for row in rows
        ],
        right=True,
    )
    if any(row.interval for row in rows):
        yield Column(
            key="interval",
            header="95 % interval",
            note="95 % bootstrap interval of the score over test rows.",
            cells=[interval_cell(row.interval) for row in rows],
            right=True,
        )
    yield Column(
        key="scaled_error",
        header="scaled error",
        note="0 is perfect, 1 is a constant guess.",
        kind="heat",
        cells=[
            Cell(text=scaled_text(row.scaled_error), value=row.scaled_error, heat=heat(row.scaled_error))
            for row in rows
        ],
        right=True,
    )
    if any(row.unseen for row in rows):
        yield Column(
            key="unseen",
            header="unseen formulas",
            note="The same score on test rows whose formula the training part does not have.",
            cells=[
                EMPTY if row.unseen is None or row.score is None else _unseen(row, unseen_cell(row.unseen, row.score))
                for row in rows
            ],
            right=True,
        )
    yield from _other_metrics(board)


def _unseen(row: EntryTask, cell: Cell) -> Cell:
    return Cell(text=cell.text, value=cell.value, small=f"{share(row.unseen_share)} of rows")


def _other_metrics(board: EntryBoard) -> Iterator[Column]:
    rows = board.rows
    ranking = {row.metric for row in rows}
    for metric, about in METRICS.items():
        if "entry" not in about.shown or metric in ranking or not any(metric in row.metrics for row in rows):
            continue
        yield Column(
            key=metric,
            header=header_of(metric),
            note=about.description,
            cells=[
                metric_cell(metric, row.metrics.get(metric), labels_only=row.predictions == "label")
                if _kind(row) in about.kinds
                else EMPTY
                for row in rows
            ],
            right=True,
            shown=metric in SHOWN_FIRST,
        )
    if any(row.seconds is not None for row in rows):
        yield Column(
            key="seconds",
            header="training",
            unit="s",
            cells=[Cell(text=number(row.seconds, None), value=row.seconds) for row in rows],
            right=True,
        )


def _kind(row: EntryTask) -> str:
    return "classification" if row.metric == ranking_metric("classification") else "regression"


def worst_table(task: Task, row: EntryTask) -> Table | None:
    """The rows with the largest errors; None where nothing is known, or nothing is wrong."""
    if row.anatomy is None or not row.anatomy.worst:
        return None
    worst = row.anatomy.worst
    unit = unit_of("mae", task.unit) if task.kind == "regression" else ""
    columns = [
        Column(key="formula", header="formula", cells=[Cell(text=item.formula) for item in worst], kind="name"),
        Column(key="id", header="row", cells=[Cell(text=item.id) for item in worst]),
        Column(key="fold", header="fold", cells=[Cell(text=str(item.fold)) for item in worst], right=True),
        Column(key="target", header="true", unit=unit, cells=[_number(item.target) for item in worst], right=True),
        Column(
            key="prediction",
            header="predicted",
            unit=unit,
            cells=[_number(item.prediction) for item in worst],
            right=True,
        ),
        Column(key="error", header="error", unit=unit, cells=[_number(item.error) for item in worst], right=True),
    ]
    return Table(id=f"worst-{_id(task)}", label=f"Largest errors on {task.name}", columns=columns, tools=False)


def fold_table(task: Task, row: EntryTask) -> Table:
    """Every metric of every fold."""
    folds = row.folds
    columns = [Column(key="fold", header="fold", cells=[Cell(text=str(fold.fold)) for fold in folds], kind="name")]
    for metric in (name for name in METRICS if METRICS[name].shown and any(name in fold.metrics for fold in folds)):
        values = [fold.metrics.get(metric) for fold in folds]
        columns.append(
            Column(
                key=metric,
                header=header_of(metric),
                unit=unit_of(metric, task.unit),
                cells=[EMPTY if value is None else _number(value) for value in values],
                right=True,
            )
        )
    for key, header, unit in (("seconds", "training", "s"), ("peak_memory_mb", "memory", "MB")):
        values = [getattr(fold, key) for fold in folds]
        if any(value is not None for value in values):
            cells = [Cell(text=number(value, None), value=value) for value in values]
            columns.append(Column(key=key, header=header, unit=unit, cells=cells, right=True))
    return Table(id=f"folds-{_id(task)}", label=f"Folds of {task.name}", columns=columns, tools=False)


def _number(value: float) -> Cell:
    return Cell(text=f"{value:.4g}")


def _id(task: Task) -> str:
    return addresses.file_name(task.name)
