"""For mkdocs: what makes the site safe, small, accessible, and the search work in pages that are opened from a folder.

It is copied beside the pages, and imports nothing of this package: whoever has mkdocs can render them again.
"""

from __future__ import annotations

import base64
import hashlib
import posixpath
import re
import shutil
from functools import cache
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from markupsafe import escape

_POLICY = (
    # In Chromium, 'self' is any file for a page that is opened from a folder; other browsers want to be told.
    "default-src 'self' file:",
    "script-src 'self' file: {hashes}",
    # The theme and the plots have style attributes, the stylesheet of the theme has its icons as data.
    "style-src 'self' file: 'unsafe-inline'",
    "img-src 'self' file: data:",
    "frame-src 'none'",
    "object-src 'none'",
    "base-uri 'none'",
    "form-action 'none'",
)
_INLINE = tuple(f"partials/javascripts/{name}.html" for name in ("base", "palette", "content"))
"""Where the theme has the scripts that it writes into pages."""
_SCRIPT = re.compile(r"<script>(.*?)</script>", re.DOTALL)
_SPACE = re.compile(r"<(?P<kept>pre|textarea|script)\b.*?</(?P=kept)>|(?<=>)\s++|(?<!\s)\s++(?=<)", re.DOTALL)
"""Space beside tags; but first what has it for a reason: a browser shows all of it, or runs the text."""


def on_config(config: Any) -> Any:
    """The theme writes these texts as they are. Markup is escaped once, even where the theme does escape it."""
    for key in ("site_name", "site_description", "site_author"):
        if config[key] is not None:
            config[key] = escape(config[key])
    return config


def on_post_page(output: str, page: Any, config: Any) -> str:
    """Finish a page; from it, mkdocs writes the way to the folder of the site so."""
    way_up = posixpath.relpath(".", posixpath.dirname(page.url) or ".")
    return with_policy(smaller(with_dialog_name(output)), _theme_scripts(config.theme.get_env, way_up))


def on_post_template(output_content: str, template_name: str, config: Any) -> str:
    """Finish the page for what is not found: it is shown anywhere, and its addresses begin at the root."""
    if not template_name.endswith(".html"):
        return output_content
    root = urlsplit(config["site_url"] or "/").path
    return with_policy(smaller(with_dialog_name(output_content)), _theme_scripts(config.theme.get_env, root))


def on_post_build(config: Any) -> None:
    """Finish the site.

    From a folder, a browser loads scripts but no data: the theme asks for the search index as a script of this name,
    in this variable. What the theme brings and no page asks for goes: source maps, its logo, the search in languages
    other than English.
    """
    index = Path(config["site_dir"], "search", "search_index.json")
    assets = Path(config["site_dir"], "assets")
    if index.is_file():
        text = index.read_text(encoding="utf-8")
        index.with_suffix(".js").write_text(f"var __index = {text}", encoding="utf-8")
    shutil.rmtree(assets / "javascripts" / "lunr", ignore_errors=True)
    shutil.rmtree(assets / "images", ignore_errors=True)
    for path in assets.rglob("*.map"):
        path.unlink()


def with_policy(page: str, scripts: tuple[str, ...]) -> str:
    r"""A page that runs no script written into it but the given ones, no handler, and loads nothing from elsewhere.

    What the page holds is never a reason to allow it. Scripts that it does not have are not listed.

    Examples:
        >>> with_policy("<head></head>", ())
        '<head>\n<meta http-equiv="Content-Security-Policy" content="default-src ...
    """
    hashes = (hashlib.sha256(script.encode()).digest() for script in scripts if f"<script>{script}</script>" in page)
    listed = " ".join(f"'sha256-{base64.b64encode(value).decode()}'" for value in hashes)
    policy = "; ".join(_POLICY).format(hashes=listed).replace(" ;", ";")
    # First of all: a policy says nothing about what stands before it.
    return page.replace("<head>", f'<head>\n<meta http-equiv="Content-Security-Policy" content="{policy}">', 1)


def smaller(page: str) -> str:
    r"""A page without the indents and empty lines between its tags: a third of what the theme writes.

    Examples:
        >>> smaller("<ul>\n\n    <li>one</li>\n</ul>")
        '<ul>\n<li>one</li>\n</ul>'
    """
    return _SPACE.sub(lambda found: "\n" if "\n" in found[0] and not found["kept"] else found[0], page)


def with_dialog_name(page: str) -> str:
    """Give the theme's search dialog the name that it lacks, which a screen reader says."""
    return page.replace('role="dialog">', 'role="dialog" aria-label="Search">', 1)


@cache
def _theme_scripts(get_environment: Any, way_up: str) -> tuple[str, ...]:
    """The scripts that the theme writes into a page, from its own files; one of them has the way to the first page."""
    environment = get_environment()
    files = [environment.get_template(name).render(base_url=way_up, config={"extra": {}}) for name in _INLINE]
    return tuple(script for file in files for script in _SCRIPT.findall(file))
