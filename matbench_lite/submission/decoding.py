"""Reading a stranger's `predictions.parquet`: bounded in memory, every fold against what the benchmark expects."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from matbench_lite.data.parquet import numbers
from matbench_lite.submission.folder import PREDICTIONS
from matbench_lite.submission.pages import unpacked_bytes
from matbench_lite.submission.predictions import COLUMNS, FoldPredictions, PredictionType
from matbench_lite.submission.problem import Complain, Problem, ProblemKind
from matbench_lite.submission.soundness import ComplainOfFold, complain_about_values
from matbench_lite.submission.table import COLUMN_TYPES

_FIX = "save the entry again with matbench_lite"
_problem = partial(Problem, fix=_FIX, file=PREDICTIONS)

# Per row: the widest case is all four numbers and both keys, uncompressed; a dictionary or a header costs little.
_MAX_BYTES_PER_ROW = 64
_MAX_OVERHEAD = 1_000_000
_MAX_ROW_GROUPS = 1_000
# Lists and texts in the footer, which is read before anything in it can be looked at.
_MAX_FOOTER_LIST = 10_000
_MAX_FOOTER_TEXT = 1_000_000


@dataclass(frozen=True, kw_only=True)
class Decoded:
    """The predictions in a file.

    Args:
        folds: Those that are sound, by task name and fold number.
        seen: All that the file has something for.
    """

    folds: Mapping[str, Mapping[int, FoldPredictions]]
    seen: frozenset[tuple[str, int]]


Outline = Mapping[str, Sequence[int]]
"""The number of test rows in every fold of every recorded task, in registry order."""


def largest_file(rows: int) -> int:
    """The most bytes that predictions for so many rows can need, packed or not."""
    return rows * _MAX_BYTES_PER_ROW + _MAX_OVERHEAD


def decode(
    outline: Outline,
    content: bytes | memoryview,
    types: Mapping[str, PredictionType],
    complain: Complain,
    *,
    most_rows: int,
) -> Decoded | None:
    """Read a stranger's predictions.

    Args:
        outline: How many rows there must be.
        content: The bytes of the file.
        types: Per recorded task, what its predictions are.
        complain: What to do with a problem: it is no Parquet file of the expected columns and types, it is too large,
            or its rows are not those of the folds.
        most_rows: Rows of all tasks of the benchmark.

    Returns:
        The predictions; None if it has no rows that belong to tasks and folds.
    """
    table = _read(most_rows, content, complain)
    if table is None:
        return None
    runs = _runs(table, complain, most=100 + 2 * sum(map(len, outline.values())))
    if runs is None:
        return None
    order = {name: position for position, name in enumerate(outline)}
    folds: dict[str, dict[int, FoldPredictions]] = {}
    seen: set[tuple[str, int]] = set()
    previous = (-1, -1)
    for name, fold, start, end in runs:
        if name not in order:
            message = f"{PREDICTIONS} has the task {name[:100]!r}, which submission.json does not record"
            complain(_problem(kind="unknown task", message=message))
            continue
        rows = outline[name]
        complain_here = partial(_of_fold, complain, name, fold)
        if fold >= len(rows) or (order[name], fold) <= previous:
            complain_here("order", "is unknown, repeated or out of order")
        previous = (order[name], fold)
        if fold >= len(rows) or (name, fold) in seen:
            continue
        seen.add((name, fold))
        if end - start != rows[fold]:
            complain_here("row count", f"has {end - start} rows, the fold has {rows[fold]}")
        elif sound := _fold(table.slice(start, end - start), types[name], complain_here):
            folds.setdefault(name, {})[fold] = sound
    return Decoded(folds=folds, seen=frozenset(seen))


def _of_fold(complain: Complain, task: str, fold: int, kind: ProblemKind, problem: str, bad: Any = ()) -> None:
    """Complain about a fold, and about which of its rows."""
    message = f"{PREDICTIONS}: {task} fold {fold} {problem}"
    rows = tuple(np.flatnonzero(bad)[:5].tolist())
    count = int(np.count_nonzero(bad))
    complain(_problem(kind=kind, message=message, task=task, fold=fold, rows=rows, row_count=count))


def _read(most_rows: int, content: bytes | memoryview, complain: Complain) -> pa.Table | None:
    problem = None
    try:
        source = pa.BufferReader(content)
        file = pq.ParquetFile(
            source, thrift_string_size_limit=_MAX_FOOTER_TEXT, thrift_container_size_limit=_MAX_FOOTER_LIST
        )
        problem = _footer_problem(most_rows, content, file)
        if problem is None:
            file = pq.ParquetFile(source, metadata=file.metadata, read_dictionary=["task"])
            table = file.read(use_threads=False)
            table.validate(full=True)
            return table
    except Exception as error:  # whatever pyarrow makes of damaged bytes: ValueError, OSError, MemoryError, …
        told = str(error)[:300]
        problem = _problem(kind="not Parquet", message=f"{PREDICTIONS} is not a readable Parquet file: {told}")
    complain(problem)
    return None


def _footer_problem(most_rows: int, content: bytes | memoryview, file: pq.ParquetFile) -> Problem | None:
    """What is wrong before any row is looked at."""
    metadata = file.metadata
    if metadata.metadata and b"ARROW:schema" in metadata.metadata:
        return _problem(kind="columns", message=f"{PREDICTIONS} carries an Arrow schema of its own")
    if not 0 < metadata.num_rows <= most_rows:
        return _problem(
            kind="row count", message=f"{PREDICTIONS} has {metadata.num_rows} rows, the benchmark has {most_rows}"
        )
    if message := _column_problem(file.schema_arrow):
        return _problem(kind="columns", message=f"{PREDICTIONS} {message}")
    if metadata.num_row_groups > _MAX_ROW_GROUPS:
        return _problem(kind="unpacked size", message=f"{PREDICTIONS} is cut into {metadata.num_row_groups} row groups")
    size = unpacked_bytes(content, metadata)
    if size > largest_file(most_rows):
        message = f"{PREDICTIONS} would unpack to {size:,} bytes, more than its rows can need"
        return _problem(kind="unpacked size", message=message)
    return None


def _column_problem(schema: pa.Schema) -> str | None:
    for field in schema:
        if field.name not in COLUMN_TYPES or field.type != COLUMN_TYPES[field.name]:
            return f"has a column {field.name[:100]!r} of type {str(field.type)[:100]}"
    missing = [name for name in ("task", "fold", "prediction") if schema.get_field_index(name) < 0]
    if missing or len(set(schema.names)) != len(schema.names):
        return f"needs each of task, fold, prediction once; it has {schema.names}"
    return None


def _runs(table: pa.Table, complain: Complain, *, most: int) -> list[tuple[str, int, int, int]] | None:
    """Task, fold, first row and end of each stretch of rows that belong together; None after a complaint."""
    if table["task"].null_count or table["fold"].null_count:
        complain(_problem(kind="columns", message=f"{PREDICTIONS} has empty cells in task or fold"))
        return None
    tasks = table["task"].combine_chunks()
    if isinstance(tasks, pa.ChunkedArray):
        tasks = tasks.chunk(0) if tasks.num_chunks == 1 else pa.concat_arrays(tasks.unify_dictionaries().chunks)
    codes = numbers(tasks.indices).astype(np.int64)
    folds = numbers(table["fold"]).astype(np.int64)
    starts = [0, *(np.flatnonzero(np.diff(codes * 256 + folds)) + 1).tolist()]
    if len(starts) > most:
        message = f"{PREDICTIONS}: the rows of a task and fold do not stand together: there are {len(starts)} stretches"
        complain(_problem(kind="order", message=message))
        return None
    names = tasks.dictionary.to_pylist()
    ends = [*starts[1:], table.num_rows]
    return [(names[codes[start]], int(folds[start]), start, end) for start, end in zip(starts, ends, strict=True)]


def _fold(rows: pa.Table, kind: PredictionType, complain: ComplainOfFold) -> FoldPredictions | None:
    """The predictions of one fold, or None after a complaint."""
    arrays: dict[str, Any] = {}
    for column in (name for name in COLUMNS if name in rows.column_names):
        values = rows[column]
        if values.null_count == 0:
            arrays[column] = numbers(values)
        elif values.null_count < len(values) or column == "prediction":
            empty = values.is_null().to_numpy()
            if column == "prediction":
                complain("not finite", "has empty cells in prediction", empty)
            else:
                complain("uncertainty", f"has {column} for some rows only", empty)
            return None
    predictions = FoldPredictions(type=kind, **arrays)
    return None if complain_about_values(predictions, complain) else predictions
