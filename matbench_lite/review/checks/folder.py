"""The folder: its name, and what does not belong in it."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from itertools import islice

from matbench_lite.filenames import is_device_name
from matbench_lite.review.findings import Finding
from matbench_lite.review.material import Material
from matbench_lite.review.rule import Rule

MAX_SLUG = 60
_SLUG = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*")
_FILE_NAME = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.-]*")
_MAX_FILE_NAME = 100
_MAX_SEEN = 500
_WORK = (".run", "__pycache__")  # of `mbl run`, and of Python; ignored by git

NAME = Rule(
    code="MBL101",
    severity="error",
    title="The folder name is not a slug",
    why="The name is the entry's address: in links, on pages, in commands.",
    fix=f"rename the folder: small letters, digits and single dashes, at most {MAX_SLUG} characters",
)
FOLDER = Rule(
    code="MBL105",
    severity="error",
    title="A folder inside the entry",
    why="An entry is one folder of files. What lies deeper is neither listed nor checked.",
    fix="move the files that made the entry up, and delete the folder",
)
HIDDEN = Rule(
    code="MBL106",
    severity="error",
    title="A hidden file",
    why="A file whose name begins with a dot is not part of an entry and would be published unseen.",
    fix="delete it",
)
FILE_NAME = Rule(
    code="MBL107",
    severity="error",
    title="An unsafe file name",
    why="Names become links and paths on other machines: no slashes, blanks, or two names that differ in case only.",
    fix="rename it: letters, digits, dots, dashes and underscores; then run `mbl seal`",
)

RULES = (NAME, FOLDER, HIDDEN, FILE_NAME)


def is_slug(name: str) -> bool:
    """Whether an entry's folder may have this name.

    Examples:
        >>> is_slug("my-forest"), is_slug("My forest"), is_slug("con")
        (True, False, False)
    """
    return bool(_SLUG.fullmatch(name)) and len(name) <= MAX_SLUG and not is_device_name(name)


def check(material: Material) -> Iterator[Finding]:
    """The folder's own name, folders and hidden files in it, and the names of its files."""
    slug = material.slug
    if not is_slug(slug):
        yield NAME.found(f"the folder is called {slug[:100]!r}")
    if material.folder.is_symlink():
        yield NAME.found(f"{slug[:100]} is a link to another folder", fix="put the folder itself there")
    with os.scandir(material.folder) as found:
        items = sorted(islice(found, _MAX_SEEN), key=lambda item: item.name)
    for item in items:
        if item.name in _WORK and not material.committed:
            continue
        if item.name.startswith("."):
            yield HIDDEN.found(f"there is the hidden {_kind(item)} {item.name[:100]!r}", file=item.name)
        elif item.is_dir(follow_symlinks=False):
            yield FOLDER.found(f"there is the folder {item.name[:100]!r}", file=item.name)
    names = {item.name for item in items if not item.name.startswith(".") and item.name not in _WORK}
    yield from _names(names | _listed(material))


def _names(names: set[str]) -> Iterator[Finding]:
    """Names on disk, and those that submission.json lists."""
    taken: dict[str, str] = {}
    for name in sorted(names):
        if not _FILE_NAME.fullmatch(name) or len(name) > _MAX_FILE_NAME or is_device_name(name):
            yield FILE_NAME.found(f"the name {name[:100]!r} is not safe", file=name[:100])
        elif name.lower() in taken:
            yield FILE_NAME.found(f"{taken[name.lower()]} and {name} differ in case only", file=name)
        taken[name.lower()] = name


def _listed(material: Material) -> set[str]:
    files = (material.examined.document or {}).get("files")
    return set(islice(files, _MAX_SEEN)) if isinstance(files, dict) else set()


def _kind(item: os.DirEntry[str]) -> str:
    return "folder" if item.is_dir(follow_symlinks=False) else "file"
