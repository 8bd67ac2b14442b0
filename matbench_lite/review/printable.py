"""A stranger's text for a terminal or a log: nothing in it can move the cursor, hide, or turn the line around."""

from __future__ import annotations


def printable(text: str, limit: int = 1000) -> str:
    r"""The text with everything that does not show written out, and cut where it is too long; lines stay lines.

    Args:
        text: Any text, halves of characters from odd file names included.
        limit: Characters that are kept.

    Examples:
        >>> printable("red\x1b[31m alert")
        'red\\x1b[31m alert'
        >>> printable("abcdef", limit=3)
        'abc…'
    """
    shown = text if len(text) <= limit else f"{text[:limit]}…"
    if shown.isprintable():
        return shown
    return "".join(
        c if c.isprintable() or c == "\n" else c.encode("unicode_escape", "surrogatepass").decode() for c in shown
    )
