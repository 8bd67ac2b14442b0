"""Where a repository lives on GitHub, and the pages of it that a submitter needs."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote

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

    @property
    def fork_page(self) -> str:
        """The page that makes a copy of it in the visitor's name."""
        return f"{self.page}/fork"

    def upload_page(self, branch: str, folder: str) -> str:
        """The page onto which files are dragged; GitHub makes a copy and a pull request of it by itself."""
        return f"{self.page}/upload/{quote(branch)}/{quote(folder)}"

    def compare_page(self, base: str, head: Address, branch: str) -> str:
        """The page that opens a pull request for a branch that was pushed to `head`."""
        return f"{self.page}/compare/{quote(base)}...{head.owner}:{head.name}:{quote(branch)}?expand=1"

    def new_page(self, branch: str) -> str:
        """The page that opens a pull request for a branch of this repository, or of the one it was copied from."""
        return f"{self.page}/pull/new/{quote(branch)}"


def parse_address(url: str) -> Address | None:
    """The repository that the address of a git remote means; None if it is not on GitHub.

    Examples:
        >>> print(parse_address("git@github.com:me/boards.git"), parse_address("https://github.com/me/boards"))
        me/boards me/boards
        >>> parse_address("/srv/git/boards.git") is None
        True
    """
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
    from importlib.metadata import PackageNotFoundError, metadata

    try:
        addresses = metadata("matbench-lite").get_all("Project-URL") or []
    except PackageNotFoundError:
        return None
    found = (parse_address(line.rpartition(",")[2]) for line in addresses)
    return next((address for address in found if address is not None), None)
