"""The clone that an entry is in, and GitHub: its branch and remotes, pages that a submitter needs, the program `gh`."""

from __future__ import annotations

import re
import shutil
import subprocess
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, metadata
from pathlib import Path

from matbench_lite.check import SUBMISSIONS
from matbench_lite.errors import RepositoryError
from matbench_lite.git import Repository
from matbench_lite.review import find_changes

_MAIN = ("main", "master")
_CAN_PUSH = ("ADMIN", "MAINTAIN", "WRITE")
_REMOTE = re.compile(
    r"(?:https?://(?:[^@/]+@)?github\.com/|ssh://(?:[^@/]+@)?github\.com(?::\d+)?/|(?:[^@/]+@)?github\.com:)"
    r"(?P<owner>[A-Za-z0-9-]+)/(?P<name>[A-Za-z0-9_.-]+?)(?:\.git)?/?"
)
_CITED = re.compile(r"""^repository-code:\s*["']?(?P<url>[^"'\s]+)""", re.MULTILINE)


@dataclass(frozen=True, kw_only=True)
class Address:
    """A repository on GitHub."""

    owner: str
    name: str

    def __str__(self) -> str:
        return f"{self.owner}/{self.name}"

    @property
    def page(self) -> str:
        """Its page."""
        return f"https://github.com/{self.owner}/{self.name}"


def parse_address(url: str) -> Address | None:
    """The repository that the address of a git remote means; None if it is not on GitHub."""
    found = _REMOTE.fullmatch(url.strip())
    return None if found is None else Address(owner=found["owner"], name=found["name"])


def cited_address(folder: Path) -> Address | None:
    """The repository that `CITATION.cff` in a folder names; None if it names none."""
    file = folder / "CITATION.cff"
    if not file.is_file():
        return None
    found = _CITED.search(file.read_text(encoding="utf-8", errors="replace"))
    return None if found is None else parse_address(found["url"])


def published_address() -> Address | None:
    """The repository that the installed package names; None if it names none."""
    try:
        addresses = metadata("matbench-lite").get_all("Project-URL") or []
    except PackageNotFoundError:
        return None
    found = (parse_address(line.rpartition(",")[2]) for line in addresses)
    return next((address for address in found if address is not None), None)


@dataclass(frozen=True, kw_only=True)
class GitHub:
    """What `gh` knows: the account, and the repository that pull requests go to, which the clone may be a copy of."""

    login: str
    repository: Address
    can_push: bool


def ask_github(folder: Path, repository: Address | None) -> GitHub | None:
    """Ask `gh` who the user is and what they may do; None if it is not installed, not logged in, or cannot say.

    The repository is that of the project, or the copy that the clone is of; None if it is not on GitHub.
    """
    if repository is None or shutil.which("gh") is None:
        return None
    login = _ask(folder, "api", "user", "--jq", ".login")
    query = "[(.parent.owner.login // .owner.login), (.parent.name // .name), .viewerPermission] | @tsv"
    found = _ask(folder, "repo", "view", str(repository), "--json", "owner,name,parent,viewerPermission", "--jq", query)
    parts = (found or "").split("\t")
    if not login or len(parts) != 3:
        return None
    project = Address(owner=parts[0], name=parts[1])
    return GitHub(login=login, repository=project, can_push=project == repository and parts[2] in _CAN_PUSH)


def _ask(folder: Path, *arguments: str) -> str | None:
    try:
        result = subprocess.run(["gh", *arguments], cwd=folder, check=True, capture_output=True, text=True, timeout=60)
    except (OSError, subprocess.SubprocessError):
        return None
    return result.stdout.strip()


@dataclass(frozen=True, kw_only=True)
class Clone:
    """A clone that has the entry in its place.

    The branch is the one checked out, "" if none is; the base the one that pull requests go to. `others` are the files
    that the branch changes beside entries; `project` is on GitHub, as far as the clone knows it.
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


def find_clone(entry: Path) -> Clone | None:
    """The clone that an entry is in; None if there is no git, no clone, or the entry is not below its `submissions`."""
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
        with suppress(RepositoryError):
            return _line(repository, "symbolic-ref", "--short", f"refs/remotes/{remote}/HEAD").partition("/")[2]
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
        with suppress(RepositoryError):
            return tuple(path.decode(errors="replace") for path in find_changes(repository, ref, "HEAD").others)
    return ()


def _lines(repository: Repository, *arguments: str) -> list[str]:
    return repository.ask(*arguments).decode(errors="replace").split("\n")[:-1]


def _line(repository: Repository, *arguments: str) -> str:
    return "".join(_lines(repository, *arguments)[:1])
