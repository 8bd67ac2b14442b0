"""A submission in a zip file.

Its list of contents is not read by `zipfile`: that reads the whole list, however long it says it is, before it can be
asked anything; and of a file that says two things it believes one, where such a file should not be read at all.
"""

from __future__ import annotations

import os
import re
import stat
import struct
import zlib
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO, NamedTuple

from matbench_lite.airlock import Limits, inside
from matbench_lite.errors import AirlockError, ArrivalError
from matbench_lite.event.arrival_files import (
    FILE,
    FOLDER,
    LINK,
    MAX_LISTED,
    MAX_SEEN,
    Item,
    Kind,
    changed,
    decoded,
    open_plainly,
    reading,
    shown,
)

if TYPE_CHECKING:
    from numpy.typing import NDArray

_STORED, _DEFLATED, _AES = 0, 8, 99
_METHODS = {1: "shrink", 6: "implode", 9: "deflate64", 12: "bzip2", 14: "lzma", 93: "zstd", 95: "xz", 98: "PPMd"}
_MAX_RATIO, _ALWAYS_FINE = 200, 10_000_000
"""How often its own size a zip file may unpack to, if that is more than so many bytes."""
_ENCRYPTED = 1 | 1 << 6 | 1 << 13
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


class ZipSource:
    """A zip file; `stack` closes it."""

    kind: Kind = "zip"
    commit: str | None = None

    def __init__(self, path: Path, stack: ExitStack) -> None:
        with reading("the file"):
            self._archive = stack.enter_context(os.fdopen(open_plainly(path), "rb"))
        self._before = os.fstat(self._archive.fileno())
        if not stat.S_ISREG(self._before.st_mode):
            raise ArrivalError("it is neither a file nor a folder", fix="send a zip file")
        self._records: dict[str, Record] = {}

    def items(self) -> list[Item]:
        """All that is in it."""
        records = read_directory(self._archive, self._before.st_size)
        for record in records:
            _check_packing(record)
        total = sum(record.size for record in records)
        if total > max(_ALWAYS_FINE, _MAX_RATIO * self._before.st_size):
            message = f"{self._before.st_size:,} bytes would unpack to {total:,}: more than any submission does"
            raise ArrivalError(message, fix="send only the files of your submission")
        self._records = {record.path: record for record in records}
        return [Item(path=record.path, what=_what(record), size=record.size) for record in records]

    def read(self, item: Item) -> Iterator[bytes]:
        """The content of a file, in one piece; its length and checksum are the ones that the zip file lists."""
        record = self._records[item.path]
        content = _exactly(self._archive, record.packed, record.start)
        if record.method == _DEFLATED:
            about = {"name": shown(item.path), "size": record.size}
            limits = Limits(seconds=5 + record.size / 20e6, megabytes=200 + 4 * record.size // 1_000_000)
            try:
                content = inside(inflating_decoder, about, content, limits=limits).arrays["content"].tobytes()
            except AirlockError as error:
                raise corrupt(f"{shown(item.path)} cannot be unpacked: {error.message}") from error
        if len(content) != record.size:
            raise corrupt(f"{shown(item.path)} does not have the {record.size:,} bytes that the zip file says")
        if zlib.crc32(content) != record.crc:
            raise corrupt(f"the checksum of {shown(item.path)} is wrong")
        yield content

    def confirm(self) -> None:
        """Make sure that nobody wrote to it."""
        after = os.fstat(self._archive.fileno())
        if (after.st_size, after.st_mtime_ns) != (self._before.st_size, self._before.st_mtime_ns):
            raise changed("the zip file")


def inflating_decoder(about: Any, blobs: Sequence[memoryview]) -> tuple[None, Mapping[str, NDArray[Any]]]:
    """In the airlock: what was packed by deflate; of one that is longer than it says, only so much."""
    import numpy as np

    inflating = zlib.decompressobj(-zlib.MAX_WBITS)
    try:
        content = inflating.decompress(blobs[0], about["size"] + 1)
    except zlib.error as error:
        raise corrupt(f"{about['name']} is damaged") from error
    if len(content) <= about["size"] and not inflating.eof:
        raise corrupt(f"{about['name']} ends too early")
    if inflating.eof and inflating.unused_data:
        raise corrupt(f"there is more behind {about['name']} than its content")
    return None, {"content": np.frombuffer(content, dtype=np.uint8)}


def _check_packing(record: Record) -> None:
    name = shown(record.path)
    if record.flags & _ENCRYPTED or record.method == _AES:
        raise ArrivalError(f"{name} is encrypted", fix="zip it without a password")
    if record.method not in (_STORED, _DEFLATED):
        method = _METHODS.get(record.method, f"method {record.method}")
        raise ArrivalError(f"{name} is compressed by {method}", fix="zip it with the ordinary method, deflate")
    if record.path.endswith("/") and record.size:
        raise corrupt(f"{name} is a folder with a content")
    # Deflate can say nothing at great length.
    if record.packed > 2 * record.size + 4096 or (record.method == _STORED and record.packed != record.size):
        raise corrupt(f"{name} takes {record.packed:,} bytes for a content of {record.size:,}")


def _what(record: Record) -> str:
    kind = stat.S_IFMT(record.mode)
    if kind == stat.S_IFLNK:
        return LINK
    if kind not in (0, stat.S_IFREG, stat.S_IFDIR):
        return "a device, pipe or socket"
    if (kind == stat.S_IFDIR) > record.path.endswith("/"):
        return "a folder by its mode and a file by its name"
    return FOLDER if record.path.endswith("/") else FILE


class Record(NamedTuple):
    """One file or folder that a zip file lists: how it is packed, and where all that belongs to it begins and ends.

    `packed` and `size` are in bytes, `mode` is 0 where the system on which it was packed has none; `place` is where its
    own header begins, `start` where its content does.
    """

    path: str
    flags: int
    method: int
    crc: int
    packed: int
    size: int
    mode: int
    place: int
    start: int


def corrupt(what: str) -> ArrivalError:
    """The error for a zip file that is damaged, or lies."""
    return ArrivalError(what, fix=_AGAIN)


def read_directory(archive: BinaryIO, length: int) -> list[Record]:
    """The list of contents, after making sure that it is short enough and agrees with the rest of the file."""
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
    records = [_record(archive, head, name) for head, name in heads]
    # Every byte belongs to one file at most: a bomb packs one content and lists it a thousand times.
    free = 0
    for record in sorted(records, key=lambda record: (record.place, record.start + record.packed)):
        if record.place < free or record.start + record.packed > start:
            raise corrupt(f"{shown(record.path)} shares its content with another file, or with the list of contents")
        free = record.start + record.packed
    return records


def _find(archive: BinaryIO, length: int) -> tuple[int, int, int]:
    """Where the list begins and ends, and how many records it has."""
    tail_start = max(0, length - _END_FORMAT.size - _MAX_COMMENT)
    tail = _exactly(archive, length - tail_start, tail_start)
    ends = []
    for found in re.finditer(b"(?=%b)" % _END, tail[: -_END_FORMAT.size + 4]):
        end = _END_FORMAT.unpack_from(tail, found.start())
        if found.start() + _END_FORMAT.size + end[7] == len(tail):
            ends.append((tail_start + found.start(), end))
    if not ends:
        begin = _exactly(archive, min(8, length), 0)
        if begin.startswith(_LOCAL):
            raise corrupt("the zip file ends too early")
        other = next((f" but {what}" for mark, what in _OTHERS.items() if begin.startswith(mark)), "")
        fix = "send a folder, a zip file or the branch of a git repository"
        raise ArrivalError(f"it is not a zip file{other}", fix=fix)
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


def _record(archive: BinaryIO, head: tuple[int, ...], name: bytes) -> Record:
    _, _, _, flags, method, _, _, crc, packed, size, _, _, _, _, _, attributes, place = head
    # By the book, a name without the mark for UTF-8 is in an old code page; in fact it is ASCII, or UTF-8 from a Mac.
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
        or (local[2] ^ flags) & (_ENCRYPTED | _SIZES_FOLLOW)
        or any(local[field] not in (value, _SAID_ELSEWHERE) for field, value in said)
    ):
        raise corrupt(f"the list of contents and the file itself disagree about {shown(path)}")
    start = place + _LOCAL_FORMAT.size + local[9] + local[10]
    return Record(path, flags, method, crc, packed, size, attributes >> 16, place, start)


def _exactly(archive: BinaryIO, length: int, start: int) -> bytes:
    """Bytes of the file; less than asked for is an error."""
    with reading("the file"):
        archive.seek(start)
        content = archive.read(length)
    if len(content) < length:
        raise corrupt("the zip file ends too early")
    return content
