"""How boards look in a terminal: tables that fit."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from rich.cells import cell_len
from rich.text import Text

from matbench_lite.cli.output import out, plain_table
from matbench_lite.digits import MISSING

_GAP = 2


@dataclass(frozen=True, kw_only=True)
class Column:
    """A column of a table that fits the terminal.

    Args:
        header: Its header.
        cells: One text per row.
        right: Whether it holds numbers.
        spare: 0 is always shown; of the others, the highest goes first where there is no room.
        strong: The rows that are printed in bold.
    """

    header: str
    cells: Sequence[str]
    right: bool = False
    spare: int = 0
    strong: Sequence[bool] = ()

    @property
    def width(self) -> int:
        """How many terminal columns it needs."""
        lines = (line for text in (self.header, *self.cells) for line in text.split("\n"))
        return max(cell_len(line) for line in lines) + _GAP


def print_fitted(columns: Sequence[Column], *, title: str | None = None) -> list[str]:
    """Print a table; where it does not fit, leave out spare columns rather than cut words.

    A spare column in which nothing is known is left out, too.

    Returns:
        The headers of the columns that there was no room for.
    """
    known = [column for column in columns if not column.spare or set(column.cells) != {MISSING}]
    shown = list(known)
    while sum(column.width for column in shown) - _GAP > out.width:
        most = max(shown, key=lambda column: column.spare)
        if not most.spare:
            break
        shown.remove(most)
    table = plain_table(*(column.header for column in shown), title=title)
    for drawn, column in zip(table.columns, shown, strict=True):
        drawn.justify = "right" if column.right else "left"
        drawn.vertical = "bottom"
    for row in range(len(shown[0].cells)):
        table.add_row(*(Text(column.cells[row], style=_style(column, row)) for column in shown))
    out.print(table)
    return [column.header.replace("\n", " ") for column in known if column not in shown]


def _style(column: Column, row: int) -> str:
    return "bold" if column.strong and column.strong[row] else ""
