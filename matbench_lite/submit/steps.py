"""The steps from an entry on disk to a pull request: planned from what is on this machine, and done."""

from __future__ import annotations

import shlex
import shutil
import subprocess
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal
from urllib.parse import quote

from matbench_lite.check import SUBMISSIONS
from matbench_lite.errors import MatbenchLiteError, RepositoryError
from matbench_lite.submit.clone import (
    Address,
    Clone,
    GitHub,
    ask_github,
    find_clone,
    parse_address,
    place_in_clone,
    published_address,
)

Route = Literal["gh", "git", "upload"]


@dataclass(frozen=True, kw_only=True)
class Step:
    """One thing to do, in words; by a command, run in the clone, or by a person, perhaps on a page."""

    say: str
    command: tuple[str, ...] | None = None
    page: str | None = None


@dataclass(frozen=True, kw_only=True)
class Plan:
    """All that is left to do, in order, and what to know before.

    The route is with GitHub's program, with git alone, or by dragging files onto a page; commands are run in the
    folder.
    """

    route: Route
    folder: Path
    steps: tuple[Step, ...]
    remarks: tuple[str, ...] = ()


def _commit(clone: Clone, title: str) -> Iterator[Step]:
    branch = clone.own_branch
    if branch != clone.branch:
        create = () if branch in clone.branches else ("-c",)
        yield Step(say="a branch of its own", command=("git", "switch", *create, branch))
    if not clone.committed:
        yield Step(say="take the entry", command=("git", "add", "--", clone.path))
        yield Step(say="commit it", command=("git", "commit", "-m", title, "--", clone.path))


def _with_git(clone: Clone) -> Iterator[Step]:
    remote, address, branch = clone.push_remote, clone.push_address, clone.own_branch
    if remote is None:
        page = f"{clone.project.page}/fork" if clone.project else None
        yield Step(say="copy the project to your account on GitHub: Fork", page=page)
        yield Step(say="then: git remote add fork ADDRESS-OF-YOUR-COPY, and mbl submit again")
        return
    yield Step(say="send it", command=("git", "push", "-u", remote, branch))
    if address is None:
        yield Step(say=f"open a pull request for the branch {branch} where {clone.remotes[remote]} is kept")
        return
    if clone.project not in (None, address):  # what is pushed to is a copy of it
        head = f"{address.owner}:{address.name}:{quote(branch)}"
        page = f"{clone.project.page}/compare/{quote(clone.base)}...{head}?expand=1"
    else:
        page = f"{address.page}/pull/new/{quote(branch)}"
    yield Step(say="open the pull request", page=page)
    if clone.project in (None, address) and remote == "origin":
        copy = f"https://github.com/YOUR-NAME/{address.name}.git"
        yield Step(
            say=f"if the push is refused, you may not write to {address}: copy it to your account on this page, then "
            f"git remote add fork {copy}, and mbl submit again",
            page=f"{address.page}/fork",
        )


def _with_gh(clone: Clone, title: str, github: GitHub) -> Iterator[Step]:
    branch, remote = clone.own_branch, clone.push_remote or "origin"
    owner = clone.push_address.owner if clone.push_address else github.login
    if not github.can_push and clone.push_address == github.repository:
        remote, owner = "fork", github.login
        yield Step(
            say="a copy of the project in your account",
            command=("gh", "repo", "fork", str(github.repository), "--remote", "--remote-name", remote),
        )
    yield Step(say="send it", command=("git", "push", "-u", remote, branch))
    head = branch if owner == github.repository.owner else f"{owner}:{branch}"
    body = f"Adds the entry {clone.slug}. `mbl check {clone.path}` finds no errors."
    yield Step(
        say="open the pull request",
        command=(
            *("gh", "pr", "create", "--repo", str(github.repository), "--base", clone.base, "--head", head),
            *("--title", title, "--body", body),
        ),
    )


def _upload(entry: Path, project: Address | None) -> Iterator[Step]:
    if project is None:
        yield Step(say=f"open the folder {SUBMISSIONS} of the project on GitHub, then Add file, Upload files")
    else:
        # GitHub makes a copy of the project and a pull request of what is dragged onto it by itself.
        yield Step(say="open GitHub's upload page; log in", page=f"{project.page}/upload/main/{SUBMISSIONS}")
    yield Step(say=f"drag the folder {entry} onto it")
    yield Step(say="choose Propose changes, then Create pull request: GitHub makes a copy in your account by itself")


COPIES = Path("build/upload")
"""Where a copy to drag is put, if the entry's folder has more in it than the entry."""


def prepare(entry: Path, *, algorithm: str, repository: str | None = None) -> Plan:
    """Find the clone, the project and GitHub's program, and plan the way to a pull request.

    The repository is OWNER/NAME of the project on GitHub; by default what the clone, `CITATION.cff` or the installed
    package say.
    """
    clone = find_clone(entry)
    given = None if repository is None else parse_address(f"https://github.com/{repository}")
    if repository is not None and given is None:
        raise MatbenchLiteError(f"{repository!r} is no repository on GitHub", fix="give OWNER/NAME")
    project = given or (clone.project if clone else None) or published_address()
    remarks: list[str] = []
    if clone is None:
        folder = _to_drag(entry)
        if (place := place_in_clone(entry)) is not None:
            remarks.append(f"move it to {place}, and git can send it in")
        return Plan(route="upload", folder=folder, steps=tuple(_upload(folder, project)), remarks=tuple(remarks))
    clone = replace(clone, project=project)
    address = project or clone.push_address
    github = ask_github(clone.folder, address)
    if clone.others:
        shown = ", ".join(clone.others[:5]) + (" …" if len(clone.others) > 5 else "")
        remarks.append(
            f"the branch {clone.branch or 'HEAD'} also changes {shown}: the review refuses entries and other files in "
            f"one pull request; start from the main branch: git switch {clone.base}"
        )
    if github is None and address is not None and shutil.which("gh"):
        remarks.append(
            "gh is installed but cannot help: it is not logged in (gh auth login), or GitHub cannot be reached"
        )
    title = f"Entry: {algorithm}"
    steps = (*_commit(clone, title), *(_with_gh(clone, title, github) if github else _with_git(clone)))
    return Plan(route="gh" if github else "git", folder=clone.folder, steps=steps, remarks=tuple(remarks))


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


def do_steps(plan: Plan, report: Callable[[Step], None]) -> None:
    """Run the commands of a plan one after the other; what they print is shown.

    `report` is called before each step, also those that a person does. A `RepositoryError` if a command fails; the rest
    is not done.
    """
    for step in plan.steps:
        report(step)
        if step.command is None:
            continue
        try:
            subprocess.run(step.command, cwd=plan.folder, check=True)
        except (OSError, subprocess.CalledProcessError) as error:
            raise RepositoryError(
                f"this command failed, and the rest is not done: {shlex.join(step.command)}",
                fix="see what it says above, then run mbl submit again: what is done is not done twice",
            ) from error
