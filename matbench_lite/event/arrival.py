"""Taking a submission in: from a folder, a zip file or a git branch to a folder that appears whole or not at all."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from tempfile import TemporaryDirectory

from matbench_lite.atomic import flush
from matbench_lite.cleaner import brief
from matbench_lite.errors import ArrivalError, RepositoryError, raising
from matbench_lite.event.arrival_files import ArrivalLimits, FolderSource, Item, Kind, choose, shown
from matbench_lite.event.git_source import GitSource, is_address, without_secrets
from matbench_lite.event.zip_source import ZipSource

SubmissionSource = FolderSource | ZipSource | GitSource


@dataclass(frozen=True, kw_only=True)
class Taken:
    """What has arrived.

    `kind` is what it came as, with the `commit` of a branch. Names of `files`, in order, have / between folders; junk
    that was `left_out` is named by its paths, a folder with a slash at the end. `size` is in bytes; `sha256` of names
    and contents is the identity of the submission, whatever it came as.
    """

    kind: Kind
    files: tuple[str, ...]
    left_out: tuple[str, ...]
    size: int
    sha256: str
    commit: str | None


def take(
    source: str | Path, target: Path, *, branch: str | None = None, path: str = "", limits: ArrivalLimits | None = None
) -> Taken:
    """Take a submission of a stranger in: all of it, as plain files, or nothing.

    Nothing of it is run or believed. Folders that have all files in them, and junk such as `__pycache__`, are left out.
    Files get ordinary permissions (0644), new times, and names in composed form (NFC). Works on Linux and macOS.

    The source is a folder, a zip file or, with a `branch`, a git repository on this machine or its address; then `path`
    is the folder of the branch, empty for all of it. The target is a folder that does not exist, in one that does.

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
    """
    limits = limits or ArrivalLimits()
    try:
        with _appearing(target) as (files, scratch), ExitStack() as stack:
            opened = _open(source, branch=branch, path=path, limits=limits, scratch=scratch, stack=stack)
            items, left_out = choose(opened.items(), limits)
            digest = write_files(opened, items, files)
            opened.confirm()
    except (ArrivalError, RepositoryError) as error:
        other_way = "" if isinstance(error, ArrivalError) else ", or send a folder or a zip file"
        place = brief(without_secrets(os.fspath(source)), 200)
        raise ArrivalError(f"{place}: {error.message}", fix=f"{error.fix}{other_way}") from error
    return Taken(
        kind=opened.kind,
        files=tuple(items),
        left_out=left_out,
        size=sum(item.size for item in items.values()),
        sha256=digest,
        commit=opened.commit,
    )


def _open(
    source: str | Path, *, branch: str | None, path: str, limits: ArrivalLimits, scratch: Path, stack: ExitStack
) -> SubmissionSource:
    text = os.fspath(source)
    place = Path(text)
    if branch is None and is_address(text):
        raise ArrivalError("it is the address of a git repository, and no branch is given", fix="give the branch")
    if branch is None and path:
        raise ArrivalError(f"the path {path!r} is given, but no branch", fix="give the branch, or leave the path out")
    if not is_address(text):
        try:
            mode = place.lstat().st_mode
        except (OSError, ValueError):
            raise ArrivalError("it is not there", fix="check the path") from None
        if stat.S_ISLNK(mode):
            raise ArrivalError("it is a symbolic link", fix="give the path that it leads to")
        text = str(place.absolute())
    if branch is not None:
        return GitSource(text, branch=branch, path=path, limits=limits, scratch=scratch, stack=stack)
    if not stat.S_ISDIR(mode):
        return ZipSource(place, stack)
    if all((place / name).exists() for name in ("HEAD", "objects", "refs")):
        raise ArrivalError("it is a git repository, and no branch is given", fix="give the branch")
    return FolderSource(place, stack)


def write_files(source: SubmissionSource, items: dict[str, Item], folder: Path) -> str:
    """Write files of a source, by name, to a private, empty folder; each has to be as it was listed.

    Gives the sha256, in hex, of the lines `<sha256 of the content>  <name>`, in order of the names, as `sha256sum`
    prints them: the same for the same files, from wherever they come.
    """
    whole = sha256()
    for name, item in items.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        digest, length = sha256(), 0
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
        with os.fdopen(descriptor, "wb") as stream:
            for piece in source.read(item):
                length += len(piece)
                # The limits were held against the sizes that the source says.
                if length > item.size:
                    break
                digest.update(piece)
                stream.write(piece)
            if length != item.size:
                message = f"{shown(item.path)} does not have the {item.size:,} bytes that were listed"
                raise ArrivalError(message, fix="send it again")
            stream.flush()
            os.fchmod(descriptor, 0o644)
            os.fsync(descriptor)
        whole.update(f"{digest.hexdigest()}  {name}\n".encode())
    return whole.hexdigest()


@contextmanager
def _appearing(target: Path) -> Iterator[tuple[Path, Path]]:
    """Give two private folders beside `target`: what is in the first becomes `target` when the block ends well.

    The second is for what is needed on the way. An `ArrivalError` if the target exists, the folder around it does not,
    or it cannot be made. What a process that was killed leaves lies where the caller clears up: see `ReceivedFolder`.
    """
    _check_free(target)
    # Short enough for every file system, whatever the target is called.
    begin = f".{target.name[:50]}."
    with (
        raising(ArrivalError, f"{target} cannot be written", fix="check its place, the disk and the permissions"),
        TemporaryDirectory(prefix=begin, suffix=".tmp", dir=target.parent, ignore_cleanup_errors=True) as private,
    ):
        files, scratch = Path(private) / "files", Path(private) / "scratch"
        files.mkdir()
        scratch.mkdir()
        yield files, scratch
        for path in (*files.rglob("*"), files):
            if path.is_dir():
                path.chmod(0o755)
                flush(path)
        _check_free(target)
        files.rename(target)
        flush(target.parent)


def _check_free(target: Path) -> None:
    if os.path.lexists(target):
        raise ArrivalError(f"{target} exists already", fix="choose a new name, or remove it")
    if not target.parent.is_dir():
        raise ArrivalError(f"there is no folder {shown(str(target.parent))}", fix="make it first")
