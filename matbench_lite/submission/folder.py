"""The folder of an entry: which files it has, and reading them with suspicion."""

from __future__ import annotations

import os
import stat
from itertools import islice
from pathlib import Path

from matbench_lite.submission.problem import Complain, Problem

DOCUMENT = "submission.json"
PREDICTIONS = "predictions.parquet"

MAX_FILES = 200
MAX_FILE = 5_000_000
"""Bytes of one file beside the two of ours."""
MAX_FILES_TOTAL = 20_000_000
"""Bytes of all of them."""
_MAX_SEEN = 2_000  # directory entries looked at; what hides behind so many is not worth a name


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
        complain(Problem(kind="too many files", message=message, fix="move the others away"))
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
    """Read a regular file of at most `limit` bytes; links and devices are refused, never followed.

    Returns:
        The content; None after a complaint.
    """
    try:
        about = path.lstat()
        if not stat.S_ISREG(about.st_mode):
            message, fix = f"{path.name} is not a regular file", "put the file itself there, not a link"
            complain(Problem(kind="not a file", message=message, fix=fix, file=path.name))
            return None
        with path.open("rb") as stream:
            content = stream.read(limit + 1) if about.st_size <= limit else b""
    except FileNotFoundError:
        complain(
            Problem(
                kind="missing file",
                message=f"{path.name} is missing",
                fix="give the folder of an entry",
                file=path.name,
            )
        )
        return None
    except OSError as error:
        message = f"{path.name} cannot be read: {error.strerror}"
        complain(Problem(kind="unreadable", message=message, fix="give it ordinary permissions", file=path.name))
        return None
    if max(about.st_size, len(content)) > limit:
        message = f"{path.name} has {about.st_size:,} bytes, at most {limit:,} are read"
        complain(Problem(kind="too large", message=message, fix="make it smaller", file=path.name))
        return None
    return content
