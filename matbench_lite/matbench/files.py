"""The text of a Matbench file: gzipped or not, as plain data, bounded in time and memory."""

from __future__ import annotations

import gzip
import zlib
from io import BytesIO
from pathlib import Path
from typing import Any, BinaryIO

from matbench_lite.matbench.errors import MatbenchError
from matbench_lite.matbench.raw import parse

MAX_BYTES = 128_000_000
"""Unpacked. All 13 tasks take 17 MB, with uncertainty about 55 MB."""
MAX_CONTAINERS = 1_000_000
"""Objects and lists: empty ones take two bytes in the file and thirty times that in memory."""
MAX_COMMAS = 2_500_000
"""All 13 tasks with uncertainty have 1.6 million."""
_GZIP = b"\x1f\x8b"
_PIECE = 1_000_000


def read_packed(path: Path) -> bytes:
    """The bytes of a file as they are, gzipped or not.

    Raises:
        MatbenchError: If it is missing, or larger than any result.
    """
    try:
        if not path.is_file():
            raise MatbenchError(f"there is no file {path}", fix="give the path of a results.json.gz")
        with path.open("rb") as stream:
            content = _bounded(stream)
    except OSError as error:
        raise MatbenchError(f"{path} cannot be read: {error.strerror}") from error
    return _checked(content, str(path))


def unpack(packed: bytes | memoryview, name: str) -> bytes:
    """The text in a file, unpacked if its first bytes say that it is gzipped.

    Args:
        packed: The bytes of the file.
        name: Its path, for messages.

    Raises:
        MatbenchError: If it is damaged, or larger than any result.
    """
    if bytes(packed[: len(_GZIP)]) != _GZIP:
        content = bytes(packed)
    else:
        try:
            with gzip.open(BytesIO(packed)) as stream:
                content = _checked(_bounded(stream), name)
        except (EOFError, zlib.error, gzip.BadGzipFile) as error:
            raise MatbenchError(f"{name} is a damaged gzip file: {error}", fix="download or copy it again") from error
    if content.count(b"{") + content.count(b"[") > MAX_CONTAINERS or content.count(b",") > MAX_COMMAS:
        raise MatbenchError(f"{name} has more values than a result of all tasks needs")
    return content


def parse_object(content: bytes, name: str, *, exact: bool = False) -> dict[str, Any]:
    """Parse what `unpack` gave as plain data; see `parse` for `exact`.

    Raises:
        MatbenchError: If it is not a JSON object.
    """
    try:
        document = parse(content, exact=exact)
    except (ValueError, RecursionError) as error:
        raise MatbenchError(f"{name} is not valid JSON: {error}", fix="download or copy it again") from error
    if not isinstance(document, dict):
        raise MatbenchError(f"{name} holds a JSON {type(document).__name__}, not an object")
    return document


def _checked(content: bytes, name: str) -> bytes:
    if len(content) > MAX_BYTES:
        raise MatbenchError(f"{name} has more than {MAX_BYTES / 1e6:.0f} MB of text, which no result needs")
    return content


def _bounded(stream: BinaryIO | gzip.GzipFile) -> bytes:
    """What the stream holds, up to a little more than is allowed; piece by piece, because one large read copies."""
    buffer = BytesIO()
    while buffer.tell() <= MAX_BYTES and (piece := stream.read(_PIECE)):
        buffer.write(piece)
    return buffer.getvalue()
