"""Templates: data in, text out. All text is cleaned and escaped: nothing submitted becomes Markdown or HTML."""

from __future__ import annotations

import html
import json
import re
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from markupsafe import Markup

from matbench_lite.site import addresses
from matbench_lite.site.plots.words import clean

if TYPE_CHECKING:
    from jinja2 import Environment

TEMPLATES = Path(__file__).parent / "templates"
_NOT_TEXT = re.compile(
    # Control characters, surrogates, private use.
    "[^\\t\\n\\x20-\\x7e\\xa0-\\ud7ff\\uf900-\\ufffd\\U00010000-\\U000effff]"
    # Direction marks.
    "|[\\u061c\\u200e\\u200f\\u202a-\\u202e\\u2066-\\u2069]"
)


def render(template: str, *, folder: Path = TEMPLATES, **values: Any) -> str:
    """Fill a template.

    Args:
        template: Its file name.
        folder: Where it is: in this package, or in another that has pages of its own.
        **values: What it needs.
    """
    return _environment(folder).get_template(template).render(**values)


def fragment(template: str, **values: Any) -> Markup:
    """Fill a template whose text goes into another one."""
    return Markup(render(template, **values))  # escaped by the template


def page(
    template: str,
    *,
    address: str,
    title: str,
    hide: tuple[str, ...] = (),
    made_from: str = "",
    folder: Path = TEMPLATES,
    **values: Any,
) -> str:
    """A page: the front matter that mkdocs reads, and the filled template.

    Args:
        template: File name of the template.
        address: Where the page is read, e.g. "tasks/x.html"; templates link from there.
        title: Title of the page.
        hide: What the theme leaves out: "navigation", "toc".
        made_from: The key of its file, see `matbench_lite.site.files.File`.
        folder: Where the template is.
        **values: What the template needs.
    """
    body = render(
        template,
        folder=folder,
        title=title,
        to=lambda target: addresses.relative(target, address),
        at=addresses,
        **values,
    )
    more = {"hide": list(hide), "made_from": made_from}
    return front_matter(title=title, **{key: value for key, value in more.items() if value}) + body.strip("\n") + "\n"


def front_matter(**fields: Any) -> str:
    r"""The head of a page. The theme writes the title as it is: it is escaped here.

    Examples:
        >>> print(front_matter(title="<b> & \u202ec"), end="")
        ---
        title: "&lt;b&gt; &amp; c"
        ---
        <BLANKLINE>
    """
    safe = {key: html.escape(clean(value)) if isinstance(value, str) else value for key, value in fields.items()}
    # JSON is YAML.
    lines = [f"{key}: {json.dumps(value, ensure_ascii=False)}" for key, value in safe.items()]
    return "\n".join(["---", *lines, "---", "", ""])


def plain(text: str) -> str:
    r"""A text of several lines without control characters and direction marks.

    Examples:
        >>> plain("a\u202eb\x00\nc")
        'ab\nc'
    """
    if text.isascii() and text.isprintable():  # almost all are
        return text
    return _NOT_TEXT.sub("", text)


def _finalize(value: Any) -> Any:
    if isinstance(value, str) and not isinstance(value, Markup):
        return plain(value)
    return "" if value is None else value


def _attributes(values: Mapping[str, Any]) -> Markup:
    """HTML attributes; those that are None or empty are left out."""
    kept = ((name, plain(str(value))) for name, value in values.items() if value not in (None, ""))
    return Markup("").join(Markup(' {}="{}"').format(name, value) for name, value in kept)


@cache
def _environment(folder: Path) -> Environment:
    from jinja2 import Environment, FileSystemLoader, StrictUndefined

    environment = Environment(
        loader=FileSystemLoader(folder),
        autoescape=True,
        undefined=StrictUndefined,
        auto_reload=False,  # a template does not change while pages are made
        finalize=_finalize,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    environment.filters["attributes"] = _attributes
    environment.filters["oneline"] = clean
    return environment
