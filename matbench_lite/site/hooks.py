"""For mkdocs: what makes the site small, accessible, and the search work in pages that are opened from a folder."""

from __future__ import annotations

import re
import shutil
from pathlib import Path
from typing import Any

_SPACE = re.compile(r"<(?P<kept>pre|textarea|script)\b.*?</(?P=kept)>|(?<=>)\s++|(?<!\s)\s++(?=<)", re.DOTALL)
"""Space beside tags; but first what has it for a reason: a browser shows all of it, or runs the text."""


def on_post_build(config: Any) -> None:
    """Finish the site."""
    site = Path(config["site_dir"])
    _write_index_as_script(site / "search" / "search_index.json")
    _remove_unused(site / "assets")


def on_post_page(output: str, **_: Any) -> str:
    """Give the theme's search dialog the name that it lacks, which a screen reader says; leave out what nobody sees."""
    return _without_indents(output.replace('role="dialog">', 'role="dialog" aria-label="Search">', 1))


def _without_indents(page: str) -> str:
    """A page without the indents and empty lines between its tags: a third of what the theme writes."""
    return _SPACE.sub(lambda found: "\n" if "\n" in found[0] and not found["kept"] else found[0], page)


def _write_index_as_script(index: Path) -> None:
    """From a folder, a browser loads scripts but no data.

    The theme asks for the script under this name and expects the index in this variable.
    """
    if index.is_file():
        text = index.read_text(encoding="utf-8")
        index.with_suffix(".js").write_text(f"var __index = {text}", encoding="utf-8")


def _remove_unused(assets: Path) -> None:
    """What the theme brings and no page asks for: source maps, its logo, the search in languages other than English."""
    shutil.rmtree(assets / "javascripts" / "lunr", ignore_errors=True)
    shutil.rmtree(assets / "images", ignore_errors=True)
    for path in assets.rglob("*.map"):
        path.unlink()
