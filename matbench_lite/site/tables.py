"""Tables of the site: columns and cells prepared here, one template for all of them."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from markupsafe import Markup, escape

from matbench_lite.digits import MISSING
from matbench_lite.site.templating import fragment, plain

STEPS = 9
"""Steps of the colour scale of scaled errors."""
MOST_ROWS = 100
"""Rows that are shown until somebody asks for all, as in `tables.js`; without a script, all are."""
DENSE = 8
"""A table with more columns than these is dense."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Cell:
    """One cell.

    Args:
        text: What is shown.
        value: What is sorted by and downloaded, where that is not the text: a number with all its digits.
        link: Address that the text links to.
        ink: "tied" for the best and all that are tied with it; "".
        heat: Step of the colour scale, 0 to 8; None: no colour.
        small: More, after the text, in small print.
        note: Explanation that is shown on hover; never the only place where something is said.
        stated: Whether it is a score that the entry states and nobody has recomputed.
        before: Something drawn in front of the text.
        chips: Properties shown after the text, that filter when clicked: the filter's name and its value.
    """

    text: str
    value: float | str | None = None
    link: str | None = None
    ink: str = ""
    heat: int | None = None
    small: str = ""
    note: str = ""
    stated: bool = False
    before: Markup | str = ""
    chips: Sequence[tuple[str, str]] = ()

    @property
    def sort(self) -> str | None:
        """The value as an attribute; None where the text says the same."""
        if self.value is None or (isinstance(self.value, float) and math.isnan(self.value)):
            # A minus sign is drawn, and no script takes it for one.
            return "" if self.text == MISSING else self.text if self.text.startswith("-") else None
        return f"{self.value:.8g}" if isinstance(self.value, float) else str(self.value)

    @property
    def is_plain(self) -> bool:
        """Whether there is nothing but the text."""
        return not (self.link or self.before or self.small or self.stated or self.chips)

    def attributes(self, column: Column) -> Markup:
        """The attributes of the cell in a column; made here because most cells have few, and there are many cells."""
        classes = column.classes
        if self.ink:
            classes += f" {self.ink}"
        if self.heat is not None:
            classes += f" h{self.heat}"
        text = ' scope="row"' if column.kind == "name" else ""
        text += f' class="{classes.strip()}"' if classes else ""
        if (value := self.sort) is not None:
            text += f' data-v="{_attribute(value)}"'
        if self.note:
            text += f' title="{_attribute(self.note)}"'
        return Markup(text)


EMPTY = Cell(text=MISSING)
"""A cell of which nothing is known."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Column:
    """One column.

    Args:
        key: Its name in addresses and CSV files.
        header: What it is called.
        cells: One per row.
        unit: Unit of its numbers, shown in the header.
        note: What it is, in one sentence, shown on hover.
        link: Address that the header links to.
        right: Whether it holds numbers.
        down: Whether the first click sorts from high to low.
        shown: Whether it is shown before anybody chooses columns.
        kind: A class of its cells: "rank" and "name" stay in sight.
        foreign: Whether its texts come from entries, in any script and direction.
    """

    key: str
    header: str
    cells: Sequence[Cell]
    unit: str = ""
    note: str = ""
    link: str | None = None
    right: bool = False
    down: bool = False
    shown: bool = True
    kind: str = ""
    foreign: bool = False

    @property
    def classes(self) -> str:
        """The classes of its cells."""
        return f"{self.kind} n".strip() if self.right else self.kind

    def shown_text(self, cell: Cell) -> str:
        """The text of one of its cells as it is shown: numbers with a minus sign that is one."""
        return cell.text.replace("-", "−") if self.right else cell.text


@dataclass(frozen=True, kw_only=True)
class Filter:
    """Chips above a table: a property of its rows.

    Args:
        key: Its name in addresses.
        label: What it is called.
        values: What rows can have, in order; none, if there is nothing to choose.
        rows: What each row has; a row may have several, or none.
    """

    key: str
    label: str
    values: Sequence[str]
    rows: Sequence[Sequence[str]]


@dataclass(frozen=True, kw_only=True)
class Table:
    """A table that is complete without a script, and sorts, filters and downloads with one.

    Args:
        id: Its name on the page and in addresses.
        label: What it shows: read by screen readers, and the name of its downloads.
        columns: Its columns.
        slugs: The entry of each row, where rows are entries.
        filters: Its filters.
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
        return fragment("table.html.j2", table=self, most_rows=MOST_ROWS)

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
            yield (
                attributes,
                [_drawn(column, cell) for column, cell in zip(self.columns, cells, strict=True)],
            )

    @property
    def is_dense(self) -> bool:
        """Whether it has so many columns that a laptop has hardly room for them."""
        return len(self.columns) - len(self.hidden) > DENSE

    @property
    def size(self) -> int:
        """Number of rows."""
        return len(self.columns[0].cells)


def _drawn(column: Column, cell: Cell) -> Markup | tuple[Column, Cell, str, Markup]:
    text, attributes = column.shown_text(cell), cell.attributes(column)
    if cell.is_plain and not column.foreign and column.kind != "name":
        return Markup(f"<td{attributes}>{_attribute(text)}</td>")
    return column, cell, text, attributes


def _attribute(text: str) -> str:
    return escape(plain(text))


def heat(scaled_error: float | None) -> int | None:
    """The colour of a scaled error: from 0, perfect, in equal steps to 1, a constant guess, and beyond.

    Examples:
        >>> heat(0.0), heat(0.5), heat(1.0), heat(7.0), heat(float("nan"))
        (0, 4, 8, 8, None)
    """
    if scaled_error is None or math.isnan(scaled_error):
        return None
    return max(0, min(STEPS - 1, int(scaled_error * STEPS)))
