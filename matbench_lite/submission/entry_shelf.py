"""Entries of which only what is looked at is read: boards of hundreds of entries need few of their predictions.

An entry that was found to be whole is remembered, as derived data, under the names, sizes and times of its files: as
long as these are the same, the same was found before. Its predictions are read, and compared with their digest, when
somebody looks at them, once in a process.
"""

from __future__ import annotations

import atexit
import hashlib
import os
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from functools import lru_cache, partial
from io import BufferedRandom
from pathlib import Path
from tempfile import TemporaryFile
from typing import Any

import numpy as np

from matbench_lite.data import derived_directory
from matbench_lite.derived import Shelf, key
from matbench_lite.errors import EntryError, MachineError
from matbench_lite.submission.entry_document import MAX_BYTES
from matbench_lite.submission.entry_files import read_bounded
from matbench_lite.submission.entry_rules import DOCUMENT, PREDICTIONS, refuse
from matbench_lite.submission.examination import (
    Entry,
    decode_document,
    decode_predictions,
    largest_predictions,
    read_entry,
)
from matbench_lite.submission.fold_predictions import Arrays, FoldPredictions, PredictionType, RecordedFold
from matbench_lite.tasks import Benchmark

_FOLDS_KEPT = 65
"""Folds whose predictions stay in memory: those of one entry on all tasks of Matbench."""
_SETTLED = 2.0
"""Seconds after which a file that is changed again has another time, on every file system."""
_MOST_FILES = 1000


class EntryShelf:
    """The entries of a benchmark that were read before."""

    def __init__(self, benchmark: Benchmark) -> None:
        self.benchmark = benchmark
        self._folds = key(benchmark.name, *(f"{task.name} {task.folds_sha256}" for task in benchmark))
        self._shelf = Shelf(derived_directory() / benchmark.name, "entries", __name__)
        self._new: dict[str, Any] = {}

    def open(self, folder: Path) -> Entry:
        """The entry in a folder, whole and unchanged; all of it is checked if that was not done before."""
        known = _signature(folder)
        name = None if known is None else key(self._folds, known)
        document = None if name is None else self._shelf.get(name)
        if document is None:
            entry = read_entry(folder, self.benchmark)
            document = _without_params(entry.document)
            folds = {task: {fold: held.predictions for fold, held in of.items()} for task, of in entry.folds.items()}
            _decoded.put(folder, document["predictions_sha256"], folds)
            if name is not None and _signature(folder) == known:
                self._new[name] = document
        return Entry(benchmark=self.benchmark, document=document, folds=_folds(folder, self.benchmark, document))

    def remember(self) -> None:
        """Keep what was found, for the next time."""
        self._shelf.put(self._new)
        self._new = {}


def _signature(folder: Path) -> str | None:
    """Names, sizes and times of all files; None if one of them was changed just now, or there are too many."""
    lines = []
    newest = 0
    try:
        with os.scandir(folder) as found:
            for item in found:
                about = item.stat(follow_symlinks=False)
                newest = max(newest, about.st_mtime_ns, about.st_ctime_ns)
                stamp = (about.st_mode, about.st_size, about.st_mtime_ns, about.st_ctime_ns, about.st_ino)
                lines.append(f"{item.name!r} {stamp}")
    except OSError:
        return None
    if len(lines) > _MOST_FILES or newest / 1e9 > time.time() - _SETTLED:
        return None
    return "\n".join([str(folder.absolute()), *sorted(lines)])


def _without_params(document: Mapping[str, Any]) -> dict[str, Any]:
    """Parameters of models are most of a document; few look at them."""
    tasks = {
        name: {**about, "folds": [{**fold, "params": None} for fold in about["folds"]]}
        for name, about in document["tasks"].items()
    }
    return {**document, "tasks": tasks}


def _folds(folder: Path, benchmark: Benchmark, document: Mapping[str, Any]) -> dict[str, dict[int, RecordedFold]]:
    types = {name: about["predictions"] for name, about in document["tasks"].items()}
    place = _Place(folder, document["digest"], document["predictions_sha256"], benchmark, types)
    return {
        name: {
            fields["fold"]: RecordedFold.of(
                FoldPredictions.stored(
                    types[name], fields["values_sha256"], _Later(partial(_arrays, place, name, fields["fold"]))
                ),
                {**fields, "params": _Later(partial(_params, place, name, fields["fold"]))},
            )
            for fields in about["folds"]
        }
        for name, about in document["tasks"].items()
    }


class _Decoded:
    """The predictions that were decoded so far, in one temporary file without a name: decoded once, read when needed.

    Memory does not grow with the number of entries, and what the system can keep in memory of the file it does.
    """

    def __init__(self) -> None:
        self._file: BufferedRandom | None = None
        self._owner = 0
        self._places: dict[tuple[Path, str], dict[tuple[str, int], dict[str, tuple[str, int, int]]]] = {}

    def has(self, folder: Path, sha256: str) -> bool:
        """Whether the predictions of an entry are here."""
        return self._owner == os.getpid() and (folder, sha256) in self._places

    def put(self, folder: Path, sha256: str, folds: Mapping[str, Mapping[int, FoldPredictions]]) -> None:
        """Keep the predictions of an entry; a MachineError if there is no room for them."""
        places: dict[tuple[str, int], dict[str, tuple[str, int, int]]] = {}
        try:
            file = self._opened()
            end = file.seek(0, os.SEEK_END)
            for task, held in folds.items():
                for fold, predictions in held.items():
                    for name, array in predictions.arrays.items():
                        places.setdefault((task, fold), {})[name] = (array.dtype.str, end, array.nbytes)
                        end += file.write(array.data)
            file.flush()
        except OSError as error:
            self._forget()
            raise MachineError(
                f"there is no room for a temporary file of predictions: {error.strerror}",
                fix=f"free some space where {derived_directory()} lies, or set MATBENCH_LITE_DATA to another folder",
            ) from error
        self._places[folder, sha256] = places

    def get(self, folder: Path, sha256: str, task: str, fold: int) -> Arrays:
        """The predictions of one fold, as arrays that cannot be written."""
        file = self._opened()
        arrays = {}
        for name, (kind, start, size) in self._places[folder, sha256][task, fold].items():
            file.seek(start)
            arrays[name] = np.frombuffer(file.read(size), dtype=kind)
        return arrays

    def _opened(self) -> BufferedRandom:
        if self._file is None or self._owner != os.getpid():  # a forked process must not move the place of the other
            self._forget()
            self._file = _temporary_file()
            atexit.register(self._forget)
            self._owner = os.getpid()
        return self._file

    def _forget(self) -> None:
        file, self._file, self._places = self._file, None, {}
        if file is not None:
            with suppress(OSError):  # what a full disk had no room for
                file.close()


def _temporary_file() -> BufferedRandom:
    """A file without a name, open for as long as the process runs: beside the data, or where the system has room."""
    folder = derived_directory()
    try:
        folder.mkdir(parents=True, exist_ok=True)
        return TemporaryFile(dir=folder)
    except OSError:  # a data directory that may only be read
        return TemporaryFile()


_decoded = _Decoded()


@lru_cache(maxsize=_FOLDS_KEPT)
def _arrays(entry: _Place, task: str, fold: int) -> Arrays:
    """The predictions of one fold; those of the last few folds stay in memory."""
    if not _decoded.has(entry.folder, entry.sha256):
        complain = partial(refuse, folder=entry.folder)
        content = read_bounded(entry.folder / PREDICTIONS, largest_predictions(entry.benchmark), complain) or b""
        if hashlib.sha256(content).hexdigest() != entry.sha256:
            raise _changed(entry.folder)
        decoded = decode_predictions(entry.benchmark, content, entry.types, complain)
        if decoded is None:
            raise _changed(entry.folder)
        _decoded.put(entry.folder, entry.sha256, decoded.folds)
    return _decoded.get(entry.folder, entry.sha256, task, fold)


@dataclass(frozen=True, eq=False)
class _Place:
    """Where an entry lies, its digests, and what its predictions are per recorded task; one object per entry."""

    folder: Path
    digest: str
    sha256: str
    benchmark: Benchmark
    types: Mapping[str, PredictionType]


class _Later(Mapping[str, Any]):
    """What is read when it is looked at, every time."""

    __slots__ = ("_read",)

    def __init__(self, read: Callable[[], Mapping[str, Any]]) -> None:
        self._read = read

    def __getitem__(self, name: str) -> Any:
        return self._read()[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._read())

    def __len__(self) -> int:
        return len(self._read())


def _params(entry: _Place, task: str, fold: int) -> Mapping[str, Any]:
    """The parameters of one fold."""
    fields = _document(entry)["tasks"][task]["folds"]
    return next(about["params"] for about in fields if about["fold"] == fold)


@lru_cache(maxsize=1)
def _document(entry: _Place) -> Mapping[str, Any]:
    """`submission.json`; the last one stays in memory, for the next of its folds."""
    complain = partial(refuse, folder=entry.folder)
    content = read_bounded(entry.folder / DOCUMENT, MAX_BYTES, complain) or b""
    document = decode_document(content, complain)[0] or {}
    if document.get("digest") != entry.digest:
        raise _changed(entry.folder)
    return document


def _changed(folder: Path) -> EntryError:
    return EntryError(f"the entry in {folder} was changed while it was read", fix="run the command again")
