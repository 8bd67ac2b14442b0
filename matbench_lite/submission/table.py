"""`predictions.parquet`: all predictions of an entry in one small file, without ids; see `decoding` for reading it."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from io import BytesIO
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from matbench_lite.submission.predictions import COLUMNS, FoldPredictions, update_digest
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
}


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
