"""The data of a user's own task: one CSV or Parquet file, checked when it is opened.

Rows in messages are counted from 0, as pandas does, without the header.
"""

from __future__ import annotations

import hashlib
import math
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property, lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
import orjson

from matbench_lite.data.table_files import read_table
from matbench_lite.data.user_columns import Classes, classes_of, filled, read_marks, refuse_first
from matbench_lite.errors import DataFormatError, DataMissingError, raising
from matbench_lite.tasks import inputs_digest, spacegroups_digest, targets_digest

if TYPE_CHECKING:
    import pandas as pd
    from numpy.typing import NDArray

    from matbench_lite.data.structures import StructureColumns
    from matbench_lite.tasks import Input, Kind, Marks, Table, Task


_SHOWN = 20
"""Columns that a message names."""


@dataclass(frozen=True, kw_only=True)
class TableRows:
    """What a user's file says of each row, in file order; texts become structures and formulas when they are asked for.

    Targets are read-only floats, or for classification booleans or numbers of classes. Compositions are formulas, or
    structures as text, as they are written; of a table there are none, but its columns. Space groups are None if no
    column says so; `marks` is what columns say of the folds, `clusters` which rows belong together. All of it is
    `verified`: a user's own data is what it is.
    """

    table: Table
    input: Input
    ids: pd.Index
    target_values: NDArray[np.float64] | NDArray[np.bool_] | NDArray[np.intp]
    classes: Classes
    compositions: list[str]
    columns: pd.DataFrame
    spacegroups: list[int | None] | None
    marks: Marks
    clusters: NDArray[np.intp]
    verified: ClassVar[bool] = True

    @cached_property
    def targets_digest(self) -> str:
        """Digest of ids and targets."""
        return targets_digest(self.ids, self.target_values, self.classes)

    @cached_property
    def inputs_digest(self) -> str:
        """Digest of ids and inputs; of a table, of each row's values as JSON, after the names of the columns."""
        if self.input != "table":
            return inputs_digest(self.ids, self.compositions)
        values = self.columns.astype(object).where(self.columns.notna(), None).to_numpy()
        for infinite in (math.inf, -math.inf):  # no numbers in JSON, which would take them for missing ones
            values[values == infinite] = str(infinite)
        rows = (orjson.dumps(row).decode() for row in values.tolist())
        return inputs_digest(["", *self.ids], [orjson.dumps(list(self.columns)).decode(), *rows])

    @cached_property
    def digest(self) -> str:
        """Digest of all that the file says: targets, inputs, space groups, clusters."""
        spacegroups = "" if self.spacegroups is None else spacegroups_digest(self.ids, self.spacegroups)
        clusters = (
            "" if self.table.cluster is None else hashlib.sha256(self.clusters.astype("<i8").tobytes()).hexdigest()
        )
        return f"{self.targets_digest} {self.inputs_digest} {spacegroups} {clusters}"

    @cached_property
    def formulas(self) -> list[str]:
        """Reduced formulas, in file order; of a table, which has none, "" for every row."""
        from matbench_lite.data.chemistry import reduced_formulas, reduced_formulas_of_strings

        if self.input == "table":
            return [""] * len(self.ids)
        if self.input == "structure":
            return reduced_formulas(self.structures.table)
        with located(f"{self.table.path}: {self.table.input!r} in "):
            return reduced_formulas_of_strings(self.compositions)

    @cached_property
    def structures(self) -> StructureColumns:
        """The structures, built when they are looked at."""
        from matbench_lite.data.structures import StructureColumns, encode_structures

        with located(f"{self.table.path}: "):
            return StructureColumns(encode_structures(_structure_dicts(self.table, self.compositions)))


def table_rows(task: Task) -> TableRows:
    """The rows of a user's task, read again if its file was changed.

    A `DataMissingError` if there is no such file; a `DataFormatError` if a column is missing, an id repeated, or a
    target missing or of the wrong type.
    """
    assert task.table is not None, f"{task.name} has no table"
    path = task.table.path
    with raising(DataMissingError, f"{path} cannot be opened", fix="correct data.path in the benchmark file"):
        stat = path.stat()
    rows = _read_rows(task.table, task.input, task.kind, task.classes, (stat.st_mtime_ns, stat.st_size))
    if task.targets_sha256 is not None and task.targets_sha256 != rows.targets_digest:
        raise DataFormatError(
            f"{path}: ids or targets of {task.name} were changed after the benchmark was loaded",
            fix="load the benchmark again, or restore the file",
        )
    return rows


@lru_cache(maxsize=8)
def _read_rows(table: Table, input_kind: Input, kind: Kind, named: Classes, _stamp: tuple[int, int]) -> TableRows:
    frame = _read_frame(table, kind)
    ids = _ids(frame, table)  # the first column that a file of something else lacks
    target, *inputs = (_column(frame, table, name) for name in (table.target, table.input) if name)
    spacegroup = table.spacegroup and _column(frame, table, table.spacegroup)
    others = (*table.columns, table.part, table.fold, table.group, table.time, *table.repeats)
    for name in filter(None, others):
        _named(frame, table, name)
    classes, values = _values(target, table, kind, named)
    return TableRows(
        table=table,
        input=input_kind,
        ids=ids,
        target_values=values,
        classes=classes,
        compositions=[text for column in inputs for text in column.astype(str)],
        columns=_plain_columns(frame[list(table.columns)].set_index(ids), table),
        spacegroups=None if spacegroup is None else checked_spacegroups(spacegroup, table.path),
        marks=read_marks(frame, table),
        clusters=_clusters(frame, table),
    )


def _clusters(frame: pd.DataFrame, table: Table) -> NDArray[np.intp]:
    """The clusters that a column names, in the order in which they occur; without one, each row by itself."""
    import pandas as pd

    if table.cluster is None:
        return np.arange(len(frame))
    return np.asarray(pd.factorize(_column(frame, table, table.cluster))[0], dtype=np.intp)


def _read_frame(table: Table, kind: Kind) -> pd.DataFrame:
    import pandas as pd

    # An id such as "001" is text and no number; a formula such as "NaN" is not a missing value.
    texts = [table.id, table.input, table.part, table.fold, table.group, table.cluster, *table.repeats]
    texts += [table.target] if kind == "classification" else []

    with warnings.catch_warnings():
        # Of a row with more values than the header has columns, pandas would only warn.
        warnings.simplefilter("error", pd.errors.ParserWarning)
        try:
            return read_table(
                table.path,
                dtype={name: str for name in texts if name and name not in table.columns},
                keep_default_na=False,
                na_values=[""],
                float_precision="round_trip",
                # By default, a comma at the end of every row would make the first column the index.
                index_col=False,
                low_memory=False,
            )
        except pd.errors.ParserWarning as error:
            raise DataFormatError(f"{table.path} cannot be read: {error}", fix="give a CSV or Parquet file") from error


def _named(frame: pd.DataFrame, table: Table, name: str) -> pd.Series:
    if name not in frame.columns:
        known = ", ".join(f"{column!s:.100}" for column in frame.columns[:_SHOWN])
        more = f" or {len(frame.columns) - _SHOWN} more" if len(frame.columns) > _SHOWN else ""
        raise DataFormatError(f"{table.path} has no column {name!r}", fix=f"use one of {known}{more}")
    return frame[name]


def _column(frame: pd.DataFrame, table: Table, name: str) -> pd.Series:
    return filled(_named(frame, table, name), table.path)


def _ids(frame: pd.DataFrame, table: Table) -> pd.Index:
    import pandas as pd

    ids = range(1, len(frame) + 1) if table.id is None else _column(frame, table, table.id)
    ids = pd.Index(ids, name="id").astype(str)
    if not ids.is_unique:
        repeated = ids[ids.duplicated()][0]
        raise DataFormatError(
            f"{table.path}: the id {repeated!r} occurs more than once", fix="give every row its own id"
        )
    return ids


def _plain_columns(columns: pd.DataFrame, table: Table) -> pd.DataFrame:
    """The columns that a model gets, if they hold numbers, texts, truth values and missing values alone."""
    import pandas as pd

    for name, column in columns.items():
        if pd.api.types.is_bool_dtype(column) or pd.api.types.is_numeric_dtype(column):
            continue
        fits = column.isna() | column.map(lambda value: isinstance(value, str | bool | int | float))
        fix = "models get numbers, texts and truth values: write the others as one of these"
        unfit = ~fits.to_numpy(dtype=bool)
        refuse_first(unfit, column.rename(name), table.path, "not a number, a text or a truth value", fix)
    return columns


def _values(
    column: pd.Series, table: Table, kind: Kind, named: Classes
) -> tuple[Classes, NDArray[np.float64] | NDArray[np.bool_] | NDArray[np.intp]]:
    if kind == "classification":
        classes, values = classes_of(column, named, table.path)
    else:
        classes, values = (), _numbers(column)
        fix = "correct the value, remove the row, or choose another column"
        refuse_first(~np.isfinite(values), column, table.path, "not a finite number", fix)
    values.flags.writeable = False
    return classes, values


def checked_spacegroups(column: pd.Series, path: Path) -> list[int | None]:
    """The space groups that a column of a file states, None where it states none; all others are from 1 to 230."""
    import pandas as pd

    values = pd.to_numeric(column, errors="coerce").to_numpy(dtype=float, na_value=np.nan)
    fits = np.isin(values, np.arange(1, 231)) | column.isna().to_numpy()
    refuse_first(~fits, column, path, "not a space-group number", "give a whole number from 1 to 230, or nothing")
    return [None if np.isnan(value) else int(value) for value in values]


@contextmanager
def located(place: str) -> Iterator[None]:
    """Put the place before what is wrong there."""
    try:
        yield
    except DataFormatError as error:
        raise DataFormatError(f"{place}{error.message}", fix=error.fix) from error


def _numbers(column: pd.Series) -> NDArray[np.float64]:
    """The column as new floats; NaN where it has something else."""
    import pandas as pd

    # Truth values and dates would turn into numbers, too.
    if pd.api.types.is_bool_dtype(column) or pd.api.types.is_datetime64_any_dtype(column):
        return np.full(len(column), np.nan)
    numbers: NDArray[np.float64] = pd.to_numeric(column, errors="coerce").to_numpy(dtype=np.float64, copy=True)
    return numbers


def _structure_dicts(table: Table, texts: list[str]) -> Iterator[Any]:
    """The structures as pymatgen's dicts, from whatever format they are written in."""
    for row, text in enumerate(texts):
        message = f"{table.input!r} in row {row} is not {table.structure_format}"
        fix = "correct the row, or data.structure_format in the benchmark file"
        with raising(DataFormatError, message, fix=fix, on=Exception):  # whatever pymatgen's readers make of it
            structure = orjson.loads(text) if table.structure_format == "json" else _parsed(text, table)
        yield structure


def _parsed(text: str, table: Table) -> Any:
    from pymatgen.core import Structure

    with warnings.catch_warnings():
        # Coordinates rounded to ideal positions, guessed elements: nothing that a reader of the benchmark can change.
        warnings.simplefilter("ignore")
        return orjson.loads(Structure.from_str(text, fmt=table.structure_format).to_json())
