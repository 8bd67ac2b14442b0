"""The clone that an entry is in: its branch, its remotes, and what of the entry is committed."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from matbench_lite.errors import RepositoryError
from matbench_lite.git import Repository
from matbench_lite.review.pull_request.changes import SUBMISSIONS, find_changes
from matbench_lite.review.submitting.address import Address, cited_address, parse_address

_MAIN = ("main", "master")


@dataclass(frozen=True, kw_only=True)
class Clone:
    """A clone that has the entry in its place.

    Args:
        folder: Its top folder.
        slug: The entry.
        branch: The branch that is checked out; "" if none is.
        base: The branch that pull requests go to.
        branches: The branches of this clone.
        remotes: The addresses of its remotes by name.
        committed: Whether all of the entry is committed.
        others: Files that the branch changes beside entries.
        project: The project's repository on GitHub, as far as the clone knows it.
    """

    folder: Path
    slug: str
    branch: str
    base: str
    branches: tuple[str, ...]
    remotes: Mapping[str, str]
    committed: bool
    others: tuple[str, ...]
    project: Address | None

    @property
    def path(self) -> str:
        """The entry's folder in the clone."""
        return f"{SUBMISSIONS}/{self.slug}"

    @property
    def own_branch(self) -> str:
        """The branch for the pull request: the one checked out, unless that is the main one."""
        return f"entry-{self.slug}" if self.branch in ("", self.base, *_MAIN) else self.branch

    @property
    def push_remote(self) -> str | None:
        """The remote to push to: a copy of the project if there is one; None without remotes."""
        if "fork" in self.remotes:
            return "fork"
        return "origin" if "origin" in self.remotes else next(iter(self.remotes), None)

    @property
    def push_address(self) -> Address | None:
        """Where that is on GitHub; None if it is elsewhere."""
        return None if self.push_remote is None else parse_address(self.remotes[self.push_remote])

    @property
    def has_fork(self) -> bool:
        """Whether it is known that the remote to push to is a copy of the project."""
        return self.project is not None and self.push_address not in (None, self.project)


def find_clone(entry: Path) -> Clone | None:
    """Look at the clone that an entry is in.

    Args:
        entry: The entry's folder.

    Returns:
        The clone; None if there is no git, no clone, or the entry is not below its `submissions`.
    """
    entry = entry.resolve()
    try:
        repository = Repository(entry)
    except RepositoryError:
        return None
    if entry.parent != repository.folder.resolve() / SUBMISSIONS:
        return None
    remotes = {name: _line(repository, "remote", "get-url", name) for name in _lines(repository, "remote")}
    base = _base(repository, remotes)
    status = repository.ask("status", "--porcelain", "--untracked-files=all", "--", str(entry))
    return Clone(
        folder=repository.folder,
        slug=entry.name,
        branch=_line(repository, "branch", "--show-current"),
        base=base,
        branches=tuple(_lines(repository, "for-each-ref", "--format=%(refname:short)", "refs/heads")),
        remotes=remotes,
        committed=not status,
        others=_others(repository, remotes, base),
        project=_project(repository.folder, remotes),
    )


def place_in_clone(entry: Path) -> Path | None:
    """Where an entry would have to be for git to send it in; None outside of a clone of a project with entries."""
    try:
        submissions = Repository(entry.resolve()).folder / SUBMISSIONS
    except RepositoryError:
        return None
    return submissions / entry.resolve().name if submissions.is_dir() else None


def _base(repository: Repository, remotes: Mapping[str, str]) -> str:
    """The branch that pull requests go to: what the remote calls its head."""
    for remote in ("upstream", "origin", *remotes):
        try:
            return _line(repository, "symbolic-ref", "--short", f"refs/remotes/{remote}/HEAD").partition("/")[2]
        except RepositoryError:
            continue
    return "main"


def _project(folder: Path, remotes: Mapping[str, str]) -> Address | None:
    if "upstream" in remotes:
        return parse_address(remotes["upstream"])
    if cited := cited_address(folder):
        return cited
    return parse_address(remotes["origin"]) if {"fork", "origin"} <= set(remotes) else None


def _others(repository: Repository, remotes: Mapping[str, str], base: str) -> tuple[str, ...]:
    """What the branch changes beside entries, as far as the clone knows its base."""
    for ref in (*(f"{remote}/{base}" for remote in ("upstream", "origin") if remote in remotes), base):
        try:
            changes = find_changes(repository, ref, "HEAD")
        except RepositoryError:
            continue
        return tuple(path.decode(errors="replace") for path in changes.others)
    return ()


def _lines(repository: Repository, *arguments: str) -> list[str]:
    return repository.ask(*arguments).decode(errors="replace").split("\n")[:-1]


def _line(repository: Repository, *arguments: str) -> str:
    return "".join(_lines(repository, *arguments)[:1])
