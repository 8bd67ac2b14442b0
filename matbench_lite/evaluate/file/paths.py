"""Paths in an evaluation file: absolute, relative to it, or inside an installed package."""

from __future__ import annotations

from functools import cache
from importlib.util import find_spec
from pathlib import Path

OWN, CCOBRA = "%matbench_lite%", "%ccobra%"
_PACKAGES = {OWN: "matbench_lite", CCOBRA: "ccobra"}


def full_path(stated: str, folder: Path) -> Path | None:
    """The path that a text in an evaluation file means; None if it lies in a package that is not installed.

    Args:
        stated: The text.
        folder: The folder of the evaluation file.

    Examples:
        >>> full_path("data/a.csv", Path("/evaluations")).as_posix()
        '/evaluations/data/a.csv'
        >>> full_path("%matbench_lite%/tasks/mini.toml", Path("/evaluations")).is_file()
        True
    """
    for placeholder, package in _PACKAGES.items():
        if placeholder in stated:
            home = _home(package)
            if home is None:
                return None
            stated = stated.replace(placeholder, str(home))
    return folder / stated


@cache
def _home(package: str) -> Path | None:
    spec = find_spec(package)
    return Path(spec.origin).parent if spec is not None and spec.origin is not None else None
