"""The page of a task: what is the best for my property, and is it really better?"""

from __future__ import annotations

from collections.abc import Iterator

from markupsafe import Markup

from matbench_lite import view
from matbench_lite.board import history, read_relatives, read_rows, targets_state
from matbench_lite.data import derived_directory
from matbench_lite.derived import Shelf, key
from matbench_lite.site import addresses
from matbench_lite.site.entries_page import entries_table
from matbench_lite.site.page_files import File, page_file
from matbench_lite.site.site import Site
from matbench_lite.tasks import Task
from matbench_lite.text import share
from matbench_lite.view import Table, has_unit, plain_unit


def publish(site: Site) -> Iterator[File]:
    """One page per task."""
    for task in site.benchmark:
        yield _page(site, task, addresses.task_page(task.name))


def _page(site: Site, task: Task, address: str) -> File:
    board = site.boards[task.name]
    return page_file(
        "site/task.md.j2",
        address=address,
        title=task.name,
        hide=("toc",),
        site=site,
        task=task,
        unit=plain_unit(task.unit) if has_unit(task.unit) else "",
        board=board,
        table=task_table(site, task, address),
        error_bars=view.error_bars(board, {slug: result.by_fold for slug, result in site.results.on(task).items()}),
        distances=_distances(site, task),
        relatives=read_relatives(task, state.digest) if (state := targets_state(task)) else None,
        dataset=_dataset_plots(task),
        progress=view.best_by_date(history(site.results, task)),
        share=share,
        guide=site.guide("statistics.md"),
    )


_LEADERS = 3
"""So many entries are drawn by distance, and the one in the middle of the board."""


def _distances(site: Site, task: Task) -> view.Plot | None:
    """Errors of the first entries, and of the median one, by the distance to the nearest training composition."""
    rows = [row for row in site.boards[task.name].rows if not row.reference]
    chosen = [*rows[:_LEADERS], *rows[max(_LEADERS, len(rows) // 2) :][:1]]
    found = [(row.algorithm, site.results.anatomy(row.slug, task)) for row in chosen]
    return view.error_by_distance(task, [(name, anatomy.distances) for name, anatomy in found if anatomy])


def _dataset_plots(task: Task) -> list[Markup]:
    """What the data looks like; kept, because no entry changes it, and empty without targets."""
    state = targets_state(task)
    if state is None:
        return []

    shelf, name = Shelf(derived_directory() / task.benchmark, "dataset-plots", __name__), key(state.digest, repr(task))
    if shelf.missing([name]):
        rows = read_rows(task, state.digest)
        drawn = (view.target_histogram(task, rows.targets), view.element_prevalence(task, rows.formulas))
        shelf.put({name: [plot.__html__() for plot in drawn if plot is not None]})
    return [Markup(text) for text in shelf.get(name)]


def task_table(site: Site, task: Task, page: str) -> Table:
    """The leaderboard of one task."""
    board = site.boards[task.name]
    return entries_table(
        site,
        [row.slug for row in board.rows],
        page,
        task=task.name,
        id="board",
        label=f"Leaderboard of {task.name}",
        columns=view.task_columns(board),
        data=addresses.relative(addresses.task_csv(task.name), page),
        empty="No entry has recorded all folds of this task yet.",
    )
