"""Where commands print: tables and JSON on standard output, everything else on standard error."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Sequence
from typing import Any

import typer
from rich.cells import cell_len
from rich.console import Console
from rich.table import Table
from rich.text import Text

_WIDE = 200  # columns where nobody looks: a word that is cut off cannot be searched for
_fixed_width = None if sys.stdout.isatty() or "COLUMNS" in os.environ else _WIDE

_GAP = 2
_STYLES = {"verified": "green", "unverified": "yellow", "missing": "dim"}

out = Console(width=_fixed_width, emoji=False)
errors = Console(stderr=True, soft_wrap=True, emoji=False)


def print_json(value: Any) -> None:
    """Print a value as indented JSON; NaN, which JSON has not, becomes null."""
    import orjson

    typer.echo(orjson.dumps(value, option=orjson.OPT_INDENT_2 | orjson.OPT_SERIALIZE_NUMPY, default=str).decode())


def plain_table(*headers: str, title: str | None = None, right: tuple[str, ...] = ()) -> Table:
    """A table with thin rules; the columns named in `right` hold numbers."""
    from rich import box

    table = Table(
        title=title and Text(title, style="bold"),
        title_justify="left",
        box=box.SIMPLE_HEAD,
        show_edge=False,
        pad_edge=False,
        padding=(0, 1, 0, 0),
    )
    for header in headers:
        table.add_column(header, justify="right" if header in right else "left", overflow="fold")
    return table


def coloured(state: str) -> str:
    """The state of some data, as markup."""
    return f"[{_STYLES[state]}]{state}[/]"


def print_table(
    headers: Sequence[str],
    rows: Iterable[Sequence[str]],
    *,
    spare: str,
    title: str | None = None,
    right: tuple[str, ...] = (),
) -> None:
    """Print a table; where it does not fit, leave out the column `spare` rather than cut words."""
    cells = [headers, *rows]
    if sum(max(map(cell_len, column)) + _GAP for column in zip(*cells, strict=True)) - _GAP > out.width:
        at = headers.index(spare)
        cells = [(*row[:at], *row[at + 1 :]) for row in cells]
    table = plain_table(*cells[0], title=title, right=right)
    for row in cells[1:]:
        table.add_row(*(Text(cell, style=_STYLES.get(cell, "")) for cell in row))
    out.print(table)
