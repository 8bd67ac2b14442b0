"""Tables: how numbers are written, and what a script gets of them."""

from __future__ import annotations

from matbench_lite.view import DENSE, EMPTY, MOST_ROWS, Cell, Column, Table

from .html_page import parse


def cells(column: Column) -> list:
    return parse(Table(id="t", label="T", columns=[column]).__html__()).find("tbody")[0].find("td")


def test_a_minus_sign_is_one_and_a_script_still_reads_a_number() -> None:
    numbers = [Cell(text="-0.5"), Cell(text="-0.25", value=-0.254321), Cell(text="1.5"), EMPTY]
    shown = cells(Column(key="x", header="x", cells=numbers, right=True))
    assert [cell.text for cell in shown] == ["−0.5", "−0.25", "1.5", "–"]
    assert [cell.attributes.get("data-v") for cell in shown] == ["-0.5", "-0.254321", None, ""]


def test_a_hyphen_of_a_word_stays_a_hyphen() -> None:
    shown = cells(Column(key="x", header="x", cells=[Cell(text="general-purpose")]))
    assert [cell.text for cell in shown] == ["general-purpose"]


def test_only_the_script_hides_rows_of_a_long_table() -> None:
    def style(rows: int) -> str:
        columns = [Column(key="x", header="x", cells=[EMPTY] * rows)]
        return parse(Table(id="t", label="T", columns=columns).__html__()).find("style")[0].text

    assert style(MOST_ROWS) == ""
    assert style(MOST_ROWS + 1) == ".mbl-js #t tbody>:nth-child(n+101){display:none}"


def test_a_table_is_dense_by_all_columns_that_may_be_chosen() -> None:
    columns = [Column(key=f"c{place}", header="c", cells=[EMPTY]) for place in range(DENSE)]
    hidden = Column(key="h", header="h", cells=[EMPTY], shown=False)
    assert not Table(id="t", label="T", columns=columns).is_dense
    assert Table(id="t", label="T", columns=[*columns, hidden]).is_dense
