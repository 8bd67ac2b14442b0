"""Labels beside points, so that none lies on another."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from matbench_lite.site.plots.words import FONT_SIZE, clean, width

_GAP = 6


@dataclass(frozen=True, kw_only=True)
class Label:
    """A text at a point, in pixels; `anchor` is the end of the text that is at x: "start" or "end"."""

    x: float
    y: float
    anchor: str
    text: str


@dataclass(frozen=True)
class Box:
    """A rectangle, in pixels."""

    left: float
    top: float
    right: float
    bottom: float

    def overlaps(self, other: Box) -> bool:
        """Whether the two share a pixel."""
        return (
            self.left < other.right and other.left < self.right and self.top < other.bottom and other.top < self.bottom
        )

    def within(self, other: Box) -> bool:
        """Whether it lies in the other one."""
        return (
            self.left >= other.left
            and self.right <= other.right
            and self.top >= other.top
            and self.bottom <= other.bottom
        )


def place_labels(
    points: Sequence[tuple[float, float]],
    texts: Sequence[str],
    *,
    inside: Box,
    taken: Sequence[Box] = (),
    size: float = FONT_SIZE,
) -> list[Label]:
    """Put texts beside their points, the first points first; one that finds no free place is left out.

    Args:
        points: Where the points are, in pixels.
        texts: One text per point.
        inside: Where texts may be.
        taken: Where they may not.
        size: Height of the text.

    Examples:
        >>> labels = place_labels([(10, 50), (12, 50)], ["Fe2O3", "MgO"], inside=Box(0, 0, 100, 100))
        >>> [(label.text, label.anchor, label.y) for label in labels]
        [('Fe2O3', 'start', 45), ('MgO', 'start', 60.4)]
    """
    # A point hides a text as another text does.
    used = [*taken, *(Box(x - 3, y - 3, x + 3, y + 3) for x, y in points)]
    labels = []
    for (x, y), raw in zip(points, texts, strict=True):
        text = clean(raw)
        for label, box in _candidates(x, y, text, size):
            if box.within(inside) and not any(box.overlaps(other) for other in used):
                used.append(box)
                labels.append(label)
                break
    return labels


def _candidates(x: float, y: float, text: str, size: float) -> list[tuple[Label, Box]]:
    found = []
    wide = width(text, size=size)
    for down in (-5, 0.8 * size, 0.35 * size, -5 - size, 1.8 * size):
        for anchor in ("start", "end"):
            at = x + _GAP if anchor == "start" else x - _GAP
            left = at if anchor == "start" else at - wide
            label = Label(x=at, y=y + down, anchor=anchor, text=text)
            found.append((label, Box(left, y + down - 0.8 * size, left + wide, y + down + 0.25 * size)))
    return found
