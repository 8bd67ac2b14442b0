"""The files of an entry's folder: written atomically, and read with suspicion."""

from __future__ import annotations

import hashlib
import os
import stat
from collections.abc import Collection, Mapping, Sequence
from contextlib import suppress
from functools import partial
from itertools import islice
from os import PathLike
from pathlib import Path
from typing import Any

from matbench_lite.atomic import finish_replacing, replace_files
from matbench_lite.errors import EntryError, raising
from matbench_lite.submission import entry_rules as rules
from matbench_lite.submission.entry_document import MAX_BYTES, canonical_bytes, code_names, digest, form_problems, parse
from matbench_lite.submission.entry_rules import DOCUMENT, PREDICTIONS, Complain, as_lines, refuse
from matbench_lite.submission.fold_predictions import RecordedFold
from matbench_lite.submission.predictions_parquet import encode, values_sha256
from matbench_lite.tasks import Benchmark

MAX_FILES = 200
MAX_FILE = 5_000_000
"""Bytes of one file beside the two of ours."""
MAX_FILES_TOTAL = 20_000_000
"""Bytes of all of them."""
_MAX_SEEN = 2_000  # directory entries looked at; what hides behind so many is not worth a name


def write_entry(
    folder: Path,
    benchmark: Benchmark,
    document: dict[str, Any],
    folds: Mapping[str, Mapping[int, RecordedFold]],
    code: Mapping[str, bytes],
    *,
    seen: bytes | None,
    drop_code: bool = True,
) -> None:
    """Write an entry: the old one, if there is one, is replaced as a whole.

    Files that are in the folder already (a README) become part of the entry. Code files are given by name; none leaves
    those that are there. `seen` is what `entry_text` gave before anything was asked of the old entry: one that another
    process has saved since is left as it is. `drop_code` removes code of an earlier save that is not among the code.
    """
    old: Mapping[str, Any] = {}
    with suppress(EntryError):  # an entry that cannot be read is replaced, too
        old = _document(folder) or {}
    predictions = {name: {fold: each.predictions for fold, each in task.items()} for name, task in folds.items()}
    content = encode(benchmark, predictions)
    complain = partial(refuse, folder=folder)
    others = read_files(folder, other_files(folder, complain), complain) if folder.is_dir() else {}
    stale = _stale(old, document, others, code) if drop_code else set()
    remaining = {name: body for name, body in others.items() if name not in stale}
    text = sealed(
        {**document, "code": sorted(code) or ([] if "imported" in document else code_names(old, remaining))},
        {**remaining, **code},
        predictions_sha256=hashlib.sha256(content).hexdigest(),
        values_sha256=values_sha256(benchmark, predictions),
    )
    new = {name: body for name, body in code.items() if others.get(name) != body}
    fix = "free some space or save to another folder; what is recorded is still in memory"
    with raising(EntryError, f"{folder} cannot be written", fix=fix):
        written = {**new, PREDICTIONS: content, DOCUMENT: text}
        replace_files(folder, written, remove=stale, unless_changed={DOCUMENT: seen})


def entry_text(folder: Path) -> bytes | None:
    """The bytes of `submission.json` as they are now; None if there is none."""
    finish_replacing(folder)
    path = folder / DOCUMENT
    return path.read_bytes() if path.is_file() else None


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
    """The bytes of `submission.json`: a document with the digests of everything in the entry, old ones replaced.

    Files are those beside the predictions. An EntryError if a reader would refuse it.
    """
    content = {
        **document,
        "files": {name: hashlib.sha256(body).hexdigest() for name, body in files.items()},
        "predictions_sha256": predictions_sha256,
        "values_sha256": values_sha256,
    }
    content["digest"] = digest(content)
    if problems := form_problems(content):
        raise EntryError(f"what you want to save has wrong values:{as_lines(problems)}", fix="correct them")
    text = canonical_bytes(content)
    parse(text, DOCUMENT)  # what a reader would refuse, too long or too deep, is not written
    return text


def read_document(folder: Path) -> dict[str, Any]:
    """Parse `submission.json` as plain data, if it is there and JSON; what it says is not checked yet."""
    content = read_bounded(folder / DOCUMENT, MAX_BYTES, partial(refuse, folder=folder))
    return parse(content or b"", str(folder / DOCUMENT))


def check_owner(folder: Path, new: Mapping[str, Any]) -> None:
    """Refuse to write over the entry of somebody else, or one that cannot be read.

    What the new one says is given as arguments of `Submission`, its benchmark by name.

    An entry is one's own if benchmark and algorithm are the same, and an author, if it names any. One that was made
    elsewhere never takes the place of one that was made here, nor the other way round.
    """
    benchmark, algorithm, authors = new["benchmark"], new["algorithm"], new.get("authors", ())
    imported = "imported" in new
    fix = "choose another folder, or pass overwrite=True (`mbl run --fresh`) to replace it"
    try:
        document = _document(folder)
    except EntryError as error:
        raise EntryError(f"{folder} holds an entry that cannot be read: {error.message}", fix=fix) from error
    if document is None:
        names = [path.name for path in folder.iterdir() if path.is_file()] if folder.is_dir() else []
        if imported and (code := code_names({}, names)):
            raise EntryError(f"{folder} has code that is not of the imported entry: {', '.join(code)}", fix=fix)
        return
    said = document.get("card", document)  # in either version; nothing of it is checked yet
    card = said if isinstance(said, Mapping) else {}
    there = (document.get("benchmark"), card.get("algorithm"))
    if there != (benchmark, algorithm):
        raise EntryError(
            f"{folder} holds the entry of {there[1]!r} on {there[0]!r}, not of {algorithm!r} on {benchmark!r}", fix=fix
        )
    owners = card.get("authors")
    if isinstance(owners, list) and owners and set(map(str, owners)).isdisjoint(authors):
        who = f"authors are {', '.join(authors)}" if authors else "authors are not named"
        raise EntryError(
            f"{folder} holds the entry of {', '.join(map(str, owners))}, who made {algorithm!r}; here the {who}",
            fix=f"name an author of it, if it is yours; {fix}",
        )
    if ("imported" in document) != imported:
        made = "was imported" if "imported" in document else "was not imported"
        raise EntryError(f"{folder} holds an entry of {algorithm!r} that {made}, unlike this one", fix=fix)


def check_nothing_dropped(folder: Path, recorded: Mapping[str, Collection[int]]) -> None:
    """Refuse to write an entry that has fewer folds, by task name, than the one in the folder."""
    lost = {
        name: missing
        for name, folds in _recorded(_document(folder) or {}).items()
        if (missing := sorted(folds - set(recorded.get(name, ()))))
    }
    if lost:
        lost_folds = "; ".join(f"{name} folds {', '.join(map(str, folds))}" for name, folds in lost.items())
        raise EntryError(
            f"the entry in {folder} has more than what is recorded now, which would be lost: {lost_folds}",
            fix="record these folds as well, or add the new ones to what Submission.load gives; choose another folder, "
            "or pass overwrite=True (`mbl run --fresh`) to drop them",
        )


def _document(folder: Path) -> dict[str, Any] | None:
    """What the entry in a folder says, unchecked; None if there is no entry."""
    finish_replacing(folder)
    return read_document(folder) if (folder / DOCUMENT).is_file() else None


def _recorded(document: Mapping[str, Any]) -> dict[str, set[int]]:
    tasks = document.get("tasks")
    return {
        name: {
            fold["fold"] for fold in about["folds"] if isinstance(fold, Mapping) and isinstance(fold.get("fold"), int)
        }
        for name, about in (tasks.items() if isinstance(tasks, Mapping) else ())
        if isinstance(about, Mapping) and isinstance(about.get("folds"), list)
    }


def code_files(paths: Sequence[str | PathLike[str]]) -> dict[str, bytes]:
    """Read the files that made the predictions; no two of one name, none with the name of a file of ours."""
    files: dict[str, bytes] = {}
    for path in map(Path, paths):
        if not path.is_file():
            raise EntryError(f"there is no code file {path}", fix="give the path of a file")
        if path.name in files or path.name in (DOCUMENT, PREDICTIONS):
            raise EntryError(f"the name {path.name} is already taken", fix="rename the code file")
        files[path.name] = path.read_bytes()
    return files


def other_files(folder: Path, complain: Complain) -> list[str]:
    """Names of the files beside the two of ours; hidden files and folders are not part of an entry."""
    with os.scandir(folder) as found:
        names = sorted(
            item.name
            for item in islice(found, _MAX_SEEN)
            if not item.name.startswith(".")
            and item.name not in (DOCUMENT, PREDICTIONS)
            and not item.is_dir(follow_symlinks=False)
        )
    if len(names) > MAX_FILES:
        number = f"{len(names)}" if len(names) < _MAX_SEEN else f"{_MAX_SEEN} or more"
        message = f"there are {number} files, an entry has at most {MAX_FILES}"
        complain(rules.TOO_LARGE.found(message, fix="move the others away"))
    return names


def read_files(folder: Path, names: list[str], complain: Complain) -> dict[str, bytes]:
    """The content of files by name, as long as their size and number are reasonable; of the others nothing is read."""
    contents: dict[str, bytes] = {}
    left = MAX_FILES_TOTAL
    for name in names[:MAX_FILES]:
        content = read_bounded(folder / name, min(MAX_FILE, left), complain)
        if content is not None:
            contents[name] = content
            left -= len(content)
    return contents


def read_bounded(path: Path, limit: int, complain: Complain) -> bytes | None:
    """Read a regular file of at most `limit` bytes; None after a complaint. Links and devices are never followed."""
    try:
        about = path.lstat()
        if not stat.S_ISREG(about.st_mode):
            complain(rules.NOT_A_FILE.found(f"{path.name} is not a regular file", file=path.name))
            return None
        with path.open("rb") as stream:
            content = stream.read(limit + 1) if about.st_size <= limit else b""
    except FileNotFoundError:
        gone = f"{path.name} is missing" if path.parent.is_dir() else f"there is no folder {path.parent}"
        complain(rules.MISSING.found(gone, file=path.name))
        return None
    except OSError as error:
        message = f"{path.name} cannot be read: {error.strerror}"
        complain(rules.NOT_A_FILE.found(message, fix="give it ordinary permissions", file=path.name))
        return None
    if max(about.st_size, len(content)) > limit:
        message = f"{path.name} has {about.st_size:,} bytes, at most {limit:,} are read"
        complain(rules.TOO_LARGE.found(message, file=path.name))
        return None
    return content
