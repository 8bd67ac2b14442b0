"""Reading a stranger's Matbench file: gzipped or not, as plain data, bounded in time and memory."""

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


def read_json(path: Path) -> dict[str, Any]:
    """Read a JSON object, gzipped or not: the first bytes tell, not the name. Nothing in it is executed.

    Raises:
        MatbenchError: If it is missing, damaged, too large, or not a JSON object.
    """
    return parse_object(read_content(path), path)


def parse_object(content: bytes, path: Path, *, exact: bool = False) -> dict[str, Any]:
    """Parse what `read_content` gave; see `parse` for `exact`.

    Raises:
        MatbenchError: If it is not a JSON object.
    """
    try:
        document = parse(content, exact=exact)
    except (ValueError, RecursionError) as error:
        raise MatbenchError(f"{path} is not valid JSON: {error}", fix="download or copy it again") from error
    if not isinstance(document, dict):
        raise MatbenchError(f"{path} holds a JSON {type(document).__name__}, not an object")
    return document


def read_content(path: Path) -> bytes:
    """The text in a file, unpacked if need be.

    Raises:
        MatbenchError: If it is missing, damaged, or larger than any result.
    """
    try:
        if not path.is_file():
            raise MatbenchError(f"there is no file {path}", fix="give the path of a results.json.gz")
        with path.open("rb") as stream:
            packed = stream.read(len(_GZIP)) == _GZIP
        with gzip.open(path) if packed else path.open("rb") as stream:
            content = _bounded(stream)
    except (EOFError, zlib.error, gzip.BadGzipFile) as error:
        raise MatbenchError(f"{path} is a damaged gzip file: {error}", fix="download or copy it again") from error
    except OSError as error:
        raise MatbenchError(f"{path} cannot be read: {error.strerror}") from error
    if len(content) > MAX_BYTES:
        raise MatbenchError(f"{path} has more than {MAX_BYTES / 1e6:.0f} MB of text, which no result needs")
    if content.count(b"{") + content.count(b"[") > MAX_CONTAINERS or content.count(b",") > MAX_COMMAS:
        raise MatbenchError(f"{path} has more values than a result of all tasks needs")
    return content


def _bounded(stream: BinaryIO | gzip.GzipFile) -> bytes:
    """What the stream holds, up to a little more than is allowed; piece by piece, because one large read copies."""
    buffer = BytesIO()
    while buffer.tell() <= MAX_BYTES and (piece := stream.read(_PIECE)):
        buffer.write(piece)
    return buffer.getvalue()
