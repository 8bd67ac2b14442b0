"""A submission that lies in a folder."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

from matbench_lite.errors import ArrivalError
from matbench_lite.event.arriving.choosing import FILE, FOLDER, LINK, Item, too_many_seen
from matbench_lite.event.arriving.limits import MAX_SEEN
from matbench_lite.event.arriving.names import decoded, is_junk, shown
from matbench_lite.event.arriving.source import CHUNK, Kind, changed, open_plainly, unreadable

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


class FolderSource:
    """A folder; everything in it is opened relative to it, so that nobody can put another in its place.

    Args:
        folder: The folder.
        stack: Closes it.

    Raises:
        ArrivalError: If it cannot be opened.
    """

    kind: Kind = "folder"
    commit = None

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
                within = self._root
                for folder in folders:
                    within = open_plainly(folder, folder=True, within=within)
                    opened.callback(os.close, within)
                descriptor = open_plainly(name, within=within)
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

    def _list(self, folders: tuple[str, ...]) -> Iterator[tuple[str, os.stat_result]]:
        with ExitStack() as opened:
            try:
                within = self._root
                for folder in folders:
                    within = open_plainly(folder, folder=True, within=within)
                    opened.callback(os.close, within)
                found = opened.enter_context(os.scandir(within))
                for entry in found:
                    yield decoded(os.fsencode(entry.name)), entry.stat(follow_symlinks=False)
            except OSError as error:
                raise unreadable(shown("/".join(folders)) if folders else "the folder", error) from error


def _state(about: os.stat_result) -> _State:
    return about.st_dev, about.st_ino, about.st_mode, about.st_size, about.st_mtime_ns, about.st_ctime_ns
