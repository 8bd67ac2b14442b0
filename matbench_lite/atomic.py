"""Files that are either there in full or not there at all."""

from __future__ import annotations

import hashlib
import os
import secrets
import sys
import time
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from errno import EBUSY
from pathlib import Path
from shutil import rmtree

LOCK_SECONDS = 3
"""How long to wait for a lock that another program seems to hold: one that was killed while it started a process leaves
it to that process for a moment."""


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
    flush(temporary)
    temporary.replace(path)
    flush(path.parent)


def flush(path: Path) -> None:
    """Have the system put a file, or the names in a folder, on the disk itself."""
    if path.is_dir():
        # Windows cannot open a folder, and some network file systems cannot flush one: its names are safe later.
        with suppress(OSError):
            number = os.open(path, os.O_RDONLY)
            try:
                os.fsync(number)
            finally:
                os.close(number)
        return
    # Opened for writing: some systems refuse to flush what was opened for reading.
    try:
        with path.open("r+b") as stream:
            os.fsync(stream.fileno())
    except PermissionError:  # a file that may only be read, as a copy of one may be
        with suppress(OSError), path.open("rb") as stream:
            os.fsync(stream.fileno())


_PATIENCE = 60
"""Seconds to wait for another process that replaces files of the same folder."""
_DRAFT, _COMMITTED = ".saving", ".saved"
_REMOVED = ".removed"
"""In the hidden folder: the names of files that are to be gone."""


def replace_files(
    folder: Path,
    files: Mapping[str, bytes],
    remove: Iterable[str] = (),
    *,
    unless_changed: Mapping[str, bytes | None] | None = None,
) -> None:
    """Replace several files of a folder as one: whoever reads after `finish_replacing` sees all old or all new ones.

    The new files, content by name, are written to a hidden folder; renaming that is the commit; then they move to their
    places. Those whose names are in `remove` are gone then. The folder is made if it is not there.

    What files were when the new ones were made from them may be given as `unless_changed` (None: not there): an
    OSError if another process has changed one meanwhile.
    """
    folder.mkdir(parents=True, exist_ok=True)
    flush(folder.parent)
    with _alone(folder):
        _finish(folder)
        for name, content in (unless_changed or {}).items():
            path = folder / name
            if content != (path.read_bytes() if path.is_file() else None):
                raise OSError(EBUSY, "another process has changed it meanwhile", str(path))
        draft = folder / _DRAFT
        for path in (draft, folder / _COMMITTED):  # what is no folder is none of ours: nothing goes where a link leads
            if path.is_symlink() or path.is_file():
                path.unlink()
        if draft.is_dir():  # of a process that was killed before it committed
            rmtree(draft)
        draft.mkdir()
        gone = "\n".join(sorted(set(remove) - set(files)))
        try:
            for name, content in {**files, _REMOVED: gone.encode()}.items():
                (draft / name).write_bytes(content)
                flush(draft / name)
            flush(draft)
            draft.rename(folder / _COMMITTED)
        except OSError:
            rmtree(draft, ignore_errors=True)  # a full disk gets its space back
            raise
        flush(folder)
        _finish(folder)


def finish_replacing(folder: Path) -> None:
    """Finish what a process that was killed had committed; mostly there is nothing to do.

    A link is never followed: it would move the files of another folder. A folder that may only be read stays as it is.
    """
    with suppress(OSError):
        if _is_committed(folder):
            with _alone(folder):
                _finish(folder)


def _is_committed(folder: Path) -> bool:
    return not (folder / _COMMITTED).is_symlink() and (folder / _COMMITTED).is_dir()


def _finish(folder: Path) -> None:
    if not _is_committed(folder):
        return
    committed = folder / _COMMITTED
    removed = committed / _REMOVED
    # A stranger may have written it: what cannot be read names no file.
    known = removed.is_file() and not removed.is_symlink()
    names = removed.read_text(encoding="utf-8", errors="replace").split("\n") if known else []
    for path in sorted(committed.iterdir()):
        if path != removed and path.is_file() and not path.is_symlink():
            with suppress(FileNotFoundError):
                path.replace(folder / path.name)
    for name in names:
        if name not in ("", "..") and "\0" not in name and name == Path(name).name:
            (folder / name).unlink(missing_ok=True)
    flush(folder)
    removed.unlink(missing_ok=True)
    with suppress(OSError):  # what else is in it is none of ours
        committed.rmdir()
    flush(folder)


@contextmanager
def _alone(folder: Path) -> Iterator[None]:
    """Wait until no other process replaces files of this folder: two would write one draft.

    The lock is one on the folder itself: it leaves no file behind, and the system takes it from a process that is
    killed. Where there is none (Windows, some network file systems), two at a time are not kept apart.
    """
    try:
        from fcntl import LOCK_EX, LOCK_NB, LOCK_UN, flock

        number = os.open(folder, os.O_RDONLY)
    except (ImportError, OSError):
        yield
        return
    try:
        last = time.monotonic() + _PATIENCE
        while True:
            try:
                flock(number, LOCK_EX | LOCK_NB)
                break
            except BlockingIOError as error:
                if time.monotonic() > last:
                    raise OSError(error.errno, "another process writes to it", str(folder)) from error
                time.sleep(0.02)
            except OSError:
                break
        try:
            yield
        finally:
            with suppress(OSError):
                flock(number, LOCK_UN)
    finally:
        os.close(number)


def replace_folder(new: Path, target: Path) -> None:
    """Put a finished folder in the place of another, in one step where the system can exchange two names.

    Elsewhere there are two steps; `finish_replacing_folder` makes good for a process that was killed between them.
    The new folder lies beside the target, which need not be there.
    """
    for path in (*new.rglob("*"), new):
        if not path.is_symlink():
            flush(path)
    old = target.with_name(f".{target.name}.old")
    rmtree(old, ignore_errors=True)
    if not target.exists():
        new.rename(target)
    elif _exchange(new, target):
        flush(target.parent)
        rmtree(new, ignore_errors=True)
    else:
        target.rename(old)
        new.rename(target)
        flush(target.parent)
        rmtree(old, ignore_errors=True)
    flush(target.parent)


def finish_replacing_folder(target: Path) -> None:
    """Bring back the old folder, if a process was killed after it moved it away and before the new one was there."""
    old = target.with_name(f".{target.name}.old")
    if old.is_dir() and not target.exists():
        old.rename(target)
        flush(target.parent)


_EXCHANGE, _HERE = 2, -100


def _exchange(first: Path, second: Path) -> bool:
    """Exchange two names in one step; whether the system can."""
    if sys.platform != "linux":
        return False
    import ctypes

    try:
        swap = ctypes.CDLL(None, use_errno=True).renameat2
    except AttributeError:
        return False
    return bool(swap(_HERE, os.fsencode(first), _HERE, os.fsencode(second), _EXCHANGE) == 0)


@contextmanager
def replacing(path: Path) -> Iterator[Path]:
    """Give a temporary path beside `path`; what is written there replaces `path` when the block ends well.

    Examples:
        >>> import tempfile
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     target = Path(folder) / "a.txt"
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


_DIGITS = 16


def add_lines(path: Path, texts: Iterable[bytes]) -> None:
    """Add texts to a file of lines, each behind its digest; they are on the disk when this returns.

    Examples:
        >>> import tempfile
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     path = Path(folder) / "a.jsonl"
        ...     add_lines(path, [b"1", b"2"])
        ...     path.write_bytes(path.read_bytes()[:-2])  # a process that was killed while it wrote
        ...     add_lines(path, [b"3"])
        ...     whole_lines(path)
        36
        [b'1', b'3']
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("a+b") as stream:
        is_new = stream.tell() == 0
        if not is_new:
            stream.seek(-1, os.SEEK_END)
        # A line that could not be finished must not swallow the next one.
        start = b"" if is_new or stream.read() == b"\n" else b"\n"
        stream.write(start + b"".join(b"%s %s\n" % (_line_digest(text), text) for text in texts))
        stream.flush()
        os.fsync(stream.fileno())
    if is_new:
        flush(path.parent)


def whole_lines(path: Path) -> list[bytes]:
    """The texts of a file of lines, without any that was cut off or damaged."""
    lines = (line.partition(b" ") for line in path.read_bytes().split(b"\n"))
    return [text for digest, _, text in lines if digest == _line_digest(text)]


def _line_digest(text: bytes) -> bytes:
    return hashlib.sha256(text).hexdigest()[:_DIGITS].encode()
