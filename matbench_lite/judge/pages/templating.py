"""Filling templates: every text is cleaned and escaped."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from matbench_lite._version import __version__

if TYPE_CHECKING:
    from jinja2 import Environment

COLOURS = 6
"""So many colours the stylesheet has; further algorithms share the last one and are told by their labels."""


def render(template: str, **values: Any) -> str:
    """Fill a template of this package.

    Args:
        template: Its file name.
        **values: What it needs.
    """
    return _environment().get_template(template).render(version=__version__, **values)


def colour(place: int) -> int:
    """The number of the colour of the algorithm or model in some place, from 0."""
    return min(place, COLOURS - 1)


@cache
def _environment() -> Environment:
    from jinja2 import Environment, FileSystemLoader, StrictUndefined
    from markupsafe import Markup

    from matbench_lite.site.plots.figure import px
    from matbench_lite.site.templating import plain

    def finalize(value: Any) -> Any:
        if isinstance(value, str) and not isinstance(value, Markup):
            return plain(value)
        return "" if value is None else value

    environment = Environment(
        loader=FileSystemLoader(Path(__file__).parent / "templates"),
        autoescape=True,
        undefined=StrictUndefined,
        finalize=finalize,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters["px"] = px
    return environment
