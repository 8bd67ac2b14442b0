"""The results in a checkout of Matbench: its folder `benchmarks/`, one folder per entry."""

from __future__ import annotations

import re
from contextlib import suppress
from pathlib import Path

from matbench_lite.atomic import finish_replacing
from matbench_lite.matbench.errors import MatbenchError
from matbench_lite.matbench.names import BENCHMARK

_NAMES = ("results.json.gz", "results.json")


def results_in(folder: Path) -> dict[str, Path]:
    """Every result below a folder of entries, by the name that the entry's folder gets here.

    Raises:
        MatbenchError: If there is none, or two would get the same name.
    """
    found: dict[str, Path] = {}
    for entry in sorted(folder.iterdir()) if folder.is_dir() else []:
        path = next((entry / name for name in _NAMES if (entry / name).is_file()), None)
        if path is None:
            continue
        slug = re.sub(r"[^a-z0-9]+", "-", entry.name.removeprefix(f"{BENCHMARK}_").lower()).strip("-") or "entry"
        if slug in found:
            raise MatbenchError(f"{found[slug].parent} and {entry} would both become {slug}", fix="rename one of them")
        found[slug] = path
    if not found:
        raise MatbenchError(
            f"there is no */results.json.gz in {folder}", fix="give the folder benchmarks/ of a checkout of Matbench"
        )
    return found


def is_taken(folder: Path) -> bool:
    """Whether there is something in a folder that an import could harm; what a killed one left is nothing."""
    with suppress(OSError):
        finish_replacing(folder)
    return folder.exists() and (not folder.is_dir() or any(not path.name.startswith(".") for path in folder.iterdir()))
