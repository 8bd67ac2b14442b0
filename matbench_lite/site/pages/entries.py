"""The list of entries, and those that stay off the boards with what was found."""

from __future__ import annotations

from collections.abc import Iterator

from matbench_lite.site import addresses
from matbench_lite.site.entry_columns import entries_table, name_column
from matbench_lite.site.files import File
from matbench_lite.site.site import Site
from matbench_lite.site.tables import EMPTY, Cell, Column, Table
from matbench_lite.site.templating import page

ADDRESS = addresses.ENTRIES
_MOST_FINDINGS = 50
"""Findings of one entry that are listed; `mbl check` lists them all."""


def publish(site: Site) -> Iterator[File]:
    """The list of entries."""
    text = page(
        "entries.md.j2",
        address=ADDRESS,
        title="Entries",
        hide=("navigation", "toc"),
        site=site,
        table=entry_table(site),
        most=_MOST_FINDINGS,
    )
    yield File(addresses.source(ADDRESS), text)


def entry_table(site: Site) -> Table:
    """All entries on the boards."""
    slugs = sorted(site.results.entries, key=lambda slug: (site.results.entries[slug].algorithm.lower(), slug))
    return entries_table(
        site,
        slugs,
        ADDRESS,
        id="entries",
        label="Entries",
        columns=list(_columns(site, slugs)),
        empty="No entry yet.",
    )


def _columns(site: Site, slugs: list[str]) -> Iterator[Column]:
    entries = [site.results.entries[slug] for slug in slugs]
    ranks = {row.slug: row.rank for row in site.general.rows}
    yield name_column(site, slugs, ADDRESS)
    categories = [site.results.categories[slug] for slug in slugs]
    yield Column(
        key="category",
        header="category",
        cells=[Cell(text=category.name, note=category.reason) for category in categories],
    )
    yield Column(
        key="rank",
        header="rank",
        unit="general-purpose",
        cells=[EMPTY if ranks.get(slug) is None else Cell(text=str(ranks[slug])) for slug in slugs],
        right=True,
    )
    yield Column(
        key="tasks",
        header="tasks",
        unit=f"of {len(site.benchmark)}",
        cells=[Cell(text=str(len(entry.complete_tasks))) for entry in entries],
        right=True,
        down=True,
    )
    yield Column(
        key="uncertainty",
        header="uncertainty",
        unit="tasks",
        note="Tasks on which it recorded how sure it is.",
        cells=[Cell(text=str(len(site.uncertain[slug]))) if site.uncertain[slug] else EMPTY for slug in slugs],
        right=True,
        down=True,
    )
    yield Column(
        key="verified",
        header="verified",
        unit="tasks",
        note="Tasks whose scores were recomputed from the predictions and the published targets.",
        cells=[Cell(text=_verified(site, slug)) for slug in slugs],
        right=True,
        down=True,
    )
    yield Column(
        key="findings",
        header="warnings",
        cells=[Cell(text=str(site.checked[slug].count("warning"))) for slug in slugs],
        right=True,
        down=True,
    )
    created = [(entry.created or "")[:10] for entry in entries]
    yield Column(key="created", header="made", cells=[Cell(text=day) if day else EMPTY for day in created])
    yield Column(
        key="authors",
        header="authors",
        kind="entry",
        foreign=True,
        cells=[Cell(text=", ".join(entry.authors)) if entry.authors else EMPTY for entry in entries],
    )


def _verified(site: Site, slug: str) -> str:
    rows = [board[slug] for board in site.places.values() if slug in board]
    return f"{sum(row.verified for row in rows)} of {len(rows)}"
