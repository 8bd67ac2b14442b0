"""Tables that people name: CSV and Parquet files, read so that a damaged one is an error and nothing worse.

A damaged Parquet file may end the program that reads it, or ask for all memory that there is. It is read in the airlock
first, and here only if it came through: the same bytes, by the same function.
"""

from __future__ import annotations

from collections.abc import Sequence
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, Any

from matbench_lite.airlock import Limits, inside
from matbench_lite.documents import read_regular
from matbench_lite.errors import AirlockError, DataFormatError, raising

if TYPE_CHECKING:
    import pandas as pd

MOST_BYTES = 4_000_000_000
_BYTES_PER_SECOND = 2_000_000
"""A tenth of what a slow machine reads."""
_HEAD = 100_000


def read_table(path: Path, *, lists: bool = False, **csv: Any) -> pd.DataFrame:
    """The table in a Parquet file, or in one of any other name, which is CSV; `csv` says how that is read.

    A `DataFormatError` if it is no regular file, too large, or no such table: cells are numbers, texts, times and truth
    values, or also `lists` of them. Warnings of pandas are for the caller.
    """
    import pandas as pd

    with raising(DataFormatError, f"{path} cannot be read", fix="give a CSV or Parquet file", on=(OSError, ValueError)):
        content = read_regular(path, MOST_BYTES)
        if path.suffix.lower() != ".parquet":
            if b"\0" in content[:_HEAD]:
                raise ValueError("it is not text")
            return pd.read_csv(BytesIO(content), **csv)
        limits = Limits(seconds=10 + len(content) / _BYTES_PER_SECOND, megabytes=1000 + 20 * len(content) // 1_000_000)
        try:
            unfit = inside(try_parquet, {"lists": lists}, content, limits=limits).content
        except AirlockError as error:
            raise ValueError(error.message) from error
        if unfit:
            raise ValueError(f"the column {unfit[0]!r:.100} has {unfit[1]!s:.100} in its cells")
        return pd.read_parquet(BytesIO(content))


def try_parquet(about: dict[str, bool], blobs: Sequence[memoryview]) -> tuple[list[str] | None, dict[str, Any]]:
    """In the airlock: read all of a file, and drop it; the name and the type of a column whose cells are no values."""
    import pandas as pd
    import pyarrow as pa
    import pyarrow.parquet as pq

    file, kinds = BytesIO(blobs[0]), pa.types
    pd.read_parquet(file, use_threads=False)
    unfit = [kinds.is_binary, kinds.is_large_binary, kinds.is_fixed_size_binary]
    unfit += [] if about["lists"] else [kinds.is_nested]
    for field in pq.read_schema(file):
        kind = field.type.value_type if kinds.is_dictionary(field.type) else field.type
        if any(is_kind(kind) for is_kind in unfit):
            return [field.name, str(field.type)], {}
    return None, {}
