"""An entry on disk: `submission.json`, `predictions.parquet`, code; written atomically, read with suspicion."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from matbench_lite.atomic import finish_replacing, replace_files
from matbench_lite.errors import EntryError
from matbench_lite.submission import table
from matbench_lite.submission.canonical import MAX_BYTES, canonical_bytes, digest, parse
from matbench_lite.submission.document import code_names
from matbench_lite.submission.examining import Examined, examine
from matbench_lite.submission.folder import DOCUMENT, PREDICTIONS, other_files, read_bounded, read_files
from matbench_lite.submission.problem import refuse
from matbench_lite.submission.recorded import RecordedFold
from matbench_lite.submission.schema import as_lines, form_problems
from matbench_lite.tasks import Benchmark


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
    *,
    drop_code: bool = True,
) -> None:
    """Write an entry: the old one, if there is one, is replaced as a whole.

    Files that are in the folder already (a README) become part of the entry.

    Args:
        folder: Made if it is not there.
        benchmark: The benchmark.
        document: `submission.json` without its digests.
        folds: What is recorded.
        code: Content of the code files by name; none leaves those that are there.
        drop_code: Whether code of an earlier save is removed if it is not among the code now.
    """
    with suppress(OSError):
        finish_replacing(folder)
    old = _old_document(folder)
    predictions = {name: {fold: held.predictions for fold, held in kept.items()} for name, kept in folds.items()}
    content = table.encode(benchmark, predictions)
    complain = partial(refuse, folder=folder)
    others = read_files(folder, other_files(folder, complain), complain) if folder.is_dir() else {}
    stale = _stale(old, document, others, code) if drop_code else set()
    kept = {name: body for name, body in others.items() if name not in stale}
    text = sealed(
        {**document, "code": sorted(code) or ([] if "imported" in document else code_names(old, kept))},
        {**kept, **code},
        predictions_sha256=hashlib.sha256(content).hexdigest(),
        values_sha256=table.values_sha256(benchmark, predictions),
    )
    new = {name: body for name, body in code.items() if others.get(name) != body}
    try:
        replace_files(folder, {**new, PREDICTIONS: content, DOCUMENT: text}, remove=stale)
    except OSError as error:
        raise EntryError(
            f"{folder} cannot be written: {error.strerror}",
            fix="free some space or save to another folder; what is recorded is still in memory",
        ) from error


def _old_document(folder: Path) -> Mapping[str, Any]:
    """What the entry in a folder says, unchecked; nothing if there is none, or it cannot be read."""
    try:
        return read_document(folder) if (folder / DOCUMENT).is_file() else {}
    except EntryError:
        return {}


def _stale(
    old: Mapping[str, Any], new: Mapping[str, Any], others: Mapping[str, bytes], code: Mapping[str, bytes]
) -> set[str]:
    """Files of the entry before that are none of the entry now: old code; all of them if that was no import, as it is.

    A file that was changed since it was listed is its author's work: it stays.
    """
    listed = old.get("files")
    if not isinstance(listed, Mapping):
        return set()
    unchanged = {name for name, body in others.items() if listed.get(name) == hashlib.sha256(body).hexdigest()}
    if "imported" in new and "imported" not in old:
        return unchanged - set(code)
    return unchanged & set(code_names(old, unchanged)) - set(code) if code else set()


def sealed(
    document: Mapping[str, Any], files: Mapping[str, bytes], *, predictions_sha256: str, values_sha256: str
) -> bytes:
    """The bytes of `submission.json`: a document with the digests of everything in the entry.

    Args:
        document: `submission.json` without its digests, or with old ones.
        files: Content of the other files by name.
        predictions_sha256: Digest of the file with the predictions.
        values_sha256: Digest of the predictions themselves.

    Raises:
        EntryError: If a reader would refuse it.
    """
    content = {
        **document,
        "files": {name: hashlib.sha256(body).hexdigest() for name, body in files.items()},
        "predictions_sha256": predictions_sha256,
        "values_sha256": values_sha256,
    }
    content["digest"] = digest(content)
    if problems := form_problems(content):
        raise EntryError(f"what you want to save is out of form:{as_lines(problems)}", fix="correct it")
    text = canonical_bytes(content)
    parse(text, DOCUMENT)  # what a reader would refuse, too long or too deep, is not written
    return text


def read_entry(folder: Path, benchmark: Benchmark | None = None) -> Entry:
    """Read an entry and check that it is whole, in form and unchanged. Scores are not looked at.

    Args:
        folder: The entry's folder.
        benchmark: Its benchmark; needed only if it is not a built-in one.

    Raises:
        EntryError: If anything is missing, too large, out of form, or was changed after it was saved.
    """
    return as_entry(examine(folder, benchmark, partial(refuse, folder=folder)))


def as_entry(examined: Examined) -> Entry:
    """What was examined, as an entry; all that it records must be sound."""
    if examined.document is None or examined.benchmark is None or not examined.whole:
        raise EntryError(f"{examined.folder} cannot be read as a whole", fix="run `mbl check` on it")
    return Entry(benchmark=examined.benchmark, document=examined.document, folds=examined.folds)


def read_document(folder: Path) -> dict[str, Any]:
    """Parse `submission.json` as plain data; what it says is not checked yet.

    Raises:
        EntryError: If it is missing, too large, or no JSON.
    """
    content = read_bounded(folder / DOCUMENT, MAX_BYTES, partial(refuse, folder=folder))
    return parse(content or b"", str(folder / DOCUMENT))
