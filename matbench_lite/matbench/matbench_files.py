"""The text of a Matbench file: gzipped or not, bounded in time and memory, as plain data; and Matbench's hash of it.

A file has hundreds of thousands of numbers. Parsing them all at once takes most of the memory, and writing them again
for the hash most of the time, of reading a result. Matbench writes them sorted by row id and as Python's `json` does,
so the text of a fold is what its hash is over; where it is not, the hash does not match and everything is parsed.
"""

from __future__ import annotations

import gzip
import hashlib
import json
import re
import secrets
import zlib
from collections.abc import Iterator, Mapping
from contextlib import suppress
from io import BytesIO
from operator import itemgetter
from pathlib import Path
from typing import Any, BinaryIO

import orjson

from matbench_lite.errors import raising
from matbench_lite.matbench.matbench_form import MatbenchError

MAX_BYTES = 128_000_000
"""Unpacked. All 13 tasks take 17 MB, with uncertainty about 55 MB."""
MAX_CONTAINERS = 1_000_000
"""Objects and lists: empty ones take two bytes in the file and thirty times that in memory."""
MAX_COMMAS = 2_500_000
"""All 13 tasks with uncertainty have 1.6 million."""
_GZIP = b"\x1f\x8b"
_PIECE = 1_000_000
_DATA = re.compile(rb'"data": (\{[^{}]++\})')
_PLAIN = {float, bool, int, str, type(None)}
_LEVELS = 5
"""The document, its tasks, a task, its results, a fold: what is below is written in one go."""


def read_packed(path: Path) -> bytes:
    """The bytes of a file as they are, gzipped or not; refused if there are more than any result has."""
    with raising(MatbenchError, f"{path} cannot be read"):
        if not path.is_file():
            raise MatbenchError(f"there is no file {path}", fix="give the path of a results.json.gz")
        with path.open("rb") as stream:
            return _bounded(stream, str(path))


def unpack(packed: bytes | memoryview, name: str) -> bytes:
    """The text in a file, unpacked if its first bytes say that it is gzipped; its name is for messages."""
    if bytes(packed[: len(_GZIP)]) != _GZIP:
        content = bytes(packed)
    else:
        try:
            with gzip.open(BytesIO(packed)) as stream:
                content = _bounded(stream, name)
        except (EOFError, zlib.error, gzip.BadGzipFile) as error:
            raise MatbenchError(f"{name} is a damaged gzip file: {error}", fix="download or copy it again") from error
    if content.count(b"{") + content.count(b"[") > MAX_CONTAINERS or content.count(b",") > MAX_COMMAS:
        raise MatbenchError(f"{name} has more values than a result of all tasks needs")
    return content


def parse_object(content: bytes, name: str, *, exact: bool = False) -> dict[str, Any]:
    """Parse what `unpack` gave as plain data, if it is a JSON object; see `parse` for `exact`."""
    wrong, fix = (ValueError, RecursionError), "download or copy it again"
    with raising(MatbenchError, f"{name} is not valid JSON", fix=fix, on=wrong):
        document = parse(content, exact=exact)
    if not isinstance(document, dict):
        raise MatbenchError(f"{name} holds a JSON {type(document).__name__}, not an object")
    return document


def _bounded(stream: BinaryIO | gzip.GzipFile, name: str) -> bytes:
    """What the stream holds, if that is not too much; piece by piece, because one large read copies."""
    buffer = BytesIO()
    while buffer.tell() <= MAX_BYTES and (piece := stream.read(_PIECE)):
        buffer.write(piece)
    if buffer.tell() > MAX_BYTES:
        raise MatbenchError(f"{name} has more than {MAX_BYTES / 1e6:.0f} MB of text, which no result needs")
    return buffer.getvalue()


def parse(content: bytes, *, exact: bool = False) -> Any:
    """Parse JSON as plain data, NaN and infinity included, which Python writes and JSON has not.

    If `exact`, integers beyond 64 bits are kept as they are, which takes three times as long. A ValueError if it is not
    JSON, a RecursionError if it is nested too deeply.
    """
    if not exact:
        with suppress(orjson.JSONDecodeError):
            return orjson.loads(content)
    return json.loads(content.decode())


def parse_around_rows(content: bytes) -> dict[str, Any]:
    """Parse a result but for the predictions of its folds, which stay text: views of the file.

    A ValueError if that is not possible: it is not written as Matbench writes it, or not JSON at all.
    """
    places = [found.span(1) for found in _DATA.finditer(content)]
    mark = secrets.token_hex(16)  # nobody can have put it into the file
    pieces: list[bytes] = []
    last = 0
    for number, (start, end) in enumerate(places):
        pieces += content[last:start], f'"{mark}{number}"'.encode()
        last = end
    document = orjson.loads(b"".join([*pieces, content[last:]]))
    if not isinstance(document, dict):
        raise ValueError("it is not an object")
    if _put_back(document, [memoryview(content)[start:end] for start, end in places], mark) != len(places):
        raise ValueError("an object called data is elsewhere too, e.g. in the parameters")
    return document


def _put_back(document: Any, rows: list[memoryview], mark: str) -> int:
    """Put the rows where the folds are; how many found their place."""
    placed = 0
    for task in _values(document, "tasks"):
        for fold in _values(task, "results"):
            data = fold.get("data") if isinstance(fold, dict) else None
            if isinstance(data, str) and data.startswith(mark):
                fold["data"] = rows[int(data.removeprefix(mark))]
                placed += 1
    return placed


def _values(content: Any, key: str) -> list[Any]:
    inner = content.get(key) if isinstance(content, dict) else None
    return list(inner.values()) if isinstance(inner, dict) else []


def matbench_hash(document: Mapping[str, Any]) -> str:
    """The hash that Matbench stores under "hash": over everything else, levels of objects sorted by key.

    Objects inside lists keep their order, as in Matbench; predictions may be text, which is taken as it stands. Fold by
    fold: the whole text is never in memory.
    """
    digest = hashlib.sha256()
    rest = {key: value for key, value in document.items() if key != "hash"}
    for piece in _pieces(rest, _LEVELS):
        digest.update(piece)
    return digest.hexdigest()


def has_right_hash(document: Mapping[str, Any]) -> bool:
    """Whether a result is as Matbench wrote it."""
    return bool(matbench_hash(document) == document["hash"])


def wrong_hash(document: Mapping[str, Any], where: str = "") -> MatbenchError:
    """The error for a result that was changed after Matbench wrote it."""
    return MatbenchError(
        f"{where}the hash {document['hash'][:12]}… is not that of the content: it was changed after Matbench wrote it",
        fix="get the original, or pass allow_hash_mismatch=True (--allow-hash-mismatch) to take it marked so",
    )


def sorted_form(value: Any) -> Any:
    """Levels of mappings sorted by key; arrays and lists as tuples; NumPy numbers as Python's.

    Examples:
        >>> import numpy as np
        >>> sorted_form({"b": np.arange(2), "a": np.float64(0.5)})
        {'a': 0.5, 'b': (0, 1)}
    """
    if isinstance(value, Mapping):
        ordered = dict(sorted(value.items(), key=itemgetter(0)))
        if _PLAIN.issuperset(map(type, ordered.values())):
            return ordered  # the predictions of a fold: ten thousands of numbers, nothing to convert
        return {key: sorted_form(item) for key, item in ordered.items()}
    if isinstance(value, list):
        return tuple(value)
    if hasattr(value, "tolist"):
        content = value.tolist()
        return tuple(content) if isinstance(content, list) else content
    return value


def _pieces(value: Any, levels: int) -> Iterator[bytes | memoryview]:
    if isinstance(value, memoryview):
        yield value
        return
    if not levels or not isinstance(value, Mapping):
        yield json.dumps(sorted_form(value)).encode()
        return
    opening = "{"
    for key, item in sorted(value.items(), key=itemgetter(0)):
        yield f"{opening}{json.dumps(key)}: ".encode()
        yield from _pieces(item, levels - 1)
        opening = ", "
    yield b"}" if value else b"{}"
