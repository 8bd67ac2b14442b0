"""Text in `submission.json` that is shown to people: no markup in names, nothing that does not show."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from matbench_lite.review.findings import Finding
from matbench_lite.review.material import Material
from matbench_lite.review.rule import Rule
from matbench_lite.submission import DOCUMENT

TEXT = Rule(
    code="MBL209",
    severity="error",
    title="Markup or hidden characters in a name",
    why="Names are shown on boards and in reports. They are escaped there; a tag in one is a mistake or an attack.",
    fix="write plain text, and run `mbl seal`",
)
RULES = (TEXT,)

_TAG = re.compile(
    r"</?[a-z][a-z0-9-]*(\s[^<>]*)?/?>|<!--|<(script|iframe|img|svg|style|object|embed|link|meta|form)\b|javascript:",
    re.IGNORECASE,
)
_DECEIVING = {
    **dict.fromkeys("\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069", "a character that turns the direction"),
    **dict.fromkeys("\u200b\u2060\ufeff\u2061\u2062\u2063\u2064", "a character without width"),
}
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029]|[\U000e0000-\U000e007f]")
_LINES = ("algorithm", "authors", "requirements")
_TEXTS = ("description", "references")


def check(material: Material) -> Iterator[Finding]:
    """Who, what and how, as an entry says it."""
    card = material.document.get("card", {})
    for key in (*_LINES, *_TEXTS):
        for text in _texts(card.get(key)):
            problems = [*hidden_characters(text), *(["markup"] if key in _LINES and _TAG.search(text) else [])]
            if problems:
                yield TEXT.found(f"{key} has {', '.join(problems)}: {text[:80]!r}", file=DOCUMENT)


def deceiving_characters(text: str) -> list[str]:
    r"""What kinds of characters turn the direction of writing or have no width; each kind once.

    Examples:
        >>> deceiving_characters("if admin\u202e: return")
        ['a character that turns the direction (U+202E)']
    """
    found = sorted(_DECEIVING.keys() & set(text.removeprefix("\ufeff")))
    return [f"{_DECEIVING[character]} (U+{ord(character):04X})" for character in found]


def hidden_characters(text: str) -> list[str]:
    """Those, and control characters; line ends and tabs are fine."""
    control = _CONTROL.search(text.replace("\r\n", "\n"))
    return [*deceiving_characters(text), *([f"a control character (U+{ord(control[0]):04X})"] if control else [])]


def _texts(value: Any) -> list[str]:
    return [value] if isinstance(value, str) else list(value or ())
