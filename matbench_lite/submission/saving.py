"""What is looked at before an entry is written."""

from __future__ import annotations

from collections.abc import Sequence
from os import PathLike
from pathlib import Path

from matbench_lite.errors import EntryError
from matbench_lite.submission.entry import read_document
from matbench_lite.submission.folder import DOCUMENT, PREDICTIONS


def check_owner(folder: Path, algorithm: str, *, overwrite: bool) -> None:
    """Refuse to write over the entry of another algorithm.

    Raises:
        EntryError: If the folder holds one and `overwrite` is not set.
    """
    if overwrite or not (folder / DOCUMENT).is_file():
        return
    try:
        owner = read_document(folder).get("algorithm")
    except EntryError:
        owner = None
    if owner != algorithm:
        raise EntryError(
            f"{folder} holds the entry of {owner or 'an unreadable algorithm'!r}, not of {algorithm!r}",
            fix="choose another folder, or pass overwrite=True",
        )


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
