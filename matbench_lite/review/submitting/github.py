"""GitHub's own program `gh`, where it is here and logged in."""

from __future__ import annotations

import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

from matbench_lite.review.submitting.address import Address

_CAN_PUSH = ("ADMIN", "MAINTAIN", "WRITE")


@dataclass(frozen=True, kw_only=True)
class GitHub:
    """What `gh` knows.

    Args:
        login: The name of the account.
        repository: The repository that pull requests go to: that of the clone, or the one it was copied from.
        can_push: Whether the account may push to it.
    """

    login: str
    repository: Address
    can_push: bool


def ask_github(folder: Path, repository: Address | None) -> GitHub | None:
    """Ask `gh` who the user is and what they may do.

    Args:
        folder: The clone.
        repository: The repository of the project, or of the copy that the clone is of; None if it is not on GitHub.

    Returns:
        What it knows; None if it is not installed, not logged in, or cannot say.
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
