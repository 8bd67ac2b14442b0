"""The store on disk: which data is here, where its files are, and how new data gets in.

Per task there is one manifest, `<data directory>/<benchmark>/<task>.json`, which names its Parquet files. Files are
named after their content and never change; writing the manifest is the commit. A process that dies before it
leaves the store as it was, plus files that nobody names and that the next commit removes.
"""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Literal, get_args

import orjson
from filelock import FileLock

from matbench_lite.atomic import move_into_place, temporary_file, write_bytes
from matbench_lite.errors import DataError, DataFormatError
from matbench_lite.tasks import Task

Part = Literal["targets", "inputs", "spacegroups"]
PARTS: tuple[Part, ...] = ("targets", "inputs")
"""What a benchmark needs; space groups are computed for those who ask."""

SCHEMA = 2
_FILE = re.compile(r"\w[\w.-]*\.parquet")
_PACKAGED = Path(__file__).parent / "mini"


@dataclass(frozen=True, kw_only=True)
class Holding:
    """One part of a task's data as it lies in the store: the Parquet file, and the name of the file it was made from.

    Args:
        sha256: Checksum of the Parquet file; empty for a user's own table.
        digest: Targets digest, inputs digest, or sha256 of the source file; empty for what nobody had to add.
        added: When, ISO 8601, UTC; empty for what nobody had to add.
        accepted: Whether somebody took it although it is not proven to be the published data. Whether it is proven
            is never written down: see `matbench_lite.data.verification`.
        knows_spacegroups: Whether a targets file has the space group of every row.
    """

    path: Path
    source: str
    sha256: str = ""
    digest: str = ""
    added: str = ""
    accepted: bool = False
    knows_spacegroups: bool = False


@dataclass(frozen=True, kw_only=True)
class NewPart:
    """A part that is about to be stored: how to write its file, and what is known of it, as in `Holding`.

    Verified is what is proven to be the published data; `differs` says in words what in a targets file is not.
    """

    write: Callable[[Path], None]
    verified: bool
    source: str
    digest: str
    differs: tuple[str, ...] = ()
    knows_spacegroups: bool = False


def data_directory() -> Path:
    """Where the data lies: `MATBENCH_LITE_DATA`, or the platform's place for user data."""
    if override := os.environ.get("MATBENCH_LITE_DATA"):
        return Path(override).expanduser()
    from platformdirs import user_data_path

    return user_data_path("matbench_lite", appauthor=False)


def derived_directory() -> Path:
    """Where derived things are kept; it may be deleted at any time."""
    return data_directory() / "derived"


def holdings(task: Task) -> dict[Part, Holding]:
    """The parts of the task's data that are on this machine; a `DataError` if its manifest cannot be read."""
    if task.table is not None:
        return dict.fromkeys(PARTS, Holding(path=task.table.path, source=task.table.path.name))
    if not is_stored(task):
        return {part: _packaged(task, part) for part in PARTS}
    path = _manifest(task)
    try:
        content = orjson.loads(path.read_bytes())
        if content["schema"] not in (1, SCHEMA):
            raise DataFormatError(
                f"{path} has schema {content['schema']!r}, this version reads {SCHEMA}", fix="upgrade matbench_lite"
            )
        if unknown := content["parts"].keys() - set(get_args(Part)):
            raise ValueError(f"{unknown.pop()!r} is no part of a task's data")
        return {name: _holding(path.parent, fields) for name, fields in content["parts"].items()}
    except FileNotFoundError:
        return {}
    except OSError as error:
        raise DataError(
            f"{path} cannot be read: {error}", fix="set MATBENCH_LITE_DATA to a folder that you may read"
        ) from error
    except (orjson.JSONDecodeError, KeyError, TypeError, AttributeError, ValueError) as error:
        raise DataFormatError(
            f"{path} is damaged: {error}", fix=f"delete it and add the data of {task.name} again"
        ) from error


def _holding(folder: Path, fields: dict[str, Any]) -> Holding:
    """What a manifest says of a part; in schema 1 it said whether the part was verified, which is computed now."""
    known = {key: value for key, value in fields.items() if key != "verified"}
    if "verified" in fields:
        known["accepted"] = fields["verified"] is False
    name = fields["path"]
    if not _FILE.fullmatch(name) or not fields["sha256"]:
        raise ValueError(f"{name!r} is not a file of the store")
    for key, value in known.items():
        if not isinstance(value, bool if key in ("accepted", "knows_spacegroups") else str):
            raise ValueError(f"{key} is {value!r}")
    return Holding(**{**known, "path": folder / name})


def commit(task: Task, new: Mapping[Part, NewPart]) -> dict[Part, Holding]:
    """Store new parts of a task's data, all or none, and say what the store holds afterwards.

    A part that is there already stays if it is better: verified data is never replaced by unverified data, nor
    targets that know the space groups by the same targets without them. A `DataError` if the task's data does not live
    in the store, or the store cannot be written.
    """
    if not is_stored(task):
        where = "comes with matbench_lite" if task.table is None else f"is {task.table.path}"
        raise DataError(f"nothing can be added to {task.name}: its data {where}")
    manifest = _manifest(task)
    try:
        manifest.parent.mkdir(parents=True, exist_ok=True)
        with FileLock(manifest.with_suffix(".lock")):
            parts = holdings(task)
            for part, made in new.items():
                if _is_better(task, part, parts.get(part), made):
                    parts[part] = _write_part(task, part, made)
            content = {
                "schema": SCHEMA,
                "parts": {part: {**asdict(holding), "path": holding.path.name} for part, holding in parts.items()},
            }
            write_bytes(manifest, orjson.dumps(content, option=orjson.OPT_INDENT_2 | orjson.OPT_SORT_KEYS))
            _remove_unnamed(task, keep={holding.path.name for holding in parts.values()})
    except OSError as error:
        raise unwritable(error) from error
    return parts


def is_stored(task: Task) -> bool:
    """Whether the data of a task lives in the store: not in the package, nor in a table of the user's own."""
    return task.table is None and task.benchmark != "mini"


def unwritable(error: OSError) -> DataError:
    """The error for a data directory that cannot be written."""
    return DataError(
        f"the data directory {data_directory()} cannot be written: {error}",
        fix="free some space there, or set MATBENCH_LITE_DATA to a folder that you may write",
    )


def file_sha256(path: Path) -> str:
    """The sha256 of a file's bytes."""
    with path.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


def _manifest(task: Task) -> Path:
    return data_directory() / task.benchmark / f"{task.name}.json"


def _packaged(task: Task, part: Part) -> Holding:
    """Data that ships with the package, in files whose checksums are listed beside them."""
    name = f"{task.name}.{part}.parquet"
    try:
        lines = (_PACKAGED / "SHA256SUMS").read_text(encoding="ascii").splitlines()
        sums = {file: sha256 for sha256, file in map(str.split, lines)}
        return Holding(path=_PACKAGED / name, source="matbench_lite", sha256=sums[name])
    except (OSError, ValueError, KeyError) as error:
        raise DataFormatError(
            f"the checksums of {task.benchmark} are damaged: {_PACKAGED / 'SHA256SUMS'}",
            fix="install matbench_lite again",
        ) from error


def _is_better(task: Task, part: Part, old: Holding | None, new: NewPart) -> bool:
    from matbench_lite.data.verification import is_verified

    if old is None or part == "spacegroups":
        return True
    try:
        verified = is_verified(task, part, old)
    except (DataError, OSError):
        return True  # gone, or damaged
    if verified != new.verified:
        return new.verified
    return new.knows_spacegroups or not old.knows_spacegroups or new.digest != old.digest


def _write_part(task: Task, part: Part, made: NewPart) -> Holding:
    folder = _manifest(task).parent
    with temporary_file(folder, f"{task.name}.{part}") as temporary:
        made.write(temporary)
        sha256 = file_sha256(temporary)
        path = folder / f"{task.name}.{part}.{sha256[:16]}.parquet"
        move_into_place(temporary, path)
    return Holding(
        path=path,
        accepted=not made.verified,
        sha256=sha256,
        source=made.source,
        digest=made.digest,
        added=datetime.now(UTC).isoformat(timespec="seconds"),
        knows_spacegroups=made.knows_spacegroups,
    )


def _remove_unnamed(task: Task, *, keep: set[str]) -> None:
    """Remove files of this task that no manifest names: replaced ones, and what a killed process left."""
    folder = _manifest(task).parent
    for pattern in (f"{task.name}.*.parquet", f".{task.name}.*.tmp"):
        for path in folder.glob(pattern):
            if path.name not in keep:
                # A reader on Windows may still have it open; the next commit tries again.
                with suppress(OSError):
                    path.unlink()
