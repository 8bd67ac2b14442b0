"""What several pages say of the general-purpose ranking: who leads, and the columns of ranks."""

from __future__ import annotations

from matbench_lite.board import GeneralRow
from matbench_lite.site.plots.words import brief, count
from matbench_lite.site.site import Site
from matbench_lite.site.tables import EMPTY, Cell, Column


def leader(site: Site) -> str | None:
    """Which entry leads, and whether others might: in words; None where there is no such order."""
    ranked = site.general.ranked
    if len(ranked) < 2 or ranked[0].mean_rank_interval is None:
        return None
    first, interval = ranked[0], ranked[0].mean_rank_interval
    text = f"{brief(first.algorithm)} has the best mean rank over {len(site.general.ranked_tasks)} tasks: "
    text += f"{first.mean_rank:.1f} (95 %: {interval.low:.1f} to {interval.high:.1f})"
    rivals = sum(row.rank_interval is not None and row.rank_interval.low <= 1 for row in ranked[1:])
    if rivals:
        text += f"; {count(rivals, 'other')} could be first on other tasks like these"
    without = next((row for row in ranked if not site.results.categories[row.slug].requires_structure), None)
    if without is not None and without is not first:
        text += f". The best that does not require a structure: {brief(without.algorithm)}"
    return text + "."


def rank_columns(rows: tuple[GeneralRow, ...]) -> list[Column]:
    """Mean rank and tasks led, for entries that have all tasks of the set."""
    return [
        Column(
            key="mean_rank",
            header="mean rank",
            unit="95 %",
            note="Mean of the ranks over the tasks of the set, and its 95 % interval: the tasks are drawn again.",
            cells=[_mean_rank(row) for row in rows],
            right=True,
        ),
        Column(
            key="led",
            header="led",
            note="Tasks of the set on which no ranked entry is better.",
            cells=[EMPTY if row.led is None else Cell(text=str(row.led)) for row in rows],
            right=True,
            down=True,
        ),
    ]


def _mean_rank(row: GeneralRow) -> Cell:
    if row.mean_rank is None or row.mean_rank_interval is None:
        return EMPTY
    low, high = row.mean_rank_interval.low, row.mean_rank_interval.high
    return Cell(text=f"{row.mean_rank:.1f}", small=f"{low:.1f} to {high:.1f}", value=row.mean_rank)
