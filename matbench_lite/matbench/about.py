"""Who made a Matbench entry, and how: its `info.json`."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterator, Mapping
from typing import Any

_LINE = 500
"""Characters that an author or a requirement may have in an entry."""


def described(info: Mapping[str, Any], *, fallback: str) -> dict[str, Any]:
    """What `info.json` says, as the arguments of a `Submission`.

    Args:
        info: The content of `info.json`, as plain data; people fill it in by hand, so anything may be missing.
        fallback: Name of the algorithm if there is none.

    Examples:
        >>> about = described({"authors": "A. Name, B. Name", "requirements": {"python": ["numpy"]}}, fallback="X")
        >>> about["algorithm"], about["authors"], about["requirements"]
        ('X', ['A. Name', 'B. Name'], ['numpy'])
    """
    return {
        "algorithm": next(iter(_lines(info.get("algorithm"))), None) or fallback,
        "authors": _authors(info.get("authors")),
        "description": str(info.get("algorithm_long") or ""),
        "references": [text for text in _texts(info.get("bibtex_refs")) if text.strip()],
        "requirements": _lines(info.get("requirements")),
    }


def _authors(authors: Any) -> list[str]:
    if isinstance(authors, str):
        authors = re.split(r"\s*[,;]\s*(?:and\s+)?|\s+and\s+", authors)
    return _lines(authors)


def _lines(value: Any) -> list[str]:
    return [line for text in _texts(value) for part in text.splitlines() for line in textwrap.wrap(part.strip(), _LINE)]


def _texts(value: Any) -> Iterator[str]:
    """Every text in a value: one, a list of them, or a list per language."""
    if isinstance(value, Mapping):
        value = list(value.values())
    if isinstance(value, list):
        for item in value:
            yield from _texts(item)
    elif value is not None:
        yield str(value)
