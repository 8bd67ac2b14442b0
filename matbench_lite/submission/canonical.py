"""Canonical JSON: one form on disk, one form under the digest, and a reader that trusts nothing."""

from __future__ import annotations

import codecs
import hashlib
import json
import math
from collections import Counter
from collections.abc import Mapping
from functools import partial
from json.encoder import encode_basestring
from pathlib import PurePath
from typing import Any

import orjson

from matbench_lite.submission.problem import Complain, Problem, ProblemKind, refuse

MAX_BYTES = 8_000_000
MAX_VALUES = 500_000
"""Empty lists take two bytes in the file and a hundred times that in memory. A real entry has up to 37 000 values."""
MAX_DEPTH = 64
_CONSTANTS = {None: "null", True: "true", False: "false"}


class _RepeatedKeyError(ValueError):
    """An object with a key twice: readers would not agree on its value."""


_KINDS: dict[type[Exception], ProblemKind] = {UnicodeDecodeError: "encoding", _RepeatedKeyError: "repeated key"}


def canonical_bytes(document: Mapping[str, Any]) -> bytes:
    """The one form of a document on disk: sorted keys, indent 2, UTF-8, a final newline.

    Numbers as the standard library writes them (`repr`), which is the same in every version of Python. Its own encoder
    is slow when it indents, and every entry that is opened is compared with its canonical form.

    Examples:
        >>> print(canonical_bytes({"b": 1, "a": 0.1}).decode(), end="")
        {
          "a": 0.1,
          "b": 1
        }
    """
    return _indented(document, "\n").encode() + b"\n"


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
        _check_depth(document, MAX_DEPTH)
        # What parses but cannot be written again: a lone surrogate, 1e999, integers beyond 64 bits.
        json.dumps(document, ensure_ascii=False, allow_nan=False).encode()
        orjson.dumps(document)
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


def plain(value: Any) -> Any:
    """Bring anything a user hands over into JSON: NumPy numbers to numbers, NaN to null, objects to their text.

    Examples:
        >>> import numpy as np
        >>> plain({"depth": np.int64(3), "rates": (0.1, float("nan")), "model": print})
        {'depth': 3, 'rates': [0.1, None], 'model': '<built-in function print>'}
    """
    if isinstance(value, Mapping):
        return {str(key): plain(item) for key, item in value.items()}
    if hasattr(value, "tolist"):  # NumPy arrays and scalars, pandas objects
        return plain(value.tolist())
    if isinstance(value, list | tuple):
        return [plain(item) for item in value]
    if isinstance(value, set | frozenset):
        return sorted((plain(item) for item in value), key=str)
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, str):
        return value.encode(errors="replace").decode()
    if value is None or isinstance(value, bool):
        return value
    if isinstance(value, int):
        return value if -(2**63) <= value < 2**64 else str(value)  # larger ones are no numbers to most readers of JSON
    if isinstance(value, PurePath):
        return value.name  # a full path tells of the submitter's machine, not of the model
    return repr(value)


def _indented(value: Any, newline: str) -> str:
    """What `json.dumps(value, sort_keys=True, indent=2, ensure_ascii=False, allow_nan=False)` gives."""
    kind = type(value)
    if kind is str:
        return encode_basestring(value)
    inner = f"{newline}  "
    if kind in (dict, list) and not value:
        return "{}" if kind is dict else "[]"
    if kind is dict:
        items = [f"{encode_basestring(key)}: {_indented(value[key], inner)}" for key in sorted(value)]
        return f"{{{inner}{f',{inner}'.join(items)}{newline}}}"
    if kind is list:
        return f"[{inner}{f',{inner}'.join([_indented(item, inner) for item in value])}{newline}]"
    if (kind is float and math.isfinite(value)) or kind is int:
        return repr(value)
    if value is None or kind is bool:
        return _CONSTANTS[value]
    return json.dumps(value, sort_keys=True, indent=2, ensure_ascii=False, allow_nan=False)


def _without_repeats(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    content = dict(pairs)
    if len(content) != len(pairs):
        repeated = Counter(key for key, _ in pairs).most_common(1)[0][0]
        raise _RepeatedKeyError(f"the key {repeated[:60]!r} occurs twice")
    return content


def _check_depth(value: Any, left: int) -> None:
    if isinstance(value, dict | list):
        if not left:
            raise ValueError(f"it is nested more than {MAX_DEPTH} levels deep")
        for item in value.values() if isinstance(value, dict) else value:
            _check_depth(item, left - 1)


def _no_constant(name: str) -> None:
    raise ValueError(f"{name} is not JSON")
