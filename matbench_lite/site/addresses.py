"""Where each page lies. Pages are `.md` where they are written and `.html` where they are read."""

from __future__ import annotations

import hashlib
import posixpath
import re

HOME = "index.html"
ENTRIES = "entries.html"
COMPARE = "compare.html"
STATISTICS = "statistics.html"
DOWNLOADS = "downloads.html"
GUIDE = "guide"
GENERAL_CSV = "data/general.csv"

_PLAIN = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]{0,99}")
_RESERVED = {"index", "readme"}
"""Names that the renderer treats as the page of the folder."""


def task_page(task: str) -> str:
    """The page of a task.

    Examples:
        >>> task_page("matbench_steels")
        'tasks/matbench_steels.html'
    """
    return f"tasks/{file_name(task)}.html"


def entry_page(slug: str) -> str:
    """The page of an entry."""
    return f"entries/{file_name(slug)}.html"


def entry_file(slug: str, name: str) -> str:
    """A file that belongs to an entry, e.g. its predictions."""
    return f"entries/{file_name(slug)}/{name}"


def task_csv(task: str) -> str:
    """The board of a task with all digits."""
    return f"data/{file_name(task)}.csv"


def rule_page(code: str) -> str:
    """The page of a rule."""
    return f"{GUIDE}/rules/{code}.html"


def source(page: str) -> str:
    """The Markdown file of a page."""
    return page.removesuffix(".html") + ".md"


def relative(target: str, page: str) -> str:
    """The address of a page or file as seen from another page.

    Examples:
        >>> relative("entries/rf.html", "tasks/matbench_steels.html"), relative("index.html", "compare.html")
        ('../entries/rf.html', 'index.html')
    """
    return posixpath.relpath(target, posixpath.dirname(page) or ".")


def file_name(name: str) -> str:
    """A name that is safe as that of a file and in an address, one for each slug.

    Examples:
        >>> file_name("rf"), file_name("../x")
        ('rf', 'x-...')
    """
    if _PLAIN.fullmatch(name) and name.lower() not in _RESERVED and not name.lower().endswith(".md"):
        return name
    plain = re.sub(r"[^A-Za-z0-9_-]+", "", name)[:40]
    return f"{plain}-{hashlib.sha256(name.encode()).hexdigest()[:8]}".lstrip("-")
