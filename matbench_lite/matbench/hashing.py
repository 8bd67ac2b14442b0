"""Matbench's own hash of a result: sha256 over its sorted form, as Python's `json` writes it."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping
from operator import itemgetter
from typing import Any

from matbench_lite.matbench.errors import MatbenchError
from matbench_lite.matbench.raw import RawRows

_PLAIN = {float, bool, int, str, type(None)}
_LEVELS = 5
"""The document, its tasks, a task, its results, a fold: what is below is written in one go."""


def matbench_hash(document: Mapping[str, Any]) -> str:
    """The hash that Matbench stores under "hash": over everything else, levels of objects sorted by key.

    Objects inside lists keep their order, as in Matbench. Fold by fold: the whole text is never in memory.

    Args:
        document: A result as plain data; predictions may be `RawRows`, which are taken as they stand.

    Examples:
        >>> matbench_hash({"b": [1e-05], "a": {"d": None, "c": True}, "hash": "…"})[:12]
        '015f976612a9'
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


def _pieces(value: Any, levels: int) -> Iterator[bytes]:
    if isinstance(value, RawRows):
        yield value.text
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
