"""The predictions in a Matbench file as text: hashed as they stand, parsed fold by fold.

A file has hundreds of thousands of numbers. Parsing them all at once takes most of the memory, and writing them again
for the hash most of the time, of reading a result. Matbench writes them sorted by row id and as Python's `json` does,
so the text of a fold is what its hash is over; where it is not, the hash does not match and everything is parsed.
"""

from __future__ import annotations

import json
import re
import secrets
from dataclasses import dataclass
from typing import Any

import orjson

_DATA = re.compile(rb'"data": (\{[^{}]++\})')


@dataclass(frozen=True)
class RawRows:
    """The text of a JSON object without objects in it: the predictions of one fold.

    Args:
        file: Content of the file.
        start: Where the object begins.
        end: Where it ends.
    """

    file: bytes
    start: int
    end: int

    @property
    def text(self) -> bytes:
        """The object as it stands in the file."""
        return self.file[self.start : self.end]

    def parsed(self) -> Any:
        """The predictions by row id.

        Raises:
            ValueError: If it is not JSON.
        """
        return parse(self.text)


def parse(content: bytes, *, exact: bool = False) -> Any:
    """Parse JSON as plain data, NaN and infinity included, which Python writes and JSON has not.

    Args:
        content: The text.
        exact: Whether integers beyond 64 bits must be kept as they are; takes three times as long.

    Raises:
        ValueError: If it is not JSON.
        RecursionError: If it is nested too deeply.
    """
    if not exact:
        try:
            return orjson.loads(content)
        except orjson.JSONDecodeError:
            pass
    return json.loads(content.decode())


def parse_around_rows(content: bytes) -> dict[str, Any]:
    """Parse a result but for the predictions of its folds, which become `RawRows`.

    Raises:
        ValueError: If that is not possible: it is not written as Matbench writes it, or not JSON at all.
    """
    rows = [RawRows(content, *found.span(1)) for found in _DATA.finditer(content)]
    mark = secrets.token_hex(16)  # nobody can have put it into the file
    pieces: list[bytes] = []
    end = 0
    for number, raw in enumerate(rows):
        pieces += content[end : raw.start], f'"{mark}{number}"'.encode()
        end = raw.end
    document = orjson.loads(b"".join([*pieces, content[end:]]))
    if not isinstance(document, dict):
        raise ValueError("it is not an object")
    if _put_back(document, rows, mark) != len(rows):
        raise ValueError("an object called data is elsewhere too, e.g. in the parameters")
    return document


def _put_back(document: Any, rows: list[RawRows], mark: str) -> int:
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
