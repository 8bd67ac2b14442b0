"""A submission in a folder, and what all sources have in common.

A source is read once, front to back: `items` lists all that is in it, `read` gives the content of one in pieces, and
`confirm` makes sure that what was read is one state of it. Each of them may raise an `ArrivalError`.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Literal

from matbench_lite.errors import ArrivalError
from matbench_lite.event.arrival_files import FILE, FOLDER, LINK, MAX_SEEN, Item, decoded, is_junk, shown, too_many_seen
from matbench_lite.git import CHUNK

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


def unreadable(what: str, error: OSError) -> ArrivalError:
    """The error for what the system does not let us read."""
    message = f"{what} cannot be read: {error.strerror or error}"
    return ArrivalError(message, fix="check that it is there and has ordinary permissions")


def open_plainly(path: str | Path, *, folder: bool = False, within: int | None = None) -> int:
    """Open a file, or a folder, for reading, `within` an open one; no link is followed, no pipe makes us wait."""
    flags = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC | os.O_NOCTTY
    return os.open(path, flags | (os.O_DIRECTORY if folder else 0), dir_fd=within)


class FolderSource:
    """A folder; all in it is opened relative to it, so that nobody can put another in its place. `stack` closes it."""

    kind: Kind = "folder"
    commit: str | None = None

    def __init__(self, folder: Path, stack: ExitStack) -> None:
        try:
            self._root = open_plainly(folder, folder=True)
        except OSError as error:
            raise unreadable("the folder", error) from error
        stack.callback(os.close, self._root)
        self._states: dict[str, _State] = {}

    def items(self) -> list[Item]:
        """All that is in it; junk is not gone into."""
        found = list(self._walk())
        self._states = {item.path: state for item, state in found}
        return [item for item, _ in found]

    def read(self, item: Item) -> Iterator[bytes]:
        """The content of a file, in pieces."""
        *folders, name = item.path.split("/")
        with ExitStack() as opened:
            try:
                descriptor = open_plainly(name, within=self._open(folders, opened))
                opened.callback(os.close, descriptor)
                if _state(os.fstat(descriptor)) != self._states[item.path]:
                    raise changed(shown(item.path))
                while chunk := os.read(descriptor, CHUNK):
                    yield chunk
            except OSError as error:
                raise unreadable(shown(item.path), error) from error

    def confirm(self) -> None:
        """Look at everything again: files that came, went or changed meanwhile."""
        now = {item.path: state for item, state in self._walk()}
        for path in sorted({*now, *self._states}):
            if now.get(path) != self._states.get(path):
                raise changed(shown(path))

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
        with ExitStack() as opened:
            try:
                for entry in opened.enter_context(os.scandir(self._open(folders, opened))):
                    yield decoded(os.fsencode(entry.name)), entry.stat(follow_symlinks=False)
            except OSError as error:
                raise unreadable(shown("/".join(folders)) if folders else "the folder", error) from error


def _state(about: os.stat_result) -> _State:
    return about.st_dev, about.st_ino, about.st_mode, about.st_size, about.st_mtime_ns, about.st_ctime_ns
