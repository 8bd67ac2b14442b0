"""A plot as pages use it, how one is made from a template, and labels that do not lie on each other."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from markupsafe import Markup

from matbench_lite.cleaner import clean
from matbench_lite.templating import render
from matbench_lite.view.words import FONT_SIZE, shorten, text_width

STYLESHEET = Path(__file__).parent / "templates" / "look.css"
"""Part of the site's stylesheet."""
SCRIPT = Path(__file__).parent / "plots.js"
"""Part of the site's script."""
WIDTH = 480
"""Every plot is so wide in its own units: the type is of one size on a page, and readable on a phone."""
_LABEL_GAP = 6
_BADGE_SIZE, _BADGE_ROOM = 11, 220


@dataclass(frozen=True, kw_only=True)
class Plot:
    """A drawing, the question it answers, how to read it, and its findings in words, the text alternative.

    `str(plot.svg)` is the drawing alone, on one line, so that it can stand in Markdown; in a Jinja template `{{ plot
    }}` is the whole figure. The kind is which plot it is, e.g. "parity".
    """

    kind: str
    title: str
    caption: str
    description: str
    svg: Markup

    def __html__(self) -> str:
        return _one_line(render("view/figure.html.j2", plot=self))


def draw(kind: str, *, height: float, title: str, caption: str, description: str, **content: Any) -> Plot:
    """Fill the template of a kind of plot; its height is in the units of the drawing, which is `WIDTH` wide."""
    texts = {"title": clean(title), "caption": clean(caption), "description": clean(description)}
    # The text alternative is referred to by id: the same plot has the same one in every build.
    name = hashlib.sha256(repr((kind, texts)).encode("utf-8", "replace")).hexdigest()[:10]
    common = {"kind": kind, "id": f"p{name}", "width": WIDTH, "height": round(height), **texts}
    svg = render(f"view/{kind}.svg.j2", **common, **content)
    return Plot(kind=kind, svg=Markup(_one_line(svg)), **texts)


def draw_rows(kind: str, rows: Sequence[Any], *, top: float, row: float, **content: Any) -> Plot:
    """A plot with one thing below the other, each so high, and an axis below them all."""
    bottom = top + row * len(rows)
    return draw(kind, height=bottom + 46, rows=rows, top=top, high=row, bottom=bottom, right=WIDTH - 4, **content)


def series_colour(place: int) -> int:
    """The number of the colour of a series, from 0; the stylesheet has six, and the sixth and all further share one."""
    return min(place, 5)


def _one_line(text: str) -> str:
    """Without line breaks: an empty line would end the drawing where it stands in Markdown."""
    return "".join(line.strip() for line in text.split("\n"))


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
    """Put a text beside each point, the first points first; one that finds no free place is left out.

    All is in pixels; `inside` is where texts may be, `taken` where they may not, and `size` is their height.

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
    wide = text_width(text, size=size)
    for down in (-5, 0.8 * size, 0.35 * size, -5 - size, 1.8 * size):
        for anchor in ("start", "end"):
            at = x + _LABEL_GAP if anchor == "start" else x - _LABEL_GAP
            left = at if anchor == "start" else at - wide
            label = Label(x=at, y=y + down, anchor=anchor, text=text)
            found.append((label, Box(left, y + down - 0.8 * size, left + wide, y + down + 0.25 * size)))
    return found


def badge(label: str, message: str, *, good: bool = True) -> Markup:
    """Draw a badge, a label on the left and a message on the right: an SVG file whose colours do not follow the page.

    The right side is blue if it is good, else grey, e.g. for an entry whose scores are not verified.
    """
    left, right = (shorten(text, _BADGE_ROOM, size=_BADGE_SIZE) for text in (label, message))
    left_width, right_width = (round(text_width(text, size=_BADGE_SIZE)) for text in (left, right))
    svg = render("view/badge.svg.j2", left=left, right=right, left_width=left_width, right_width=right_width, good=good)
    return Markup(_one_line(svg))
