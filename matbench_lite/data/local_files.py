"""Adding data that is already on this disk: the checksum decides what is taken."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from matbench_lite.data.chemistry import reduced_formulas_of_strings
from matbench_lite.data.original import read_original
from matbench_lite.data.parquet import write_compositions, write_targets
from matbench_lite.data.store import Holding, NewPart, Part, commit
from matbench_lite.data.structures import write_structures
from matbench_lite.data.table_files import read_table
from matbench_lite.data.tables import checked_spacegroups, located
from matbench_lite.data.verification import targets_digests, unpublished
from matbench_lite.errors import DataError, DataFormatError, DataMissingError, UnverifiedDataError
from matbench_lite.progress import progress
from matbench_lite.tasks import Benchmark, Task, inputs_digest, targets_digest

if TYPE_CHECKING:
    from numpy.typing import NDArray

_SUFFIXES = (".json.gz", ".json", ".parquet")


@dataclass(frozen=True, kw_only=True)
class Added:
    """What became of one file, or of one task's rows in it: what the store holds of the task now, or its refusal."""

    path: Path
    task: str | None = None
    parts: dict[Part, Holding]
    error: DataError | None = None


def add(
    paths: Iterable[Path], benchmark: Benchmark, *, task: str | None = None, allow_unverified: bool = False
) -> Iterator[Added]:
    """Add data files to the store, one after the other; one that is refused does not stop the others.

    Args:
        paths: Original files (`.json.gz`), targets as Parquet, or folders of such files.
        benchmark: The benchmark that they belong to.
        task: Which task it is, for a file whose name and ids do not tell.
        allow_unverified: Whether to take data whose checksum is not the published one; every later use says so.
    """
    named = benchmark[task] if task else None
    for path in paths:
        files = _files(path)
        if not files:
            problem = "no file that ends in " + ", ".join(_SUFFIXES) if path.is_dir() else "no such file or folder"
            yield Added(path=path, task=task, parts={}, error=DataMissingError(f"{path}: {problem}"))
        for file in files:
            try:
                if file.suffix == ".parquet":
                    yield from _add_parquet(file, benchmark, named, allow_unverified=allow_unverified)
                else:
                    known = named or _task_of_name(file, benchmark)
                    parts = add_original(file, known, allow_unverified=allow_unverified)
                    yield Added(path=file, task=known.name, parts=parts)
            except DataError as error:
                yield Added(path=file, task=task, parts={}, error=error)


def add_original(
    path: Path, task: Task, *, allow_unverified: bool = False, targets_only: bool = False
) -> dict[Part, Holding]:
    """Add an original dataset file of one task; of its rows only targets and formulas, if `targets_only`.

    A `DataFormatError` if it cannot be read, or its rows or types are not those of the registry; an
    `UnverifiedDataError` if its checksum is not the published one.
    """
    assert task.input != "table", "no benchmark that is built in has tables"
    with progress(f"reading {path.name}", path.stat().st_size, unit="bytes") as advance:
        original = read_original(
            path, input_kind=task.input, target=task.target, targets_only=targets_only, on_bytes=advance
        )
    _check_values(path, task, original.targets)
    published = task.original is not None and original.sha256 == task.original.sha256
    if published and targets_digest(task.ids, original.targets) != task.targets_sha256:
        raise DataFormatError(
            f"{path} is the published file, but its targets are not those of the registry: a bug of ours"
        )
    new: dict[Part, NewPart] = {"targets": _targets(path, task, original.targets, original.formulas)}
    if original.compositions is not None:
        new["inputs"] = _compositions(path, task, original.compositions)
    elif original.structures is not None:
        write = partial(write_structures, original.structures)
        new["inputs"] = NewPart(write=write, verified=published, source=path.name, digest=original.sha256)
    if not allow_unverified and not all(part.verified for part in new.values()):
        raise _unverified(path, task, original.sha256, new)
    return commit(task, new)


def _add_parquet(path: Path, benchmark: Benchmark, named: Task | None, *, allow_unverified: bool) -> Iterator[Added]:
    for task, frame in _split_targets(path, benchmark, named):
        try:
            new = _from_frame(path, task, frame)
            if not allow_unverified:
                if not new["targets"].verified:
                    raise UnverifiedDataError(
                        f"{path.name}: the {' and '.join(new['targets'].differs)} of {task.name} are not the published "
                        "ones",
                        fix="get the right file, or pass --allow-unverified to use it marked as unverified",
                    )
                # Its compositions may be reduced formulas, which are no inputs: the targets are what it is for.
                new = {part: made for part, made in new.items() if made.verified}
            yield Added(path=path, task=task.name, parts=commit(task, new))
        except DataError as error:
            yield Added(path=path, task=task.name, parts={}, error=error)


def _split_targets(path: Path, benchmark: Benchmark, named: Task | None) -> Iterator[tuple[Task, Any]]:
    """The tasks in a targets file, and their rows: one task by its ids, or several by a column `task`."""
    frame = read_table(path)
    missing = {"mbid", "target", "composition"} - set(frame.columns)
    if missing:
        raise DataFormatError(
            f"{path} lacks the columns {', '.join(sorted(missing))}",
            fix="a targets file has mbid, target, composition and, if known, spg_num",
        )
    if frame.empty:
        raise DataFormatError(f"{path} has no rows")
    if "task" in frame.columns:
        names = [str(name) for name in frame["task"].unique()]
        for name in [named.name] if named else names:
            if name not in benchmark or name not in names:
                raise DataFormatError(
                    f"{path} has rows of {', '.join(names)}, none of a task {name} of {benchmark.name}"
                )
            yield benchmark[name], frame[frame["task"] == name]
        return
    first = str(frame["mbid"].iloc[0])
    owners = [task for task in benchmark if first.rpartition("-")[0] == task.id_prefix]
    if named is None and not owners:
        raise DataFormatError(f"{path}: {first!r} is not a row id of {benchmark.name}", fix="name the task with --task")
    yield named or owners[0], frame


def _from_frame(path: Path, task: Task, frame: Any) -> dict[Part, NewPart]:
    if list(frame["mbid"]) != list(task.ids):
        raise DataFormatError(
            f"{path.name}: the ids are not the {task.rows} of {task.name}, in order", fix="give all rows, in file order"
        )
    values = _as_kind(task, frame["target"].to_numpy())
    _check_values(path, task, values)
    compositions = [str(text) for text in frame["composition"]]
    with progress(f"formulas of {task.name}", None), located(f"{path.name}: "):
        formulas = reduced_formulas_of_strings(compositions)
    spacegroups = None
    if "spg_num" in frame.columns and frame["spg_num"].notna().any():
        spacegroups = checked_spacegroups(frame["spg_num"], path)
    new: dict[Part, NewPart] = {"targets": _targets(path, task, values, formulas, spacegroups)}
    if task.input == "composition":
        new["inputs"] = _compositions(path, task, compositions)
    return new


def _as_kind(task: Task, values: NDArray[Any]) -> NDArray[Any]:
    """Whole numbers are numbers; 0 and 1 are labels where the task asks for labels."""
    if values.dtype.kind in "iuf":
        if task.kind == "regression":
            return values.astype(float)
        if ((values == 0) | (values == 1)).all():
            return values.astype(bool)
    return values


def _targets(
    path: Path,
    task: Task,
    values: NDArray[np.float64] | NDArray[np.bool_],
    formulas: list[str],
    spacegroups: list[int | None] | None = None,
) -> NewPart:
    digests = targets_digests(task, values, formulas, spacegroups)
    differs = unpublished(task, **digests)
    return NewPart(
        write=partial(write_targets, values=values, formulas=formulas, spacegroups=spacegroups),
        verified=not differs,
        differs=tuple(differs),
        source=path.name,
        digest=digests["targets"],
        knows_spacegroups=spacegroups is not None,
    )


def _compositions(path: Path, task: Task, compositions: list[str]) -> NewPart:
    digest = inputs_digest(task.ids, compositions)
    write = partial(write_compositions, compositions=compositions)
    return NewPart(write=write, verified=digest == task.inputs_sha256, source=path.name, digest=digest)


def _check_values(path: Path, task: Task, values: NDArray[Any]) -> None:
    """Refuse rows or types that are not those of the registry, and targets that are no numbers."""
    if len(values) != task.rows:
        raise DataFormatError(f"{path.name} has {len(values)} rows, {task.name} has {task.rows}")
    if values.dtype != (bool if task.kind == "classification" else float):
        raise DataFormatError(f"{path.name}: the targets are {values.dtype}, {task.name} is a {task.kind} task")
    if not np.isfinite(values).all():
        raise DataFormatError(f"{path.name}: a target is NaN or infinite")


def _unverified(path: Path, task: Task, sha256: str, new: dict[Part, NewPart]) -> UnverifiedDataError:
    published = task.original.sha256 if task.original else "unknown"
    differs = new["targets"].differs
    targets = f"its {' and '.join(differs)} differ too, and" if differs else "its targets are the published ones, but"
    return UnverifiedDataError(
        f"{path.name} is not the published file of {task.name}: {targets} the sha256 is {sha256[:12]}…, "
        f"not {published[:12]}…",
        fix="get the published file, or pass --allow-unverified to use it marked as unverified",
    )


def _files(path: Path) -> list[Path]:
    """A file as it is; of a folder, every file that may be data."""
    if path.is_dir():
        return sorted(item for item in path.iterdir() if item.name.endswith(_SUFFIXES) and item.is_file())
    return [path] if path.is_file() else []


def _task_of_name(path: Path, benchmark: Benchmark) -> Task:
    """The task that a file is named after: `<task>.json.gz`, or `<task>.anything.json.gz`."""
    name = path.name.partition(".")[0]
    if name not in benchmark:
        raise DataFormatError(
            f"{path.name} is not named after a task of {benchmark.name}",
            fix="rename it to <task>.json.gz or name the task with --task",
        )
    return benchmark[name]
