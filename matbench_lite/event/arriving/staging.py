"""A folder that appears whole or not at all."""

from __future__ import annotations

import os
import re
import secrets
import shutil
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from matbench_lite.errors import ArrivalError
from matbench_lite.event.arriving.names import shown


@dataclass(frozen=True, kw_only=True)
class Stage:
    """Two private folders.

    Args:
        files: Becomes the target.
        scratch: For what is needed on the way.
    """

    files: Path
    scratch: Path


@contextmanager
def appearing(target: Path) -> Iterator[Stage]:
    """Give folders beside `target`; what is in the first becomes `target` when the block ends well.

    A process that was killed leaves its hidden folder behind; the next one for the same target removes it.

    Args:
        target: A folder that does not exist, in one that does.

    Raises:
        ArrivalError: If it exists, or cannot be made.

    Examples:
        >>> import tempfile
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     target = Path(folder) / "alice"
        ...     with appearing(target) as stage:
        ...         _ = (stage.files / "model.py").write_text("pass")
        ...     [path.name for path in target.parent.iterdir()], [path.name for path in target.iterdir()]
        (['alice'], ['model.py'])
    """
    _check_free(target)
    # Short enough for every file system, whatever the target is called.
    begin = f".{target.name[:50]}."
    try:
        _remove_leftovers(target.parent, begin)
        with _private_folder(target.parent, begin) as private:
            stage = Stage(files=private / "files", scratch=private / "scratch")
            stage.files.mkdir()
            stage.scratch.mkdir()
            yield stage
            _settle(stage.files)
            _check_free(target)
            stage.files.rename(target)
            _flush(target.parent)
    except OSError as error:
        message = f"{target} cannot be written: {error.strerror or error}"
        raise ArrivalError(message, fix="check its place, the disk and the permissions") from error


def _check_free(target: Path) -> None:
    if os.path.lexists(target):
        raise ArrivalError(f"{target} exists already", fix="choose a new name, or remove it")
    if not target.parent.is_dir():
        raise ArrivalError(f"there is no folder {shown(str(target.parent))}", fix="make it first")


@contextmanager
def _private_folder(parent: Path, begin: str) -> Iterator[Path]:
    """A new hidden folder that is locked for as long as the block runs, and then removed."""
    while True:
        folder = parent / f"{begin}{secrets.token_hex(6)}.tmp"
        folder.mkdir(mode=0o700)
        descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        _lock(descriptor, wait=True)
        # Before it was locked, another process may have taken it for a leftover.
        if folder.is_dir():
            break
        os.close(descriptor)
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)
        os.close(descriptor)


def _remove_leftovers(parent: Path, begin: str) -> None:
    pattern = re.compile(re.escape(begin) + r"[0-9a-f]{12}\.tmp")
    with os.scandir(parent) as found:
        folders = [entry.path for entry in found if pattern.fullmatch(entry.name)]
    for folder in folders:
        # Gone meanwhile, or not ours: none of our business.
        with suppress(OSError):
            descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC)
            try:
                if os.fstat(descriptor).st_uid == os.geteuid() and _lock(descriptor, wait=False):
                    shutil.rmtree(folder, ignore_errors=True)
            finally:
                os.close(descriptor)


def _lock(descriptor: int, *, wait: bool) -> bool:
    """Whether nobody else holds the folder; the lock ends with the process, however it ends."""
    import fcntl

    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | (0 if wait else fcntl.LOCK_NB))
    except OSError:
        return False
    return True


def _settle(folder: Path) -> None:
    """Ordinary permissions for all folders, and all of it on the disk."""
    for path in (*folder.rglob("*"), folder):
        if stat.S_ISDIR(path.lstat().st_mode):
            path.chmod(0o755)
            _flush(path)


def _flush(folder: Path) -> None:
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
