"""What is known on this machine about the way to a pull request, put together."""

from __future__ import annotations

import re
import shutil
from dataclasses import replace
from pathlib import Path

from matbench_lite.errors import MatbenchLiteError
from matbench_lite.review.submitting.address import Address, published_address
from matbench_lite.review.submitting.clone import find_clone, place_in_clone
from matbench_lite.review.submitting.github import ask_github
from matbench_lite.review.submitting.plan import Plan, plan_submission

COPIES = Path("build/upload")
"""Where a copy to drag is put, if the entry's folder has more in it than the entry."""


def prepare(entry: Path, *, algorithm: str, repository: str | None = None) -> Plan:
    """Find the clone, the project and GitHub's program, and plan the way to a pull request.

    Args:
        entry: The entry's folder.
        algorithm: Its name for people.
        repository: OWNER/NAME of the project on GitHub; by default what the clone, `CITATION.cff` or the installed
            package say.
    """
    clone = find_clone(entry)
    project = _given(repository) or (clone.project if clone else None) or published_address()
    if clone is None:
        plan = plan_submission(_to_drag(entry), algorithm=algorithm, clone=None, github=None, project=project)
        place = place_in_clone(entry)
        return plan if place is None else replace(plan, remarks=(f"move it to {place}, and git can send it in",))
    clone = replace(clone, project=project)
    address = project or clone.push_address
    github = ask_github(clone.folder, address)
    plan = plan_submission(entry, algorithm=algorithm, clone=clone, github=github, project=project)
    if github is None and address is not None and shutil.which("gh"):
        remark = "gh is installed but cannot help: it is not logged in (gh auth login), or GitHub cannot be reached"
        plan = replace(plan, remarks=(*plan.remarks, remark))
    return plan


def _given(repository: str | None) -> Address | None:
    if repository is None:
        return None
    found = re.fullmatch(r"(?P<owner>[A-Za-z0-9-]+)/(?P<name>[A-Za-z0-9_.-]+)", repository)
    if found is None:
        raise MatbenchLiteError(f"{repository!r} is no repository on GitHub", fix="give OWNER/NAME")
    return Address(owner=found["owner"], name=found["name"])


def _to_drag(entry: Path) -> Path:
    """The folder to drag: the entry's own, or a copy without the hidden files that a run leaves in it."""
    entry = entry.resolve()
    if not any(path.name.startswith(".") for path in entry.iterdir()):
        return entry
    copy = COPIES / entry.name
    if copy.is_dir():  # of the time before
        shutil.rmtree(copy)
    copy.mkdir(parents=True)
    for path in sorted(entry.iterdir()):
        if path.is_file() and not path.name.startswith("."):
            shutil.copyfile(path, copy / path.name)
    return copy.resolve()
