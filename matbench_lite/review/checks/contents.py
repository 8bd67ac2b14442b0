"""What is in the files beside the two of ours: code and text, nothing that could run by being opened."""

from __future__ import annotations

import stat
from collections.abc import Iterator

from matbench_lite.review.checks.file_types import Kind, file_kind
from matbench_lite.review.checks.text import deceiving_characters
from matbench_lite.review.findings import Finding
from matbench_lite.review.material import Material
from matbench_lite.review.rule import Rule

_ELSEWHERE = "delete it and run `mbl seal`; publish models and data elsewhere and link to them in the README"

PICKLE = Rule(
    code="MBL108",
    severity="error",
    title="A pickle, or another file of Python objects",
    why="Opening one runs whatever its author put in it. That includes joblib, PyTorch and NumPy files.",
    fix=_ELSEWHERE,
)
EXECUTABLE = Rule(
    code="MBL109",
    severity="error",
    title="A program",
    why="An entry holds code to be read. A compiled program cannot be reviewed, and nothing here is to be started.",
    fix="delete it, or take its execute permission away (chmod -x), and run `mbl seal`",
)
ARCHIVE = Rule(
    code="MBL110",
    severity="error",
    title="An archive or another binary file",
    why="A reviewer cannot see what is in it. Entries hold text, and PNG or JPEG pictures for the README.",
    fix=_ELSEWHERE,
)
ENCODING = Rule(
    code="MBL111",
    severity="error",
    title="A text file that is not UTF-8",
    why="It is shown on the entry's page; in another encoding it turns to garbage there.",
    fix="save it as UTF-8 and run `mbl seal`",
)
DECEIVING = Rule(
    code="MBL112",
    severity="warning",
    title="Characters that do not show",
    why="Characters that turn the direction of writing, or have no width, make code look like what it is not.",
    fix="remove them and run `mbl seal`, unless the text needs them",
)
WEB_PAGE = Rule(
    code="MBL115",
    severity="error",
    title="A file that a browser would run",
    why="Files of an entry are published beside the pages of the site. A script in one would run there, in its name.",
    fix="put text into the README, pictures into PNG files, and run `mbl seal`",
)

RULES = (PICKLE, EXECUTABLE, ARCHIVE, ENCODING, DECEIVING, WEB_PAGE)
_BY_KIND: dict[Kind, tuple[Rule, str]] = {
    "pickle": (PICKLE, "a pickle or a file of Python objects"),
    "executable": (EXECUTABLE, "a program"),
    "archive": (ARCHIVE, "an archive"),
    "binary": (ARCHIVE, "binary"),
    "other encoding": (ENCODING, "text, but not in UTF-8"),
    "web page": (WEB_PAGE, "a web page, a script for one, or an SVG picture"),
}


def check(material: Material) -> Iterator[Finding]:
    """The kind of every file, by content and by name."""
    for name, content in material.examined.files.items():
        kind = file_kind(name, content)
        if kind in _BY_KIND:
            rule, words = _BY_KIND[kind]
            yield rule.found(f"{name} is {words}", file=name)
        elif kind == "text" and (found := deceiving_characters(content.decode())):
            yield DECEIVING.found(f"{name} has {', '.join(found)}", file=name)
        if kind != "executable" and content.startswith(b"#!") and _may_execute(material, name):
            yield EXECUTABLE.found(f"{name} is a script that may be executed", file=name)


def _may_execute(material: Material, name: str) -> bool:
    try:
        return bool((material.folder / name).lstat().st_mode & stat.S_IXUSR)
    except OSError:
        return False
