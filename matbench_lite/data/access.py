"""Targets and inputs of a task as pandas objects, from wherever they are: the package, the store, a user's table."""

from __future__ import annotations

import os
import warnings
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING

from matbench_lite.data.store import Holding, Part, holdings
from matbench_lite.errors import DataFormatError, DataMissingError, UnverifiedDataWarning

if TYPE_CHECKING:
    from collections.abc import Callable

    import numpy as np
    import pandas as pd
    import pyarrow as pa
    from numpy.typing import NDArray

    from matbench_lite.data.structures import StructureColumns
    from matbench_lite.tasks import Task

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
    table = _required(task, "targets").table
    columns = {name: table[name].to_pandas().array for name in table.column_names}
    if "spacegroup" in columns:
        columns["spacegroup"] = pd.array(table["spacegroup"].to_pylist(), dtype="Int16")
    return pd.DataFrame(columns, index=task.ids)


@dataclass(frozen=True)
class TargetsHere:
    """The targets of a task on this machine.

    Args:
        digest: Digest of targets, formulas and space groups; changes if any of them does.
        verified: Whether they are proven to be the published ones.
    """

    digest: str
    verified: bool


def targets_here(task: Task) -> TargetsHere | None:
    """What the targets on this machine are; None if there are none. Nothing is fetched.

    Raises:
        DataMissingError: If they were added, and their file is gone.
        DataFormatError: If they are not what was added, or neither the published ones nor accepted as others.
    """
    if task.table is not None:
        from matbench_lite.data.tables import table_digest

        return TargetsHere(table_digest(task), verified=True) if task.table.path.is_file() else None
    if "targets" not in holdings(task):
        return None
    _, found = _opened(task, "targets", lambda: holdings(task)["targets"])
    return TargetsHere(found.sha256, verified=found.verified)


def load_target_values(task: Task) -> NDArray[np.float64] | NDArray[np.bool_]:
    """The targets alone, as a read-only array in file order."""
    if task.table is not None:
        from matbench_lite.data.tables import table_target_values

        return table_target_values(task)
    return _required(task, "targets").target_values


def load_formulas(task: Task) -> list[str]:
    """The reduced formulas alone, in file order."""
    if task.table is not None:
        from matbench_lite.data.tables import table_targets

        formulas: list[str] = table_targets(task)["formula"].tolist()
        return formulas
    read: list[str] = _required(task, "targets").table["formula"].to_pylist()
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
        return pd.Series(_required(task, "inputs").compositions, index=task.ids, name="composition")
    from matbench_lite.data.structures.array import StructureArray

    return pd.Series(StructureArray(_required(task, "inputs").structures), index=task.ids, name="structure")


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

    Raises:
        DataMissingError: If it is not there and fetching is turned off (`MATBENCH_LITE_AUTOFETCH=0`).
    """
    held = holdings(task)
    if part not in held:
        if task.original is None or os.environ.get("MATBENCH_LITE_AUTOFETCH") == "0":
            raise _missing(task, part, only_targets="targets" in held)
        from matbench_lite.data.fetching import fetch

        held = fetch(task, targets_only=part == "targets")
    return held[part]


def opened(task: Task, part: Part, held: Holding) -> Opened:
    """Read a part from the disk, if it was not read before or its file has changed since; all of it is checked.

    Raises:
        FileNotFoundError: If the file is gone.
        DataFormatError: If it is not what was added, or cannot be read.
    """
    about = held.path.stat()
    return _read(task, part, held, (about.st_mtime_ns, about.st_ctime_ns, about.st_size, about.st_ino))


@dataclass(frozen=True, eq=False)
class Opened:
    """A part that was read, and checked.

    Args:
        content: The bytes of its file.
        sha256: Their digest.
        verified: Whether it is proven to be the published data.
    """

    content: bytes
    sha256: str
    verified: bool

    @cached_property
    def table(self) -> pa.Table:
        """All columns of targets, or of compositions."""
        import pyarrow as pa

        from matbench_lite.data.parquet import read_columns

        return read_columns(pa.BufferReader(self.content))

    @cached_property
    def target_values(self) -> NDArray[np.float64] | NDArray[np.bool_]:
        """The targets, in file order; formulas take ten times as long to read."""
        import pyarrow as pa

        from matbench_lite.data.parquet import numbers, read_columns

        column = read_columns(pa.BufferReader(self.content), "target")["target"]
        values: NDArray[np.float64] | NDArray[np.bool_] = numbers(column)
        values.flags.writeable = False
        return values

    @cached_property
    def compositions(self) -> list[str]:
        """The compositions as published, in file order."""
        texts: list[str] = self.table["composition"].to_pylist()
        return texts

    @cached_property
    def structures(self) -> StructureColumns:
        """The structures, built when they are looked at."""
        import pyarrow as pa

        from matbench_lite.data.structures import StructureColumns, read_structures

        return StructureColumns(read_structures(pa.BufferReader(self.content)))


@lru_cache(maxsize=32)
def _read(task: Task, part: Part, held: Holding, _stamp: tuple[int, ...]) -> Opened:
    from matbench_lite.data.verification import is_published, read_checked

    content, sha256 = read_checked(task, part, held)
    return Opened(content, sha256, is_published(task, part, held, content, sha256))


def _required(task: Task, part: Part) -> Opened:
    """A part of the task's data, fetched if it is not there yet; a warning says so if it is unverified."""
    held, found = _opened(task, part, lambda: require(task, part))
    if not found.verified:
        warnings.warn(
            f"the {part} of {task.name} are unverified: {held.source} is not the published data",
            UnverifiedDataWarning,
            stacklevel=3,
        )
    return found


def _opened(task: Task, part: Part, look_up: Callable[[], Holding]) -> tuple[Holding, Opened]:
    for _ in range(_TRIES):
        held = look_up()
        try:
            return held, opened(task, part, held)
        except FileNotFoundError:
            continue  # replaced by another process between reading the manifest and opening the file
        except OSError as error:
            raise DataFormatError(f"{held.path} cannot be read: {error}", fix="give it ordinary permissions") from error
    raise DataMissingError(
        f"the {part} of {task.name} were added, but {held.path} is gone",
        fix=f"add or fetch the {part} of {task.name} again",
    )


def _missing(task: Task, part: Part, *, only_targets: bool) -> DataMissingError:
    there = "; its targets are, so entries can be scored" if only_targets else ""
    if task.original is None:
        return DataMissingError(f"the {part} of {task.name} are not on this machine{there}")
    return DataMissingError(
        f"the {part} of {task.name} are not on this machine{there}",
        fix=f"run `mbl data fetch {task.name}`, or `mbl data add PATH` with {task.original.name}",
    )
