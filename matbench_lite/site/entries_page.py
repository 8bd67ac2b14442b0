"""The list of entries, those that stay off the boards with what was found, and what all tables of entries share."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from matbench_lite.check import FORGERY_SIGNS
from matbench_lite.site import addresses
from matbench_lite.site.page_files import File, page_file
from matbench_lite.site.site import Site
from matbench_lite.view import EMPTY, Cell, Column, Filter, Table, reproduced_column, shown_in

_NAME_LETTERS = 24
"""Letters of a name that any screen has room for; a longer one is shown in full on hover, and on its page."""
_MOST_FINDINGS = 50
"""Findings of one entry that are listed; `mbl check` lists them all."""


def publish(site: Site) -> Iterator[File]:
    """The list of entries."""
    slugs = sorted(site.results.entries, key=lambda slug: (site.results.entries[slug].algorithm.lower(), slug))
    table = entries_table(
        site,
        slugs,
        addresses.ENTRIES,
        id="entries",
        label="Entries",
        columns=_columns(site, slugs),
        empty="No entry yet.",
    )
    yield page_file(
        "site/entries.md.j2",
        address=addresses.ENTRIES,
        title="Entries",
        hide=("navigation", "toc"),
        site=site,
        table=table,
        most=_MOST_FINDINGS,
    )


def _columns(site: Site, slugs: list[str]) -> Iterator[Column]:
    entries = [site.results.entries[slug] for slug in slugs]
    ranks = [_number(site.ranks[slug].rank if slug in site.ranks else None) for slug in slugs]
    categories = [site.results.categories[slug] for slug in slugs]
    complete = [_number(len(entry.complete_tasks)) for entry in entries]
    uncertain = [_number(len(site.uncertain[slug]) or None) for slug in slugs]
    about_uncertain = "Tasks on which it recorded how sure it is."
    places = [[board[slug] for board in site.places.values() if slug in board] for slug in slugs]
    verified = [Cell(text=f"{sum(row.verified for row in rows)} of {len(rows)}") for rows in places]
    about_verified = "Tasks whose scores were recomputed from the predictions and the published targets."
    warnings = [_number(site.checked[slug].count("warning")) for slug in slugs]
    created = [Cell(text=entry.created[:10]) if entry.created else EMPTY for entry in entries]
    authors = [Cell(text=", ".join(entry.authors)) if entry.authors else EMPTY for entry in entries]
    yield name_column(site, slugs, addresses.ENTRIES)
    yield Column("category", "category", [Cell(text=category.name, note=category.reason) for category in categories])
    yield Column("rank", "rank", ranks, unit="general-purpose", right=True)
    yield Column("tasks", "tasks", complete, unit=f"of {len(site.benchmark)}", right=True, down=True)
    yield Column("uncertainty", "uncertainty", uncertain, unit="tasks", note=about_uncertain, right=True, down=True)
    yield Column("verified", "verified", verified, unit="tasks", note=about_verified, right=True, down=True)
    reproduced = [site.results.reproduced.get(slug) for slug in slugs]
    yield reproduced_column(reproduced, spare=1)
    yield Column("findings", "warnings", warnings, right=True, down=True)
    yield Column("created", "made", created)
    yield Column("authors", "authors", authors, kind="entry", foreign=True)


def _number(value: int | None) -> Cell:
    return EMPTY if value is None else Cell(text=str(value))


def entries_table(
    site: Site, slugs: Sequence[str], page: str, columns: Iterable[Column], *, task: str | None = None, **about: Any
) -> Table:
    """A table whose rows are entries: with the links, filters, search and references that all such tables have.

    An entry says how sure it is on `task`, or on any. `page` is the address of the page it is on.
    """
    filters = _filters(site, slugs, task)
    bibtex = addresses.relative(site.bibtex.path, page)
    names = name_column(site, slugs, page, task)
    columns = [names if column.key == names.key else column for column in shown_in("html", columns)]
    return Table(columns=columns, slugs=slugs, filters=filters, bibtex=bibtex, find="Find an entry", **about)


def name_column(site: Site, slugs: Sequence[str], page: str, task: str | None = None) -> Column:
    """The names of entries, linked to their pages, with their chips: those of one task, or of all."""
    names = [site.results.entries[slug].algorithm for slug in slugs]
    cells = [
        Cell(
            text=name,
            value=name,
            link=addresses.relative(addresses.entry_page(slug), page),
            note=name if len(name) > _NAME_LETTERS else "",
            small="constant guess" if slug in site.results.references else "",
            chips=[
                *(("input", text) for text in _input_chips(site, slug)),
                *(("reproduced", text) for text in _reproduced_chips(site, slug)),
                *(("signs", text) for text in _sign_chips(site, slug, task)),
            ],
        )
        for slug, name in zip(slugs, names, strict=True)
    ]
    return Column("entry", "entry", cells, kind="name", foreign=True)


def _input_chips(site: Site, slug: str) -> list[str]:
    """What an entry needs or leaves out, in a word or two."""
    category = site.results.categories[slug]
    return ["requires structure"] * category.requires_structure + ["regression only"] * category.regression_only


def _reproduced_chips(site: Site, slug: str) -> list[str]:
    """Whether its code was trained again, in a word or two."""
    found = site.results.reproduced.get(slug)
    return [] if found is None else ["not reproduced" if found.verdict == "not reproduced" else "reproduced"]


def _sign_chips(site: Site, slug: str, task: str | None) -> list[str]:
    """Whether a check has found what nobody has explained; the entry's page has the figures."""
    found = site.checked[slug].findings
    seen = [each for each in found if each.code in FORGERY_SIGNS and each.severity == "warning"]
    return ["signs"] if any(task is None or each.task in (None, task) for each in seen) else []


def _filters(site: Site, slugs: Sequence[str], task: str | None) -> list[Filter]:
    known = [site.uncertain[slug] if task is None else site.uncertain[slug] & {task} for slug in slugs]
    return [
        _filter("category", [[site.results.categories[slug].name] for slug in slugs]),
        _filter("input", [_input_chips(site, slug) or ["any input"] for slug in slugs]),
        _filter("reproduced", [_reproduced_chips(site, slug) or ["not tried"] for slug in slugs]),
        _filter("signs", [_sign_chips(site, slug, task) or ["none"] for slug in slugs]),
        _filter("uncertainty", [["recorded" if tasks else "not recorded"] for tasks in known]),
    ]


def _filter(key: str, rows: Sequence[Sequence[str]]) -> Filter:
    """A filter with those values that occur; with one value there is nothing to choose."""
    values = sorted({value for row in rows for value in row})
    return Filter(key=key, values=values if len(values) > 1 else (), rows=rows)
