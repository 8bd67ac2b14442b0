"""How an entry was made: Python, packages, git commit, hardware; wall time and peak memory of a block of code."""

from __future__ import annotations

import os
import platform
import re
import subprocess
import sys
import threading
import time
from email.parser import HeaderParser
from importlib.metadata import Distribution, distributions
from pathlib import Path
from typing import Any

import psutil

from matbench_lite._version import __version__

_INTERVAL = 0.02  # seconds between two looks at the memory


def collect_provenance(folder: Path | None = None) -> dict[str, Any]:
    """Describe this process, and the git commit of a folder: nothing that names the user or the machine."""
    return {
        "matbench_lite": __version__,
        "python": platform.python_version(),
        "platform": f"{platform.system()} {platform.machine()}",
        "packages": _imported_packages(),
        "git": _git(folder or Path.cwd()),
        "hardware": {
            "cpu": _cpu_model(),
            "cores": os.cpu_count(),
            "memory_gb": round(psutil.virtual_memory().total / 1e9, 1),
            "gpus": (_said("nvidia-smi", "--query-gpu=name", "--format=csv,noheader") or "").splitlines(),
        },
    }


def _imported_packages() -> dict[str, str]:
    """Versions of the installed distributions that this process has imported."""
    imported = {name.partition(".")[0] for name in list(sys.modules)} - sys.stdlib_module_names - {"matbench_lite"}
    versions: dict[str, str] = {}
    for distribution in distributions():
        if not imported.isdisjoint(_top_level_names(distribution)):
            # `distribution.metadata` would parse its whole README too.
            text = distribution.read_text("METADATA") or distribution.read_text("PKG-INFO")
            about = HeaderParser().parsestr(text or "")
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


def _git(folder: Path) -> dict[str, Any] | None:
    """The commit and whether the tree has changes on top of it; None outside a repository or without git."""
    status = _said("git", "-C", str(folder), "status", "--porcelain=v2", "--branch", "--untracked-files=no")
    if status is None:
        return None
    lines = status.splitlines()
    commit = next(line.rpartition(" ")[2] for line in lines if line.startswith("# branch.oid "))
    return {"commit": commit, "changed": not all(line.startswith("#") for line in lines)}


def _cpu_model() -> str:
    cpuinfo = Path("/proc/cpuinfo")
    text = cpuinfo.read_text(errors="replace") if cpuinfo.is_file() else ""
    found = re.search(r"^model name[^:\n]*:(.*)", text, re.MULTILINE)
    return found[1].strip() if found else platform.processor()


def _said(*command: str) -> str | None:
    """What a program says; None if it is not there, or fails."""
    try:
        return subprocess.run(command, check=True, capture_output=True, text=True, timeout=10).stdout.strip()
    except (OSError, subprocess.SubprocessError):
        return None


class Measurement:
    """Measures the block it surrounds: `seconds` and `peak_memory_mb` are there when it ends.

    Memory is the resident set of this process (children are not counted), looked at every 20 ms by a thread.
    """

    def __init__(self) -> None:
        self.seconds = 0.0
        self.peak_memory_mb = 0.0
        self._done = threading.Event()
        self._watcher = threading.Thread(target=self._watch, daemon=True)

    def __enter__(self) -> Measurement:
        self._process = psutil.Process()
        self._look()
        self._watcher.start()
        self._start = time.perf_counter()
        return self

    def __exit__(self, *error: object) -> None:
        self.seconds = time.perf_counter() - self._start
        self._done.set()
        self._watcher.join()
        self._look()

    def _watch(self) -> None:
        while not self._done.wait(_INTERVAL):
            self._look()

    def _look(self) -> None:
        self.peak_memory_mb = max(self.peak_memory_mb, self._process.memory_info().rss / 1e6)
