"""Data of an evaluation from CSV and Parquet files."""

from __future__ import annotations

from typing import TYPE_CHECKING

from matbench_lite.errors import EvaluationError
from matbench_lite.evaluate.file.specification import FileSource

if TYPE_CHECKING:
    import pandas as pd

COLUMNS = ("id", "sequence", "task", "choices", "response", "response_type", "domain")
"""The columns that all data has."""
_TEXTS = ("id", "task", "choices", "response", "response_type", "domain")
_HOOK_WORDS = ("item", "target", "self")
# What pandas takes for a missing value; in the columns above, "None" or "NA" may be somebody's answer.
_MISSING = ["", "#N/A", "#N/A N/A", "#NA", "-1.#IND", "-1.#QNAN", "-NaN", "-nan", "1.#IND", "1.#QNAN", "<NA>", "N/A",
            "NA", "NULL", "NaN", "None", "n/a", "nan", "null"]  # fmt: skip


def read_file(source: FileSource) -> pd.DataFrame:
    """The rows of a file, with the columns that all data has and any others.

    Raises:
        EvaluationError: If it cannot be read, a column or a value is missing, or a column has the name of an argument
            of the hooks.
    """
    frame = _read(source)
    place = f"{source.key}: {source.path.name}"
    if missing := [name for name in COLUMNS if name not in frame]:
        raise EvaluationError(
            f"{place} has no column {', '.join(missing)}", fix=f"give it the columns {', '.join(COLUMNS)}"
        )
    for name in _HOOK_WORDS:
        if name in frame:
            raise EvaluationError(
                f"{place} has a column {name!r}, which is the name of an argument of the models", fix="rename it"
            )
    if frame.empty:
        raise EvaluationError(f"{place} has no rows", fix="give a file with rows")
    for name in COLUMNS:
        empty = frame[name].isna()
        if empty.any() and name != "choices":
            row = int(empty.to_numpy().argmax())
            raise EvaluationError(
                f"{place}: {name} is missing in {int(empty.sum())} rows, first in data row {row + 1}",
                fix="fill it in, or leave the rows out",
            )
    # Free responses need no choices.
    return frame.assign(choices=frame["choices"].fillna(""))


def _read(source: FileSource) -> pd.DataFrame:
    import pandas as pd

    try:
        if source.path.suffix.lower() == ".parquet":
            return pd.read_parquet(source.path)
        names = pd.read_csv(source.path, nrows=0).columns
        values = {name: [""] if name in _TEXTS else _MISSING for name in names}
        return pd.read_csv(source.path, keep_default_na=False, na_values=values)
    except (OSError, ValueError) as error:  # pandas' and pyarrow's own errors are kinds of ValueError
        raise EvaluationError(
            f"{source.key}: {source.path} cannot be read: {error}", fix="give a CSV or Parquet file"
        ) from error
