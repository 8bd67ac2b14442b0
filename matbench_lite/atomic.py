"""Files that are either there in full or not there at all."""

from __future__ import annotations

import os
import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


@contextmanager
def temporary_file(folder: Path, name: str) -> Iterator[Path]:
    """Give a path for a new hidden file in `folder`; whatever is left there when the block ends is removed."""
    folder.mkdir(parents=True, exist_ok=True)
    # Not tempfile.mkstemp: its files are private to the user, and stay so after they are moved into place.
    path = folder / f".{name}.{secrets.token_hex(6)}.tmp"
    try:
        yield path
    finally:
        path.unlink(missing_ok=True)


def move_into_place(temporary: Path, path: Path) -> None:
    """Flush a finished file to disk, then give it its name: a crash leaves the old file or the new one."""
    with temporary.open("rb") as stream:
        os.fsync(stream.fileno())
    temporary.replace(path)


@contextmanager
def replacing(path: Path) -> Iterator[Path]:
    """Give a temporary path beside `path`; what is written there replaces `path` when the block ends well.

    Examples:
        >>> import tempfile
        >>> with tempfile.TemporaryDirectory() as home:
        ...     target = Path(home) / "a.txt"
        ...     with replacing(target) as temporary:
        ...         _ = temporary.write_text("all of it")
        ...     target.read_text()
        'all of it'
    """
    with temporary_file(path.parent, path.name) as temporary:
        yield temporary
        move_into_place(temporary, path)


def write_bytes(path: Path, content: bytes) -> None:
    """Write `content` to `path` atomically."""
    with replacing(path) as temporary:
        temporary.write_bytes(content)
