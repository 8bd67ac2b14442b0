"""What of a submission arrives, and under which names: the same for folders, zip files and branches."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from matbench_lite.errors import ArrivalError
from matbench_lite.event.arriving.limits import MAX_SEEN, ArrivalLimits
from matbench_lite.event.arriving.names import caseless, check_part, is_junk, parts_of, shown

FILE, FOLDER, LINK = "a file", "a folder", "a symbolic link"


@dataclass(frozen=True, kw_only=True)
class Item:
    """One thing in a submission, as its source lists it.

    Args:
        path: Where it is in the source, with / between folders.
        what: `FILE`, `FOLDER`, or what else it is: "a symbolic link", "a device".
        size: In bytes, as the source says.
    """

    path: str
    what: str = FILE
    size: int = 0


@dataclass(frozen=True, kw_only=True)
class Chosen:
    """What arrives.

    Args:
        items: By name, in order.
        left_out: Paths of junk; a folder ends with a slash and stands for all in it.
    """

    items: dict[str, Item]
    left_out: tuple[str, ...]


def too_many_seen() -> ArrivalError:
    """The error for a source that lists more than anybody will look at."""
    return ArrivalError(
        f"it has more than {MAX_SEEN:,} files and folders", fix="send only the files of your submission"
    )


def choose(items: Iterable[Item], limits: ArrivalLimits) -> Chosen:
    """Check all names, kinds and sizes; leave junk out, and the folders that have all files in them.

    A folder around all files is how most people zip them. It is left out for every kind of source, so that the same
    files are the same submission however they come.

    Args:
        items: All of the source.
        limits: How much may arrive.

    Raises:
        ArrivalError: If one thing in it cannot arrive: then nothing does.
    """
    files: dict[tuple[str, ...], Item] = {}
    left_out: set[str] = set()
    spellings = _Spellings()
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
        spellings.add(parts, item)
        if item.what == FILE:
            files[parts] = item
        elif item.what != FOLDER:
            raise ArrivalError(f"{shown(item.path)} is {item.what}", fix="send plain files only")
    around = _around(files)
    named = {"/".join(parts[around:]): item for parts, item in files.items()}
    _check_amount(named, limits)
    return Chosen(items=dict(sorted(named.items())), left_out=tuple(sorted(left_out)))


class _Spellings:
    """The names so far, as a file system sees them that does not tell small from capital letters."""

    def __init__(self) -> None:
        self._known: dict[tuple[str, ...], tuple[str, str]] = {}

    def add(self, parts: tuple[str, ...], item: Item) -> None:
        """Take a path and the folders it is in; a folder may come more than once, a file not."""
        key = tuple(caseless(part) for part in parts)
        written = item.path.split("/")
        for length in range(1, len(parts) + 1):
            what = FOLDER if length < len(parts) else item.what
            spelled = "/".join(written[:length])
            if key[:length] not in self._known:
                self._known[key[:length]] = spelled, what
                continue
            before, known = self._known[key[:length]]
            if before != spelled:
                message = f"{shown(before)} and {shown(spelled)} are one name on some systems"
                raise ArrivalError(message, fix="rename one of them")
            if (known == FOLDER) != (what == FOLDER):
                raise ArrivalError(f"{shown(spelled)} is both a file and a folder", fix="rename one of them")
            if what != FOLDER:
                raise ArrivalError(f"{shown(spelled)} is there twice", fix="send it once")


def _around(files: Iterable[tuple[str, ...]]) -> int:
    """The number of folders that all files are in."""
    folders = [parts[:-1] for parts in files]
    if not folders:
        raise ArrivalError("there are no files in it", fix="send the files of your submission")
    first, last = min(folders), max(folders)
    return next((n for n, (a, b) in enumerate(zip(first, last, strict=False)) if a != b), min(len(first), len(last)))


def _check_amount(named: dict[str, Item], limits: ArrivalLimits) -> None:
    if len(named) > limits.files:
        message = f"it has {len(named):,} files, at most {limits.files:,} are taken"
        raise ArrivalError(message, fix="send only the files of your submission")
    for name, item in named.items():
        length, depth = len(name.encode()), name.count("/") + 1
        if length > limits.path_length:
            message = f"the name {shown(name)} has {length} bytes, at most {limits.path_length} are taken"
            raise ArrivalError(message, fix="use shorter names")
        if depth > limits.depth:
            message = f"{shown(name)} lies {depth} levels deep, at most {limits.depth} are taken"
            raise ArrivalError(message, fix="use fewer folders")
        if item.size > limits.file_bytes:
            message = f"{shown(name)} has {item.size:,} bytes, at most {limits.file_bytes:,} are taken"
            raise ArrivalError(message, fix="make it smaller, or leave it out")
    total = sum(item.size for item in named.values())
    if total > limits.total_bytes:
        message = f"the files have {total:,} bytes, at most {limits.total_bytes:,} are taken"
        raise ArrivalError(message, fix="make them smaller, or leave some out")
