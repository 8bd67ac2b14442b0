"""Targets and inputs of a task as pandas objects, from wherever they are: the package, the store, a user's table."""

from __future__ import annotations

import hashlib
import os
import warnings
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property, lru_cache, partial
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from matbench_lite.data.parquet import numbers, read_columns
from matbench_lite.data.store import Holding, NewPart, Part, commit, holdings, is_stored
from matbench_lite.data.tables import TableRows, table_rows
from matbench_lite.errors import DataError, DataFormatError, DataMissingError, UnverifiedDataWarning
from matbench_lite.progress import progress

if TYPE_CHECKING:
    from collections.abc import Callable

    import pandas as pd
    from numpy.typing import NDArray

    from matbench_lite.data.structures import StructureColumns
    from matbench_lite.tasks import Task

_TRIES = 10
_SYMPREC = 0.1  # angstrom: tolerance of the search for symmetry


def load_targets(task: Task) -> pd.DataFrame:
    """Every row's `target`, reduced `formula` (but for tables), and `spacegroup`, where the source has it, by row id.

    A class is given by its name, if it has one. A `DataMissingError` if the targets are not on this machine and
    fetching is turned off, a `DownloadError` if they could not be fetched.
    """
    import pandas as pd

    data = _data(task, "targets")
    columns: dict[str, Any] = {"target": class_names(task, data.target_values)}
    if task.input != "table":
        columns["formula"] = data.formulas
    if data.spacegroups is not None:
        columns["spacegroup"] = pd.array(data.spacegroups, dtype="Int16")
    return pd.DataFrame(columns, index=task.ids)


def class_names(task: Task, values: NDArray[Any]) -> NDArray[Any]:
    """The names of classes that are given by number; true, false and numbers that are no classes as they are."""
    if not task.classes:
        return values
    names = np.array(task.classes, dtype=object if isinstance(task.classes[0], str) else np.int64)
    return names[values.astype(np.intp)]


def targets_here(task: Task) -> Opened | TableRows | None:
    """The targets on this machine, with their `digest` and whether they are `verified`; nothing is fetched.

    A `DataMissingError` if they were added, and their file is gone; a `DataFormatError` if they are not what was added,
    or neither the published ones nor accepted as others.
    """
    if task.table is not None:
        return table_rows(task) if task.table.path.is_file() else None
    if "targets" not in holdings(task):
        return None
    return _opened(task, "targets", lambda: holdings(task)["targets"])[1]


def load_target_values(task: Task) -> NDArray[np.float64] | NDArray[np.bool_] | NDArray[np.intp]:
    """The targets alone, as a read-only array in file order; classes by their numbers, the second of two as true."""
    return _data(task, "targets").target_values


def load_formulas(task: Task) -> list[str]:
    """The reduced formulas alone, in file order; "" for a row of a table."""
    return list(_data(task, "targets").formulas)


def load_clusters(task: Task) -> NDArray[np.intp]:
    """The cluster of every row, numbered from 0, in file order; see `Task.clusters`."""
    from matbench_lite.data.chemistry import chemical_clusters

    data = _data(task, "targets")
    return data.clusters if isinstance(data, TableRows) else chemical_clusters(data.formulas)


def load_inputs(task: Task) -> pd.Series | pd.DataFrame:
    """Every row's formula string or structure, built when it is looked at, or columns of a table; by row id."""
    import pandas as pd

    data = _data(task, "inputs")
    if isinstance(data, TableRows) and task.input == "table":
        return data.columns.copy()
    if task.input == "composition":
        return pd.Series(data.compositions, index=task.ids, name="composition")
    from matbench_lite.data.structure_array import StructureArray

    return pd.Series(StructureArray(data.structures), index=task.ids, name="structure")


def load_spacegroups(task: Task) -> pd.Series:
    """The space-group number of every row of a structure task, by row id.

    Taken from the targets where their source has it; otherwise computed from the structures, which must be here (spglib
    through pymatgen, symprec 0.1), once, and kept in the store.
    """
    targets = load_targets(task)
    if "spacegroup" in targets:
        return targets["spacegroup"]
    if task.input != "structure":
        raise DataMissingError(f"{task.name} has no structures: no space groups", fix="choose a structure task")
    import pandas as pd

    found = _kept_spacegroups(task) if is_stored(task) else _spacegroups(task)
    return pd.Series(found, index=task.ids, name="spacegroup", dtype="Int16")


def _kept_spacegroups(task: Task) -> list[int | None]:
    """Those that were computed from the same structures before; else they are computed now, and kept."""
    holding, inputs = holdings(task).get("spacegroups"), require(task, "inputs")
    if holding is not None and holding.digest == inputs.sha256:
        with suppress(OSError):
            content = holding.path.read_bytes()
            if hashlib.sha256(content).hexdigest() == holding.sha256:
                kept: list[int | None] = read_columns(content)["spacegroup"].to_pylist()
                return kept
    found = _spacegroups(task)
    table = pa.table({"spacegroup": pa.array(found, pa.int16())})
    new = NewPart(
        write=partial(pq.write_table, table, compression="zstd"),
        verified=opened(task, "inputs", inputs).verified,
        source=f"{inputs.source}, symprec {_SYMPREC}",
        digest=inputs.sha256,
    )
    # A store that cannot be written is no reason to lose the numbers.
    with suppress(DataError):
        commit(task, {"spacegroups": new})
    return found


def _spacegroups(task: Task) -> list[int | None]:
    """Computed from the structures; None where atoms are too close together for the tolerance."""
    structures = load_inputs(task)
    found: list[int | None] = []
    with progress(f"space groups of {task.name}", len(structures)) as advance, warnings.catch_warnings():
        warnings.filterwarnings("ignore", category=DeprecationWarning)  # of spglib, about how pymatgen calls it
        for structure in structures:
            advance(1)
            try:
                found.append(int(structure.get_space_group_info(symprec=_SYMPREC)[1]))
            except ValueError:
                found.append(None)
    return found


def require(task: Task, part: Part) -> Holding:
    """The part of the task's data on this machine, fetched if it is not there yet.

    A `DataMissingError` if fetching is turned off then (`MATBENCH_LITE_AUTOFETCH=0`).
    """
    present = holdings(task)
    if part not in present:
        if task.original is None or os.environ.get("MATBENCH_LITE_AUTOFETCH") == "0":
            scorable = "; its targets are, so entries can be scored" if "targets" in present else ""
            fix = None
            if task.original is not None:
                fix = f"run `mbl data fetch {task.name}`, or `mbl data add PATH` with {task.original.name}"
            raise DataMissingError(f"the {part} of {task.name} are not on this machine{scorable}", fix=fix)
        from matbench_lite.data.download import fetch

        present = fetch(task, targets_only=part == "targets")
    return present[part]


def opened(task: Task, part: Part, holding: Holding) -> Opened:
    """Read a part from the disk, if it was not read before or its file has changed since; all of it is checked.

    A file that is gone is a `FileNotFoundError`, one that is not what was added a `DataFormatError`.
    """
    stat = holding.path.stat()
    return _read(task, part, holding, (stat.st_mtime_ns, stat.st_ctime_ns, stat.st_size, stat.st_ino))


@dataclass(frozen=True, eq=False)
class Opened:
    """A part that was read and checked; its digest, a sha256, changes if targets, formulas or space groups do."""

    content: bytes
    digest: str
    verified: bool

    def _listed(self, name: str) -> list[Any]:
        values: list[Any] = read_columns(self.content, name)[name].to_pylist()
        return values

    @cached_property
    def target_values(self) -> NDArray[np.float64] | NDArray[np.bool_]:
        """The targets, in file order."""
        values: NDArray[np.float64] | NDArray[np.bool_] = numbers(read_columns(self.content, "target")["target"])
        values.flags.writeable = False
        return values

    @cached_property
    def formulas(self) -> list[str]:
        """The reduced formulas, in file order; they take ten times as long to read as the targets."""
        return self._listed("formula")

    @cached_property
    def spacegroups(self) -> list[int | None] | None:
        """The space groups, in file order; None if the file states none."""
        try:
            return self._listed("spacegroup")
        except KeyError:
            return None

    @cached_property
    def compositions(self) -> list[str]:
        """The compositions as published, in file order."""
        return self._listed("composition")

    @cached_property
    def structures(self) -> StructureColumns:
        """The structures, built when they are looked at."""
        from matbench_lite.data.structures import StructureColumns

        return StructureColumns(read_columns(self.content))


@lru_cache(maxsize=32)
def _read(task: Task, part: Part, holding: Holding, _stamp: tuple[int, ...]) -> Opened:
    from matbench_lite.data.verification import read_checked

    return Opened(*read_checked(task, part, holding))


def _data(task: Task, part: Part) -> Opened | TableRows:
    """A part of the task's data, fetched if it is not there yet; a warning says so if it is unverified."""
    if task.table is not None:
        return table_rows(task)
    holding, found = _opened(task, part, lambda: require(task, part))
    if not found.verified:
        warnings.warn(
            f"the {part} of {task.name} are unverified: {holding.source} is not the published data",
            UnverifiedDataWarning,
            stacklevel=3,
        )
    return found


def _opened(task: Task, part: Part, look_up: Callable[[], Holding]) -> tuple[Holding, Opened]:
    for _ in range(_TRIES):
        holding = look_up()
        try:
            return holding, opened(task, part, holding)
        except FileNotFoundError:
            continue  # replaced by another process between reading the manifest and opening the file
        except OSError as error:
            raise DataFormatError(
                f"{holding.path} cannot be read: {error}", fix="give it ordinary permissions"
            ) from error
    raise DataMissingError(
        f"the {part} of {task.name} were added, but {holding.path} is gone",
        fix=f"add or fetch the {part} of {task.name} again",
    )
