"""What the three kinds of sources have in common."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Literal, Protocol

from matbench_lite.errors import ArrivalError
from matbench_lite.event.arriving.choosing import Item

Kind = Literal["folder", "zip", "git"]
CHUNK = 2**18
"""Bytes that are held at a time."""


class Source(Protocol):
    """A submission where it comes from; read once, front to back."""

    @property
    def kind(self) -> Kind:
        """What it is."""

    @property
    def commit(self) -> str | None:
        """The commit it is read from, if it has one; known once the items are."""

    def items(self) -> Iterable[Item]:
        """All that is in it.

        Raises:
            ArrivalError: If it cannot be listed.
        """

    def read(self, item: Item) -> Iterator[bytes]:
        """The content of a file, in pieces.

        Raises:
            ArrivalError: If it is not what was listed.
        """

    def confirm(self) -> None:
        """Make sure that what was read is one state of the source.

        Raises:
            ArrivalError: If it has changed meanwhile.
        """


def changed(what: str) -> ArrivalError:
    """The error for a source that somebody writes to."""
    return ArrivalError(f"{what} changed while it was read", fix="wait until nobody writes to it, then take it again")


def unreadable(what: str, error: OSError) -> ArrivalError:
    """The error for what the system does not let us read."""
    message = f"{what} cannot be read: {error.strerror or error}"
    return ArrivalError(message, fix="check that it is there and has ordinary permissions")


def open_plainly(path: str | Path, *, folder: bool = False, within: int | None = None) -> int:
    """Open a file or folder for reading; a link is not followed, and a pipe does not make us wait.

    Args:
        path: Its path; a single name if `within` is given.
        folder: Whether it has to be a folder.
        within: An open folder that it is in.

    Returns:
        The file descriptor; the caller closes it.
    """
    flags = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC | os.O_NOCTTY
    return os.open(path, flags | (os.O_DIRECTORY if folder else 0), dir_fd=within)
