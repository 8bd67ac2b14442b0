"""Where an entry was made: Python, packages, git commit, hardware. Collected by itself, shown, and editable."""

from __future__ import annotations

import os
import platform
import re
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from importlib.metadata import Distribution

_NOT_PACKAGES = {"matbench_lite"}


def collect_provenance(folder: Path | None = None) -> dict[str, Any]:
    """Describe this process: nothing that names the user or the machine.

    Args:
        folder: Where the code lies, for the git commit; the working directory by default.
    """
    from matbench_lite._version import __version__

    return {
        "matbench_lite": __version__,
        "python": platform.python_version(),
        "platform": f"{platform.system()} {platform.machine()}",
        "packages": _imported_packages(),
        "git": _git(folder or Path.cwd()),
        "hardware": _hardware(),
    }


def _imported_packages() -> dict[str, str]:
    """Versions of the installed distributions that this process has imported."""
    from email.parser import HeaderParser
    from importlib.metadata import distributions

    imported = {name.partition(".")[0] for name in list(sys.modules)} - sys.stdlib_module_names - _NOT_PACKAGES
    versions: dict[str, str] = {}
    for distribution in distributions():
        if not imported.isdisjoint(_top_level_names(distribution)):
            # `distribution.metadata` would parse its whole README too.
            about = HeaderParser().parsestr(_first_text(distribution, "METADATA", "PKG-INFO"))
            if about["Name"]:  # an uninstall that failed leaves a folder without it
                versions.setdefault(about["Name"], about["Version"])  # the first on sys.path is the one imported
    return dict(sorted(versions.items(), key=lambda item: item[0].lower()))


def _top_level_names(distribution: Distribution) -> set[str]:
    """What can be imported from a distribution.

    `importlib.metadata.packages_distributions` makes a path object of every installed file: 0.6 s where pymatgen is.
    """
    if declared := distribution.read_text("top_level.txt"):
        return set(declared.split())
    files = distribution.read_text("RECORD") or ""
    return set(re.findall(r"\n([^/.,\n]+)", f"\n{files}"))


def _first_text(distribution: Distribution, *names: str) -> str:
    return next((text for name in names if (text := distribution.read_text(name))), "")


def _git(folder: Path) -> dict[str, Any] | None:
    """The commit and whether the tree has changes on top of it; None outside a repository or without git."""
    try:
        lines = _run(
            "git", "-C", str(folder), "status", "--porcelain=v2", "--branch", "--untracked-files=no"
        ).splitlines()
    except (OSError, subprocess.SubprocessError):
        return None
    commit = next(line.rpartition(" ")[2] for line in lines if line.startswith("# branch.oid "))
    return {"commit": commit, "changed": not all(line.startswith("#") for line in lines)}


def _hardware() -> dict[str, Any]:
    import psutil

    return {
        "cpu": _cpu_model(),
        "cores": os.cpu_count(),
        "memory_gb": round(psutil.virtual_memory().total / 1e9, 1),
        "gpus": _gpus(),
    }


def _cpu_model() -> str:
    cpuinfo = Path("/proc/cpuinfo")
    if cpuinfo.is_file():
        for line in cpuinfo.read_text(errors="replace").splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    return platform.processor()


def _gpus() -> list[str]:
    try:
        return _run("nvidia-smi", "--query-gpu=name", "--format=csv,noheader").splitlines()
    except (OSError, subprocess.SubprocessError):
        return []


def _run(*command: str) -> str:
    result = subprocess.run(command, check=True, capture_output=True, text=True, timeout=10)
    return result.stdout.strip()
