"""`predictions.parquet`: all predictions of an entry in one small file, without ids.

A stranger's file is read within bounds of memory, and every fold is compared with what the benchmark expects: values
that `record` would have refused, not finite, out of range or at odds with each other, are refused here, too.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from io import BytesIO
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from matbench_lite.data import numbers
from matbench_lite.submission import entry_rules as rules
from matbench_lite.submission.entry_rules import MAX_ROWS, PREDICTIONS, Complain, Rule
from matbench_lite.submission.fold_predictions import (
    CLASS_COLUMNS,
    COLUMNS,
    FoldPredictions,
    PredictionType,
    unsound_values,
    update_digest,
)
from matbench_lite.tasks import Benchmark

Folds = Mapping[str, Mapping[int, FoldPredictions]]
"""Predictions by task name and fold number."""

COLUMN_TYPES = {
    "task": pa.string(),
    "fold": pa.uint8(),
    "prediction": pa.float64(),
    "std": pa.float32(),
    "lower": pa.float32(),
    "upper": pa.float32(),
    **dict.fromkeys(CLASS_COLUMNS, pa.float64()),
}
# Per row: the widest case is all four numbers and both keys, uncompressed; a dictionary or a header costs little.
_MAX_BYTES_PER_ROW = 64
_BYTES_PER_CLASS = 10
_MAX_OVERHEAD = 1_000_000
_MAX_ROW_GROUPS = 1_000
# Lists and texts in the footer, which is read before anything in it can be looked at.
_MAX_FOOTER_LIST = 10_000
_MAX_FOOTER_TEXT = 1_000_000
_STOP, _TRUE, _FALSE, _BYTE, _I16, _I32, _I64, _DOUBLE, _BINARY, _LIST, _SET, _MAP, _STRUCT = range(13)
_SIZES = {_TRUE: 0, _FALSE: 0, _BYTE: 1, _DOUBLE: 8}  # bytes of a field
_MAX_DEPTH = 8


def encode(benchmark: Benchmark, folds: Folds) -> bytes:
    """The predictions as the bytes of a Parquet file: tasks in registry order, then folds, then test rows."""
    present = [name for name in COLUMNS if any(name in f.arrays for task in folds.values() for f in task.values())]
    ordered = [(task.name, fold, folds[task.name][fold]) for task, fold in _order(benchmark, folds)]
    sizes = [len(predictions.prediction) for _, _, predictions in ordered]
    names = list(dict.fromkeys(name for name, _, _ in ordered))
    codes = np.repeat([names.index(name) for name, _, _ in ordered], sizes).astype(np.int8)
    columns: dict[str, Any] = {
        "task": pa.DictionaryArray.from_arrays(codes, pa.array(names, pa.string())),
        "fold": pa.array(np.repeat(np.array([fold for _, fold, _ in ordered], dtype=np.uint8), sizes)),
    }
    for name in present:
        columns[name] = pa.chunked_array(
            [_column(predictions, name) for _, _, predictions in ordered], COLUMN_TYPES[name]
        )
    buffer = BytesIO()
    pq.write_table(
        pa.table(columns),
        buffer,
        compression="zstd",
        compression_level=9,
        use_dictionary=["task"],
        column_encoding=dict.fromkeys(present, "BYTE_STREAM_SPLIT"),
        store_schema=False,  # Arrow's own schema could name extension types: neither written nor read
        write_statistics=False,
    )
    return buffer.getvalue()


def values_sha256(benchmark: Benchmark, folds: Folds) -> str:
    """Identity of an entry: a digest over its arrays, whatever pyarrow's version, times and provenance."""
    digest = hashlib.sha256()
    for task, fold in _order(benchmark, folds):
        digest.update(f"{task.name}/{fold}/".encode())
        update_digest(digest, folds[task.name][fold])
    return digest.hexdigest()


def _order(benchmark: Benchmark, folds: Folds) -> list[tuple[Any, int]]:
    return [(task, fold) for task in benchmark if task.name in folds for fold in sorted(folds[task.name])]


def _column(predictions: FoldPredictions, name: str) -> pa.Array:
    array = predictions.arrays.get(name)
    return pa.nulls(len(predictions.prediction), COLUMN_TYPES[name]) if array is None else pa.array(array)


@dataclass(frozen=True, kw_only=True)
class Decoded:
    """The predictions in a file: sound ones by task name and fold number, and all that it has something for."""

    folds: Mapping[str, Mapping[int, FoldPredictions]]
    seen: frozenset[tuple[str, int]]


def largest_file(rows: int, classes: int) -> int:
    """The most bytes that predictions for so many rows of so many classes can need, packed or not."""
    return rows * (_MAX_BYTES_PER_ROW + _BYTES_PER_CLASS * classes) + _MAX_OVERHEAD


def decode(
    content: bytes | memoryview,
    complain: Complain,
    *,
    outline: Mapping[str, Sequence[int]],
    types: Mapping[str, PredictionType],
    classes: Mapping[str, int],
    most_rows: int,
    most_classes: int,
) -> Decoded | None:
    """Read a stranger's predictions; None if there are no rows that belong to tasks and folds.

    A problem is that it is no Parquet file of the expected columns and types, that it is too large, or that its rows
    are not those of the folds: the outline has the number of test rows in every fold of every recorded task, in
    registry order. `classes` is how many named classes each task has. All tasks of the benchmark together
    have `most_rows`, and none has more than `most_classes`.
    """
    table = _read(most_rows, largest_file(most_rows, most_classes), content, complain)
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
            complain(rules.UNKNOWN_TASK.found(message, file=PREDICTIONS))
            continue
        rows = outline[name]
        complain_here = partial(_of_fold, complain, name, fold)
        if fold >= len(rows) or (order[name], fold) <= previous:
            complain_here(rules.ORDER, "is unknown, repeated or out of order")
        previous = (order[name], fold)
        if fold >= len(rows) or (name, fold) in seen:
            continue
        seen.add((name, fold))
        if end - start != rows[fold]:
            complain_here(rules.ROW_COUNT, f"has {end - start} rows, the fold has {rows[fold]}")
        elif sound := _fold(table.slice(start, end - start), types[name], classes[name], complain_here):
            folds.setdefault(name, {})[fold] = sound
    return Decoded(folds=folds, seen=frozenset(seen))


def _of_fold(complain: Complain, task: str, fold: int, rule: Rule, problem: str, bad: Any = ()) -> None:
    """Complain about a fold, and about which of its rows, by their positions: ids are known outside the airlock."""
    rows = tuple(map(str, np.flatnonzero(bad)[:MAX_ROWS]))
    message, count = f"{PREDICTIONS}: {task} fold {fold} {problem}", int(np.count_nonzero(bad))
    complain(rule.found(message, file=PREDICTIONS, task=task, fold=fold, rows=rows, row_count=count))


def _read(most_rows: int, most_bytes: int, content: bytes | memoryview, complain: Complain) -> pa.Table | None:
    try:
        source = pa.BufferReader(content)
        file = pq.ParquetFile(
            source, thrift_string_size_limit=_MAX_FOOTER_TEXT, thrift_container_size_limit=_MAX_FOOTER_LIST
        )
        problem = _footer_problem(most_rows, most_bytes, content, file)
        if problem is None:
            file = pq.ParquetFile(source, metadata=file.metadata, read_dictionary=["task"])
            table = file.read(use_threads=False)
            table.validate(full=True)
            return table
    except Exception as error:  # whatever pyarrow makes of damaged bytes: ValueError, OSError, MemoryError, …
        problem = rules.NOT_PARQUET, f"is not a readable Parquet file: {str(error)[:300]}"
    rule, message = problem
    complain(rule.found(f"{PREDICTIONS} {message}", file=PREDICTIONS))
    return None


def _footer_problem(
    most_rows: int, most_bytes: int, content: bytes | memoryview, file: pq.ParquetFile
) -> tuple[Rule, str] | None:
    """What is wrong before any row is looked at; a schema that the file brings is not even decoded."""
    metadata = file.metadata
    if metadata.metadata and b"ARROW:schema" in metadata.metadata:
        return rules.COLUMNS, "carries an Arrow schema of its own"
    if not 0 < metadata.num_rows <= most_rows:
        return rules.ROW_COUNT, f"has {metadata.num_rows} rows, the benchmark has {most_rows}"
    if message := _column_problem(file.schema_arrow):
        return rules.COLUMNS, message
    if metadata.num_row_groups > _MAX_ROW_GROUPS:
        return rules.UNPACKED_SIZE, f"is cut into {metadata.num_row_groups} row groups"
    if (size := unpacked_bytes(content, metadata)) > most_bytes:
        return rules.UNPACKED_SIZE, f"would unpack to {size:,} bytes, more than its rows can need"
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
        complain(rules.COLUMNS.found(f"{PREDICTIONS} has empty cells in task or fold", file=PREDICTIONS))
        return None
    tasks = table["task"].combine_chunks()
    if isinstance(tasks, pa.ChunkedArray):
        tasks = tasks.chunk(0) if tasks.num_chunks == 1 else pa.concat_arrays(tasks.unify_dictionaries().chunks)
    codes = numbers(tasks.indices).astype(np.int64)
    folds = numbers(table["fold"]).astype(np.int64)
    starts = [0, *(np.flatnonzero(np.diff(codes * 256 + folds)) + 1).tolist()]
    if len(starts) > most:
        message = f"{PREDICTIONS}: the rows of a task and fold do not stand together: there are {len(starts)} stretches"
        complain(rules.ORDER.found(message, file=PREDICTIONS))
        return None
    names = tasks.dictionary.to_pylist()
    ends = [*starts[1:], table.num_rows]
    return [(names[codes[start]], int(folds[start]), start, end) for start, end in zip(starts, ends, strict=True)]


def _fold(
    rows: pa.Table, kind: PredictionType, classes: int, complain: Callable[[Rule, str, Any], None]
) -> FoldPredictions | None:
    """The predictions of one fold, or None after a complaint."""
    arrays: dict[str, Any] = {}
    for column in (name for name in COLUMNS if name in rows.column_names):
        values = rows[column]
        if values.null_count == 0:
            arrays[column] = numbers(values)
        elif values.null_count < len(values) or column == "prediction":
            empty = values.is_null().to_numpy()
            if column == "prediction":
                complain(rules.NOT_FINITE, "has empty cells in prediction", empty)
            else:
                complain(rules.UNCERTAINTY, f"has {column} for some rows only", empty)
            return None
    predictions = FoldPredictions(type=kind, **arrays)
    if classes <= 2 and predictions.probabilities is not None:
        complain(rules.PREDICTION_TYPE, "has probabilities of classes, of which it has no more than two", ())
        return None
    found = unsound_values(predictions, classes)
    for problem in found:
        complain(*problem)
    return None if found else predictions


def unpacked_bytes(content: bytes | memoryview, metadata: Any) -> int:
    """The bytes that all pages unpack to, from the page headers themselves: known before any is opened.

    The footer says how large the columns are, and can lie; a reader decompresses a page into as much memory as the
    page's header asks for. So the headers are walked (Thrift's compact protocol, of which only integers, booleans,
    binaries, lists and structs occur there), and a file that would unpack to gigabytes is refused unread. A ValueError
    if the headers do not describe the column chunks that the footer (pyarrow's `FileMetaData`) names.
    """
    total = 0
    for group in range(metadata.num_row_groups):
        for column in range(metadata.num_columns):
            chunk = metadata.row_group(group).column(column)
            start = chunk.data_page_offset
            if chunk.dictionary_page_offset is not None:
                start = min(start, chunk.dictionary_page_offset)
            end = start + chunk.total_compressed_size
            if not 0 < start <= end <= len(content):
                raise ValueError("a column chunk lies outside the file")
            total += sum(_page_sizes(content, start, end))
    return total


def _page_sizes(content: bytes | memoryview, position: int, end: int) -> Iterator[int]:
    while position < end:
        reader = _Reader(content, position, end)
        header = reader.struct(0)
        unpacked, packed = header.get(2), header.get(3)
        if not isinstance(unpacked, int) or not isinstance(packed, int) or unpacked < 0 or packed < 0:
            raise ValueError("a page header without sizes")
        yield unpacked
        position = reader.position + packed
    if position != end:
        raise ValueError("the pages of a column do not fill it")


@dataclass
class _Reader:
    """Reads Thrift's compact protocol; keeps integers, skips everything else."""

    content: bytes | memoryview
    position: int
    end: int

    def struct(self, depth: int) -> dict[int, int]:
        """The integer fields of a struct by their number."""
        if depth > _MAX_DEPTH:
            raise ValueError("a page header nested too deeply")
        fields: dict[int, int] = {}
        number = 0
        while (head := self._byte()) != _STOP:
            number = number + (head >> 4) if head >> 4 else self._zigzag()
            value = self._value(head & 0x0F, depth)
            if value is not None:
                fields[number] = value
        return fields

    def _value(self, kind: int, depth: int) -> int | None:
        if kind in (_I16, _I32, _I64):
            return self._zigzag()
        if kind in _SIZES:
            self._skip(_SIZES[kind])
        elif kind == _STRUCT:
            self.struct(depth + 1)
        elif kind in (_LIST, _SET):
            self._list(depth)
        elif kind == _BINARY:
            self._skip(self._varint())
        else:
            raise ValueError(f"a page header with a field of type {kind}")
        return None

    def _list(self, depth: int) -> None:
        head = self._byte()
        size = self._varint() if head >> 4 == 15 else head >> 4
        for _ in range(size):
            if head & 0x0F in (_TRUE, _FALSE):
                self._skip(1)
            else:
                self._value(head & 0x0F, depth)

    def _byte(self) -> int:
        self._skip(1)
        return self.content[self.position - 1]

    def _skip(self, count: int) -> None:
        self.position += count
        if self.position > self.end:
            raise ValueError("a page header that runs out of its column")

    def _varint(self) -> int:
        result = shift = 0
        while True:
            byte = self._byte()
            result |= (byte & 0x7F) << shift
            if not byte & 0x80:
                return result
            shift += 7
            if shift > 63:
                raise ValueError("a page header with an endless number")

    def _zigzag(self) -> int:
        value = self._varint()
        return (value >> 1) ^ -(value & 1)
