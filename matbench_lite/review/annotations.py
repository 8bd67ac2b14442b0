"""Findings as GitHub's workflow commands: shown beside the files of a pull request."""

from __future__ import annotations

from pathlib import Path

from matbench_lite.review.checked import Checked
from matbench_lite.review.findings import Finding
from matbench_lite.submission import DOCUMENT

_COMMANDS = {"error": "error", "warning": "warning", "note": "notice"}


def annotation(checked: Checked, finding: Finding) -> str:
    r"""One finding as one line that GitHub's runner understands.

    Everything a stranger wrote is escaped as the runner asks: a message cannot end the line, nor begin a command of
    its own.

    Examples:
        >>> found = Finding(code="MBL201", severity="error", message="50% of it\nis wrong", fix="save it again")
        >>> checked = Checked(slug="a", folder=Path("submissions/a"), findings=(found,), not_run={}, submission=None,
        ...                   category=None, verified={}, digest=None, size=0)
        >>> annotation(checked, found)
        '::error file=submissions/a/submission.json,title=MBL201 a::50%25 of it%0Ais wrong%0Afix: save it again'
    """
    properties = {"file": _path(checked.folder / (finding.file or DOCUMENT)), "title": f"{finding.code} {checked.slug}"}
    place = f"{finding.place}: " if finding.place and finding.place != finding.file else ""
    told = ",".join(f"{name}={_property(value)}" for name, value in properties.items())
    text = f"{place}{finding.message}\nfix: {finding.fix}"
    return f"::{_COMMANDS[finding.severity]} {told}::{_data(text)}"


def _path(path: Path) -> str:
    """The path as GitHub knows it: from the root of the repository, where a workflow runs."""
    here = Path.cwd()
    return (path.relative_to(here) if path.is_relative_to(here) else path).as_posix()


def _data(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")
