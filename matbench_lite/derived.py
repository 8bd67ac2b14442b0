"""Derived things: what our code computed from facts, kept under a key of those facts and of that code.

Values of one kind lie in a folder named after the digest of the sources that computed them: a module, and all of ours
that it imports, so that no change of a formula can leave an old number behind. What the values follow from besides
(predictions, targets, folds) is in their keys, as digests. Files are named after their own content and only added or
merged: one that was damaged is not believed. Everything here may be deleted at any time.
"""

from __future__ import annotations

import hashlib
import re
import time
import zlib
from collections.abc import Collection, Iterable, Mapping
from contextlib import suppress
from functools import cache
from importlib.metadata import version
from io import BytesIO
from pathlib import Path
from shutil import rmtree
from typing import Any

import orjson
import pyarrow as pa
import pyarrow.parquet as pq

from matbench_lite.atomic import temporary_file

_PACKAGE = Path(__file__).parent
_IMPORT = re.compile(r"^\s*(?:from (matbench_lite[\w.]*) import (\([^)]*\)|[^\n]*)|import (matbench_lite[\w.]*))", re.M)
_ONLY_TYPES = re.compile(r"^if TYPE_CHECKING:\n(?:(?: .*)?\n)+", re.M)
_LIBRARIES = ("numpy", "scipy")  # whose version may change the last digits
_MANY = 16  # files of one kind, before they are merged
_ABANDONED = 3600  # seconds
_LARGE = 4096  # bytes of a value, above which it is compressed: also in memory, where all values of a kind are
_OLD = 3  # folders of other sources that are left: for those who go back and forth between two versions


@cache
def sources_digest(module: str) -> str:
    """The sha256 over the sources that can change what a module, given by its full name, computes.

    These are the module itself, all modules of ours that it imports, directly or through others, at the top or inside
    a function, and the versions of the libraries that compute.
    """
    digest = hashlib.sha256()
    for name in _LIBRARIES:
        digest.update(f"{name} {_version(name)}\n".encode())
    for name, path in sorted(imported_sources(module).items()):
        digest.update(f"{name} {_file_digest(path)}\n".encode())
    return digest.hexdigest()


_version = cache(version)


@cache
def _file_digest(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


def imported_sources(module: str) -> dict[str, Path]:
    """The source files of a module and of all modules of ours that it imports, by module name."""
    found: dict[str, Path] = {}
    waiting = [module]
    while waiting:
        name = waiting.pop()
        if name not in found and (path := _source(name)) is not None:
            found[name] = path
            waiting += _imports(name, path)
    return found


@cache
def _imports(module: str, path: Path) -> tuple[str, ...]:
    """What a module may import, directly; some of the names are none of modules."""
    names = {module.rpartition(".")[0]}  # importing a module runs the packages that it is in
    for package, listed, whole in _IMPORT.findall(_text(path)):
        names.add(package or whole)
        names.update(f"{package}.{each}" for each in re.findall(r"\w+", listed))
    return tuple(names - {""})


def _text(path: Path) -> str:
    """A source without the imports that are for types alone."""
    text = path.read_text(encoding="utf-8")
    # A package that imports its parts when they are first used names them there; the whole does so, too, but nothing
    # of ours asks it for anything but packages.
    lazy = path.name == "__init__.py" and path.parent != _PACKAGE
    return text if lazy else _ONLY_TYPES.sub("", text)


@cache
def _source(module: str) -> Path | None:
    top, *parts = module.split(".")
    path = _PACKAGE.joinpath(*parts)
    if top != _PACKAGE.name:
        return None
    for candidate in (path / "__init__.py", path.with_suffix(".py")):
        if candidate.is_file():
            return candidate
    return None


class Parts:
    """A table of one kind of derived values, in files that are only added to.

    `root` is the folder of all derived values, `kind` the name of a folder there, `module` the one that computes it.
    """

    def __init__(self, root: Path, kind: str, module: str) -> None:
        self.folder = root / kind / sources_digest(module)[:32]

    def read(self, dictionaries: Iterable[str] = ()) -> pa.Table | None:
        """All rows; None if there are none. A file that is not what its name says is removed.

        Columns in `dictionaries` have few texts: they are read once, with a code for every row.
        """
        tables = []
        for path in self._files():
            with suppress(OSError):
                content = path.read_bytes()
                if _name(content) == path.name:
                    file = pq.ParquetFile(pa.BufferReader(content), read_dictionary=dictionaries)
                    tables.append(file.read(use_threads=False))
                else:
                    path.unlink()
        return pa.concat_tables(tables) if tables else None

    def append(self, rows: pa.Table) -> None:
        """Add rows. A folder that cannot be written costs time later on, nothing else."""
        with suppress(OSError):
            self._remove_unfinished()
            if len(self._files()) >= _MANY and (kept := self.read()) is not None:
                self.replace(pa.concat_tables([kept, rows]))
            else:
                self._write(rows)

    def replace(self, rows: pa.Table) -> None:
        """Have these rows and no others."""
        with suppress(OSError):
            old = self._files()
            new = self._write(rows)
            for path in old:
                if path != new:
                    path.unlink(missing_ok=True)

    def _files(self) -> list[Path]:
        return sorted(self.folder.glob("*.parquet"))

    def _write(self, rows: pa.Table) -> Path:
        if not self.folder.is_dir():
            self._remove_old()
        buffer = BytesIO()
        pq.write_table(rows, buffer, compression="zstd", write_statistics=False)
        content = buffer.getvalue()
        with temporary_file(self.folder, "part") as temporary:
            temporary.write_bytes(content)
            # Not flushed to disk first, unlike files that cannot be made again: one that is cut off is not believed.
            return temporary.replace(self.folder / _name(content))

    def _remove_unfinished(self) -> None:
        """Remove what a process that was killed long ago had begun to write."""
        for path in self.folder.glob(".*.tmp"):
            with suppress(FileNotFoundError):
                if path.stat().st_mtime < time.time() - _ABANDONED:
                    path.unlink()

    def _remove_old(self) -> None:
        """Remove what other sources computed, but for the last few."""
        with suppress(FileNotFoundError):
            others = sorted(self.folder.parent.iterdir(), key=lambda path: path.stat().st_mtime, reverse=True)
            for path in others[_OLD:]:
                rmtree(path, ignore_errors=True)


class Shelf:
    """Derived values of one kind by key: plain JSON data, read when they are first asked for; takes what `Parts` does.

    Examples:
        >>> import tempfile
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     Shelf(Path(folder), "sums", "matbench_lite.metrics").put({key("a", "b"): {"sum": 3.5}})
        ...     Shelf(Path(folder), "sums", "matbench_lite.metrics").get(key("a", "b"))
        {'sum': 3.5}
    """

    def __init__(self, root: Path, kind: str, module: str) -> None:
        self._parts = Parts(root, kind, module)
        self._values: dict[str, bytes] | None = None

    def get(self, name: str) -> Any:
        """The value of a key, as it was put; None if there is none."""
        content = self._loaded().get(name)
        if content is None:
            return None
        return orjson.loads(zlib.decompress(content) if content.startswith(b"x") else content)  # no JSON begins so

    def missing(self, names: Iterable[str]) -> list[str]:
        """Those of some keys that have no value."""
        known = self._loaded()
        return [name for name in names if name not in known]

    def put(self, values: Mapping[str, Any]) -> None:
        """Keep values: records, lists, texts and numbers; a NaN is kept as None."""
        option = orjson.OPT_SERIALIZE_NUMPY | orjson.OPT_NON_STR_KEYS
        contents = ((name, orjson.dumps(value, option=option)) for name, value in values.items())
        new = {name: zlib.compress(value, 1) if len(value) > _LARGE else value for name, value in contents}
        if new:
            self._loaded().update(new)
            self._parts.append(_table(new))

    def retain(self, names: Collection[str]) -> None:
        """Forget all values but those of some keys, once the others are the majority."""
        known = self._loaded()
        if len(known) > 2 * len(names):
            self._values = {name: value for name, value in known.items() if name in names}
            self._parts.replace(_table(self._values))

    def _loaded(self) -> dict[str, bytes]:
        if self._values is None:
            table = self._parts.read()
            columns = ([], []) if table is None else (table["key"].to_pylist(), table["value"].to_pylist())
            self._values = dict(zip(*columns, strict=True))
        return self._values


def key(*facts: str) -> str:
    """The key of a value: a digest of the digests of all that it follows from."""
    return hashlib.sha256("\0".join(facts).encode()).hexdigest()


def _table(values: Mapping[str, bytes]) -> pa.Table:
    return pa.table({"key": list(values), "value": pa.array(values.values(), pa.binary())})


def _name(content: bytes) -> str:
    return f"{hashlib.sha256(content).hexdigest()}.parquet"
