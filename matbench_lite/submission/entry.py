"""An entry on disk: `submission.json`, `predictions.parquet`, code; written atomically, read with suspicion."""

from __future__ import annotations

import hashlib
import os
import stat
from collections.abc import Mapping
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from matbench_lite.atomic import move_into_place, temporary_file
from matbench_lite.errors import EntryError
from matbench_lite.submission import table
from matbench_lite.submission.canonical import MAX_BYTES, canonical_bytes, digest, parse
from matbench_lite.submission.recorded import RecordedFold
from matbench_lite.submission.schema import form_problems, migrate
from matbench_lite.tasks import Benchmark, load_benchmark

DOCUMENT = "submission.json"
MAX_PREDICTIONS = 64_000_000
MAX_FILE = 5_000_000
MAX_FILES = 200
_AGAIN = "save the entry again, or restore the file"


@dataclass(frozen=True, kw_only=True)
class Entry:
    """What was read from an entry's folder, all of it checked.

    Args:
        benchmark: Its benchmark.
        document: `submission.json`.
        folds: What is recorded, by task name and fold number.
    """

    benchmark: Benchmark
    document: Mapping[str, Any]
    folds: Mapping[str, Mapping[int, RecordedFold]]


def write_entry(
    folder: Path,
    benchmark: Benchmark,
    document: dict[str, Any],
    folds: Mapping[str, Mapping[int, RecordedFold]],
    code: Mapping[str, bytes],
) -> None:
    """Write an entry; before `submission.json` is in place, the last file to come, there is none.

    Files that are in the folder already (a README, code) become part of the entry.

    Args:
        folder: Made if it is not there.
        benchmark: The benchmark.
        document: `submission.json` without its digests.
        folds: What is recorded.
        code: Content of the code files by name.
    """
    predictions = {name: {fold: held.predictions for fold, held in kept.items()} for name, kept in folds.items()}
    content = table.encode(benchmark, predictions)
    others = {name: _read_bounded(folder / name, MAX_FILE) for name in _other_files(folder)} if folder.is_dir() else {}
    files = {**others, **code}
    document = {
        **document,
        "files": {name: hashlib.sha256(body).hexdigest() for name, body in files.items()},
        "predictions_sha256": hashlib.sha256(content).hexdigest(),
        "values_sha256": table.values_sha256(benchmark, predictions),
    }
    document["digest"] = digest(document)
    if problems := form_problems(document):
        raise EntryError("what you want to save is out of form:\n  " + "\n  ".join(problems), fix="correct it")
    text = canonical_bytes(document)
    parse(text, DOCUMENT)  # what a reader would refuse, too long or too deep, is not written
    new = {name: body for name, body in code.items() if others.get(name) != body}
    try:
        _place(folder, {**new, table.NAME: content, DOCUMENT: text})
    except OSError as error:
        raise EntryError(
            f"{folder} cannot be written: {error.strerror}",
            fix="free some space or save to another folder; what is recorded is still in memory",
        ) from error


def _place(folder: Path, files: Mapping[str, bytes]) -> None:
    """Write all files beside their places, then give them their names, the last of them last."""
    with ExitStack() as stack:
        staged = []
        for name, body in files.items():
            temporary = stack.enter_context(temporary_file(folder, name))
            temporary.write_bytes(body)
            staged.append((temporary, folder / name))
        # Everything is on disk by now: the moves follow each other at once, submission.json last.
        for temporary, path in staged:
            move_into_place(temporary, path)


def read_entry(folder: Path, benchmark: Benchmark | None = None) -> Entry:
    """Read an entry and check that it is whole, in form and unchanged. Scores are not looked at.

    Args:
        folder: The entry's folder.
        benchmark: Its benchmark; needed only if it is not a built-in one.

    Raises:
        EntryError: If anything is missing, too large, out of form, or was changed after it was saved.
    """
    raw = read_document(folder)
    document = migrate(raw)
    if problems := form_problems(document):
        raise EntryError(f"{folder / DOCUMENT} is out of form:\n  " + "\n  ".join(problems), fix=_AGAIN)
    if raw["digest"] != digest(raw) or (folder / DOCUMENT).read_bytes() != canonical_bytes(raw):
        raise EntryError(f"{folder / DOCUMENT} was changed after it was saved", fix=_AGAIN)
    bench = benchmark or load_benchmark(document["benchmark"])
    if bench.name != document["benchmark"]:
        raise EntryError(f"the entry is of {document['benchmark']!r}, not of {bench.name!r}")
    _check_files(folder, document["files"])
    return Entry(benchmark=bench, document=document, folds=_read_folds(folder, bench, document))


def read_document(folder: Path) -> dict[str, Any]:
    """Parse `submission.json` as plain data; what it says is not checked yet."""
    return parse(_read_bounded(folder / DOCUMENT, MAX_BYTES), str(folder / DOCUMENT))


def _read_folds(folder: Path, bench: Benchmark, document: dict[str, Any]) -> dict[str, dict[int, RecordedFold]]:
    for name, about in document["tasks"].items():
        if about["folds_sha256"] != bench[name].folds_sha256:
            raise EntryError(f"the predictions for {name} belong to other folds than the registry's")
    content = _read_bounded(folder / table.NAME, MAX_PREDICTIONS)
    if hashlib.sha256(content).hexdigest() != document["predictions_sha256"]:
        raise EntryError(f"{folder / table.NAME} was changed after it was saved", fix=_AGAIN)
    types = {name: about["predictions"] for name, about in document["tasks"].items()}
    predictions = table.decode(bench, content, types)
    folds: dict[str, dict[int, RecordedFold]] = {}
    for name, about in document["tasks"].items():
        listed = {fold["fold"]: fold for fold in about["folds"]}
        held = predictions.get(name, {})
        if sorted(listed) != sorted(held) or len(listed) != len(about["folds"]):
            raise EntryError(f"{name}: {DOCUMENT} lists folds {sorted(listed)}, {table.NAME} has {sorted(held)}")
        for fold, fields in listed.items():
            if fields["values_sha256"] != held[fold].sha256:
                raise EntryError(f"{name} fold {fold}: values_sha256 is not that of its predictions", fix=_AGAIN)
        folds[name] = {fold: _recorded(listed[fold], held[fold]) for fold in sorted(held)}
    if table.values_sha256(bench, predictions) != document["values_sha256"]:
        raise EntryError("values_sha256 is not that of the predictions", fix=_AGAIN)
    return folds


def _recorded(fields: Mapping[str, Any], predictions: Any) -> RecordedFold:
    return RecordedFold(
        predictions=predictions,
        params=fields["params"],
        seconds=fields["seconds"],
        peak_memory_mb=fields["peak_memory_mb"],
        scores=fields["scores"],
    )


def _check_files(folder: Path, listed: Mapping[str, str]) -> None:
    present = _other_files(folder)
    if missing := sorted(set(listed) - set(present)):
        raise EntryError(f"{folder} lacks {', '.join(missing)}", fix=_AGAIN)
    if unknown := sorted(set(present) - set(listed)):
        raise EntryError(f"{folder} has {', '.join(unknown)}, which {DOCUMENT} does not list", fix=_AGAIN)
    for name, sha256 in listed.items():
        if hashlib.sha256(_read_bounded(folder / name, MAX_FILE)).hexdigest() != sha256:
            raise EntryError(f"{folder / name} was changed after the entry was saved", fix=_AGAIN)


def _other_files(folder: Path) -> list[str]:
    """Names of the files beside the two of ours; hidden files and folders are not part of an entry."""
    with os.scandir(folder) as found:
        names = sorted(
            item.name
            for item in found
            if not item.name.startswith(".")
            and item.name not in (DOCUMENT, table.NAME)
            and not item.is_dir(follow_symlinks=False)
        )
    if len(names) > MAX_FILES:
        raise EntryError(f"{folder} has {len(names)} files, an entry at most {MAX_FILES}", fix="move the others away")
    return names


def _read_bounded(path: Path, limit: int) -> bytes:
    """Read a regular file of at most `limit` bytes; links and devices are refused, never followed."""
    try:
        about = path.lstat()
        if not stat.S_ISREG(about.st_mode):
            raise EntryError(f"{path} is not a regular file", fix="put the file itself there, not a link")
        if about.st_size > limit:
            raise EntryError(f"{path} has {about.st_size:,} bytes, at most {limit:,} are read", fix="make it smaller")
        return path.read_bytes()
    except FileNotFoundError:
        raise EntryError(f"{path} is missing", fix="give the folder of an entry") from None
    except OSError as error:
        raise EntryError(f"{path} cannot be read: {error.strerror}") from error
