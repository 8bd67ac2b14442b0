"""The home page: which model should I use for all kinds of properties?"""

from __future__ import annotations

from collections.abc import Iterator

from matbench_lite.board import TASK_SETS, GeneralRow
from matbench_lite.digits import spread
from matbench_lite.metrics import metric_name
from matbench_lite.site import addresses, plots
from matbench_lite.site.entry_columns import entries_table, name_column
from matbench_lite.site.files import File
from matbench_lite.site.ranking import leader, rank_columns
from matbench_lite.site.score_columns import header_of, scaled_text, typical, unit_of
from matbench_lite.site.site import Site
from matbench_lite.site.tables import EMPTY, Cell, Column, Table, heat
from matbench_lite.site.templating import page
from matbench_lite.tasks import Task

ADDRESS = addresses.HOME


def publish(site: Site) -> Iterator[File]:
    """The home page."""
    board = site.general
    text = page(
        "home.md.j2",
        address=ADDRESS,
        title="Leaderboard",
        hide=("navigation", "toc"),
        site=site,
        board=board,
        answer=leader(site),
        table=general_table(site),
        best=best_table(site),
        task_set=TASK_SETS[board.task_set],
        plot=plots.scaled_errors(board, site.benchmark),
        guide=site.guide("benchmarking.md"),
        verified=[cell.verified for row in board.rows for cell in row.tasks.values()],
    )
    yield File(addresses.source(ADDRESS), text)


def general_table(site: Site) -> Table:
    """Entries down, tasks across."""
    rows = site.general.rows
    slugs = [row.slug for row in rows]
    columns = [
        Column(key="rank", header="rank", cells=[_rank(row) for row in rows], right=True, kind="rank"),
        name_column(site, slugs, ADDRESS),
        *rank_columns(rows),
        *(_task_column(site, task) for task in site.benchmark),
    ]
    return entries_table(
        site,
        slugs,
        ADDRESS,
        id="board",
        label="General-purpose leaderboard",
        columns=columns,
        data=addresses.GENERAL_CSV,
        empty="No general-purpose entry yet: one that has all tasks, all regression tasks or all structure tasks.",
    )


def best_table(site: Site) -> Table:
    """Tasks down: the best entry of each, of all entries."""
    tasks = list(site.benchmark)
    boards = [site.boards[task.name] for task in tasks]
    first = [board.rows[0] if board.rows else None for board in boards]
    tied = [sum(row.tie_group == "a" for row in board.rows) - 1 for board in boards]
    columns = [
        Column(
            key="task",
            header="task",
            kind="name",
            cells=[Cell(text=task.name, value=task.name, link=addresses.task_page(task.name)) for task in tasks],
        ),
        Column(key="input", header="input", cells=[Cell(text=task.input) for task in tasks]),
        Column(
            key="rows",
            header="rows",
            cells=[Cell(text=f"{task.rows:,}", value=float(task.rows)) for task in tasks],
            right=True,
        ),
        Column(
            key="metric",
            header="metric",
            unit="unit",
            cells=[Cell(text=header_of(b.metric), small=unit_of(b.metric, b.unit)) for b in boards],
        ),
        Column(
            key="score",
            header="best score",
            right=True,
            cells=[
                EMPTY if row is None else Cell(text=spread(row.score), value=row.score.mean, stated=not row.verified)
                for row in first
            ],
        ),
        Column(
            key="entry",
            header="best entry",
            kind="entry",
            foreign=True,
            cells=[
                EMPTY
                if row is None
                else Cell(text=row.algorithm, value=row.algorithm, link=addresses.entry_page(row.slug))
                for row in first
            ],
        ),
        Column(
            key="tied",
            header="tied with it",
            right=True,
            note="Entries that the test over the folds cannot tell apart from the best.",
            cells=[
                EMPTY if row is None else Cell(text=f"{more} of {len(board.rows) - 1}", value=float(more))
                for row, board, more in zip(first, boards, tied, strict=True)
            ],
        ),
    ]
    return Table(id="best", label="Best entry on each task", columns=columns)


def _rank(row: GeneralRow) -> Cell:
    if row.rank is None or row.rank_interval is None:
        return EMPTY
    interval = f"{row.rank_interval.low:.0f} to {row.rank_interval.high:.0f}"
    return Cell(text=str(row.rank), note=f"95 % interval: {interval}")


def _task_column(site: Site, task: Task) -> Column:
    rows = site.general.rows
    cells = [row.tasks.get(task.name) for row in rows]
    digits = typical([cell.scaled_std for cell in cells if cell is not None])
    metric = metric_name(site.boards[task.name].metric, task.unit)
    shown = []
    for row, cell in zip(rows, cells, strict=True):
        result = site.results.of(row.slug, task)
        if cell is None or result is None:
            shown.append(EMPTY)
            continue
        shown.append(
            Cell(
                text=scaled_text(cell.scaled_error, digits),
                value=cell.scaled_error,
                ink="tied" if cell.tie_group == "a" else "",
                heat=heat(cell.scaled_error),
                note=f"{metric}: {spread(result.ranking)}, tie group {cell.tie_group}",
                stated=not cell.verified,
            )
        )
    return Column(
        key=task.name,
        header=site.short(task),
        link=addresses.task_page(task.name),
        cells=shown,
        right=True,
        kind="heat",
        note=f"{task.name}: scaled error",
    )
