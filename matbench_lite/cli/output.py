"""Where commands print: tables that fit and JSON on standard output, everything else on standard error.

Nothing that a stranger wrote reaches the terminal raw, whoever prints it: both consoles and `print_json` see to it.
"""

from __future__ import annotations

import json
import os
import re
import sys
from collections.abc import Iterable, Sequence
from typing import Any

import typer
from rich.cells import cell_len
from rich.console import Console, ConsoleOptions, RenderableType
from rich.segment import Segment
from rich.table import Table
from rich.text import Text

from matbench_lite import view
from matbench_lite.cleaner import for_terminal, is_blank
from matbench_lite.tasks import BUILT_IN, Benchmark

_WIDE = 200  # columns where nobody looks: a word that is cut off cannot be searched for
_fixed_width = None if sys.stdout.isatty() or "COLUMNS" in os.environ else _WIDE

_GAP = 2
_TERMINAL: frozenset[view.Output] = frozenset({"terminal"})
_STYLES = {"verified": "green", "unverified": "yellow", "missing": "dim"}


class _Console(Console):
    """A console that obeys no character of a text: those that do not show are replaced, in whatever is printed."""

    def render(self, renderable: RenderableType, options: ConsoleOptions | None = None) -> Iterable[Segment]:
        for segment in super().render(renderable, options):
            if segment.control or segment.text.isprintable():
                yield segment
            else:
                yield Segment("".join(map(_shown, segment.text)), segment.style)


def _shown(char: str) -> str:
    return char if char.isprintable() or char in "\n\t" else " " if is_blank(char) else "\ufffd"


out = _Console(width=_fixed_width, emoji=False)
errors = _Console(stderr=True, soft_wrap=True, emoji=False)


def print_json(value: Any) -> None:
    """Print a value as indented JSON; NaN, which JSON has not, becomes null, and what does not show is escaped."""
    import orjson

    text = orjson.dumps(value, option=orjson.OPT_INDENT_2 | orjson.OPT_SERIALIZE_NUMPY, default=str).decode()
    typer.echo(re.sub(r"[^\n -~]", _escaped, text))


def _escaped(found: re.Match[str]) -> str:
    return found[0] if found[0].isprintable() else json.dumps(found[0])[1:-1]


def targets_of(bench: Benchmark) -> str:
    """What scores are computed from, in words: only those of built-in benchmarks are published."""
    return "the published targets" if bench.name in BUILT_IN else "the targets of its table"


def plain_table(*headers: str, title: str | None = None, right: tuple[str, ...] = ()) -> Table:
    """A table with thin rules; the columns named in `right` hold numbers."""
    from rich import box

    table = Table(
        title=title and Text(for_terminal(title), style="bold"),
        title_justify="left",
        box=box.SIMPLE_HEAD,
        show_edge=False,
        pad_edge=False,
        padding=(0, 1, 0, 0),
    )
    for header in headers:
        table.add_column(Text(header), justify="right" if header in right else "left", overflow="fold")
    return table


def coloured(state: str) -> tuple[str, str]:
    """The state of some data, with its style, for `say`."""
    return state, _STYLES.get(state, "")


def text_column(
    header: str, cells: Iterable[str], *, right: bool = False, spare: int = 0, strong: Sequence[bool] = ()
) -> view.Column:
    """A column of texts that only a terminal shows, those of `strong` rows in bold; see `Column` for the rest."""
    inks = ["leading" if bold else "" for bold in strong]
    shown = [view.Cell(text=text, ink=inks[row] if inks else "") for row, text in enumerate(cells)]
    return view.Column(header, header, shown, right=right, spare=spare, outputs=_TERMINAL)


def print_fitted(columns: Iterable[view.Column], *, title: str | None = None) -> list[str]:
    """Print a table, and give the headers of the spare columns that there was no room for: no word is cut."""
    known = view.shown_in("terminal", columns)
    shown = list(known)
    while sum(width(column) for column in shown) - _GAP > out.width:
        most = max(shown, key=lambda column: column.spare)
        if not most.spare:
            break
        shown.remove(most)
    texts = [_texts(column) for column in shown]
    table = plain_table(*(_header(column) for column in shown), title=title)
    for drawn, column in zip(table.columns, shown, strict=True):
        drawn.justify = "right" if column.right else "left"
        drawn.vertical = "bottom"
    for row, line in enumerate(zip(*texts, strict=True)):
        table.add_row(*(Text(text, _style(column, row)) for text, column in zip(line, shown, strict=True)))
    out.print(table)
    return [column.heading for column in known if column not in shown]


def width(column: view.Column) -> int:
    """How many columns of the terminal it needs, with the gap to the next."""
    return max(map(cell_len, (*_header(column).split("\n"), *_texts(column)))) + _GAP


def _texts(column: view.Column) -> list[str]:
    return [for_terminal(cell.full_text.replace("\n", " ")) for cell in column.cells]


def _header(column: view.Column) -> str:
    """The header, on two lines where the cells are narrower than it is; the unit is not taken apart."""
    if column.outputs == _TERMINAL:
        return for_terminal(column.header)  # its author broke it, or did not
    words = for_terminal(column.header).split() + ([f"({for_terminal(column.unit)})"] if column.unit else [])
    broken = [(" ".join(words[:at]), " ".join(words[at:])) for at in range(1, len(words))]
    line = " ".join(words)
    if not broken or cell_len(line) <= max(map(cell_len, _texts(column)), default=0):
        return line
    # The narrowest, and of equals the one with the longer first line.
    return "\n".join(min(reversed(broken), key=lambda lines: max(map(cell_len, lines))))


def say(*parts: str | tuple[str, str], to: Console = out, soft_wrap: bool = True) -> None:
    """Print a line of texts, each alone or with its style: what does not show is written out, and nothing is markup.

    With `soft_wrap` a long line stays one line; prose is better broken between words.
    """
    pairs = ((part, "") if isinstance(part, str) else part for part in parts)
    line = Text.assemble(*((for_terminal(text, None), style) for text, style in pairs))
    to.print(line, soft_wrap=soft_wrap)


def _style(column: view.Column, row: int) -> str:
    cell = column.cells[row]
    return "bold" if cell.ink or column.kind == "entry" else _STYLES.get(cell.text, "")
