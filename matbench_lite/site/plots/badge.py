"""A badge: a small picture that says one thing of an entry, for its README."""

from __future__ import annotations

from markupsafe import Markup

from matbench_lite.site.plots.figure import draw_file
from matbench_lite.site.plots.words import shorten, width

_SIZE = 11
_ROOM = 220
_SPACE = 7


def badge(label: str, message: str, *, good: bool = True) -> Markup:
    """Draw a badge.

    Args:
        label: What it is about, on the left, e.g. "matbench_lite".
        message: What it says, on the right, e.g. "general-purpose, rank 2 of 22".
        good: Whether the right side is blue; grey otherwise, e.g. for an entry whose scores are not verified.

    Returns:
        An SVG file of its own: its colours do not follow the page.

    Examples:
        >>> badge("matbench_lite", "rank 1 of 22")[:19]
        Markup('<svg xmlns="http://')
    """
    left, right = (shorten(text, _ROOM, size=_SIZE) for text in (label, message))
    left_width, right_width = (round(width(text, size=_SIZE)) for text in (left, right))
    middle = left_width + 2 * _SPACE
    return draw_file(
        "badge",
        left=left,
        right=right,
        left_width=left_width,
        right_width=right_width,
        middle=middle,
        width=middle + right_width + 2 * _SPACE,
        space=_SPACE,
        colour="#00639c" if good else "#5c636b",
    )
