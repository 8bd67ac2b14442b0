"""A submission in a zip file."""

from __future__ import annotations

import os
import stat
import zlib
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Any

from matbench_lite.airlock import Limits, inside
from matbench_lite.errors import AirlockError, ArrivalError
from matbench_lite.event.arriving.choosing import FILE, FOLDER, LINK, Item
from matbench_lite.event.arriving.names import shown
from matbench_lite.event.arriving.source import CHUNK, Kind, changed, open_plainly, unreadable
from matbench_lite.event.arriving.zip_directory import ENCRYPTED, Record, corrupt, read_directory

if TYPE_CHECKING:
    from numpy.typing import NDArray

_STORED, _DEFLATED, _AES = 0, 8, 99
_METHODS = {1: "shrink", 6: "implode", 9: "deflate64", 12: "bzip2", 14: "lzma", 93: "zstd", 95: "xz", 98: "PPMd"}
_MAX_RATIO, _ALWAYS_FINE = 200, 10_000_000
"""How often its own size a zip file may unpack to, if that is more than so many bytes."""


class ZipSource:
    """A zip file.

    Args:
        path: The file.
        stack: Closes it.

    Raises:
        ArrivalError: If it cannot be opened.
    """

    kind: Kind = "zip"
    commit = None

    def __init__(self, path: Path, stack: ExitStack) -> None:
        try:
            self._archive = open_plainly(path)
        except OSError as error:
            raise unreadable("the file", error) from error
        stack.callback(os.close, self._archive)
        self._before = os.fstat(self._archive)
        if not stat.S_ISREG(self._before.st_mode):
            raise ArrivalError("it is neither a file nor a folder", fix="send a zip file")
        self._records: dict[str, Record] = {}

    def items(self) -> list[Item]:
        """All that is in it."""
        try:
            records = read_directory(self._archive)
        except OSError as error:
            raise unreadable("the file", error) from error
        for record in records:
            _check_packing(record)
        total = sum(record.size for record in records)
        if total > max(_ALWAYS_FINE, _MAX_RATIO * self._before.st_size):
            message = f"{self._before.st_size:,} bytes would unpack to {total:,}: more than any submission does"
            raise ArrivalError(message, fix="send only the files of your submission")
        self._records = {record.path: record for record in records}
        return [Item(path=record.path, what=_what(record), size=record.size) for record in records]

    def read(self, item: Item) -> Iterator[bytes]:
        """The content of a file, in pieces; its length and checksum are the ones that the zip file lists."""
        record = self._records[item.path]
        length = crc = 0
        for piece in self._unpacked(record):
            length += len(piece)
            if length > record.size:
                break
            crc = zlib.crc32(piece, crc)
            yield piece
        if length != record.size:
            raise corrupt(f"{shown(item.path)} does not have the {record.size:,} bytes that the zip file says")
        if crc != record.crc:
            raise corrupt(f"the checksum of {shown(item.path)} is wrong")

    def confirm(self) -> None:
        """Make sure that nobody wrote to it."""
        after = os.fstat(self._archive)
        if (after.st_size, after.st_mtime_ns) != (self._before.st_size, self._before.st_mtime_ns):
            raise changed("the zip file")

    def _unpacked(self, record: Record) -> Iterator[bytes]:
        if record.method == _STORED:
            yield from self._packed(record)
            return
        packed = b"".join(self._packed(record))
        limits = Limits(seconds=5 + record.size / 20e6, megabytes=200 + 4 * record.size // 1_000_000)
        try:
            reply = inside(inflating_decoder, {"name": shown(record.path), "size": record.size}, packed, limits=limits)
        except AirlockError as error:
            raise corrupt(f"{shown(record.path)} cannot be unpacked: {error.message}") from error
        yield reply.arrays["content"].tobytes()

    def _packed(self, record: Record) -> Iterator[bytes]:
        place, end = record.start, record.start + record.packed
        while place < end:
            try:
                piece = os.pread(self._archive, min(CHUNK, end - place), place)
            except OSError as error:
                raise unreadable("the file", error) from error
            if not piece:
                raise changed("the zip file")
            place += len(piece)
            yield piece


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
    if record.flags & ENCRYPTED or record.method == _AES:
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
