"""The page of a task: what is the best for my property, and is it really better?"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from markupsafe import Markup

from matbench_lite.board import TaskBoard, TaskRow, history, read_rows, targets_state
from matbench_lite.data import derived_directory
from matbench_lite.derived import Shelf, key
from matbench_lite.digits import number, p_value, share, spread
from matbench_lite.metrics import METRICS
from matbench_lite.site import addresses, plots
from matbench_lite.site.bars import interval_bars
from matbench_lite.site.entry_columns import entries_table, name_column
from matbench_lite.site.files import File
from matbench_lite.site.plots.words import has_unit, plain_unit
from matbench_lite.site.score_columns import (
    SHOWN_FIRST,
    header_of,
    interval_cell,
    metric_cell,
    unit_of,
    unseen_cell,
)
from matbench_lite.site.site import Site
from matbench_lite.site.tables import EMPTY, Cell, Column, Table
from matbench_lite.site.templating import page
from matbench_lite.tasks import Task


def publish(site: Site) -> Iterator[File]:
    """One page per task."""
    for task in site.benchmark:
        address = addresses.task_page(task.name)
        yield File(addresses.source(address), _page(site, task, address))


def _page(site: Site, task: Task, address: str) -> str:
    board = site.boards[task.name]
    return page(
        "task.md.j2",
        address=address,
        title=task.name,
        hide=("toc",),
        site=site,
        task=task,
        unit=plain_unit(task.unit) if has_unit(task.unit) else "",
        board=board,
        table=task_table(site, task, address),
        error_bars=plots.error_bars(board, _by_fold(site, task)),
        dataset=_dataset_plots(task),
        progress=plots.best_by_date(history(site.results, task)),
        share=share,
        guide=site.guide("statistics.md"),
    )


def _dataset_plots(task: Task) -> list[Markup]:
    """What the data looks like; kept, because no entry changes it, and empty without targets."""
    state = targets_state(task)
    if state is None:
        return []

    shelf, name = Shelf(derived_directory() / task.benchmark, "dataset-plots", __name__), key(state.digest, repr(task))
    if shelf.missing([name]):
        rows = read_rows(task, state.digest)
        drawn = (plots.target_histogram(task, rows.targets), plots.element_prevalence(task, rows.formulas))
        shelf.put({name: [plot.__html__() for plot in drawn if plot is not None]})
    return [Markup(text) for text in shelf.get(name)]


def task_table(site: Site, task: Task, page: str) -> Table:
    """The leaderboard of one task."""
    slugs = [row.slug for row in site.boards[task.name].rows]
    return entries_table(
        site,
        slugs,
        page,
        task=task.name,
        id="board",
        label=f"Leaderboard of {task.name}",
        columns=list(_columns(site, task, page)),
        data=addresses.relative(addresses.task_csv(task.name), page),
        empty="No entry has recorded all folds of this task yet.",
    )


def _columns(site: Site, task: Task, page: str) -> Iterator[Column]:
    board = site.boards[task.name]
    rows = board.rows
    yield Column(key="rank", header="rank", cells=[Cell(text=str(row.rank)) for row in rows], right=True, kind="rank")
    yield name_column(site, [row.slug for row in rows], page)
    yield Column(
        key="tie",
        header="tie",
        kind="tie",
        note="Entries of one letter cannot be told apart over the folds (Nadeau-Bengio, Holm, 5 %); a has the best.",
        cells=[Cell(text=row.tie_group, ink=_ink(row)) for row in rows],
    )
    yield Column(
        key="score",
        header=header_of(board.metric),
        unit=unit_of(board.metric, board.unit),
        note=f"{METRICS[board.metric].description}; mean ± standard deviation over the folds",
        cells=[
            Cell(text=spread(row.score), value=row.score.mean, ink=_ink(row), stated=not row.verified) for row in rows
        ],
        right=True,
        down=_higher(board),
    )
    if any(row.interval for row in rows):
        yield _interval_column(board)
    if board.unseen_share is not None and board.unseen_share < 1:
        yield Column(
            key="unseen",
            header="unseen formulas",
            unit=f"{share(board.unseen_share)} of rows",
            note="The same score on test rows whose formula the training part does not have.",
            cells=[unseen_cell(row.unseen, row.score) for row in rows],
            right=True,
            down=_higher(board),
        )
    yield from _difference_columns(board)
    for metric in dict.fromkeys(name for row in rows for name in row.metrics):
        yield _metric_column(board, metric)
    yield from _cost_columns(board)


def _interval_column(board: TaskBoard) -> Column:
    rows = board.rows
    bars = interval_bars([row.score.mean for row in rows], [row.interval for row in rows], log=not _higher(board))
    scale = "" if _higher(board) else " The bars are on a logarithmic scale."
    return Column(
        key="interval",
        header="95 % interval",
        note=f"95 % bootstrap interval of the score over test rows; it says nothing about training again.{scale}",
        cells=[replace(interval_cell(row.interval), before=bar) for row, bar in zip(rows, bars, strict=True)],
        right=True,
        kind="interval",
        down=_higher(board),
    )


def _difference_columns(board: TaskBoard) -> Iterator[Column]:
    rows = board.rows
    if any(row.difference_interval for row in rows):
        yield Column(
            key="difference",
            header="less the first",
            unit="95 % interval",
            note="95 % paired bootstrap interval, over test rows, of the score less that of the first.",
            cells=[interval_cell(row.difference_interval, sign=True) for row in rows],
            right=True,
            down=_higher(board),
        )
    yield Column(
        key="p",
        header="p",
        note="P-value of the paired test over the folds against the first (Nadeau-Bengio, Holm).",
        cells=[Cell(text=p_value(row.p), value=row.p) for row in rows],
        right=True,
        down=True,
    )


def _metric_column(board: TaskBoard, metric: str) -> Column:
    about = METRICS[metric]
    used = next((row.mape_share for row in board.rows if row.mape_share is not None), None)
    return Column(
        key=metric,
        header=header_of(metric),
        unit=unit_of(metric, board.unit),
        note=about.description + (f"; {share(used)} of the rows" if metric == "mape" and used is not None else ""),
        cells=[metric_cell(metric, row.metrics.get(metric), labels_only=row.labels_only) for row in board.rows],
        right=True,
        shown=metric in SHOWN_FIRST,
        down=bool(about.higher_is_better),
    )


def _cost_columns(board: TaskBoard) -> Iterator[Column]:
    rows = board.rows
    yield Column(
        key="seconds",
        header="training",
        unit="s",
        cells=[Cell(text=number(row.seconds, None), value=row.seconds) for row in rows],
        right=True,
        shown=False,
        note="Training time of all folds, where recorded.",
    )
    hardware = [EMPTY if row.hardware is None else Cell(text=row.hardware) for row in rows]
    yield Column(key="hardware", header="hardware", cells=hardware, shown=False, foreign=True)
    yield Column(key="category", header="category", cells=[Cell(text=row.category) for row in rows], shown=False)


def _ink(row: TaskRow) -> str:
    return "tied" if row.tie_group == "a" else ""


def _higher(board: TaskBoard) -> bool:
    return bool(METRICS[board.metric].higher_is_better)


def _by_fold(site: Site, task: Task) -> dict[str, Sequence[float]]:
    return {slug: result.by_fold for slug, result in site.results.on(task).items()}
