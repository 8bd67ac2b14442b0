"""The one Jinja environment: what a template prints is made fit for where it goes, so that nobody can forget it."""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from markupsafe import Markup

from matbench_lite._version import __version__
from matbench_lite.cleaner import Safe, clean, clean_lines, code, for_latex, for_markdown
from matbench_lite.text import duration, file_size, px

if TYPE_CHECKING:
    from jinja2 import Environment

_PACKAGE = Path(__file__).parent
_KINDS = {"comment": for_markdown, "files": None, "latex": for_latex}
"""What is done to all that the templates in folders of these names print. All others make HTML: cleaned and escaped."""


def render(template: str, **values: Any) -> str:
    r"""Fill a template.

    The folder in which it lies says what becomes of a text that it prints. In `templates/comment`, it is shown by
    GitHub as it was written, and nothing else happens; in `templates/latex`, so by LaTeX. In `templates/files`, files
    that people will edit, it stays as it is; the filter `quoted` writes it as TOML and JSON have it. Anywhere else, it
    is cleaned and escaped for HTML.

    It is named by its package and its place in the folder `templates` there. A value that it lacks is an error.

    Examples:
        >>> render("review/comment/left_out.md.j2", left_out=[{"title": "*<b>*"}], most=9)
        '**Left out for want of room** (all of it is in `report.json`): \\*&lt;b&gt;\\*.\n\n'
        >>> print(render("submit/files/README.md.j2", slug="my-forest", description="*<b>*"))
        # my-forest
        <BLANKLINE>
        *<b>*
        ...
    """
    kind = template.split("/")[1]
    return _environment(kind if kind in _KINDS else None).get_template(template).render(**values)


def _for_html(value: Any) -> Any:
    if isinstance(value, str) and not isinstance(value, Markup):
        return clean_lines(value)
    return "" if value is None else value


def _attributes(values: Mapping[str, Any]) -> Markup:
    """HTML attributes; those that are None or empty are left out."""
    pairs = ((name, clean_lines(str(value))) for name, value in values.items() if value not in (None, ""))
    return Markup("").join(Markup(' {}="{}"').format(name, value) for name, value in pairs)


@cache
def _environment(kind: str | None) -> Environment:
    from jinja2 import Environment, FileSystemLoader, PrefixLoader, StrictUndefined

    if kind is not None:
        return _environment(None).overlay(autoescape=False, finalize=_KINDS[kind])
    environment = Environment(
        loader=PrefixLoader({path.parent.name: FileSystemLoader(path) for path in _PACKAGE.glob("*/templates")}),
        autoescape=True,
        undefined=StrictUndefined,
        auto_reload=False,  # a template does not change while pages are made
        finalize=_for_html,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    environment.filters |= {
        "attributes": _attributes,
        "bytes": lambda size: Safe(file_size(size)),
        "code": code,
        "made_here": Safe,
        "oneline": clean,
        "px": px,
        "quoted": lambda text: json.dumps(text, ensure_ascii=False),
        "seconds": lambda seconds: Safe(duration(seconds)),
        "text": for_markdown,
    }
    environment.globals["version"] = __version__
    return environment
