"""What tables of entries share: the name with its chips, and the filters."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from matbench_lite.site import addresses
from matbench_lite.site.site import Site
from matbench_lite.site.tables import Cell, Column, Filter, Table

STRUCTURE = "requires structure"
REGRESSION = "regression only"
_ROOM = 24
"""Letters of a name that any screen has room for; a longer one is shown in full on hover, and on its page."""


def entries_table(site: Site, slugs: Sequence[str], page: str, *, task: str | None = None, **about: Any) -> Table:
    """A table whose rows are entries: with the filters, the search and the references that all such tables have.

    Args:
        site: The site.
        slugs: The entry of each row.
        page: Address of the page it is on.
        task: The task it is about: an entry says how sure it is on this one, or on any.
        **about: The rest of `Table`.
    """
    filters = [_category(site, slugs), _input(site, slugs), _uncertainty(site, slugs, task)]
    bibtex = addresses.relative(site.bibtex.path, page)
    return Table(slugs=slugs, filters=filters, bibtex=bibtex, find="Find an entry", **about)


def name_column(site: Site, slugs: Sequence[str], page: str) -> Column:
    """The names of entries, linked to their pages, with their chips."""
    cells = [
        Cell(
            text=site.results.entries[slug].algorithm,
            value=site.results.entries[slug].algorithm,
            link=addresses.relative(addresses.entry_page(slug), page),
            note=site.results.entries[slug].algorithm if len(site.results.entries[slug].algorithm) > _ROOM else "",
            chips=[("input", text) for text in input_chips(site, slug)],
        )
        for slug in slugs
    ]
    return Column(key="entry", header="entry", cells=cells, kind="name", foreign=True)


def input_chips(site: Site, slug: str) -> list[str]:
    """What an entry needs or leaves out, in a word or two."""
    category = site.results.categories[slug]
    return [STRUCTURE] * category.requires_structure + [REGRESSION] * category.regression_only


def _category(site: Site, slugs: Sequence[str]) -> Filter:
    return _filter("category", "category", [[site.results.categories[slug].name] for slug in slugs])


def _input(site: Site, slugs: Sequence[str]) -> Filter:
    return _filter("input", "input", [input_chips(site, slug) or ["any input"] for slug in slugs])


def _uncertainty(site: Site, slugs: Sequence[str], task: str | None) -> Filter:
    known = [site.uncertain[slug] if task is None else site.uncertain[slug] & {task} for slug in slugs]
    return _filter("uncertainty", "uncertainty", [["recorded" if tasks else "not recorded"] for tasks in known])


def _filter(key: str, label: str, rows: Sequence[Sequence[str]]) -> Filter:
    """A filter with those values that occur; with one value there is nothing to choose."""
    values = sorted({value for row in rows for value in row})
    return Filter(key=key, label=label, values=values if len(values) > 1 else (), rows=rows)
