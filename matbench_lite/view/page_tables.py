"""Tables of pages: columns as HTML, with filters, one template for all of them."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from markupsafe import Markup, escape

from matbench_lite.cleaner import clean_lines
from matbench_lite.templating import render
from matbench_lite.text import MISSING
from matbench_lite.view.columns import Cell, Column

MOST_ROWS = 100
"""Rows that are shown until somebody asks for all, as in `tables.js`; without a script, all are."""
DENSE = 8
"""A table with more columns than these, chosen or not, is dense."""


@dataclass(frozen=True, kw_only=True)
class Filter:
    """Chips above a table: a property of its rows, by its name, which addresses have, too.

    The values are what rows can have, in order; none, if there is nothing to choose. A row may have several, or none.
    """

    key: str
    values: Sequence[str]
    rows: Sequence[Sequence[str]]


@dataclass(frozen=True, kw_only=True)
class Table:
    """A table that is complete without a script, and sorts, filters and downloads with one.

    Args:
        id: Its name on the page and in addresses.
        label: What it shows: read by screen readers, and the name of its downloads.
        slugs: The entry of each row, where rows are entries.
        data: Address of the file with all digits.
        bibtex: Address of the script with the references of all entries.
        find: What can be searched for by name.
        tools: Whether it has menus and filters.
        empty: What is said where it has no rows.
    """

    id: str
    label: str
    columns: Sequence[Column]
    slugs: Sequence[str] = ()
    filters: Sequence[Filter] = ()
    data: str = ""
    bibtex: str = ""
    find: str = ""
    tools: bool = True
    empty: str = "Nothing yet."

    def __html__(self) -> str:
        return render("view/table.html.j2", table=self, most_rows=MOST_ROWS)

    @property
    def hidden(self) -> list[int]:
        """The places, from 1, of the columns that are not shown at first."""
        return [place for place, column in enumerate(self.columns, start=1) if not column.shown]

    @property
    def rows(self) -> Iterator[tuple[Mapping[str, Any], list[Markup | tuple[Column, Cell, str, Markup]]]]:
        """Attributes of each row, and its cells: as HTML, or with what the template makes it from.

        Most cells are a number and nothing else: a template would take longer over them than over all the others.
        """
        filters = [chosen for chosen in self.filters if chosen.values]
        for place, cells in enumerate(zip(*(column.cells for column in self.columns), strict=True)):
            attributes = {f"data-f-{chosen.key}": "|".join(chosen.rows[place]) for chosen in filters}
            if self.slugs:
                attributes["data-slug"] = self.slugs[place]
            yield (attributes, [_drawn(column, cell) for column, cell in zip(self.columns, cells, strict=True)])

    @property
    def is_dense(self) -> bool:
        """Whether it has so many columns that a laptop has hardly room for them."""
        return len(self.columns) > DENSE

    @property
    def remarks(self) -> str:
        """What stands in few words beside the numbers: a page explains what is there."""
        cells = [cell for column in self.columns for cell in column.cells]
        return " ".join(f"{cell.small} {cell.mark} {' '.join(text for _, text in cell.chips)}" for cell in cells)

    @property
    def size(self) -> int:
        """Number of rows."""
        return len(self.columns[0].cells)


def _drawn(column: Column, cell: Cell) -> Markup | tuple[Column, Cell, str, Markup]:
    text, attributes = column.typeset(cell.text), _attributes(column, cell)
    if _is_plain(cell) and not column.foreign and column.kind != "name":
        return Markup(f"<td{attributes}>{_attribute(text)}</td>")
    return column, cell, text, attributes


def _is_plain(cell: Cell) -> bool:
    return not (cell.link or cell.before or cell.small or cell.stated or cell.chips)


def _attributes(column: Column, cell: Cell) -> Markup:
    """The attributes of a cell; made here because most cells have few, and there are many cells."""
    classes = column.classes
    if cell.ink:
        classes += f" {cell.ink}"
    if cell.heat is not None:
        classes += f" h{cell.heat}"
    text = ' scope="row"' if column.kind == "name" else ""
    text += f' class="{classes.strip()}"' if classes else ""
    if (value := _sorted_by(cell)) is not None:
        text += f' data-v="{_attribute(value)}"'
    if cell.note:
        text += f' title="{_attribute(cell.note)}"'
    return Markup(text)


def _sorted_by(cell: Cell) -> str | None:
    """What the cell is sorted by; None where the text says the same."""
    if cell.value is None:
        # A minus sign is drawn, and no script takes it for one.
        return "" if cell.text == MISSING else cell.text if cell.text.startswith("-") else None
    if isinstance(cell.value, float):
        return "" if math.isnan(cell.value) else f"{cell.value:.8g}"
    return None if str(cell.value) == cell.text and _is_plain(cell) else str(cell.value)


def _attribute(text: str) -> str:
    return escape(clean_lines(text))
