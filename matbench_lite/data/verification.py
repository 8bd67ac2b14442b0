"""Whether data on this machine is what the registry says: computed from its bytes, never believed.

The file of a part is hashed whenever it is read, and its targets are compared with the registry. What else its content
is (the digests of formulas, space groups, compositions) follows from those bytes alone, so it is computed once for a
file and kept as derived data.
"""

from __future__ import annotations

import hashlib
import stat
from collections.abc import Iterator, Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path
from typing import Any, Literal

from numpy.typing import NDArray

from matbench_lite.atomic import replacing
from matbench_lite.data.access import load_formulas, load_inputs, load_targets
from matbench_lite.data.chemistry import reduced_formulas
from matbench_lite.data.parquet import numbers, read_columns
from matbench_lite.data.store import PARTS, Holding, Part, derived_directory, holdings
from matbench_lite.derived import Shelf, key
from matbench_lite.errors import DataError, DataFormatError, DataMissingError, raising
from matbench_lite.tasks import Benchmark, Task, inputs_digest, quick_targets_digest, spacegroups_digest, targets_digest


def read_checked(task: Task, part: Part, holding: Holding) -> tuple[bytes, str, bool]:
    """The bytes of a part, their sha256, and whether they are proven to be published; if they are what was added.

    A `DataFormatError` if they were changed since, or are neither the published data nor data that somebody accepted as
    unverified; a `FileNotFoundError` if the file is gone.
    """
    if not stat.S_ISREG(holding.path.stat().st_mode):  # a device or a pipe may never end
        raise DataFormatError(f"{holding.path} is not a regular file", fix=remedy(task))
    content = holding.path.read_bytes()
    sha256 = hashlib.sha256(content).hexdigest()
    if holding.sha256 and sha256 != holding.sha256:
        raise DataFormatError(
            f"the {part} of {task.name} were changed on this disk: {holding.path} does not have its noted sha256",
            fix=remedy(task),
        )
    published = is_published(task, part, holding, content, sha256)
    if not holding.accepted and not published:
        raise DataFormatError(
            f"the {part} of {task.name} on this machine are not the published ones: {holding.path}", fix=remedy(task)
        )
    return content, sha256, published


def is_verified(task: Task, part: Part, holding: Holding) -> bool:
    """Whether a part on this machine is proven to be the published data; raises what `read_checked` does."""
    if task.table is not None:
        return holding.path.is_file()  # a user's own data is what it is; compared with the benchmark when it is read
    return read_checked(task, part, holding)[2]


def is_published(task: Task, part: Part, holding: Holding, content: bytes, sha256: str) -> bool:
    """Whether some bytes, with their sha256, are the published data of a part.

    What is noted of it counts, too: where structures come from cannot be told from the bytes alone.
    """
    if part == "inputs" and task.input == "structure" and task.original is None:
        return sha256 == task.inputs_sha256  # packaged
    found = content_digests(task, part, content, sha256)
    if part == "targets":
        # Of the targets themselves no note is believed, be it of ours: every score follows from them.
        return _has_published_targets(task, content) and not unpublished(task, **found)
    if task.input == "composition":
        return found["inputs"] == task.inputs_sha256
    whole = task.original is not None and holding.digest == task.original.sha256
    return whole and found["formulas"] == task.formulas_sha256


def _has_published_targets(task: Task, content: bytes) -> bool:
    with _readable(task, "targets"):
        values = numbers(read_columns(content, "target")["target"])
    if len(values) != task.rows:
        return False
    if task.targets_quick_sha256 is not None and quick_targets_digest(values) == task.targets_quick_sha256:
        return True
    return targets_digest(task.ids, values) == task.targets_sha256


def unpublished(task: Task, *, targets: str, formulas: str, spacegroups: str) -> list[str]:
    """What of a targets file is not as published, in words, by the digests of what it holds.

    That of the space groups is "" if the file states none, as the original files do.
    """
    differ = {
        "targets": targets != task.targets_sha256,
        "formulas": task.formulas_sha256 not in (None, formulas),  # None: a user's own task
        "space groups": spacegroups not in ("", task.spacegroups_sha256),
    }
    return [what for what, different in differ.items() if different]


def content_digests(task: Task, part: Part, content: bytes, sha256: str) -> Mapping[str, str]:
    """The digests of what a file holds, computed once for its bytes; a `DataFormatError` if it is no such file."""
    shelf, name = _shelf(derived_directory()), key(task.name, part, sha256)
    if (known := shelf.get(name)) is None:
        with _readable(task, part):
            known = _digests(task, part, content)
        shelf.put({name: known})
    digests: Mapping[str, str] = known
    return digests


_UNREADABLE = (ValueError, TypeError, LookupError, NotImplementedError, OSError, BufferError)


def _readable(task: Task, part: Part) -> AbstractContextManager[None]:
    message = f"the {part} of {task.name} cannot be read"
    return raising(DataFormatError, message, fix=remedy(task), on=_UNREADABLE)


@lru_cache(maxsize=4)
def _shelf(folder: Path) -> Shelf:
    return Shelf(folder, "data-digests", __name__)


def remedy(task: Task) -> str:
    """What to do about data that does not fit."""
    if task.original is None:
        return "install matbench_lite again"
    return (
        f"`mbl data verify` says what is wrong; `mbl data fetch {task.name}` gets it again, as does `mbl data add` "
        f"with {task.original.name}"
    )


def _digests(task: Task, part: Part, content: bytes) -> dict[str, str]:
    if part == "targets":
        table = read_columns(content)
        spacegroups = table["spacegroup"].to_pylist() if "spacegroup" in table.column_names else None
        return targets_digests(task, numbers(table["target"]), table["formula"].to_pylist(), spacegroups)
    if task.input == "composition":
        return {"inputs": inputs_digest(task.ids, read_columns(content)["composition"].to_pylist())}
    return {"formulas": inputs_digest(task.ids, reduced_formulas(read_columns(content)))}


def targets_digests(
    task: Task, values: NDArray[Any], formulas: list[str], spacegroups: list[int | None] | None
) -> dict[str, str]:
    """The digests of what a targets file holds, as `unpublished` takes them."""
    return {
        "targets": targets_digest(task.ids, values),
        "formulas": inputs_digest(task.ids, formulas),
        "spacegroups": "" if spacegroups is None else spacegroups_digest(task.ids, spacegroups),
    }


State = Literal["verified", "unverified", "damaged", "missing"]


@dataclass(frozen=True, kw_only=True)
class PartStatus:
    """One part of one task's data: its state, where it lies, its size, and the name of the file it was made from."""

    task: str
    part: Part
    state: State
    source: str = ""
    path: Path | None = None
    bytes: int = 0


def status(benchmark: Benchmark) -> list[PartStatus]:
    """What is on this machine of every task's targets and inputs."""
    return [_look(task, part, holdings(task).get(part))[0] for task in benchmark for part in PARTS]


def verify(benchmark: Benchmark) -> Iterator[tuple[PartStatus, str | None]]:
    """Read everything in the store again and compare it with its checksums and with the registry.

    Each part that is there comes with what is wrong with it or None.
    """
    for task in benchmark:
        for part in PARTS:
            holding = holdings(task).get(part)
            if holding is None:
                continue
            found, problem = _look(task, part, holding)
            if task.table is not None:
                try:
                    _ = task.targets if part == "targets" else task.inputs
                except DataError as error:
                    problem = error.message
            yield found, problem


def _look(task: Task, part: Part, holding: Holding | None) -> tuple[PartStatus, str | None]:
    """A part, and what is wrong with it or None; a user's own table is not read."""
    found = PartStatus(task=task.name, part=part, state="missing")
    if holding is None:
        return found, None
    try:
        found = replace(found, source=holding.source, path=holding.path, bytes=holding.path.stat().st_size)
        return replace(found, state="verified" if is_verified(task, part, holding) else "unverified"), None
    except FileNotFoundError:
        problem = "the file is gone"
    except DataError as error:
        problem = error.message
    except OSError as error:
        problem = f"cannot be read: {error}"
    return replace(found, state="missing" if found.path is None else "damaged"), problem


def export_targets(benchmark: Benchmark, path: Path) -> list[str]:
    """Write the targets of every task that has them here to a Parquet file, and give the names of these tasks.

    `mbl data add` reads the file back. A `DataMissingError` if there are no targets at all, a `DataError` if the file
    cannot be written.
    """
    import pandas as pd

    present = {(item.task, item.part) for item in status(benchmark) if item.state != "missing"}
    tasks = [task for task in benchmark if (task.name, "targets") in present]
    if not tasks:
        raise DataMissingError(f"no targets of {benchmark.name} are on this machine", fix="run `mbl data fetch` first")
    frames = []
    for task in tasks:
        targets = load_targets(task)
        has_compositions = task.input == "composition" and (task.name, "inputs") in present
        formulas = load_formulas(task)
        compositions = load_inputs(task).tolist() if has_compositions else formulas
        frames.append(
            pd.DataFrame(
                {
                    "task": task.name,
                    "mbid": targets.index,
                    "target": task.target_values.astype(float),
                    "composition": compositions,
                    "spg_num": targets["spacegroup"].to_numpy() if "spacegroup" in targets else None,
                }
            ).astype({"spg_num": "Int16"})
        )
    whole = pd.concat(frames, ignore_index=True).astype({"task": "category"})
    with raising(DataError, f"{path} cannot be written", fix="choose another place"), replacing(path) as temporary:
        whole.to_parquet(temporary, compression="zstd", index=False)
    return [task.name for task in tasks]
