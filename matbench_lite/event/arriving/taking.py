"""Taking a submission in."""

from __future__ import annotations

import os
import stat
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

from matbench_lite.errors import ArrivalError
from matbench_lite.event.arriving.choosing import choose
from matbench_lite.event.arriving.folder_source import FolderSource
from matbench_lite.event.arriving.git_place import is_address, without_secrets
from matbench_lite.event.arriving.git_source import GitSource
from matbench_lite.event.arriving.limits import ArrivalLimits
from matbench_lite.event.arriving.names import plain
from matbench_lite.event.arriving.source import Kind, Source
from matbench_lite.event.arriving.staging import appearing
from matbench_lite.event.arriving.writing import write_files
from matbench_lite.event.arriving.zip_source import ZipSource


@dataclass(frozen=True, kw_only=True)
class Taken:
    """What has arrived.

    Args:
        kind: What it came as.
        files: The names of all files, with / between folders, in order.
        left_out: Paths of junk in the source that was not taken; a folder ends with a slash.
        size: Of all files, in bytes.
        sha256: Digest of names and contents, in hex: the identity of the submission, whatever it came as.
        commit: The commit of the branch; None if it is none.
    """

    kind: Kind
    files: tuple[str, ...]
    left_out: tuple[str, ...]
    size: int
    sha256: str
    commit: str | None


def take(
    source: str | Path,
    target: Path,
    *,
    branch: str | None = None,
    path: str = "",
    limits: ArrivalLimits | None = None,
) -> Taken:
    """Take a submission of a stranger in: all of it, as plain files, or nothing.

    Nothing of it is run or believed. Folders that have all files in them, and junk such as `__pycache__`, are left out.
    Files get ordinary permissions (0644), new times, and names in composed form (NFC). Works on Linux and macOS.

    Args:
        source: A folder; a zip file; with `branch`, a git repository on this machine or its address.
        target: A folder that does not exist, in one that does.
        branch: The branch of the repository.
        path: The folder of the branch that has the submission; empty for all of the branch.
        limits: How much may arrive; the usual limits by default.

    Raises:
        ArrivalError: If it cannot be taken: not there, damaged, too large, or with something in it that is no plain
            file or has a name that is a trap. Then there is no `target`.

    Examples:
        >>> import tempfile
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     sent = Path(folder) / "sent"
        ...     sent.mkdir()
        ...     _ = (sent / "model.py").write_text("pass")
        ...     taken = take(sent, Path(folder) / "alice")
        >>> taken.kind, taken.files, taken.size, taken.sha256[:8]
        ('folder', ('model.py',), 4, '...')
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     take(Path(folder) / "gone.zip", Path(folder) / "bob")
        Traceback (most recent call last):
        matbench_lite.errors.ArrivalError: ...gone.zip: it is not there; check the path
    """
    limits = limits or ArrivalLimits()
    try:
        with appearing(target) as stage, ExitStack() as stack:
            opened = _open(source, branch=branch, path=path, limits=limits, scratch=stage.scratch, stack=stack)
            chosen = choose(opened.items(), limits)
            digest = write_files(opened, chosen, stage.files)
            opened.confirm()
    except ArrivalError as error:
        raise ArrivalError(f"{_label(source)}: {error.message}", fix=error.fix) from error
    return Taken(
        kind=opened.kind,
        files=tuple(chosen.items),
        left_out=chosen.left_out,
        size=sum(item.size for item in chosen.items.values()),
        sha256=digest,
        commit=opened.commit,
    )


def _open(
    source: str | Path, *, branch: str | None, path: str, limits: ArrivalLimits, scratch: Path, stack: ExitStack
) -> Source:
    text = os.fspath(source)
    if branch is None and is_address(text):
        raise ArrivalError("it is the address of a git repository, and no branch is given", fix="give the branch")
    if branch is None and path:
        raise ArrivalError(f"the path {path!r} is given, but no branch", fix="give the branch, or leave the path out")
    if branch is not None and is_address(text):
        return GitSource(text, branch=branch, path=path, limits=limits, scratch=scratch, stack=stack)
    place = Path(text)
    try:
        mode = place.lstat().st_mode
    except (OSError, ValueError):
        raise ArrivalError("it is not there", fix="check the path") from None
    if stat.S_ISLNK(mode):
        raise ArrivalError("it is a symbolic link", fix="give the path that it leads to")
    if branch is not None:
        repository = str(place.absolute())
        return GitSource(repository, branch=branch, path=path, limits=limits, scratch=scratch, stack=stack)
    if not stat.S_ISDIR(mode):
        return ZipSource(place, stack)
    if all((place / name).exists() for name in ("HEAD", "objects", "refs")):
        raise ArrivalError("it is a git repository, and no branch is given", fix="give the branch")
    return FolderSource(place, stack)


def _label(source: str | Path) -> str:
    return plain(without_secrets(os.fspath(source)), length=200)
