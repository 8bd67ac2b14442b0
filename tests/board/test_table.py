"""Records as flat tables."""

from __future__ import annotations

from dataclasses import dataclass

from matbench_lite.board import flat_rows, to_csv, to_frame
from matbench_lite.stats import Interval


@dataclass(frozen=True)
class Row:
    name: str
    interval: Interval | None
    values: dict[str, float]


ROWS = [Row("a", None, {"x": 1.0}), Row("b", Interval(1, 2), {"y": float("nan")})]


def test_what_is_nested_becomes_columns_and_what_is_missing_is_empty() -> None:
    assert flat_rows(ROWS)[0] == {"name": "a", "values_x": 1.0}
    assert to_csv(ROWS).splitlines() == ["name,values_x,interval_low,interval_high,values_y", "a,1.0,,,", "b,,1,2,"]


def test_a_column_that_all_lack_stays() -> None:
    assert list(flat_rows(ROWS[:1])[0]) == ["name", "interval", "values_x"]


def test_a_frame_has_the_same_columns() -> None:
    frame = to_frame(ROWS)
    assert list(frame.columns) == ["name", "values_x", "interval_low", "interval_high", "values_y"]
    assert frame["interval_low"].isna().tolist() == [True, False]


def test_no_rows_are_an_empty_table() -> None:
    assert to_csv([]) == "\n"
    assert to_frame([]).empty
