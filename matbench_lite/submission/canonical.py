"""Canonical JSON: one form on disk, one form under the digest, and a reader that trusts nothing."""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Mapping
from pathlib import PurePath
from typing import Any

from matbench_lite.errors import EntryError

MAX_BYTES = 8_000_000


def canonical_bytes(document: Mapping[str, Any]) -> bytes:
    """The one form of a document on disk: sorted keys, indent 2, UTF-8, a final newline.

    The standard library's encoder, because its floats (`repr`) are the same in every version of Python.

    Examples:
        >>> print(canonical_bytes({"b": 1, "a": 0.1}).decode(), end="")
        {
          "a": 0.1,
          "b": 1
        }
    """
    text = json.dumps(document, sort_keys=True, indent=2, ensure_ascii=False, allow_nan=False)
    return text.encode() + b"\n"


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
    if len(content) > MAX_BYTES:
        raise EntryError(f"{name} has {len(content):,} bytes, at most {MAX_BYTES:,} are read")
    try:
        text = content.decode()
        document = json.loads(text, object_pairs_hook=_without_repeats, parse_constant=_no_constant)
        json.dumps(document, ensure_ascii=False).encode()  # a lone surrogate parses but cannot be written
    except (ValueError, RecursionError) as error:
        raise EntryError(f"{name} is not valid JSON: {error}", fix="save the entry again") from error
    if not isinstance(document, dict):
        raise EntryError(f"{name} is a JSON {type(document).__name__}, not an object", fix="save the entry again")
    return document


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
    if value is None or isinstance(value, bool | int):
        return value
    if isinstance(value, PurePath):
        return value.name  # a full path tells of the submitter's machine, not of the model
    return repr(value)


def _without_repeats(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    content = dict(pairs)
    if len(content) != len(pairs):
        keys = [key for key, _ in pairs]
        raise ValueError(f"the key {next(key for key in keys if keys.count(key) > 1)!r} occurs twice")
    return content


def _no_constant(name: str) -> None:
    raise ValueError(f"{name} is not JSON")
