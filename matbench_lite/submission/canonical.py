"""Canonical JSON: one form on disk, one form under the digest, and a reader that trusts nothing."""

from __future__ import annotations

import codecs
import hashlib
import json
import re
from collections import Counter
from collections.abc import Mapping
from functools import partial
from pathlib import PurePath
from typing import Any

import orjson

from matbench_lite.submission.problem import Complain, Problem, ProblemKind, refuse

MAX_BYTES = 8_000_000
MAX_VALUES = 500_000
"""Empty lists take two bytes in the file and a hundred times that in memory. A real entry has up to 37 000 values."""
MAX_DEPTH = 64
_EXPONENT = re.compile(rb"(?<=\d)e(-?)(\d+)(?=,?\n)")
"""The exponent of a number that orjson wrote. It ends a line; the line of a text ends with a quotation mark."""
_DEEP = b"\n" + b"  " * (MAX_DEPTH + 1)
_HUGE = re.compile(rb"\d[eE]\+?\d{3,}(?=[,\s\]}])|\d{300}")
"""What a number that is read as infinity has."""


class _RepeatedKeyError(ValueError):
    """An object with a key twice: readers would not agree on its value."""


_KINDS: dict[type[Exception], ProblemKind] = {UnicodeDecodeError: "encoding", _RepeatedKeyError: "repeated key"}


def canonical_bytes(document: Mapping[str, Any]) -> bytes:
    """The one form of a document on disk: sorted keys, indent 2, UTF-8, a final newline.

    Numbers as the standard library writes them (`repr`), which is the same in every version of Python.

    Examples:
        >>> print(canonical_bytes({"b": 1, "a": 0.1}).decode(), end="")
        {
          "a": 0.1,
          "b": 1
        }
    """
    text = json.dumps(document, sort_keys=True, indent=2, ensure_ascii=False, allow_nan=False)
    return text.encode() + b"\n"


def parse_canonical(content: bytes) -> dict[str, Any] | None:
    """Parse a stranger's document if it is in its canonical form; None if it is not, or cannot be read.

    A text that is what is written for the document read from it has no key twice, no NaN and nothing out of range: it
    need not be looked at again. orjson is quick, and differs in how it writes exponents alone.
    """
    if _too_much(content) or _DEEP in content:
        return None
    try:
        document = orjson.loads(content)
        options = orjson.OPT_INDENT_2 | orjson.OPT_SORT_KEYS | orjson.OPT_APPEND_NEWLINE
        text = orjson.dumps(document, option=options)
    except (ValueError, TypeError):
        return None
    same = text == content or _EXPONENT.sub(_as_python_writes_it, text) == content
    return document if same and isinstance(document, dict) else None


def _as_python_writes_it(number: re.Match[bytes]) -> bytes:
    return b"e" + (number[1] or b"+") + number[2].rjust(2, b"0")


def digest(document: Mapping[str, Any]) -> str:
    """The sha256 over the document without its own `digest`, as sorted compact UTF-8 JSON."""
    rest = {key: value for key, value in document.items() if key != "digest"}
    text = json.dumps(rest, sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False)
    return hashlib.sha256(text.encode()).hexdigest()


def parse(content: bytes, name: str) -> dict[str, Any]:
    """Parse a stranger's JSON object as plain data.

    Raises:
        EntryError: If it is too large, not UTF-8, not JSON, nested too deeply, has a key twice, or is no object.
    """
    return parse_or_complain(content, name, refuse) or {}


def parse_or_complain(content: bytes, name: str, complain: Complain) -> dict[str, Any] | None:
    """Parse a stranger's JSON object as plain data; None after a complaint.

    Args:
        content: The bytes of the file.
        name: Its path, for messages.
        complain: What to do with what `parse` refuses.
    """
    problem = partial(Problem, fix="save the entry again", file=PurePath(name).name)
    if message := _too_much(content):
        complain(problem(kind="too large", message=f"{name} has {message} are read"))
        return None
    try:
        if content.startswith(codecs.BOM_UTF8):
            raise UnicodeDecodeError("utf-8", content[:3], 0, 3, "a byte order mark")
        document = json.loads(content.decode(), object_pairs_hook=_without_repeats, parse_constant=_no_constant)
        _check_depth(document)
        # What parses but cannot be written again: a lone surrogate, integers beyond 64 bits; 1e999.
        orjson.dumps(document)
        if _HUGE.search(content):
            json.dumps(document, allow_nan=False)
    except (ValueError, TypeError, RecursionError) as error:
        kind = _KINDS.get(type(error), "not JSON")
        complain(problem(kind=kind, message=f"{name} is not valid JSON: {error}"))
        return None
    if not isinstance(document, dict):
        message = f"{name} is a JSON {type(document).__name__}, not an object"
        complain(problem(kind="not JSON", message=message))
        return None
    return document


def _too_much(content: bytes) -> str | None:
    """What there is too much of, as far as that can be told before anything is parsed."""
    containers = content.count(b"{") + content.count(b"[")
    values = containers + content.count(b",")
    if len(content) > MAX_BYTES:
        return f"{len(content):,} bytes, at most {MAX_BYTES:,}"
    if values > MAX_VALUES:
        return f"about {values:,} values, at most {MAX_VALUES:,}"
    return None


def _without_repeats(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    content = dict(pairs)
    if len(content) != len(pairs):
        repeated = Counter(key for key, _ in pairs).most_common(1)[0][0]
        raise _RepeatedKeyError(f"the key {repeated[:60]!r} occurs twice")
    return content


def _check_depth(document: Any) -> None:
    """Level by level: no recursion on a stranger's data."""
    level = [document]
    for _ in range(MAX_DEPTH + 1):
        inner = (item.values() if type(item) is dict else item for item in level if type(item) in (dict, list))
        level = [value for values in inner for value in values if type(value) in (dict, list)]
        if not level:
            return
    raise ValueError(f"it is nested more than {MAX_DEPTH} levels deep")


def _no_constant(name: str) -> None:
    raise ValueError(f"{name} is not JSON")
