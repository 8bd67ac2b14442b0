"""The list of contents at the end of a zip file.

Not by `zipfile`: that reads the whole list, however long it says it is, before it can be asked anything; and it picks one
of two ways to read a file that says two things, where such a file should not be read at all.
"""

from __future__ import annotations

import os
import struct
from dataclasses import dataclass

from matbench_lite.errors import ArrivalError
from matbench_lite.event.arriving.limits import MAX_LISTED, MAX_SEEN
from matbench_lite.event.arriving.names import decoded, shown

ENCRYPTED = 1 | 1 << 6 | 1 << 13
_SIZES_FOLLOW = 1 << 3
_END, _CENTRAL, _LOCAL = b"PK\x05\x06", b"PK\x01\x02", b"PK\x03\x04"
_END_FORMAT = struct.Struct("<4s4H2LH")
_CENTRAL_FORMAT = struct.Struct("<4s6H3L5H2L")
_LOCAL_FORMAT = struct.Struct("<4s5H3L2H")
_MAX_COMMENT = 0xFFFF
_SAID_ELSEWHERE = 0xFFFFFFFF  # of Zip64, for archives far above any limit
_AGAIN = "make the zip file again with an ordinary tool, and send the whole of it"
_OTHERS = {
    b"\x1f\x8b": "a gzip file",
    b"BZh": "a bzip2 file",
    b"\xfd7zXZ": "an xz file",
    b"7z\xbc\xaf": "a 7z file",
    b"Rar!": "a rar file",
    b"\x28\xb5\x2f\xfd": "a zstd file",
    b"%PDF": "a PDF file",
}


@dataclass(frozen=True, kw_only=True)
class Record:
    """One file or folder that a zip file lists.

    Args:
        path: Its name.
        flags: Bits that say how it is packed.
        method: How it is compressed.
        crc: Checksum of its content.
        packed: Its size in the zip file, in bytes.
        size: Its size, in bytes.
        mode: Its mode on the system where it was packed; 0 if that has none.
        start: Where its content begins in the zip file.
    """

    path: str
    flags: int
    method: int
    crc: int
    packed: int
    size: int
    mode: int
    start: int


def corrupt(what: str) -> ArrivalError:
    """The error for a zip file that is damaged, or lies."""
    return ArrivalError(what, fix=_AGAIN)


def read_directory(archive: int) -> list[Record]:
    """The list of contents, after making sure that it is short enough and agrees with the rest of the file.

    Args:
        archive: An open file.

    Raises:
        ArrivalError: If it is no zip file, is damaged, lists too much, or says two things about one file.
    """
    length = os.fstat(archive).st_size
    start, end, number = _find(archive, length)
    listed = _exactly(archive, end - start, start)
    position, heads = 0, []
    for _ in range(number):
        fields = listed[position : position + _CENTRAL_FORMAT.size]
        if len(fields) < _CENTRAL_FORMAT.size or fields[:4] != _CENTRAL:
            raise corrupt("its list of contents is damaged")
        head = _CENTRAL_FORMAT.unpack(fields)
        position += _CENTRAL_FORMAT.size
        heads.append((head, listed[position : position + head[10]]))
        position += head[10] + head[11] + head[12]
    if position != len(listed):
        raise corrupt("its list of contents does not have the length that it says")
    records = []
    places = []
    for head, name in heads:
        record, place = _record(archive, head, name)
        records.append(record)
        places.append((place, record.start + record.packed, record.path))
    _check_places(places, start)
    return records


def _find(archive: int, length: int) -> tuple[int, int, int]:
    """Where the list begins and ends, and how many records it has."""
    tail_start = max(0, length - _END_FORMAT.size - _MAX_COMMENT)
    tail = _exactly(archive, length - tail_start, tail_start)
    ends = []
    position = tail.rfind(_END)
    while position >= 0:
        fields = tail[position : position + _END_FORMAT.size]
        if len(fields) == _END_FORMAT.size:
            end = _END_FORMAT.unpack(fields)
            if position + _END_FORMAT.size + end[7] == len(tail):
                ends.append((tail_start + position, end))
        position = tail.rfind(_END, 0, position)
    if not ends:
        raise _no_end(archive)
    if len(ends) > 1:
        raise corrupt("it has two lists of contents")
    place, (_, disk, first_disk, here, number, size, start, _) = ends[0]
    if number > MAX_SEEN or size > MAX_LISTED:
        message = f"it lists {number:,} files and folders in {size:,} bytes, at most {MAX_SEEN:,} are looked at"
        raise ArrivalError(message, fix="send only the files of your submission")
    if disk or first_disk or here != number:
        raise corrupt("it is one part of several")
    if start + size != place:
        raise corrupt("its list of contents is not where it says: part of the file is missing, or there is more in it")
    return start, place, number


def _no_end(archive: int) -> ArrivalError:
    begin = os.pread(archive, 8, 0)
    if begin.startswith(_LOCAL):
        return corrupt("the zip file ends too early")
    other = next((what for mark, what in _OTHERS.items() if begin.startswith(mark)), None)
    message = "it is not a zip file" if other is None else f"it is not a zip file but {other}"
    return ArrivalError(message, fix="send a folder, a zip file or the branch of a git repository")


def _record(archive: int, head: tuple[int, ...], name: bytes) -> tuple[Record, int]:
    """A record, and where all that belongs to it begins."""
    _, _, _, flags, method, _, _, crc, packed, size, _, _, _, _, _, attributes, place = head
    # Without the mark for UTF-8 a name is in some old code page, by the book; in fact it is UTF-8, from a Mac, or ASCII.
    path = decoded(name)
    if _SAID_ELSEWHERE in (packed, size, place):
        raise ArrivalError(f"{shown(path)} is in Zip64, for files of 4 GB and more", fix="make it smaller")
    local = _LOCAL_FORMAT.unpack(_exactly(archive, _LOCAL_FORMAT.size, place))
    own_name = _exactly(archive, local[9], place + _LOCAL_FORMAT.size)
    said = {(7, packed), (8, size), (6, crc)} if not flags & _SIZES_FOLLOW else set()
    if (
        local[0] != _LOCAL
        or own_name != name
        or local[3] != method
        or (local[2] ^ flags) & (ENCRYPTED | _SIZES_FOLLOW)
        or any(local[field] not in (value, _SAID_ELSEWHERE) for field, value in said)
    ):
        raise corrupt(f"the list of contents and the file itself disagree about {shown(path)}")
    start = place + _LOCAL_FORMAT.size + local[9] + local[10]
    mode = attributes >> 16
    return (
        Record(path=path, flags=flags, method=method, crc=crc, packed=packed, size=size, mode=mode, start=start),
        place,
    )


def _check_places(places: list[tuple[int, int, str]], end: int) -> None:
    """Every byte belongs to one file at most: a bomb packs one content and lists it a thousand times."""
    free = 0
    for start, stop, path in sorted(places):
        if start < free or stop > end:
            raise corrupt(f"{shown(path)} shares its content with another file, or with the list of contents")
        free = stop


def _exactly(archive: int, length: int, start: int) -> bytes:
    """Bytes of the file; less than asked for is an error."""
    content = b""
    while len(content) < length and (more := os.pread(archive, length - len(content), start + len(content))):
        content += more
    if len(content) < length:
        raise corrupt("the zip file ends too early")
    return content
