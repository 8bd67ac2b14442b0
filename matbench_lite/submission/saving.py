"""What is looked at before an entry is written."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from contextlib import suppress
from os import PathLike
from pathlib import Path
from typing import Any

from matbench_lite.atomic import finish_replacing
from matbench_lite.errors import EntryError
from matbench_lite.submission.document import code_names
from matbench_lite.submission.entry import read_document
from matbench_lite.submission.folder import DOCUMENT, PREDICTIONS


def check_owner(
    folder: Path, *, benchmark: str, algorithm: str, authors: Sequence[str], imported: bool = False
) -> None:
    """Refuse to write over the entry of somebody else.

    An entry is one's own if benchmark and algorithm are the same, and an author, if it names any.

    Args:
        folder: The entry's folder; nothing is said if there is none.
        benchmark: Benchmark of the submission that is to be saved there.
        algorithm: Its algorithm.
        authors: Its authors.
        imported: Whether it was made elsewhere. Such a one never takes the place of one that was made here, nor the
            other way round.

    Raises:
        EntryError: If the folder holds the entry of somebody else, or one that cannot be read.
    """
    fix = "choose another folder, or pass overwrite=True (`mbl run --fresh`) to replace it"
    try:
        document = _document(folder)
    except EntryError as error:
        raise EntryError(f"{folder} holds an entry that cannot be read: {error.message}", fix=fix) from error
    if document is None:
        if imported and (code := _code_in(folder)):
            raise EntryError(f"{folder} has code that is not of the imported entry: {', '.join(code)}", fix=fix)
        return
    card = _card(document)
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
    """Refuse to write an entry that has less than the one in the folder.

    Args:
        folder: The entry's folder.
        recorded: The folds that the new one has, by task name.

    Raises:
        EntryError: If a recorded fold would be lost.
    """
    lost = {
        name: missing
        for name, folds in _recorded(_document(folder) or {}).items()
        if (missing := sorted(folds - set(recorded.get(name, ()))))
    }
    if lost:
        told = "; ".join(f"{name} folds {', '.join(map(str, folds))}" for name, folds in lost.items())
        raise EntryError(
            f"the entry in {folder} has more than what is recorded now, which would be lost: {told}",
            fix="record these folds as well, or add the new ones to what Submission.load gives; choose another folder, "
            "or pass overwrite=True (`mbl run --fresh`) to drop them",
        )


def _document(folder: Path) -> dict[str, Any] | None:
    """What the entry in a folder says, unchecked; None if there is no entry."""
    with suppress(OSError):  # a folder that may only be read: it is as it was
        finish_replacing(folder)
    return read_document(folder) if (folder / DOCUMENT).is_file() else None


def _code_in(folder: Path) -> list[str]:
    names = [path.name for path in folder.iterdir() if path.is_file()] if folder.is_dir() else []
    return code_names({}, names)


def _card(document: Mapping[str, Any]) -> Mapping[str, Any]:
    """What an entry says of itself, in either version; nothing of it is checked yet."""
    card = document.get("card", document)
    return card if isinstance(card, Mapping) else {}


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
    """Read the files that made the predictions.

    Raises:
        EntryError: If one is missing, two have the same name, or one has the name of a file of ours.
    """
    files: dict[str, bytes] = {}
    for path in map(Path, paths):
        if not path.is_file():
            raise EntryError(f"there is no code file {path}", fix="give the path of a file")
        if path.name in files or path.name in (DOCUMENT, PREDICTIONS):
            raise EntryError(f"the name {path.name} is taken already", fix="rename the code file")
        files[path.name] = path.read_bytes()
    return files
