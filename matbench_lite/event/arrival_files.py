"""What of a submission arrives, how much, and under which names, whatever it came as; a submission in a folder.

A source is read once, front to back: `items` lists all that is in it, `read` gives the content of one in pieces, and
`confirm` makes sure that what was read is one state of it. Each of them may raise an `ArrivalError`.
"""

from __future__ import annotations

import math
import os
import posixpath
import re
import stat
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, ExitStack
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Literal

from matbench_lite.errors import ArrivalError, raising
from matbench_lite.git import CHUNK
from matbench_lite.text import is_device_name

FILE, FOLDER, LINK = "a file", "a folder", "a symbolic link"
_MAX_PATH = 4096  # characters, before anything is taken off it
_SHOWN = 80
_JUNK = {
    *("__macosx", ".ds_store", "thumbs.db", "desktop.ini"),
    *("__pycache__", ".ipynb_checkpoints", ".mypy_cache", ".pytest_cache", ".ruff_cache"),
    *(".git", ".hg", ".svn", ".run", ".venv", ".idea", ".vscode"),
}
_JUNK_FILE = re.compile(r"\._.*|.*\.pyc", re.DOTALL | re.IGNORECASE)
_DRIVE = re.compile(r"[A-Za-z]:")
_WINDOWS = set('<>:"|?*')
_UNSEEN = {"Cc", "Cf", "Cs", "Zl", "Zp", "Zs"}
"""Control characters, those of direction and of no width, halves of characters, and blanks other than the blank."""
_FILLERS = {0x034F, 0x115F, 0x1160, 0x17B4, 0x17B5, 0x3164, 0xFFA0, *range(0xFE00, 0xFE10), *range(0xE0100, 0xE01F0)}
"""Letters and marks that show nothing."""
_RENAME = "rename it: letters, digits, dots, dashes and underscores, with / between folders"
MAX_SEEN = 10_000
"""Files and folders that are looked at, with those that are left out; what hides behind so many is not sought."""
MAX_LISTED = 8_000_000
"""Bytes of the list of them, where it has to be read in one piece."""


@dataclass(frozen=True, kw_only=True)
class ArrivalLimits:
    """How much one submission may bring.

    Args:
        files: Number of files.
        file_mb: Size of one file, in MB (10^6 bytes).
        total_mb: Size of all files, in MB.
        path_length: Length of a file's path inside the submission, in bytes of UTF-8.
        depth: Parts of such a path: 1 for a file that lies in no folder.
        fetch_mb: What is fetched from an address, in MB: the whole branch, compressed, also beside the submission.
        seconds: How long git may work, in seconds.

    Raises:
        ArrivalError: If one of them is no number above 0.
    """

    files: int = 100
    file_mb: float = 50
    total_mb: float = 100
    path_length: int = 200
    depth: int = 5
    fetch_mb: float = 500
    seconds: float = 120

    def __post_init__(self) -> None:
        for field in fields(self):
            value = getattr(self, field.name)
            if not (isinstance(value, int | float) and math.isfinite(value) and value > 0):
                raise ArrivalError(f"the limit {field.name} is {value!r}", fix="give a number above 0")


@dataclass(frozen=True, kw_only=True)
class Item:
    """One thing in a submission, as its source lists it: a `FILE` with so many bytes, a `FOLDER`, or something else."""

    path: str
    what: str = FILE
    size: int = 0


def too_many_seen() -> ArrivalError:
    """The error for a source that lists more than anybody will look at."""
    return ArrivalError(
        f"it has more than {MAX_SEEN:,} files and folders", fix="send only the files of your submission"
    )


def choose(items: Iterable[Item], limits: ArrivalLimits) -> tuple[dict[str, Item], tuple[str, ...]]:
    """Check all names, kinds and sizes; leave junk out, and the folders that have all files in them.

    A folder around all files is how most people zip them. It is left out for every kind of source, so that the same
    files are the same submission however they come. Gives what arrives, by name and in order, and paths of junk, where
    a folder ends with a slash and stands for all in it. If one thing cannot arrive, nothing does: an `ArrivalError`.
    """
    files: dict[tuple[str, ...], Item] = {}
    left_out: set[str] = set()
    names: dict[tuple[str, ...], tuple[str, str]] = {}
    for number, item in enumerate(items):
        if number >= MAX_SEEN:
            raise too_many_seen()
        parts = parts_of(item.path)
        junk = next((place for place, part in enumerate(parts) if is_junk(part)), None)
        for part in parts[:junk]:
            check_part(part, item.path)
        if junk is not None:
            within = junk + 1 < len(parts) or item.what == FOLDER
            left_out.add("/".join(parts[: junk + 1]) + "/" * within)
            continue
        _note_names(names, parts, item)
        if item.what == FILE:
            files[parts] = item
        elif item.what != FOLDER:
            raise ArrivalError(f"{shown(item.path)} is {item.what}", fix="send plain files only")
    if not files:
        raise ArrivalError("there are no files in it", fix="send the files of your submission")
    around = posixpath.commonpath(["/".join(parts[:-1]) for parts in files])
    named = dict(sorted(("/".join(parts).removeprefix(f"{around}/"), item) for parts, item in files.items()))
    _check_amount(named, limits)
    return named, tuple(sorted(left_out))


def _note_names(known: dict[tuple[str, ...], tuple[str, str]], parts: tuple[str, ...], item: Item) -> None:
    """Add a path and its folders to the names so far, as a file system sees them that does not tell A from a.

    A folder may come more than once, a file not.
    """
    key = tuple(caseless(part) for part in parts)
    written = item.path.split("/")
    for length in range(1, len(parts) + 1):
        what = FOLDER if length < len(parts) else item.what
        spelled = "/".join(written[:length])
        if key[:length] not in known:
            known[key[:length]] = spelled, what
            continue
        before, other = known[key[:length]]
        if before != spelled:
            message = f"{shown(before)} and {shown(spelled)} are one name on some systems"
            raise ArrivalError(message, fix="rename one of them")
        if (other == FOLDER) != (what == FOLDER):
            raise ArrivalError(f"{shown(spelled)} is both a file and a folder", fix="rename one of them")
        if what != FOLDER:
            raise ArrivalError(f"{shown(spelled)} is there twice", fix="send it once")


def _check_amount(named: dict[str, Item], limits: ArrivalLimits) -> None:
    only = "send only the files of your submission"
    _check(f"it has {len(named):,} files", len(named), limits.files, fix=only)
    for name, item in named.items():
        length, depth = len(name.encode()), name.count("/") + 1
        _check(f"the name {shown(name)} has {length} bytes", length, limits.path_length, fix="use shorter names")
        _check(f"{shown(name)} lies {depth} levels deep", depth, limits.depth, fix="use fewer folders")
        smaller = "make it smaller, or leave it out"
        _check(f"{shown(name)} has {item.size:,} bytes", item.size, int(limits.file_mb * 1e6), fix=smaller)
    total = sum(item.size for item in named.values())
    fewer = "make them smaller, or leave some out"
    _check(f"the files have {total:,} bytes", total, int(limits.total_mb * 1e6), fix=fewer)


def _check(what: str, amount: int, at_most: int, *, fix: str) -> None:
    if amount > at_most:
        raise ArrivalError(f"{what}, at most {at_most:,} are taken", fix=fix)


def shown(text: str) -> str:
    """A stranger's text as it can be printed: short, and without what a terminal would obey."""
    return repr(text if len(text) <= _SHOWN else f"{text[:_SHOWN]}…")


def decoded(raw: bytes) -> str:
    """A path as text; an `ArrivalError` if it is not UTF-8."""
    try:
        return raw.decode("utf-8")
    except UnicodeDecodeError:
        name = raw[:_SHOWN].decode("ascii", errors="backslashreplace")
        raise ArrivalError(f"the name {shown(name)} is not UTF-8", fix=_RENAME) from None


def is_junk(name: str) -> bool:
    """Whether a file or folder of this name is a leftover of some tool.

    Examples:
        >>> is_junk("__pycache__"), is_junk(".GIT"), is_junk(".gitignore")
        (True, True, False)
    """
    return name.casefold() in _JUNK or bool(_JUNK_FILE.fullmatch(name))


def parts_of(path: str) -> tuple[str, ...]:
    """The parts of a path that leads nowhere else, each composed (NFC); a slash at the end is no part.

    An `ArrivalError` if it is absolute, leads upwards, or could be read as another path somewhere.
    """
    if len(path) > _MAX_PATH:
        raise ArrivalError(f"the name {shown(path)} has {len(path):,} characters", fix="use shorter names")
    if path.startswith("/") or _DRIVE.match(path):
        raise _trap(path, "is an absolute path")
    if "\\" in path:
        raise _trap(path, "has a backslash")
    if "\0" in path:
        raise _trap(path, "has a null character")
    parts = tuple(unicodedata.normalize("NFC", part) for part in path.removesuffix("/").split("/"))
    if ".." in parts:
        raise _trap(path, "leads out of the submission")
    if "." in parts or "" in parts:
        raise _trap(path, "has an empty part")
    return parts


def check_part(part: str, path: str) -> None:
    """Refuse one part of a path if some system could not have such a name, or a reader would see another."""
    for character in part:
        if (unicodedata.category(character) in _UNSEEN and character != " ") or ord(character) in _FILLERS:
            raise _trap(path, f"has a character that cannot be seen, U+{ord(character):04X}")
        if character in _WINDOWS:
            raise _trap(path, f"has the character {character}, which Windows does not allow")
    if part[0] == " " or part[-1] in " .":
        raise _trap(path, "begins or ends with a blank, or ends with a dot")
    if is_device_name(part):
        raise _trap(path, "is one that Windows keeps for a device")


def caseless(part: str) -> str:
    """The same for all names that some file system takes for one, such as Straße and STRASSE."""
    return unicodedata.normalize("NFC", unicodedata.normalize("NFD", part).casefold())


def _trap(path: str, what: str) -> ArrivalError:
    return ArrivalError(f"the name {shown(path)} {what}", fix=_RENAME)


_MAX_DEPTH = 40  # folders in folders that are gone into; what arrives may be far less deep
_KINDS = {
    stat.S_IFREG: FILE,
    stat.S_IFDIR: FOLDER,
    stat.S_IFLNK: LINK,
    stat.S_IFIFO: "a pipe",
    stat.S_IFSOCK: "a socket",
    stat.S_IFCHR: "a device",
    stat.S_IFBLK: "a device",
}
_State = tuple[int, ...]
Kind = Literal["folder", "zip", "git"]


def changed(what: str) -> ArrivalError:
    """The error for a source that somebody writes to."""
    return ArrivalError(f"{what} changed while it was read", fix="wait until nobody writes to it, then take it again")


def reading(what: str) -> AbstractContextManager[None]:
    """What the system does not let us read in the block is an `ArrivalError`."""
    return raising(ArrivalError, f"{what} cannot be read", fix="check that it is there and has ordinary permissions")


def open_plainly(path: str | Path, *, folder: bool = False, within: int | None = None) -> int:
    """Open a file, or a folder, for reading, `within` an open one; no link is followed, no pipe makes us wait."""
    flags = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC | os.O_NOCTTY
    return os.open(path, flags | (os.O_DIRECTORY if folder else 0), dir_fd=within)


class FolderSource:
    """A folder; all in it is opened relative to it, so that nobody can put another in its place. `stack` closes it."""

    kind: Kind = "folder"
    commit: str | None = None

    def __init__(self, folder: Path, stack: ExitStack) -> None:
        with reading("the folder"):
            self._root = open_plainly(folder, folder=True)
        stack.callback(os.close, self._root)
        self._states: dict[Item, _State] = {}

    def items(self) -> list[Item]:
        """All that is in it; junk is not gone into."""
        self._states = dict(self._walk())
        return list(self._states)

    def read(self, item: Item) -> Iterator[bytes]:
        """The content of a file, in pieces."""
        *folders, name = item.path.split("/")
        with reading(shown(item.path)), ExitStack() as opened:
            descriptor = open_plainly(name, within=self._open(folders, opened))
            opened.callback(os.close, descriptor)
            if _state(os.fstat(descriptor)) != self._states[item]:
                raise changed(shown(item.path))
            while chunk := os.read(descriptor, CHUNK):
                yield chunk

    def confirm(self) -> None:
        """Look at everything again: files that came, went or changed meanwhile."""
        if differing := dict(self._walk()).items() ^ self._states.items():
            raise changed(shown(min(item.path for item, _ in differing)))

    def _walk(self) -> Iterator[tuple[Item, _State]]:
        waiting: list[tuple[str, ...]] = [()]
        seen = 0
        while waiting:
            folders = waiting.pop()
            if len(folders) > _MAX_DEPTH:
                raise ArrivalError(f"{shown('/'.join(folders))} lies too deep", fix="use fewer folders")
            for name, about in self._list(folders):
                seen += 1
                if seen > MAX_SEEN:
                    raise too_many_seen()
                path = "/".join((*folders, name))
                what = _KINDS.get(stat.S_IFMT(about.st_mode), "no file")
                if what == FOLDER and not is_junk(name):
                    waiting.append((*folders, name))
                # Folders count by being there: their own times change with every file in them.
                state = _state(about) if what == FILE and not is_junk(name) else ()
                yield Item(path=path, what=what, size=about.st_size if what == FILE else 0), state

    def _open(self, folders: Sequence[str], opened: ExitStack) -> int:
        within = self._root
        for folder in folders:
            within = open_plainly(folder, folder=True, within=within)
            opened.callback(os.close, within)
        return within

    def _list(self, folders: tuple[str, ...]) -> Iterator[tuple[str, os.stat_result]]:
        with reading(shown("/".join(folders)) if folders else "the folder"), ExitStack() as opened:
            for entry in opened.enter_context(os.scandir(self._open(folders, opened))):
                yield decoded(os.fsencode(entry.name)), entry.stat(follow_symlinks=False)


def _state(about: os.stat_result) -> _State:
    return about.st_dev, about.st_ino, about.st_mode, about.st_size, about.st_mtime_ns, about.st_ctime_ns
