"""Space groups: checked where a file states them, else computed once from the structures and kept in the store."""

from __future__ import annotations

import hashlib
import warnings
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from matbench_lite.data.access import load_inputs, opened, require
from matbench_lite.data.store import NewPart, commit, holdings, is_stored
from matbench_lite.errors import DataError, DataFormatError
from matbench_lite.progress import Advance, progress

if TYPE_CHECKING:
    import pandas as pd
    from pymatgen.core import Structure

    from matbench_lite.tasks import Task

SYMPREC = 0.1
"""Tolerance of the symmetry search, in angstrom."""


def checked_spacegroups(column: pd.Series, path: Path) -> list[int | None]:
    """The space-group numbers that a column of a file states; None where it states none.

    Raises:
        DataFormatError: If one is not a whole number from 1 to 230; its row is counted from 0.
    """
    import numpy as np
    import pandas as pd

    values = pd.to_numeric(column, errors="coerce").to_numpy(dtype=float, na_value=np.nan)
    fits = np.isin(values, np.arange(1, 231)) | column.isna().to_numpy()
    if not fits.all():
        row = int(np.flatnonzero(~fits)[0])
        raise DataFormatError(
            f"{path}: {column.name!r} in row {row} is {str(column.iloc[row])!r}, not a space-group number",
            fix="give a whole number from 1 to 230, or nothing",
        )
    return [None if np.isnan(value) else int(value) for value in values]


def compute_spacegroups(task: Task) -> pd.Series:
    """The space-group number of every row of a structure task, from its structures; missing where there is none."""
    import pandas as pd

    if not is_stored(task):
        return pd.Series(_numbers(task), index=task.ids, name="spacegroup", dtype="Int16")
    held = holdings(task).get("spacegroups")
    inputs = require(task, "inputs")
    numbers = None
    if held is not None and held.digest == inputs.sha256:
        with suppress(OSError):
            content = held.path.read_bytes()
            numbers = _read(content) if hashlib.sha256(content).hexdigest() == held.sha256 else None
    if numbers is None:
        numbers = _numbers(task)
        new = NewPart(
            write=lambda path: _write(path, numbers),
            verified=opened(task, "inputs", inputs).verified,
            source=f"{inputs.source}, symprec {SYMPREC}",
            digest=inputs.sha256,
        )
        # A store that cannot be written is no reason to lose the numbers.
        with suppress(DataError):
            commit(task, {"spacegroups": new})
    return pd.Series(numbers, index=task.ids, name="spacegroup", dtype="Int16")


def _numbers(task: Task) -> list[int | None]:
    structures = load_inputs(task)
    with progress(f"space groups of {task.name}", len(structures)) as advance, warnings.catch_warnings():
        warnings.filterwarnings("ignore", category=DeprecationWarning)  # of spglib, about how pymatgen calls it
        return [_number(structure, advance) for structure in structures]


def _number(structure: Structure, advance: Advance) -> int | None:
    advance(1)
    try:
        return int(structure.get_space_group_info(symprec=SYMPREC)[1])
    except ValueError:
        return None  # atoms too close together for this tolerance


def _read(content: bytes) -> list[int | None]:
    import pyarrow as pa
    import pyarrow.parquet as pq

    numbers: list[int | None] = pq.read_table(pa.BufferReader(content))["spacegroup"].to_pylist()
    return numbers


def _write(path: Path, numbers: list[int | None]) -> None:
    import pyarrow as pa
    import pyarrow.parquet as pq

    pq.write_table(pa.table({"spacegroup": pa.array(numbers, pa.int16())}), path, compression="zstd")
