"""A plot as pages use it, and how one is made from a template."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from markupsafe import Markup

from matbench_lite.site.plots.words import clean

if TYPE_CHECKING:
    from jinja2 import Environment

WIDTH = 480
"""Every plot is so wide in its own units: the type is of one size on a page, and readable on a phone."""


@dataclass(frozen=True, kw_only=True)
class Plot:
    """A drawing, the question it answers, and its findings in words.

    `str(plot.svg)` is the drawing alone; in a Jinja template `{{ plot }}` is the whole figure.

    Args:
        kind: Which plot it is, e.g. "parity".
        title: The question it answers.
        caption: How to read it.
        description: What is to be seen, in words: the text alternative.
        svg: The drawing, on one line, so that it can stand in Markdown.
    """

    kind: str
    title: str
    caption: str
    description: str
    svg: Markup

    def __html__(self) -> str:
        return _one_line(_environment().get_template("figure.html.j2").render(plot=self))


def draw(kind: str, *, height: float, title: str, caption: str, description: str, **content: Any) -> Plot:
    """Fill the template of a kind of plot.

    Args:
        kind: Name of the template without ".svg.j2".
        height: Height in the units of the drawing, which is `WIDTH` wide.
        title: The question it answers.
        caption: How to read it.
        description: What is to be seen, in words.
        **content: What the template needs.
    """
    texts = {"title": clean(title), "caption": clean(caption), "description": clean(description)}
    # The text alternative is referred to by id: the same plot has the same one in every build.
    name = hashlib.sha256(repr((kind, texts)).encode("utf-8", "replace")).hexdigest()[:10]
    template = _environment().get_template(f"{kind}.svg.j2")
    svg = template.render(kind=kind, id=f"p{name}", width=WIDTH, height=round(height), **texts, **content)
    return Plot(kind=kind, svg=Markup(_one_line(svg)), **texts)


def draw_file(kind: str, **content: Any) -> Markup:
    """Fill the template of a drawing that is a file of its own."""
    return Markup(_one_line(_environment().get_template(f"{kind}.svg.j2").render(**content)))


def px(value: float) -> str:
    """A coordinate in as few characters as a tenth of a pixel needs.

    Examples:
        >>> px(12.0), px(3.14159), px(-0.01)
        ('12', '3.1', '0')
    """
    text = f"{value:.1f}".removesuffix(".0")
    return "0" if text == "-0" else text


@cache
def _environment() -> Environment:
    from jinja2 import Environment, FileSystemLoader, StrictUndefined

    environment = Environment(
        loader=FileSystemLoader(Path(__file__).parent / "templates"),
        autoescape=True,
        undefined=StrictUndefined,
        auto_reload=False,  # a template does not change while pages are made
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters["px"] = px
    return environment


def _one_line(text: str) -> str:
    """Without line breaks: an empty line would end the drawing where it stands in Markdown."""
    return "".join(line.strip() for line in text.split("\n"))
