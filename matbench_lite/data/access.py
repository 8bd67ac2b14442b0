"""Targets and inputs of a task as pandas objects, from wherever they are: the package, the store, a user's table."""

from __future__ import annotations

import os
import warnings
from collections.abc import Callable
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from matbench_lite.data.store import Holding, Part, holdings
from matbench_lite.errors import DataFormatError, DataMissingError, UnverifiedDataWarning

if TYPE_CHECKING:
    import numpy as np
    import pandas as pd
    import pyarrow as pa
    from numpy.typing import NDArray

    from matbench_lite.data.structures import StructureColumns
    from matbench_lite.tasks import Task

T = TypeVar("T")

_TRIES = 10


def load_targets(task: Task) -> pd.DataFrame:
    """Every row's `target`, reduced `formula` and, where the source has it, `spacegroup`; indexed by row id.

    Raises:
        DataMissingError: If the targets are not on this machine and fetching is turned off.
        DownloadError: If they had to be fetched and could not be.
    """
    import pandas as pd

    if task.table is not None:
        from matbench_lite.data.tables import table_targets

        return table_targets(task)
    table = _opened(task, "targets", _read_targets)
    columns = {name: table[name].to_pandas().array for name in table.column_names}
    if "spacegroup" in columns:
        columns["spacegroup"] = pd.array(table["spacegroup"].to_pylist(), dtype="Int16")
    return pd.DataFrame(columns, index=task.ids)


def load_target_values(task: Task) -> NDArray[np.float64] | NDArray[np.bool_]:
    """The targets alone, as a read-only array in file order."""
    if task.table is not None:
        from matbench_lite.data.tables import table_target_values

        return table_target_values(task)
    return _opened(task, "targets", _read_target_values)


def load_formulas(task: Task) -> list[str]:
    """The reduced formulas alone, in file order."""
    if task.table is not None:
        from matbench_lite.data.tables import table_targets

        formulas: list[str] = table_targets(task)["formula"].tolist()
        return formulas
    read: list[str] = _opened(task, "targets", _read_targets)["formula"].to_pylist()
    return read


def load_inputs(task: Task) -> pd.Series:
    """Every row's formula string or structure, indexed by row id; a structure is built when it is looked at.

    Raises:
        DataMissingError: If the inputs are not on this machine and fetching is turned off.
        DownloadError: If they had to be fetched and could not be.
    """
    import pandas as pd

    if task.table is not None:
        from matbench_lite.data.tables import table_inputs

        return table_inputs(task)
    if task.input == "composition":
        compositions = _opened(task, "inputs", _read_compositions)
        return pd.Series(compositions, index=task.ids, name="composition")
    from matbench_lite.data.structures.array import StructureArray

    return pd.Series(StructureArray(_opened(task, "inputs", _read_structures)), index=task.ids, name="structure")


def load_spacegroups(task: Task) -> pd.Series:
    """The space-group number of every row of a structure task, indexed by row id.

    Taken from the targets where their source has it; otherwise computed from the structures (spglib through
    pymatgen, symprec 0.1) once and kept in the store.

    Raises:
        DataMissingError: If the task has no structures, or they are not on this machine.
    """
    targets = load_targets(task)
    if "spacegroup" in targets:
        return targets["spacegroup"]
    if task.input == "composition":
        raise DataMissingError(f"{task.name} has compositions only: no space groups", fix="choose a structure task")
    from matbench_lite.data.spacegroups import compute_spacegroups

    return compute_spacegroups(task)


def require(task: Task, part: Part) -> Holding:
    """The part of the task's data on this machine, fetched if it is not there yet.

    Warns:
        UnverifiedDataWarning: If it is not proven to be the published data.

    Raises:
        DataMissingError: If it is not there and fetching is turned off (`MATBENCH_LITE_AUTOFETCH=0`).
    """
    held = holdings(task)
    if part not in held:
        if task.original is None or os.environ.get("MATBENCH_LITE_AUTOFETCH") == "0":
            raise _missing(task, part, only_targets="targets" in held)
        from matbench_lite.data.fetching import fetch

        held = fetch(task, targets_only=part == "targets")
    if not held[part].verified:
        warnings.warn(
            f"the {part} of {task.name} are unverified: {held[part].source} is not the published data",
            UnverifiedDataWarning,
            stacklevel=3,
        )
    return held[part]


def _opened(task: Task, part: Part, read: Callable[[Path], T]) -> T:
    for _ in range(_TRIES):
        path = require(task, part).path
        try:
            return read(path)
        except FileNotFoundError:
            continue  # replaced by another process between reading the manifest and opening the file
        except (ValueError, KeyError, OSError) as error:
            raise DataFormatError(
                f"{path} cannot be read: {error}", fix=f"run `mbl data verify` and add {task.name} again"
            ) from error
    raise DataMissingError(f"{path} is gone", fix=f"add or fetch the {part} of {task.name} again")


def _missing(task: Task, part: Part, *, only_targets: bool) -> DataMissingError:
    there = "; its targets are, so entries can be scored" if only_targets else ""
    if task.original is None:
        return DataMissingError(f"the {part} of {task.name} are not on this machine{there}")
    return DataMissingError(
        f"the {part} of {task.name} are not on this machine{there}",
        fix=f"run `mbl data fetch {task.name}`, or `mbl data add PATH` with {task.original.name}",
    )


@lru_cache(maxsize=32)
def _read_targets(path: Path) -> pa.Table:
    from matbench_lite.data.parquet import read_columns

    return read_columns(path)


@lru_cache(maxsize=32)
def _read_target_values(path: Path) -> NDArray[np.float64] | NDArray[np.bool_]:
    from matbench_lite.data.parquet import numbers, read_columns

    values: NDArray[np.float64] | NDArray[np.bool_] = numbers(read_columns(path, "target")["target"])
    values.flags.writeable = False
    return values


@lru_cache(maxsize=8)
def _read_compositions(path: Path) -> list[str]:
    import pyarrow.parquet as pq

    compositions: list[str] = pq.read_table(path, columns=["composition"])["composition"].to_pylist()
    return compositions


@lru_cache(maxsize=2)
def _read_structures(path: Path) -> StructureColumns:
    from matbench_lite.data.structures import StructureColumns, read_structures

    return StructureColumns(read_structures(path))
