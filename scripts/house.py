"""How the house stands: modules and their sizes, doors that are walked around, files that a check goes through.

`python scripts/house.py` prints the figures; the tests hold them to bounds.
"""

from __future__ import annotations

import ast
import json
import os
import subprocess
import sys
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory

ROOT = Path(__file__).resolve().parent.parent
PACKAGE = ROOT / "matbench_lite"
_CHECK = """
import json, sys, threading
from contextlib import redirect_stdout
from io import StringIO

package, entry = sys.argv[1:]
used = set()


def note(frame, event, argument):
    code = frame.f_code
    if event == "call" and code.co_name != "<module>" and code.co_filename.startswith(package):
        used.add(code.co_filename)


threading.setprofile(note)
sys.setprofile(note)
import matbench_lite.airlock
from matbench_lite.cli.app import run

airlock = sys.modules["matbench_lite.airlock"]
decode = airlock.Airlock.decode


def decode_here_too(self, decoder, about, blobs, limits):
    decoder(about, [memoryview(blob) for blob in blobs])
    return decode(self, decoder, about, blobs, limits)


airlock.Airlock.decode = decode_here_too
with redirect_stdout(StringIO()):
    code = run(["check", entry, "--json"])
sys.setprofile(None)
modules = [name for name in sys.modules if name.split(".")[0] == "matbench_lite"]
json.dump({"code": code, "files": sorted(used), "modules": sorted(modules)}, sys.stdout)
"""
"""Runs a check and notes the files of the package in which a function or the body of a class runs.

What the airlock decodes in a process of its own is decoded here, too, so that its files count.
"""


@dataclass(frozen=True)
class House:
    """Figures of the package.

    Args:
        sizes: Lines of every module, docstrings included, by its path.
        deep: Imports that reach inside another package, as the importing module and the name.
        names: How often each module name occurs; but for `__init__`, models loaded by path, and what mirrors Matbench.
    """

    sizes: dict[str, int]
    deep: list[tuple[str, str]]
    names: Counter[str]

    @property
    def lines(self) -> int:
        """Lines of all modules."""
        return sum(self.sizes.values())

    @property
    def twice(self) -> dict[str, int]:
        """Module names that occur more than once."""
        return {name: number for name, number in sorted(self.names.items()) if number > 1}


def survey(package: Path = PACKAGE) -> House:
    """Read all modules of a package."""
    sizes: dict[str, int] = {}
    deep: list[tuple[str, str]] = []
    names: Counter[str] = Counter()
    for path in sorted(package.rglob("*.py")):
        place = path.relative_to(package)
        text = path.read_text(encoding="utf-8")
        sizes[place.as_posix()] = text.count("\n")
        if path.stem != "__init__" and place.parts[0] != "matbench" and "baselines" not in place.parts:
            names[path.stem] += 1
        deep += [(place.as_posix(), name) for name in _reaching_inside(package, place, ast.parse(text))]
    return House(sizes, deep, names)


def repeats(package: Path = PACKAGE, lines: int = 10) -> list[str]:
    """Where a run of so many equal lines stands a second time; blank lines and indents do not count."""
    first: dict[tuple[str, ...], str] = {}
    found = []
    for path in sorted(package.rglob("*.py")):
        text = path.read_text(encoding="utf-8").splitlines()
        kept = [(number, line.strip()) for number, line in enumerate(text, start=1) if line.strip()]
        for start in range(len(kept) - lines + 1):
            run = tuple(line for _, line in kept[start : start + lines])
            place = f"{path.relative_to(package).as_posix()}:{kept[start][0]}"
            if first.setdefault(run, place) != place:
                found.append(f"{first[run]} = {place}")
    return found


def _reaching_inside(package: Path, place: Path, module: ast.Module) -> list[str]:
    """The imports of a module that name a module inside another package, not the package."""
    found = []
    for node in ast.walk(module):
        if isinstance(node, ast.ImportFrom) and node.module and node.level == 0:
            top, *rest = node.module.split(".")
            if top == package.name and len(rest) > 1 and rest[0] != place.parts[0]:
                found.append(node.module)
    return found


@dataclass(frozen=True)
class Check:
    """What `mbl check` of an entry goes through, on a machine without targets.

    Args:
        files: The files of the package in which a function or the body of a class runs, by their paths.
        modules: The modules of the package that are imported.
    """

    files: list[str]
    modules: list[str]


def check_entry(entry: Path) -> Check:
    """Check an entry, and see what that goes through."""
    with TemporaryDirectory() as store:
        done = subprocess.run(
            [sys.executable, "-c", _CHECK, f"{PACKAGE}{os.sep}", str(entry)],
            capture_output=True,
            text=True,
            check=True,
            cwd=ROOT,
            env={**os.environ, "MATBENCH_LITE_DATA": store},
        )
    said = json.loads(done.stdout)
    if said["code"] != 0:
        raise RuntimeError(f"mbl check {entry} gave {said['code']}: {done.stderr}")
    return Check([Path(file).relative_to(PACKAGE).as_posix() for file in said["files"]], said["modules"])


def main() -> None:
    """Print the figures."""
    house = survey()
    largest = max(house.sizes, key=house.sizes.__getitem__)
    print(f"modules: {len(house.sizes)}, {house.lines} lines")
    print(f"lines of a module: median {median(house.sizes.values()):g}, at most {house.sizes[largest]} ({largest})")
    print(f"imports that reach inside another package: {len(house.deep)}")
    print(
        f"names of several modules: {', '.join(f'{name} ({count})' for name, count in house.twice.items()) or 'none'}"
    )
    try:
        check = check_entry(ROOT / "submissions" / "dummy")
    except subprocess.CalledProcessError as error:
        why = error.stderr.strip().rpartition("\n")[2]
        sys.exit(f"{sys.executable} cannot run `mbl check` ({why}): use that of .venv, from `make .venv/.installed`")
    print(f"`mbl check` runs in {len(check.files)} files and imports {len(check.modules)} modules")


if __name__ == "__main__":
    main()
