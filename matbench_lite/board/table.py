"""Records as tables: nested for JSON, flat for CSV and data frames."""

from __future__ import annotations

import csv
import io
import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import fields, is_dataclass
from typing import TYPE_CHECKING, Any

from matbench_lite.cleaner import for_csv

if TYPE_CHECKING:
    import pandas as pd


def flat_rows(records: Iterable[Any]) -> list[dict[str, Any]]:
    """One flat dictionary per dictionary or dataclass; what is nested has its path as name, joined by "_".

    Examples:
        >>> from matbench_lite.stats import Interval
        >>> flat_rows([{"name": "a", "interval": Interval(1.0, 2.0)}])
        [{'name': 'a', 'interval_low': 1.0, 'interval_high': 2.0}]
    """
    nested: set[str] = set()
    rows = [dict(_flat(record, nested)) for record in records]
    # What one record lacks as a whole and another has in parts is no column of its own.
    return [{name: value for name, value in row.items() if value is not None or name not in nested} for row in rows]


def to_frame(records: Sequence[Any]) -> pd.DataFrame:
    """The records as a data frame, one row each."""
    import pandas as pd

    return pd.DataFrame(flat_rows(records))


def to_csv(records: Iterable[Any]) -> str:
    r"""The records, dictionaries or instances of a dataclass, as CSV; what is missing is empty.

    A text that a spreadsheet would take for a formula gets an apostrophe in front.

    Examples:
        >>> from matbench_lite.stats import Interval
        >>> to_csv([Interval(1.0, float("nan"))])
        'low,high\n1.0,\n'
        >>> to_csv([{"name": "=1+1", "value": -1.5}])
        "name,value\n'=1+1,-1.5\n"
    """
    rows = flat_rows(records)
    columns = dict.fromkeys(name for row in rows for name in row)
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(map(for_csv, columns))
    writer.writerows([_csv_cell(row.get(name)) for name in columns] for row in rows)
    return text.getvalue()


def _flat(content: Any, nested: set[str], prefix: str = "") -> Iterator[tuple[str, Any]]:
    """What is inside, by its path; the names of what is nested are added to `nested`."""
    is_mapping = isinstance(content, Mapping)
    names = content if is_mapping else [field.name for field in fields(content)]
    for key in names:
        value = content[key] if is_mapping else getattr(content, key)
        name = f"{prefix}{key}"
        if isinstance(value, Mapping) or is_dataclass(value):
            nested.add(name)
            yield from _flat(value, nested, f"{name}_")
        else:
            yield name, value


def _csv_cell(value: object) -> object:
    if isinstance(value, str):
        return for_csv(value)
    return "" if value is None or (isinstance(value, float) and math.isnan(value)) else value
