"""What commands print: nothing that a stranger wrote is obeyed, in a sentence, a table, a title or JSON."""

from __future__ import annotations

import json
from collections.abc import Callable

import pytest
from rich.markdown import Markdown
from rich.markup import escape
from rich.text import Text

from matbench_lite.cli import output
from matbench_lite.view import Cell, Column

WICKED = "\x1b[2J\x1b]0;title\x07 \u202eevil\u202c \x9b31m \x7f\u2028 \ud800 [red]x[/red]"


def table_of_others() -> None:
    table = output.plain_table("a", "b", title=WICKED)
    table.add_row(escape(WICKED), Text(WICKED))
    output.out.print(table)


PRINTED: dict[str, Callable[[], object]] = {
    "markup": lambda: output.out.print(f"[bold]{escape(WICKED)}[/]: {escape(WICKED)}"),
    "plain": lambda: output.out.print(WICKED, markup=False, highlight=False, soft_wrap=True),
    "text": lambda: output.out.print(Text(WICKED, style="red")),
    "Markdown": lambda: output.out.print(Markdown(f"# {WICKED}\n\n| a |\n| --- |\n| {WICKED} |\n")),
    "a message": lambda: output.errors.print(f"[yellow]{escape(WICKED)} is left out[/]"),
    "a table": table_of_others,
    "columns": lambda: output.print_fitted([output.text_column(WICKED, [WICKED])], title=WICKED),
    "JSON": lambda: output.print_json({WICKED[:20]: [WICKED.replace("\ud800", "")]}),
}


@pytest.mark.parametrize("how", PRINTED)
def test_nothing_raw_reaches_the_terminal(capsys, how) -> None:
    PRINTED[how]()
    printed = capsys.readouterr()
    text = printed.out + printed.err
    assert "evil" in text
    assert all(char.isprintable() or char == "\n" for char in text)


@pytest.mark.parametrize("blank", ["\u00a0", "\u202f", "\u2009", "\u3000"])
def test_a_blank_of_any_width_is_a_blank(capsys, blank) -> None:
    output.out.print(Markdown(f"1{blank}of{blank}4"))
    output.say(f"1{blank}of{blank}4")
    assert [line.strip() for line in capsys.readouterr().out.splitlines() if line.strip()] == ["1 of 4", "1 of 4"]


def test_json_says_the_same_with_escapes(capsys) -> None:
    value = {"name": "Größe \u202e\x9b\U000e0041 研究", "nan": float("nan")}
    output.print_json(value)
    printed = capsys.readouterr().out
    assert "Größe" in printed
    assert json.loads(printed) == {**value, "nan": None}


def test_a_header_takes_two_lines_where_the_cells_are_narrow(capsys) -> None:
    led = Column("led", "tasks", [Cell(text="3")], unit="95 %", right=True)
    output.print_fitted([led, Column("all", "all", [Cell(text="the rest")])])
    first, second, _, cells = capsys.readouterr().out.splitlines()
    assert first.split() == ["tasks"]
    assert second.split() == ["(95", "%)", "all"]
    assert cells.split() == ["3", "the", "rest"]
