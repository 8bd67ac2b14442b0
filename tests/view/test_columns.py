"""One table through all six outputs: a number is the same text everywhere, and a stranger's text is only text."""

from __future__ import annotations

import csv
import html
import io
import json
import math
import re

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from matbench_lite import view
from matbench_lite.cleaner import Safe
from matbench_lite.cli.output import print_fitted, print_json
from matbench_lite.metrics import Summary
from matbench_lite.stats import Interval
from matbench_lite.text import duration, ends, number, p_value, share, spread
from matbench_lite.view import EMPTY, Cell, Column, Table

NUMBERS = st.floats(-1e9, 1e9)
SPREADS = st.one_of(st.just(0.0), st.floats(1e-9, 1e6))
SHARES = st.floats(0, 1)


def summary_cell(mean: float, std: float) -> Cell:
    score = Summary(mean=mean, std=std, min=mean, max=mean)
    return Cell(text=spread(score), value=mean, data=score)


def interval_cell(low: float, high: float) -> Cell:
    interval = Interval(low, high)
    return Cell(text=ends(interval, sign=True), data=interval)


CELLS = st.one_of(
    st.builds(summary_cell, NUMBERS, SPREADS),
    st.builds(lambda low, width: interval_cell(low, low + width), st.floats(-1e3, 1e3), SPREADS),
    st.builds(lambda value, std: Cell(text=number(value, std), value=value), NUMBERS, SPREADS),
    st.builds(lambda value: Cell(text=share(value), value=value), SHARES),
    st.builds(lambda value: Cell(text=p_value(value), value=value), SHARES),
    st.builds(lambda value: Cell(text=duration(value), value=value), st.floats(0, 1e8)),
    st.builds(lambda value: Cell(text=f"{value:,}", value=value), st.integers(0, 10**9)),
    st.just(EMPTY),
    st.just(Cell(text=number(math.nan, None), value=math.nan)),
)
"""Numbers with an uncertainty, intervals, shares, p-values, times, counts, and what is missing."""


def terminal(columns: list[Column], capsys: pytest.CaptureFixture[str]) -> str:
    capsys.readouterr()
    print_fitted(columns)
    return capsys.readouterr().out


def printed_json(value: object, capsys: pytest.CaptureFixture[str]) -> str:
    capsys.readouterr()
    print_json(value)
    return capsys.readouterr().out


def from_markdown(text: str) -> str:
    """What a reader of GitHub's page sees of a cell."""
    text = re.sub(r"\\([^\w\s])", r"\1", text.replace("<span>$</span>", "$"))
    return html.unescape(text).replace("\u200b", "")


def from_latex(text: str) -> str:
    """What a reader of the paper sees of a cell."""
    plain = {r"$\pm$": "±", "$-$": "-", r"\textless{}": "<", r"\textgreater{}": ">", r"\textendash{}": "–", r"\%": "%"}
    for command, char in plain.items():
        text = text.replace(command, char)
    return text


@given(st.lists(CELLS, min_size=1, max_size=5))
def test_a_number_is_the_same_text_in_every_output(capsys, cells) -> None:
    texts = [cell.text for cell in cells]
    columns = [Column("n", "number", cells, right=True)]
    assert [line.strip() for line in terminal(columns, capsys).splitlines()[2:]] == texts
    markdown = view.markdown(columns).splitlines()[2:]
    assert [from_markdown(line.removeprefix("| ").removesuffix(" |")) for line in markdown] == texts
    latex = view.latex(columns, "").partition("\\midrule\n")[2].partition("\\bottomrule")[0].splitlines()
    assert [from_latex(line.removesuffix(r" \\")) for line in latex] == texts
    page = re.findall("<td[^>]*>(.*?)</td>", Table(id="t", label="", columns=columns).__html__())
    assert [html.unescape(cell).replace("−", "-") for cell in page] == texts


@given(st.lists(CELLS, min_size=1, max_size=5))
def test_machines_get_every_digit(cells) -> None:
    columns = [Column("n", "number", cells, right=True), Column("row", "row", [Cell(text="", value=1)] * len(cells))]
    records = view.records(columns)
    for row, record, cell in zip(csv.DictReader(io.StringIO(view.csv(columns))), records, cells, strict=True):
        if isinstance(cell.data, Summary):
            assert (float(row["n_mean"]), float(row["n_std"])) == (cell.data.mean, cell.data.std)
        elif isinstance(cell.data, Interval):
            assert (float(row["n_low"]), float(row["n_high"])) == (cell.data.low, cell.data.high)
        elif cell.value is None or math.isnan(cell.value):
            assert record["n"] is None
            assert not row.get("n")
        else:
            assert record["n"] == cell.value == float(row["n"])


KNOWN = [
    "\u202eevil\u202c",
    "\x07\x1b[31mred\x1b]0;title\x07\x9b2J",
    "<script>alert(1)</script>",
    '"><img src=x onerror=alert(1)>',
    "=cmd()",
    "\t=cmd()",
    "@SUM(1)",
    "a | b\n| --- |",
    "`code` ``",
    "$x$ \\(x\\)",
    r"\input{/etc/passwd} \write18{ls} % & # _ ~ ^ { }",
    "[b]bold[/b] [red]x",
    "[1ex] *",
    "-- --- '' `` !`",
    "\ud800\U000e0041\u2028\u2029\x85",
    "a\r\nb",
]
WICKED = st.lists(st.one_of(st.sampled_from(KNOWN), st.text()), min_size=1, max_size=4)
HARMLESS_LATEX = re.compile(
    r"""\\(?:[&%$\#_{}] | textsuperscript\{[\d-]\} | (?:textbackslash|text(?:ascii(?:tilde|circum))
    |textbar|textless|textgreater|textquotedbl|textdagger|text(?:en|em)dash|ldots)\{\}) | \$(?:\\pm|\\times|-)\$""",
    re.VERBOSE,
)


def wicked_columns(texts: list[str]) -> list[Column]:
    """Every field of a column and of a cell that a stranger may fill."""
    cells = [Cell(text=text, value=text, small=text, note=text, chips=[("k", text)], link="x.html") for text in texts]
    foreign = Column("entry", texts[0], cells, unit=texts[-1], note=texts[0], kind="name", foreign=True)
    return [foreign, Column("plain", "n", [Cell(text=text, value=text) for text in texts], right=True)]


@example(KNOWN)
@given(WICKED)
def test_nothing_that_a_stranger_writes_reaches_a_terminal_raw(capsys, texts) -> None:
    columns = wicked_columns(texts)
    shown = terminal(columns, capsys)
    sent = [json.loads(json.dumps(text).encode("utf-8", "replace")) for text in texts if text.isprintable()]
    document = printed_json({"texts": sent, "odd": ["\u202e\x7f\x9b\U000e0041\x1b"]}, capsys)
    for text in (shown, document):
        assert all(char.isprintable() or char == "\n" for char in text)
    assert json.loads(document) == {"texts": sent, "odd": ["\u202e\x7f\x9b\U000e0041\x1b"]}


@example(KNOWN)
@given(WICKED)
def test_no_cell_of_a_csv_file_is_a_formula(texts) -> None:
    for row in csv.reader(io.StringIO(view.csv(wicked_columns(texts)), newline="")):
        for cell in row:
            assert not cell.startswith(("=", "+", "-", "@", "\t", "\r"))
            assert all(char.isprintable() or char.isspace() or char in "\u200c\u200d" for char in cell)
            assert not set(cell) & set("\x07\x1b\x9b\x85\u202e\u2028\u2029\ud800")


@example(KNOWN)
@given(WICKED)
def test_markdown_keeps_its_table_and_runs_nothing(texts) -> None:
    lines = view.markdown(wicked_columns(texts)).split("\n")
    assert len(lines) == len(texts) + 3
    for line in lines[:-1]:
        assert len(re.findall(r"(?<!\\)(?:\\\\)*\|", line)) == 3, "three bars around two columns"
        assert not re.search(r"<(?!span>\$</span>|/span>)", line)
        assert not re.search(r"(?<!\\)(?:\\\\)*`", line)
        assert line.isprintable()


@example(KNOWN)
@given(WICKED)
def test_latex_runs_no_command(texts) -> None:
    table = view.latex(wicked_columns(texts), texts[0])
    lines = table.splitlines()
    assert len(lines) == len(texts) + 10
    body = [lines[2].removeprefix(r"\caption{").removesuffix("}")]
    for line in lines[5:6] + lines[7:-3]:
        assert line.endswith(r" \\")
        body += line.removesuffix(r" \\").split(" & ")
    assert len(body) == 1 + 2 * (len(texts) + 1)
    for cell in body:
        rest = HARMLESS_LATEX.sub("", cell)
        rest = re.sub(r"\{[\[\]*`']?\}", "", rest)
        assert not set(rest) & set("\\{}$&#%_~^[]*`")
        assert cell.isprintable()


@example(KNOWN)
@given(WICKED)
def test_a_page_shows_tags_and_marks_as_text(texts) -> None:
    page = Table(id="t", label=texts[0], columns=wicked_columns(texts), slugs=texts).__html__()
    tags = set(re.findall(r"<\s*/?\s*([a-zA-Z]+)", page))
    known = "section div span details summary label input button style table thead tr th tbody td a bdi small"
    assert tags <= set(known.split())
    assert all(char.isprintable() or char.isspace() or char in "\u200c\u200d" for char in page)
    assert not set(page) & set("\x07\x1b\x9b\u202e\u2028\u2029")


def test_what_is_markdown_already_stays_so() -> None:
    assert view.markdown([Column("a", "a", [Cell(text=Safe("`x`"))])]) == "| a |\n| --- |\n| `x` |\n"


def test_a_column_is_in_the_outputs_it_names() -> None:
    shown = Column("a", "a", [Cell(text="1", value=1)])
    hidden = Column("b", "b", [Cell(text="2", value=2)], shown=False)
    unknown = Column("c", "c", [EMPTY], spare=1)
    columns = [shown, hidden, unknown]
    assert [column.key for column in view.shown_in("terminal", columns)] == ["a", "b"]
    assert [column.key for column in view.shown_in("latex", columns)] == ["a"]
    assert view.records(columns) == [{"a": 1, "b": 2, "c": None}]


def test_letters_of_any_language_are_shown_as_they_are(capsys) -> None:
    columns = [Column("a", "entry", [Cell(text="Größe 研究", value="Größe 研究")])]
    for text in (terminal(columns, capsys), view.markdown(columns), view.latex(columns, ""), view.csv(columns)):
        assert "Größe 研究" in text
