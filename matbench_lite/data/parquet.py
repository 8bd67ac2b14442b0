"""The Parquet files of the store, except structures: how targets and compositions are written, and columns read."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from numpy.typing import NDArray


def read_columns(content: bytes, *names: str) -> pa.Table:
    """Some columns of a Parquet file, or all of them, from its bytes.

    pyarrow's own `read_table` imports what it needs for folders of files, pandas too: 45 MB and a third of a second.
    """
    with pq.ParquetFile(pa.BufferReader(content)) as file:
        return file.read(columns=list(names) or None)


def numbers(column: pa.ChunkedArray | pa.Array) -> NDArray[Any]:
    """A column of numbers or booleans, none of them missing, as an array.

    pyarrow's own `to_numpy` imports pandas, whatever the column, and its casts all functions that it has.

    Examples:
        >>> numbers(pa.chunked_array([[1.5], [2.5]])), numbers(pa.array([True, False]))
        (array([1.5, 2.5]), array([ True, False]))
    """
    whole = column.combine_chunks() if isinstance(column, pa.ChunkedArray) else column
    if isinstance(whole, pa.ChunkedArray):  # as older versions of pyarrow give it
        whole = pa.concat_arrays(whole.chunks)
    if pa.types.is_boolean(whole.type):
        bits = np.unpackbits(np.frombuffer(whole.buffers()[1] or b"", dtype=np.uint8), bitorder="little")
        return bits[whole.offset : whole.offset + len(whole)].view(np.bool_)
    return np.from_dlpack(whole)


def write_targets(
    path: Path,
    values: NDArray[np.float64] | NDArray[np.bool_],
    formulas: Sequence[str],
    spacegroups: Sequence[int | None] | None = None,
) -> None:
    """Write a targets file: target, reduced formula and, where known, space group; rows in file order, no ids."""
    columns = {"target": pa.array(values), "formula": pa.array(formulas, pa.string())}
    if spacegroups is not None:
        columns["spacegroup"] = pa.array(spacegroups, pa.int16())
    pq.write_table(pa.table(columns), path, compression="zstd")


def write_compositions(path: Path, compositions: Sequence[str]) -> None:
    """Write the inputs file of a composition task: the formula strings exactly as published."""
    pq.write_table(pa.table({"composition": pa.array(compositions, pa.string())}), path, compression="zstd")
