"""Where the other entries are: in a clone of the repository, beside the entry or at its root."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

from matbench_lite.submission import DOCUMENT

SUBMISSIONS = "submissions"


def find_submissions(entry: Path) -> Path | None:
    """The folder that holds the other entries of a clone; None outside one.

    That is the entry's own parent, if it is called `submissions` and holds other entries or is part of a git work
    tree; else `submissions` at the root of the git work tree that the entry lies in.

    Args:
        entry: The entry's folder.
    """
    # Not resolve(): a link is not to be followed.
    path = Path(os.path.abspath(entry))  # noqa: PTH100
    parent = path.parent
    root = next((folder for folder in path.parents if (folder / ".git").exists()), None)
    if parent.name == SUBMISSIONS and (root is not None or any(_siblings(path))):
        return parent
    if root is not None and (root / SUBMISSIONS).is_dir():
        return root / SUBMISSIONS
    return None


def _siblings(path: Path) -> Iterator[Path]:
    return (other for other in path.parent.iterdir() if other.name != path.name and (other / DOCUMENT).is_file())
