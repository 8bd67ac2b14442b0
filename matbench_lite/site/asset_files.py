"""The stylesheet, the scripts and the logo of the site, each under a name that changes with its content."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from matbench_lite.site.files import File
from matbench_lite.site.plots import SCRIPT, STYLESHEET

_FOLDER = Path(__file__).parent / "assets"


@dataclass(frozen=True, kw_only=True)
class Assets:
    """Files that all pages share.

    Args:
        style: The stylesheet.
        script: The script: tables, plots, comparisons.
        early: What has to run before the page is shown: a few lines.
        logo: The picture in the header and in the browser's tab; a file, not a part of every page.
    """

    style: File
    script: File
    early: File
    logo: File

    def __iter__(self) -> Iterator[File]:
        return iter((self.style, self.script, self.early, self.logo))


def load_assets() -> Assets:
    """Put what all pages share together; the plots have parts of their own."""
    return Assets(
        style=hashed("site.css", _joined(_FOLDER / "site.css", STYLESHEET)),
        script=hashed("site.js", _joined(_FOLDER / "tables.js", _FOLDER / "compare.js", SCRIPT)),
        early=hashed("early.js", _joined(_FOLDER / "early.js")),
        logo=hashed("logo.svg", _joined(_FOLDER / "logo.svg")),
    )


def hashed(name: str, content: str) -> File:
    """A file whose name changes with its content: browsers may keep it for ever.

    Examples:
        >>> hashed("a.css", "b{}").path
        'assets/a....css'
    """
    stem, _, ending = name.rpartition(".")
    return File(f"assets/{stem}.{hashlib.sha256(content.encode()).hexdigest()[:8]}.{ending}", content)


def script_with(name: str, content: Any) -> str:
    r"""Data as a script that sets a variable: pages that are opened from a folder can load nothing else.

    Examples:
        >>> script_with("data", {"a": "</script>"})
        'window.data={"a":"<\\/script>"};\n'
    """
    import orjson

    text = orjson.dumps(content, option=orjson.OPT_NON_STR_KEYS).decode()
    # Line ends that older browsers do not take in a script, and what would end one.
    safe = text.replace("</", "<\\/").replace("\u2028", "\\u2028").replace("\u2029", "\\u2029")
    return f"window.{name}={safe};\n"


def _joined(*paths: Path) -> str:
    return "\n".join(path.read_text(encoding="utf-8") for path in paths)
