"""The Parquet files of the store, except structures: how targets and compositions are written."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import pyarrow as pa
import pyarrow.parquet as pq

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


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
