"""The statistics page: who is ahead over many tasks, and how sure is that?"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from matbench_lite.board import TASK_SETS, GeneralBoard, general_board
from matbench_lite.errors import UnknownNameError
from matbench_lite.site import addresses, plots
from matbench_lite.site.entry_columns import entries_table, name_column
from matbench_lite.site.files import File
from matbench_lite.site.plots import Plot
from matbench_lite.site.ranking import leader, rank_columns
from matbench_lite.site.site import Site
from matbench_lite.site.tables import EMPTY, Cell, Column, Table
from matbench_lite.site.templating import page

ADDRESS = addresses.STATISTICS


@dataclass(frozen=True, kw_only=True)
class Ranking:
    """The entries that have all tasks of one set."""

    name: str
    title: str
    board: GeneralBoard
    table: Table
    difference: Plot | None
    intervals: Plot | None


def publish(site: Site) -> Iterator[File]:
    """The statistics page."""
    text = page(
        "statistics.md.j2",
        address=ADDRESS,
        title="Statistics",
        hide=("navigation",),
        site=site,
        answer=leader(site) or site.general.headline,
        rankings=list(_rankings(site)),
        guide=site.guide("statistics.md"),
    )
    yield File(addresses.source(ADDRESS), text)


def _rankings(site: Site) -> Iterator[Ranking]:
    """The set of the home page first; a set that has the tasks of an earlier one is left out."""
    seen = set()
    for name in sorted(TASK_SETS, key=lambda name: name != site.general.task_set):
        try:
            board = site.general if name == site.general.task_set else general_board(site.results, name)
        except UnknownNameError:  # the benchmark has no such task
            continue
        if board.ranked_tasks not in seen:
            seen.add(board.ranked_tasks)
            yield Ranking(
                name=name,
                title=TASK_SETS[name],
                board=board,
                table=_table(site, name, board),
                difference=plots.critical_difference(board),
                intervals=plots.rank_intervals(board),
            )


def _table(site: Site, name: str, board: GeneralBoard) -> Table:
    rows = board.ranked
    slugs = [row.slug for row in rows]
    columns = [
        Column(key="rank", header="rank", cells=[Cell(text=str(row.rank)) for row in rows], right=True, kind="rank"),
        name_column(site, slugs, ADDRESS),
        Column(
            key="places",
            header="place",
            unit="95 %",
            note="95 % interval of the place: the tasks are drawn again.",
            cells=[
                EMPTY if place is None else Cell(text=f"{place.low:.0f} to {place.high:.0f}")
                for place in (row.rank_interval for row in rows)
            ],
            right=True,
        ),
        *rank_columns(rows),
    ]
    return entries_table(
        site,
        slugs,
        ADDRESS,
        id=f"ranks-{name}",
        label=f"Ranks over {TASK_SETS[name]}",
        columns=columns,
        empty="No general-purpose entry has all tasks of this set.",
    )
