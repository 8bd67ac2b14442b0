"""A stranger's text inside GitHub's Markdown: shown as it was written, and nothing else happens.

Backslashes stop Markdown and HTML. They do not stop what GitHub does to the finished page: it looks for mentions,
issues, commits and addresses in the text itself. A zero-width space breaks those.
"""

from __future__ import annotations

import re
import unicodedata

_GAP = "&#8203;"
_HIDDEN = {"\u00ad", "\u200c", "\u200d"}
"""Invisible, and common in honest text: left out without a mark."""
_NOT_TEXT = {"Cc", "Cf", "Cs", "Co", "Cn"}
"""Control and format characters (those that turn the direction of writing too), halves of characters, no characters."""

_ENTITIES = {"&": "&amp;", "<": "&lt;", ">": "&gt;", "$": "<span>$</span>"}
"""The last as GitHub's own documentation has it: a backslash does not keep it from being read as mathematics."""
_SPECIAL = re.compile(
    r"""
      (?P<entity>[&<>$])
    | (?P<mark>[\\`*_\[\]|~])
    | (?P<at>@)
    | (?P<glue>[\#:])(?=\S)
    | (?P<www>(?<!\w)www)(?=\.)
    | (?P<ticket>(?<!\w)(?:GH|GHSA|CVE))(?=-)
    | (?P<commit>(?<!\w)[0-9a-f]{7,}(?!\w))
    """,
    re.VERBOSE | re.IGNORECASE,
)
_BEGINNING = re.compile(r"(?:(?P<mark>[-+=#])|(?P<number>\d{1,9})(?P<after>[.)]))")
"""What makes a heading or a list at the beginning of a line; there is one line only."""
_PLAIN = re.compile(r"[A-Za-z0-9_.+/=-](?:[A-Za-z0-9_.+/= -]*[A-Za-z0-9_.+/=-])?")


class Safe(str):
    """Text that is Markdown already: not escaped again."""

    __slots__ = ()


def visible(value: object, limit: int = 300) -> str:
    r"""One line of text that a reader sees all of: no control characters, nothing that turns the direction of writing.

    Args:
        value: Anything; its text is taken.
        limit: The most characters that are kept.

    Examples:
        >>> visible("two\nlines\tand \u202eturned")
        'two lines and \ufffdturned'
        >>> visible("a" * 10, limit=4)
        'aaa…'
    """
    # What is cut off anyway is not looked at: a text may be long.
    text = " ".join(str(value)[: 4 * limit].split())
    shown = "".join(_shown(character) for character in text)
    shown = " ".join(shown.split())
    return shown if len(shown) <= limit else f"{shown[: limit - 1]}…"


def escape(value: object, limit: int = 300) -> Safe:
    r"""Text as Markdown that shows it.

    Args:
        value: Anything; its text is taken, on one line.
        limit: The most characters that are shown.

    Examples:
        >>> print(escape("<b>[me](http://x.org)</b> | *@you*"))
        &lt;b&gt;\[me\](http:&#8203;//x.org)&lt;/b&gt; \| \*@&#8203;you\*
        >>> print(escape("fixes #1"), escape("1. no list"))
        fixes #&#8203;1 1\. no list
    """
    if isinstance(value, Safe):
        return value
    text = visible(value, limit)
    first = _BEGINNING.match(text)
    start = first.end() if first else 0
    beginning = "" if first is None else f"{first['number'] or ''}\\{first['mark'] or first['after']}"
    if first is not None and first["mark"] == "#" and text[1:2].strip():
        beginning += _GAP
    return Safe(beginning + _SPECIAL.sub(_replacement, text[start:]))


def code(value: object, limit: int = 120) -> Safe:
    r"""A name as a piece of code; one with unusual characters as escaped text.

    Examples:
        >>> print(code("my-forest"), code("a`b|c"))
        `my-forest` a\`b\|c
    """
    text = visible(value, limit)
    return Safe(f"`{text}`") if _PLAIN.fullmatch(text) else escape(text, limit)


def _shown(character: str) -> str:
    if character in _HIDDEN:
        return ""
    category = unicodedata.category(character)
    return "\ufffd" if category in _NOT_TEXT else " " if category in ("Zs", "Zl", "Zp") else character


def _replacement(found: re.Match[str]) -> str:
    text = found[0]
    if found["entity"]:
        return _ENTITIES[text]
    if found["mark"]:
        return f"\\{text}"
    if found["commit"]:
        # Pieces too short for a commit.
        return _GAP.join(text[start : start + 6] for start in range(0, len(text), 6))
    return f"{text}{_GAP}"
