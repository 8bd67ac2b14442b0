"""The data of a user's own task: one CSV or Parquet file, checked when it is opened.

Rows in messages are counted from 0, as pandas does, without the header.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING, Any

from matbench_lite.data.spacegroups import checked_spacegroups
from matbench_lite.errors import DataFormatError, DataMissingError

if TYPE_CHECKING:
    import numpy as np
    import pandas as pd
    from numpy.typing import NDArray

    from matbench_lite.data.structures import StructureColumns
    from matbench_lite.tasks import Input, Kind, Table, Task


# As text: one wrong label in a CSV file makes texts of all of them.
_LABELS = {"true": True, "1": True, "1.0": True, "false": False, "0": False, "0.0": False}


def table_targets(task: Task) -> pd.DataFrame:
    """Targets, reduced formulas and, where there is a column for them, space groups; indexed by row id.

    Raises:
        DataMissingError: If there is no such file.
        DataFormatError: If a column is missing, an id repeated, a target missing or of the wrong type, or an input
            neither a formula nor a structure.
    """
    import pandas as pd

    rows = _rows(task)
    columns: dict[str, Any] = {"target": rows.values, "formula": rows.formulas}
    if rows.spacegroups is not None:
        columns["spacegroup"] = pd.array(rows.spacegroups, dtype="Int16")
    return pd.DataFrame(columns, index=rows.ids)


def table_digest(task: Task) -> str:
    """Digest of all that a user's file says of its rows: targets, inputs, space groups."""
    return _rows(task).whole_digest


def table_ids(task: Task) -> pd.Index:
    """The row ids of a user's task, in file order."""
    return _rows(task).ids


def table_target_values(task: Task) -> NDArray[np.float64] | NDArray[np.bool_]:
    """The targets of a user's task, in file order: floats, or booleans for classification."""
    return _rows(task).values


def table_is_test(task: Task) -> NDArray[np.bool_]:
    """Of every row of a user's task, whether its file says that it is to be tested on."""
    is_test = _rows(task).is_test
    assert is_test is not None, f"{task.name} has no column of parts"
    return is_test


def table_inputs(task: Task) -> pd.Series:
    """Formula strings or structures of a user's task, indexed by row id."""
    import pandas as pd

    rows = _rows(task)
    if task.input == "composition":
        return pd.Series(rows.texts, index=rows.ids, name="composition")
    from matbench_lite.data.structures.array import StructureArray

    return pd.Series(StructureArray(rows.structures), index=rows.ids, name="structure")


@dataclass(frozen=True, kw_only=True)
class _Rows:
    """What a user's file says of each row; texts become structures and formulas when they are asked for."""

    table: Table
    input: Input
    ids: pd.Index
    values: NDArray[np.float64] | NDArray[np.bool_]
    texts: list[str]
    spacegroups: list[int | None] | None
    is_test: NDArray[np.bool_] | None

    @cached_property
    def digest(self) -> str:
        from matbench_lite.tasks import targets_digest

        return targets_digest(self.ids, self.values)

    @cached_property
    def whole_digest(self) -> str:
        from matbench_lite.tasks import inputs_digest, spacegroups_digest

        spacegroups = "" if self.spacegroups is None else spacegroups_digest(self.ids, self.spacegroups)
        return f"{self.digest} {inputs_digest(self.ids, self.texts)} {spacegroups}"

    @cached_property
    def formulas(self) -> list[str]:
        from matbench_lite.data.formulas import reduced_formulas, reduced_formulas_of_strings

        if self.input == "structure":
            return reduced_formulas(self.structures.table)
        try:
            return reduced_formulas_of_strings(self.texts)
        except DataFormatError as error:
            raise DataFormatError(
                f"{self.table.path}: {self.table.input!r} in {error.message}", fix=error.fix
            ) from error

    @cached_property
    def structures(self) -> StructureColumns:
        from matbench_lite.data.structures import StructureColumns, encode_structures

        try:
            return StructureColumns(encode_structures(_structure_dicts(self.table, self.texts)))
        except DataFormatError as error:
            raise DataFormatError(f"{self.table.path}: {error.message}", fix=error.fix) from error


def _rows(task: Task) -> _Rows:
    assert task.table is not None, f"{task.name} has no table"
    path = task.table.path
    try:
        stat = path.stat()
    except OSError as error:
        raise DataMissingError(
            f"{path} cannot be opened: {error.strerror}", fix="correct data.path in the benchmark file"
        ) from error
    # The time of the last change is part of the key: an edited file is read again.
    rows = _read_rows(task.table, task.input, task.kind, (stat.st_mtime_ns, stat.st_size))
    if task.targets_sha256 is not None and task.targets_sha256 != rows.digest:
        raise DataFormatError(
            f"{path}: ids or targets of {task.name} were changed after the benchmark was loaded",
            fix="load the benchmark again, or restore the file",
        )
    return rows


@lru_cache(maxsize=8)
def _read_rows(table: Table, input_kind: Input, kind: Kind, _stamp: tuple[int, int]) -> _Rows:
    frame = _read_frame(table)
    return _Rows(
        table=table,
        input=input_kind,
        ids=_ids(_column(frame, table, table.id), table),
        values=_values(_column(frame, table, table.target), table, kind),
        texts=_column(frame, table, table.input).astype(str).tolist(),
        spacegroups=None
        if table.spacegroup is None
        else checked_spacegroups(_column(frame, table, table.spacegroup), table.path),
        is_test=None if table.part is None else _is_test(_column(frame, table, table.part), table),
    )


def _read_frame(table: Table) -> pd.DataFrame:
    import pandas as pd

    try:
        if table.path.suffix == ".parquet":
            return pd.read_parquet(table.path)
        with warnings.catch_warnings():
            # Of a row with more values than the header has columns, pandas would only warn.
            warnings.simplefilter("error", pd.errors.ParserWarning)
            return pd.read_csv(
                table.path,
                # An id such as "001" is text and no number; a formula such as "NaN" is not a missing value.
                dtype={table.id: str, table.input: str},
                keep_default_na=False,
                na_values=[""],
                float_precision="round_trip",
                # By default, a comma at the end of every row would make the first column the index.
                index_col=False,
                low_memory=False,
            )
    except (ValueError, OSError, pd.errors.ParserWarning) as error:
        raise DataFormatError(f"{table.path} cannot be read: {error}", fix="give a CSV or Parquet file") from error


def _column(frame: pd.DataFrame, table: Table, name: str) -> pd.Series:
    if name not in frame.columns:
        raise DataFormatError(
            f"{table.path} has no column {name!r}", fix=f"use one of {', '.join(map(str, frame.columns))}"
        )
    column = frame[name]
    if column.isna().any():
        row = int(column.isna().to_numpy().nonzero()[0][0])
        raise DataFormatError(f"{table.path}: {name!r} in row {row} is empty", fix="fill it in or remove the row")
    return column


def _ids(column: pd.Series, table: Table) -> pd.Index:
    import pandas as pd

    ids = pd.Index(column.astype(str), name="id")
    if not ids.is_unique:
        repeated = ids[ids.duplicated()][0]
        raise DataFormatError(
            f"{table.path}: the id {repeated!r} occurs more than once", fix="give every row its own id"
        )
    return ids


def _is_test(column: pd.Series, table: Table) -> NDArray[np.bool_]:
    wrong = ~column.isin(("train", "test"))
    if wrong.any():
        row = int(wrong.to_numpy().nonzero()[0][0])
        raise DataFormatError(
            f"{table.path}: {column.name!r} in row {row} is {str(column.iloc[row])!r}, not train or test",
            fix="write train or test",
        )
    is_test: NDArray[np.bool_] = (column == "test").to_numpy()
    return is_test


def _values(column: pd.Series, table: Table, kind: Kind) -> NDArray[np.float64] | NDArray[np.bool_]:
    import numpy as np

    values: NDArray[np.float64] | NDArray[np.bool_]
    if kind == "classification":
        labels = column.astype(str).str.lower().map(_LABELS)
        fits = labels.notna().to_numpy()
        values = labels[fits].to_numpy().astype(bool)
        what, fix = "true or false", "write true/false or 0/1"
    else:
        values = _numbers(column)
        fits = np.isfinite(values)
        what, fix = "a finite number", "correct the value, remove the row, or choose another column"
    if not fits.all():
        row = int(np.flatnonzero(~fits)[0])
        raise DataFormatError(
            f"{table.path}: {column.name!r} in row {row} is {str(column.iloc[row])!r}, not {what}", fix=fix
        )
    values.flags.writeable = False
    return values


def _numbers(column: pd.Series) -> NDArray[np.float64]:
    """The column as new floats; NaN where it has something else."""
    import numpy as np
    import pandas as pd

    # Truth values and dates would turn into numbers, too.
    if pd.api.types.is_bool_dtype(column) or pd.api.types.is_datetime64_any_dtype(column):
        return np.full(len(column), np.nan)
    numbers: NDArray[np.float64] = pd.to_numeric(column, errors="coerce").to_numpy(dtype=np.float64, copy=True)
    return numbers


def _structure_dicts(table: Table, texts: list[str]) -> Iterator[Any]:
    """The structures as pymatgen's dicts, from whatever format they are written in."""
    import orjson

    for row, text in enumerate(texts):
        try:
            yield orjson.loads(text) if table.structure_format == "json" else _parsed(text, table)
        except Exception as error:  # whatever pymatgen's readers make of a stranger's text
            raise DataFormatError(
                f"{table.input!r} in row {row} is not {table.structure_format}: {error}",
                fix="correct the row, or data.structure_format in the benchmark file",
            ) from error


def _parsed(text: str, table: Table) -> Any:
    import orjson
    from pymatgen.core import Structure

    with warnings.catch_warnings():
        # Coordinates rounded to ideal positions, guessed elements: nothing that a reader of the benchmark can change.
        warnings.simplefilter("ignore")
        return orjson.loads(Structure.from_str(text, fmt=table.structure_format).to_json())
