"""Files of the site: a page as mkdocs reads it, what all pages share, and how they get to disk."""

from __future__ import annotations

import filecmp
import hashlib
import html
import json
import shutil
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

from matbench_lite.atomic import temporary_file
from matbench_lite.cleaner import clean
from matbench_lite.errors import MatbenchLiteError, raising
from matbench_lite.site import addresses
from matbench_lite.templating import render
from matbench_lite.view import SCRIPT, STYLESHEET

_ASSETS = Path(__file__).parent / "assets"


@dataclass(frozen=True, slots=True)
class File:
    """One file of the site: where it goes, relative to the folder of pages, with "/", and its content.

    That is text or bytes; the path of a file to copy; or a function that makes the text, which is not called if the
    file on disk was made from the same `key`, a digest of all that the text follows from, and part of it.
    """

    path: str
    content: str | bytes | Path | Callable[[], str]
    key: str = ""


def write(folder: Path, file: File) -> Path:
    """Write one file under a folder, and say where it is; one that has this content already is left as it is."""
    target = folder / file.path
    with raising(MatbenchLiteError, f"{target} cannot be written", fix="choose another --output"):
        target.parent.mkdir(parents=True, exist_ok=True)
        if isinstance(file.content, Path):
            if not (target.is_file() and filecmp.cmp(file.content, target)):
                shutil.copyfile(file.content, target)
        elif not (file.key and _made_from(target, file.key)):
            _replace(target, file.content() if callable(file.content) else file.content)
    return target


def _made_from(path: Path, key: str) -> bool:
    if not path.is_file():
        return False
    with path.open("rb") as stream:
        return key.encode() in stream.read(2000)


def _replace(target: Path, content: str | bytes) -> None:
    body = content.encode() if isinstance(content, str) else content
    if not (target.is_file() and target.read_bytes() == body):
        # All of it or nothing: a page that was cut off would be taken for one that is up to date.
        with temporary_file(target.parent, target.name) as temporary:
            temporary.write_bytes(body)
            temporary.replace(target)


def page(
    template: str, *, address: str, title: str, hide: tuple[str, ...] = (), made_from: str = "", **values: Any
) -> str:
    """A page: the front matter that mkdocs reads, and the filled template, named as "site/home.md.j2" is.

    Its address is where it is read; templates link from there. `hide` is what the theme leaves out: "navigation",
    "toc". `made_from` is the key of its file, see `File`.
    """
    body = render(template, title=title, to=lambda target: addresses.relative(target, address), at=addresses, **values)
    more = {"hide": list(hide), "made_from": made_from}
    return front_matter(title=title, **{key: value for key, value in more.items() if value}) + body.strip("\n") + "\n"


def page_file(template: str, *, address: str, **values: Any) -> File:
    """A page as a file; takes what `page` does."""
    return File(addresses.source(address), page(template, address=address, **values))


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


class Assets(NamedTuple):
    """Files that all pages share; `early` is what has to run before a page is shown."""

    style: File
    script: File
    early: File
    logo: File


@cache
def load_assets() -> Assets:
    """Put what all pages share together."""
    return Assets(
        style=hashed("site.css", _joined(STYLESHEET, _ASSETS / "site.css")),
        script=hashed("site.js", _joined(_ASSETS / "tables.js", _ASSETS / "compare.js", SCRIPT)),
        early=hashed("early.js", _joined(_ASSETS / "early.js")),
        logo=hashed("logo.svg", _joined(_ASSETS / "logo.svg")),
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
