"""Records as tables: nested for JSON, flat for CSV and data frames."""

from __future__ import annotations

import csv
import io
import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import pandas as pd


def flat_rows(records: Sequence[Any]) -> list[dict[str, Any]]:
    """One flat dictionary per record; what is nested has its path as name, joined by "_".

    Args:
        records: Instances of a dataclass.

    Examples:
        >>> from dataclasses import dataclass
        >>> from matbench_lite.stats import Interval
        >>> @dataclass(frozen=True)
        ... class Row:
        ...     name: str
        ...     interval: Interval
        >>> flat_rows([Row("a", Interval(1.0, 2.0))])
        [{'name': 'a', 'interval_low': 1.0, 'interval_high': 2.0}]
    """
    nested: set[str] = set()
    rows = [_flat(asdict(record), nested) for record in records]
    # What one record lacks as a whole and another has in parts is no column of its own.
    return [{name: value for name, value in row.items() if value is not None or name not in nested} for row in rows]


def to_frame(records: Sequence[Any]) -> pd.DataFrame:
    """The records as a data frame, one row each."""
    import pandas as pd

    return pd.DataFrame(flat_rows(records))


def to_csv(records: Sequence[Any]) -> str:
    r"""The records as CSV; what is missing is empty.

    Examples:
        >>> from matbench_lite.stats import Interval
        >>> to_csv([Interval(1.0, float("nan"))])
        'low,high\n1.0,\n'
    """
    return rows_to_csv(flat_rows(records))


def rows_to_csv(rows: Sequence[Mapping[str, Any]]) -> str:
    r"""Flat rows as CSV; a text that a spreadsheet would take for a formula gets an apostrophe in front.

    Args:
        rows: One dictionary per row; what one of them lacks is empty.

    Examples:
        >>> rows_to_csv([{"name": "=1+1", "value": -1.5}])
        "name,value\n'=1+1,-1.5\n"
    """
    columns = dict.fromkeys(name for row in rows for name in row)
    text = io.StringIO()
    writer = csv.DictWriter(text, list(columns), lineterminator="\n")
    writer.writeheader()
    writer.writerows({name: _csv_cell(value) for name, value in row.items()} for row in rows)
    return text.getvalue()


def _flat(content: Mapping[str, Any], nested: set[str], prefix: str = "") -> dict[str, Any]:
    """One flat dictionary; the names of what is nested are added to `nested`."""
    row: dict[str, Any] = {}
    for key, value in content.items():
        name = f"{prefix}{key}"
        if isinstance(value, Mapping):
            nested.add(name)
            row |= _flat(value, nested, f"{name}_")
        else:
            row[name] = value
    return row


def _csv_cell(value: object) -> object:
    if isinstance(value, str) and value.startswith(("=", "+", "-", "@", "\t", "\r")):
        return f"'{value}"
    return "" if _missing(value) else value


def _missing(value: object) -> bool:
    return value is None or (isinstance(value, float) and math.isnan(value))
