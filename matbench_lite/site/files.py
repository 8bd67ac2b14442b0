"""Files of the site: what a publisher makes, and how they get to disk."""

from __future__ import annotations

import filecmp
import shutil
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from matbench_lite.atomic import temporary_file
from matbench_lite.errors import MatbenchLiteError

if TYPE_CHECKING:
    from matbench_lite.site.site import Site


@dataclass(frozen=True, slots=True)
class File:
    """One file of the site.

    Args:
        path: Where it goes, relative to the folder of pages, with "/".
        content: Its text or bytes; the path of a file to copy; or a function that makes the text, which is not called
            if the file on disk was made from the same `key`.
        key: What a text that takes time to make follows from: a digest, which is part of the text.
    """

    path: str
    content: str | bytes | Path | Callable[[], str]
    key: str = ""


Publisher = Callable[["Site"], Iterator[File]]
"""What every module of `matbench_lite.site.pages` has as `publish`: all files of one kind of page."""


def write(folder: Path, file: File) -> Path:
    """Write one file under a folder; one that has this content already is left as it is.

    Args:
        folder: The folder of pages.
        file: The file.

    Returns:
        Where it is.

    Raises:
        MatbenchLiteError: If it cannot be written.
    """
    target = folder / file.path
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        if isinstance(file.content, Path):
            if not (target.is_file() and filecmp.cmp(file.content, target)):
                shutil.copyfile(file.content, target)
        elif not (file.key and _made_from(target, file.key)):
            _replace(target, file.content() if callable(file.content) else file.content)
    except OSError as error:
        raise MatbenchLiteError(
            f"{target} cannot be written: {error.strerror}", fix="choose another --output"
        ) from error
    return target


def _made_from(path: Path, key: str) -> bool:
    if not path.is_file():
        return False
    with path.open("rb") as stream:
        return key.encode() in stream.read(2000)


def _replace(target: Path, content: str | bytes) -> None:
    body = content.encode() if isinstance(content, str) else content
    if not (target.is_file() and target.read_bytes() == body):
        # All of it or nothing: a page that was cut off would be taken for one that is up to date.
        with temporary_file(target.parent, target.name) as temporary:
            temporary.write_bytes(body)
            temporary.replace(target)
