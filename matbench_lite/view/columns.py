r"""A column of a table, described once and shown alike by terminal, CSV, JSON, Markdown, pages and LaTeX.

What people read is the same text everywhere; what machines read, CSV and JSON, is the value with all its digits. Where
an output has to write a character in another way, a minus sign or LaTeX's "\%", it reads as the same text.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import KW_ONLY, dataclass, replace
from typing import Any, Literal

from markupsafe import Markup

from matbench_lite.cleaner import for_markdown
from matbench_lite.templating import render
from matbench_lite.text import MISSING

Output = Literal["terminal", "csv", "json", "markdown", "html", "latex"]
PEOPLE: frozenset[Output] = frozenset({"terminal", "markdown", "html", "latex"})
"""The outputs that people read."""
DATA: frozenset[Output] = frozenset({"csv", "json"})
"""The outputs that machines read."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Cell:
    """One cell.

    Args:
        text: What is shown.
        value: What is sorted by, where that is not the text: a number with all its digits.
        data: What CSV and JSON have, where that is more than the value: all of a summary or an interval.
        link: Address that the text links to, on pages.
        ink: "leading" for the leading group: the best, and all that are not told apart from it; else "".
        heat: Step of the colour scale of pages, 0 to 8; None: no colour.
        small: More, after the text: in small print, or in brackets.
        mark: What is written after the text where neither colours nor hovering can say it.
        note: Explanation that is shown on hover; never the only place where something is said.
        stated: Whether it is a score that the entry states and nobody has recomputed.
        before: Something drawn in front of the text, on pages.
        chips: Properties shown after the text, that filter when clicked: the filter's name and its value.
    """

    text: str
    value: Any = None
    data: Any = None
    link: str | None = None
    ink: str = ""
    heat: int | None = None
    small: str = ""
    mark: str = ""
    note: str = ""
    stated: bool = False
    before: Markup | str = ""
    chips: Sequence[tuple[str, str]] = ()

    @property
    def full_text(self) -> str:
        """The text with all that follows it.

        Examples:
            >>> Cell(text="2.3", small="1.0 to 3.5", stated=True).full_text
            '2.3† (1.0 to 3.5)'
        """
        if not (self.stated or self.small or self.mark):
            return self.text  # Markdown that is ready stays so
        small, mark = f" ({self.small})" if self.small else "", f" {self.mark}" if self.mark else ""
        return f"{self.text}{'†' if self.stated else ''}{small}{mark}"

    @property
    def record(self) -> Any:
        """What CSV and JSON have; None where there is nothing."""
        value = self.value if self.data is None else self.data
        return None if isinstance(value, float) and math.isnan(value) else value


EMPTY = Cell(text=MISSING)
"""A cell of which nothing is known."""


@dataclass(frozen=True, slots=True)
class Column:
    """One column.

    Args:
        key: Its name in addresses, and in CSV and JSON, unless `path` says another.
        header: What it is called.
        cells: One per row.
        unit: Unit of its numbers, or a remark, shown in the header.
        note: What it is, in one sentence, shown on hover.
        link: Address that the header links to, on pages.
        right: Whether it holds numbers.
        down: Whether the first click sorts from high to low.
        shown: Whether Markdown and LaTeX have it, and pages before anybody chooses columns.
        kind: A class of its cells: "rank" and "name" stay in sight, "entry" names an entry.
        foreign: Whether its texts come from entries, in any script and direction.
        spare: 0 is always shown. Of the others, a terminal leaves out the highest first where there is no room, and
            nobody shows one in which nothing is known.
        path: Its name in CSV and JSON, where that is not the key; of a nested value, the names from the outside in.
        outputs: The outputs that have it.
    """

    key: str
    header: str
    cells: Sequence[Cell]
    _: KW_ONLY
    unit: str = ""
    note: str = ""
    link: str | None = None
    right: bool = False
    down: bool = False
    shown: bool = True
    kind: str = ""
    foreign: bool = False
    spare: int = 0
    path: tuple[str, ...] = ()
    outputs: frozenset[Output] = PEOPLE | DATA

    @property
    def heading(self) -> str:
        """The header with its unit, on one line."""
        return f"{self.header} ({self.unit})" if self.unit else self.header

    @property
    def is_unknown(self) -> bool:
        """Whether it has rows, and nothing is known in any of them."""
        return bool(self.cells) and all(cell.text == MISSING for cell in self.cells)

    @property
    def classes(self) -> str:
        """The classes of its cells on a page."""
        return f"{self.kind} n".strip() if self.right else self.kind

    def typeset(self, text: str) -> str:
        """A text of the column as print has it: numbers with a minus sign that is one."""
        return text.replace("-", "−") if self.right else text


def column_of_texts(header: str, texts: Sequence[str], **more: Any) -> Column:
    """Texts as they are; what `more` may say is what a `Column` has."""
    return Column(header.replace(" ", "_"), header, [Cell(text=text or MISSING, value=text) for text in texts], **more)


def column_of_numbers(header: str, numbers: Sequence[int], **more: Any) -> Column:
    """Whole numbers, in the same way."""
    cells = [Cell(text=f"{number:,}", value=number) for number in numbers]
    return Column(header.replace(" ", "_"), header, cells, right=True, **more)


def data_column(name: str, values: Sequence[Any]) -> Column:
    """What only machines read."""
    return Column(name, name, [Cell(text="", value=value) for value in values], outputs=DATA)


def data_columns(rows: Sequence[Any], *names: str) -> list[Column]:
    """Fields of records that only machines read."""
    return [data_column(name, [getattr(row, name) for row in rows]) for name in names]


def shown_in(output: Output, columns: Iterable[Column]) -> list[Column]:
    """The columns of an output: for people, without spare ones in which nothing is known; on paper, the usual ones."""
    shown = [column for column in columns if output in column.outputs]
    if output in DATA:
        return shown
    on_paper = output in ("markdown", "latex")
    return [column for column in shown if not (column.spare and column.is_unknown) and (column.shown or not on_paper)]


def linked(columns: Iterable[Column], **links: Sequence[str | None]) -> list[Column]:
    """The columns, with links in the cells of those whose keys are given."""
    return [
        replace(
            column, cells=[replace(cell, link=link) for cell, link in zip(column.cells, links[column.key], strict=True)]
        )
        if column.key in links
        else column
        for column in columns
    ]


def records(columns: Iterable[Column], output: Output = "json") -> list[dict[str, Any]]:
    """One dictionary per row for a machine: values with all their digits, nested as the paths say.

    Of columns with a nested path, a row has what is known of it. The output is "json" or "csv".

    Examples:
        >>> score = Column(key="score", header="MAE", cells=[Cell(text="0.1", value=0.123)])
        >>> rmse = Column(key="rmse", header="RMSE", cells=[EMPTY], path=("metrics", "rmse"))
        >>> records([score, rmse])
        [{'score': 0.123, 'metrics': {}}]
    """
    chosen = shown_in(output, columns)
    rows: list[dict[str, Any]] = [{} for _ in (chosen[0].cells if chosen else ())]
    for column in chosen:
        *outer, name = column.path or (column.key,)
        for row, cell in zip(rows, column.cells, strict=True):
            inside = row
            for step in outer:
                inside = inside.setdefault(step, {})
            if not outer or cell.record is not None:
                inside[name] = cell.record
    return rows


def csv(columns: Iterable[Column]) -> str:
    r"""The table as CSV, every digit; what is nested has its path as name.

    Examples:
        >>> csv([Column(key="entry", header="entry", cells=[Cell(text="=1+1", value="=1+1")])])
        "entry\n'=1+1\n"
    """
    from matbench_lite.board import to_csv  # numpy: not for commands that only print a few words

    return to_csv(records(columns, "csv"))


def markdown(columns: Iterable[Column]) -> str:
    r"""The table as GitHub's Markdown; text that is Markdown already (`cleaner.Safe`) stays as it is.

    Examples:
        >>> print(markdown([Column(key="p", header="p", cells=[Cell(text="< 0.001")], right=True)]), end="")
        | p |
        | --: |
        | &lt; 0.001 |
    """
    shown = shown_in("markdown", columns)
    lines: list[Sequence[str]] = [
        [for_markdown(column.heading) for column in shown],
        ["--:" if column.right else "---" for column in shown],
        *zip(*([for_markdown(cell.full_text) for cell in column.cells] for column in shown), strict=True),
    ]
    return "".join(f"| {' | '.join(line)} |\n" for line in lines)


def latex(columns: Iterable[Column], caption: str) -> str:
    r"""The table as LaTeX, with the rules of the package booktabs.

    Examples:
        >>> share = Column(key="won", header="rows_won", cells=[Cell(text="25 %")], right=True)
        >>> print(latex([share], "A & B"), end="")
        \begin{table}
        \centering
        \caption{A \& B}
        \begin{tabular}{r}
        \toprule
        rows\_won \\
        \midrule
        25 \% \\
        \bottomrule
        \end{tabular}
        \end{table}
    """
    shown = shown_in("latex", columns)
    body = zip(*([column.typeset(cell.full_text) for cell in column.cells] for column in shown), strict=True)
    sides = "".join("r" if column.right else "l" for column in shown)
    headings = [column.heading for column in shown]
    return render("view/latex/table.tex.j2", caption=caption, sides=sides, lines=[headings, *body])
