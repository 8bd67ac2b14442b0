"""Whole rows at the start of a piece of JSON text."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import orjson
from numpy.typing import NDArray

_BETWEEN_ROWS = re.compile(rb"\]\s*,\s*\[")
_QUOTE, _CLOSE = ord('"'), ord("]")
_STEPS = np.zeros(256, dtype=np.int8)
_STEPS[[ord("["), ord("{")]] = 1
_STEPS[[ord("]"), ord("}")]] = -1
_MARKS = _STEPS != 0
_MARKS[_QUOTE] = True


def split_rows(text: bytes) -> tuple[list[Any], int] | None:
    """Parse the whole rows that the text starts with; the last one in it is left.

    Args:
        text: Rows of a JSON list of lists, from the first bracket of a row, cut off anywhere.

    Returns:
        The rows and where the next one starts; None if the text holds no end of a row.

    Raises:
        orjson.JSONDecodeError: If the rows are not JSON.

    Examples:
        >>> split_rows(b'[1, "a"], [2, "b"], [3, ')
        ([[1, 'a'], [2, 'b']], 20)
    """
    # The last end of a row may be where the text was cut off; every other one has the next row after it.
    for end in _row_ends(text)[:-3:-1]:
        if between := _BETWEEN_ROWS.match(text, end):
            return parse_rows(text[: end + 1]), between.end() - 1
    return None


def parse_rows(text: bytes) -> list[Any]:
    """Parse rows with commas between them."""
    rows: list[Any] = orjson.loads(b"[%b]" % text)
    return rows


def _row_ends(text: bytes) -> NDArray[np.int64]:
    """Where rows end: closing brackets, outside strings, that leave no bracket open.

    Trying to parse at every `], [` instead would read a text again for each one inside a row: every lattice has two.
    """
    unescaped = text.replace(b"\\\\", b"  ").replace(b'\\"', b"  ") if b"\\" in text else text
    characters = np.frombuffer(unescaped, dtype=np.uint8)
    positions = np.flatnonzero(_MARKS[characters])
    marks = characters[positions]
    in_string = np.cumsum(marks == _QUOTE, dtype=np.uint8) % 2 == 1  # wraps at 256, which is even
    steps = _STEPS[marks]
    steps[in_string] = 0
    depth = np.cumsum(steps, dtype=np.int32)
    ends: NDArray[np.int64] = positions[(depth == 0) & (marks == _CLOSE) & ~in_string]
    return ends
