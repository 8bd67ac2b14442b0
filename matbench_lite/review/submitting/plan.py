"""The steps from an entry on disk to a pull request."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from matbench_lite.review.pull_request.changes import SUBMISSIONS
from matbench_lite.review.submitting.address import Address
from matbench_lite.review.submitting.clone import Clone
from matbench_lite.review.submitting.github import GitHub

Route = Literal["gh", "git", "upload"]


@dataclass(frozen=True, kw_only=True)
class Step:
    """One thing to do.

    Args:
        say: What, in words.
        command: The command that does it, run in the clone; None if a person does it.
        page: The page to open for it.
    """

    say: str
    command: tuple[str, ...] | None = None
    page: str | None = None


@dataclass(frozen=True, kw_only=True)
class Plan:
    """All that is left to do.

    Args:
        route: With GitHub's program, with git alone, or by dragging files onto a page.
        folder: Where the commands are run.
        steps: What to do, in order.
        remarks: What to know before.
    """

    route: Route
    folder: Path
    steps: tuple[Step, ...]
    remarks: tuple[str, ...] = ()


def plan_submission(
    entry: Path, *, algorithm: str, clone: Clone | None, github: GitHub | None, project: Address | None
) -> Plan:
    """Plan the way from an entry on disk to a pull request.

    Args:
        entry: The entry's folder.
        algorithm: Its name for people.
        clone: The clone it is in; None outside of one.
        github: What GitHub's program knows; None without it.
        project: The project's repository, as far as it is known.
    """
    if clone is None:
        return Plan(route="upload", folder=entry, steps=tuple(_upload(entry, project)))
    title = f"Entry: {algorithm}"
    finish = _with_gh(clone, title, github) if github else _with_git(clone)
    return Plan(
        route="gh" if github else "git",
        folder=clone.folder,
        steps=(*_commit(clone, title), *finish),
        remarks=tuple(_remarks(clone)),
    )


def _remarks(clone: Clone) -> Iterator[str]:
    if clone.others:
        shown = ", ".join(clone.others[:5]) + (" …" if len(clone.others) > 5 else "")
        yield (
            f"the branch {clone.branch or 'HEAD'} also changes {shown}: the review refuses entries and other files in "
            f"one pull request; start from the main branch: git switch {clone.base}"
        )


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
        page = clone.project.fork_page if clone.project else None
        yield Step(say="copy the project to your account on GitHub: Fork", page=page)
        yield Step(say="then: git remote add fork ADDRESS-OF-YOUR-COPY, and mbl submit again")
        return
    yield Step(say="send it", command=("git", "push", "-u", remote, branch))
    if address is None:
        yield Step(say=f"open a pull request for the branch {branch} where {clone.remotes[remote]} is kept")
        return
    if clone.has_fork and clone.project is not None:
        page = clone.project.compare_page(clone.base, address, branch)
    else:
        page = address.new_page(branch)
    yield Step(say="open the pull request", page=page)
    if not clone.has_fork and remote == "origin":
        copy = f"https://github.com/YOUR-NAME/{address.name}.git"
        yield Step(
            say=f"if the push is refused, you may not write to {address}: copy it to your account on this page, then "
            f"git remote add fork {copy}, and mbl submit again",
            page=address.fork_page,
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
        yield Step(say="open GitHub's upload page; log in", page=project.upload_page("main", SUBMISSIONS))
    yield Step(say=f"drag the folder {entry} onto it")
    yield Step(say="choose Propose changes, then Create pull request: GitHub makes a copy in your account by itself")
