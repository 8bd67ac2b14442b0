"""The pages over all tasks: home, with the general-purpose board, and statistics, with how sure its order is."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from matbench_lite import view
from matbench_lite.board import TASK_SETS, best_row, general_board
from matbench_lite.errors import UnknownNameError
from matbench_lite.metrics import metric_name
from matbench_lite.site import addresses
from matbench_lite.site.entries_page import entries_table
from matbench_lite.site.page_files import File, page_file
from matbench_lite.site.site import Site
from matbench_lite.stats import DRAWS, MANY_TASKS
from matbench_lite.text import spread
from matbench_lite.view import Column, Table


def publish(site: Site) -> Iterator[File]:
    """The home page and the statistics page."""
    board = site.general
    yield page_file(
        "site/home.md.j2",
        address=addresses.HOME,
        title="Leaderboard",
        hide=("navigation", "toc"),
        site=site,
        board=board,
        table=general_table(site),
        best=best_table(site),
        task_set=TASK_SETS[board.task_set],
        plot=view.scaled_errors(board, site.benchmark),
        guide=site.guide("benchmarking.md"),
        verified=[cell.verified for row in board.rows for cell in row.tasks.values()],
    )
    yield page_file(
        "site/statistics.md.j2",
        address=addresses.STATISTICS,
        title="Statistics",
        hide=("navigation",),
        site=site,
        board=board,
        rankings=list(_rankings(site)),
        draws=DRAWS,
        many=MANY_TASKS,
        guide=site.guide("statistics.md"),
    )


def general_table(site: Site) -> Table:
    """Entries down, tasks across."""
    board = site.general
    # The page of statistics has room for the others.
    ranks = [
        replace(column, shown=column.shown and column.key not in ("places", "mean_rank", "led"))
        for column in view.rank_columns(board.rows)
    ]
    return entries_table(
        site,
        [row.slug for row in board.rows],
        addresses.HOME,
        id="board",
        label="General-purpose leaderboard",
        columns=[*ranks, *(_task_column(site, column) for column in view.matrix_columns(board, site.benchmark))],
        data=addresses.GENERAL_CSV,
        empty="No general-purpose entry yet: one that has all tasks, all regression tasks or all structure tasks.",
    )


def _task_column(site: Site, column: Column) -> Column:
    """Scaled errors on one task, with the score on hover."""
    task = site.benchmark[column.key]
    metric = metric_name(site.boards[task.name].metric, task.unit)
    cells = []
    for row, cell in zip(site.general.rows, column.cells, strict=True):
        result, place = site.results.of(row.slug, task), row.tasks.get(task.name)
        group = ", leading group" if place and place.leading else ""
        note = f"{metric}: {spread(result.ranking)}{group}{' (wide)' if place and place.wide else ''}" if result else ""
        cells.append(replace(cell, note=note))
    return replace(column, cells=cells, link=addresses.task_page(task.name))


def best_table(site: Site) -> Table:
    """Tasks down: the best entry of each, of all entries."""
    rows = [best_row(site.results, task, site.results.places(task)) for task in site.benchmark]
    columns = view.linked(
        view.shown_in("html", view.best_columns(rows, site.benchmark)),
        task=[addresses.task_page(row.task) for row in rows],
        entry=[row.slug and addresses.entry_page(row.slug) for row in rows],
    )
    return Table(id="best", label="Best entry on each task", columns=columns)


def _rankings(site: Site) -> Iterator[dict[str, Any]]:
    """The entries that have all tasks of a set, set by set.

    That of the home page is first; a set that has the tasks of an earlier one is left out.
    """
    seen = set()
    for name in sorted(TASK_SETS, key=lambda name: name != site.general.task_set):
        try:
            board = site.general if name == site.general.task_set else general_board(site.results, name)
        except UnknownNameError:  # the benchmark has no such task
            continue
        if board.ranked_tasks not in seen:
            seen.add(board.ranked_tasks)
            yield {
                "name": name,
                "title": TASK_SETS[name],
                "board": board,
                "table": entries_table(
                    site,
                    [row.slug for row in board.ranked],
                    addresses.STATISTICS,
                    id=f"ranks-{name}",
                    label=f"Ranks over {TASK_SETS[name]}",
                    columns=view.rank_columns(board.ranked),
                    empty="No general-purpose entry has all tasks of this set.",
                ),
                "difference": view.critical_difference(board),
                "intervals": view.rank_intervals(board),
            }
