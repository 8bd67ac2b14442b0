"""Where a repository is: an address, or a folder of this machine that is what it seems."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote, unquote

from matbench_lite.errors import ArrivalError
from matbench_lite.event.arriving.names import shown
from matbench_lite.event.arriving.source import unreadable

_ADDRESS = re.compile(r"(?P<scheme>[A-Za-z][A-Za-z0-9+.-]*)://(?P<rest>.*)", re.DOTALL)
_SHORT_SSH = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.-]*@[A-Za-z0-9][A-Za-z0-9.-]*:[^/:\\-][^:\\]*")
_HOST = re.compile(r"([^@/\s]*@)?(\[[0-9A-Fa-f:.]+\]|[A-Za-z0-9][A-Za-z0-9.-]*)(:[0-9]+)?/\S+")
_SECRET = re.compile(r"(?<=://)[^/@]*@")
_ALLOWED = ("https", "ssh", "git", "file")
_MAX_POINTER = 5000  # bytes of the small files in which git says where things are


@dataclass(frozen=True, kw_only=True)
class Address:
    """The address of a repository.

    Args:
        url: As git takes it.
        protocols: The ones that git may use for it, in git's form.
    """

    url: str
    protocols: str


def is_address(source: str) -> bool:
    """Whether this is the address of a repository rather than a path.

    Examples:
        >>> is_address("https://example.org/a.git"), is_address("git@example.org:a.git"), is_address("a/b.zip")
        (True, True, False)
    """
    return bool(_ADDRESS.match(source) or _SHORT_SSH.fullmatch(source))


def without_secrets(source: str) -> str:
    """An address as it can be shown: without user and password.

    Examples:
        >>> without_secrets("https://me:secret@example.org/a.git")
        'https://example.org/a.git'
    """
    return _SECRET.sub("", source)


def read_address(source: str) -> Address:
    """Check an address; a folder of this machine, too, if it is one of those.

    Raises:
        ArrivalError: If git is not to use it.
    """
    if _SHORT_SSH.fullmatch(source):
        return Address(url=source, protocols="ssh")
    found = _ADDRESS.match(source)
    assert found is not None
    scheme, rest = found["scheme"].lower(), found["rest"]
    if scheme not in _ALLOWED:
        message = f"nothing is fetched by {shown(scheme)}"
        raise ArrivalError(message, fix=f"use an address that begins with one of {', '.join(_ALLOWED)}")
    if scheme == "file":
        path = unquote(rest, errors="surrogateescape")
        if not path.startswith("/") or "\0" in path:
            raise ArrivalError("the address has no absolute path", fix="write file:///the/path")
        find_repository(Path(path))
        return Address(url=f"file://{quote(os.fsencode(path))}", protocols="file")
    if not _HOST.fullmatch(rest) or not rest.isprintable():
        raise ArrivalError("the address is not one", fix=f"write {scheme}://host/path")
    # A git user may have it that https is ssh for some hosts.
    return Address(url=f"{scheme}://{rest}", protocols="https:ssh:git")


def find_repository(folder: Path) -> Path:
    """The folder in which git has branches and contents.

    A repository can be made to show the contents of another one, which its owner was not meant to see: by links, by
    pointers from one repository to the next, by contents that are borrowed. Such are refused. The one pointer that is
    followed is that of a worktree, if the repository it leads to knows of it.

    Args:
        folder: A bare repository, a clone, or a worktree.

    Raises:
        ArrivalError: If it is none, or has contents that are not its own.
    """
    dot = folder / ".git"
    try:
        if folder.is_symlink() or dot.is_symlink():
            raise _borrowed("is a symbolic link")
        if dot.is_file():
            found = _of_worktree(dot)
        elif dot.is_dir():
            found = dot
        elif (folder / "HEAD").is_file() and (folder / "objects").is_dir():
            found = folder
        else:
            raise ArrivalError(
                "it is no git repository", fix="give a clone or a bare repository, or leave the branch out"
            )
        _check_own(found)
    except OSError as error:
        raise unreadable("the repository", error) from error
    return found.absolute()


def _of_worktree(dot: Path) -> Path:
    private = Path(os.path.normpath(dot.parent / _pointer(dot).removeprefix("gitdir:").strip()))
    back, common = private / "gitdir", private.parent.parent
    if (
        private.parent.name == "worktrees"
        and back.is_file()
        and (private / _pointer(back)).resolve() == dot.resolve()
        and (common / "HEAD").is_file()
    ):
        return common
    raise _borrowed("points to another one")


def _check_own(found: Path) -> None:
    if os.path.lexists(found / "commondir"):
        raise _borrowed("points to another one")
    objects = found / "objects"
    places = [found / name for name in ("HEAD", "refs", "packed-refs", "objects")]
    linked = any(place.is_symlink() for place in places)
    with os.scandir(objects) as folders:
        inside = list(folders)
    for entry in inside:
        linked = linked or entry.is_symlink()
        if not linked and entry.is_dir(follow_symlinks=False):
            with os.scandir(entry.path) as files:
                linked = any(file.is_symlink() for file in files)
    if linked:
        raise _borrowed("has symbolic links in it")
    alternates = objects / "info" / "alternates"
    if alternates.exists() and alternates.stat().st_size:
        message = "the repository borrows its contents from another one (objects/info/alternates)"
        raise ArrivalError(message, fix="make it whole: git repack -a -d && rm .git/objects/info/alternates")


def _pointer(path: Path) -> str:
    with path.open("rb") as stream:
        return os.fsdecode(stream.read(_MAX_POINTER)).strip().replace("\0", "")


def _borrowed(what: str) -> ArrivalError:
    return ArrivalError(f"the repository {what}", fix="give the repository itself, or send a folder or a zip file")
