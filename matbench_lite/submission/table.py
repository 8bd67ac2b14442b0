"""`predictions.parquet`: all predictions of an entry in one small file, without ids."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from io import BytesIO
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from matbench_lite.errors import EntryError
from matbench_lite.submission.pages import unpacked_bytes
from matbench_lite.submission.predictions import COLUMNS, MAX_PREDICTION, FoldPredictions, PredictionType, update_digest
from matbench_lite.tasks import Benchmark

NAME = "predictions.parquet"
Folds = Mapping[str, Mapping[int, FoldPredictions]]
"""Predictions by task name and fold number."""

_TYPES = {
    "task": pa.string(),
    "fold": pa.uint8(),
    "prediction": pa.float64(),
    "std": pa.float32(),
    "lower": pa.float32(),
    "upper": pa.float32(),
}
# Per row: the widest case is all four numbers and both keys, uncompressed; a dictionary or a header costs little.
_MAX_BYTES_PER_ROW = 64
_MAX_OVERHEAD = 1_000_000
_FIX = "save the entry again with matbench_lite"


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
        columns[name] = pa.chunked_array([_column(predictions, name) for _, _, predictions in ordered], _TYPES[name])
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


def decode(
    benchmark: Benchmark, content: bytes, types: Mapping[str, PredictionType]
) -> dict[str, dict[int, FoldPredictions]]:
    """Read a stranger's predictions, bounded in memory.

    Args:
        benchmark: The benchmark of the entry: its folds say how many rows there must be.
        content: The bytes of the file.
        types: Per recorded task, what its predictions are.

    Raises:
        EntryError: If it is no Parquet file of the expected columns and types, too large, or its rows are not those
            of the folds.
    """
    table = _read(content, limit=sum(task.rows for task in benchmark))
    keys, starts = _runs(table)
    order = {task.name: position for position, task in enumerate(benchmark)}
    folds: dict[str, dict[int, FoldPredictions]] = {}
    previous = (-1, -1)
    for (name, fold), start, end in zip(keys, starts, [*starts[1:], table.num_rows], strict=True):
        if name not in order or name not in types:
            raise EntryError(f"{NAME} has the task {name!r}, which submission.json does not record", fix=_FIX)
        task = benchmark[name]
        if fold not in task.folds or (order[name], fold) <= previous:
            raise EntryError(f"{NAME}: {name} fold {fold} is unknown, repeated or out of order", fix=_FIX)
        previous = (order[name], fold)
        expected = len(task.test_rows(fold))
        if end - start != expected:
            raise EntryError(f"{NAME}: {name} fold {fold} has {end - start} rows, the fold has {expected}", fix=_FIX)
        folds.setdefault(name, {})[fold] = _fold(table, name, fold, types[name], start, end)
    return folds


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
    return pa.nulls(len(predictions.prediction), _TYPES[name]) if array is None else pa.array(array)


def _read(content: bytes, *, limit: int) -> pa.Table:
    try:
        file = pq.ParquetFile(BytesIO(content), read_dictionary=["task"])
        metadata = file.metadata
        if metadata.metadata and b"ARROW:schema" in metadata.metadata:
            raise EntryError(f"{NAME} carries an Arrow schema of its own", fix=_FIX)
        if not 0 < metadata.num_rows <= limit:
            raise EntryError(f"{NAME} has {metadata.num_rows} rows, the benchmark has {limit}", fix=_FIX)
        _check_columns(file.schema_arrow)
        size = unpacked_bytes(content, metadata)
        if size > limit * _MAX_BYTES_PER_ROW + _MAX_OVERHEAD:
            raise EntryError(f"{NAME} would unpack to {size:,} bytes, more than its rows can need", fix=_FIX)
        return file.read(use_threads=False)
    except EntryError:
        raise
    except Exception as error:  # whatever pyarrow makes of damaged bytes: ValueError, OSError, MemoryError, …
        raise EntryError(f"{NAME} is not a readable Parquet file: {error}", fix=_FIX) from error


def _check_columns(schema: pa.Schema) -> None:
    for field in schema:
        kind = field.type.value_type if pa.types.is_dictionary(field.type) else field.type
        if field.name not in _TYPES or kind != _TYPES[field.name]:
            raise EntryError(f"{NAME} has a column {field.name!r} of type {field.type}", fix=_FIX)
    missing = [name for name in ("task", "fold", "prediction") if schema.get_field_index(name) < 0]
    if missing or len(set(schema.names)) != len(schema.names):
        raise EntryError(f"{NAME} needs each of task, fold, prediction once; it has {schema.names}", fix=_FIX)


def _runs(table: pa.Table) -> tuple[list[tuple[str, int]], list[int]]:
    """Where each (task, fold) begins, and which one it is."""
    tasks = table["task"].combine_chunks()
    if isinstance(tasks, pa.ChunkedArray):
        tasks = tasks.chunk(0) if tasks.num_chunks == 1 else pa.concat_arrays(tasks.unify_dictionaries().chunks)
    if tasks.null_count or table["fold"].null_count or table["prediction"].null_count:
        raise EntryError(f"{NAME} has empty cells in task, fold or prediction", fix=_FIX)
    codes = tasks.indices.to_numpy(zero_copy_only=False).astype(np.int64)
    names = tasks.dictionary.to_pylist()
    folds = table["fold"].to_numpy().astype(np.int64)
    marks = codes * 256 + folds
    starts = [0, *(np.flatnonzero(np.diff(marks)) + 1).tolist()]
    return [(names[codes[start]], int(folds[start])) for start in starts], starts


def _fold(table: pa.Table, name: str, fold: int, kind: PredictionType, start: int, end: int) -> FoldPredictions:
    arrays: dict[str, Any] = {}
    for column in COLUMNS:
        if column not in table.column_names:
            continue
        values = table[column].slice(start, end - start)
        if values.null_count not in (0, len(values)):
            raise EntryError(f"{NAME}: {name} fold {fold} has {column} for some rows only", fix=_FIX)
        if values.null_count == 0:
            arrays[column] = values.to_numpy()
    predictions = FoldPredictions(type=kind, **arrays)
    if problem := _problem(predictions):
        raise EntryError(f"{NAME}: {name} fold {fold} {problem}", fix=_FIX)
    return predictions


def _problem(fold: FoldPredictions) -> str | None:
    """What `record` would have refused, if anything."""
    for column, array in fold.arrays.items():
        if not np.isfinite(array).all():
            return f"has NaN or infinity in {column}"
    p = fold.prediction
    if (np.abs(p) > MAX_PREDICTION).any():
        return "has predictions too large to score"
    if fold.type == "label" and not np.isin(p, (0.0, 1.0)).all():
        return "has labels other than 0 and 1"
    if fold.type == "probability" and ((p < 0) | (p > 1)).any():
        return "has probabilities outside [0, 1]"
    if fold.std is not None and (fold.std <= 0).any():
        return "has a std that is not above 0"
    if (fold.lower is None) != (fold.upper is None):
        return "has one end of an interval only"
    if fold.lower is not None and fold.upper is not None and ((fold.lower > p) | (fold.upper < p)).any():
        return "has a prediction outside its own interval"
    return None
