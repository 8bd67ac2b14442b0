"""How the house stands: modules and their sizes, doors that are walked around, files that a check goes through.

`python scripts/house.py` prints the figures; the tests hold them to bounds.
"""

from __future__ import annotations

import ast
import subprocess
import sys
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from statistics import median

ROOT = Path(__file__).resolve().parent.parent
PACKAGE = ROOT / "matbench_lite"
_CHECK = """
import sys
from matbench_lite.cli.app import run
run(["check", sys.argv[1], "--json"])
names = [name for name in sys.modules if name.split(".")[0] == "matbench_lite"]
print("modules", len(names), file=sys.stderr)
"""


@dataclass(frozen=True)
class House:
    """Figures of the package.

    Args:
        sizes: Lines of every module, docstrings included, by its path.
        deep: Imports that reach inside another package, as the importing module and the name.
        names: How often each module name occurs; `__init__` aside.
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
        if path.stem != "__init__":
            names[path.stem] += 1
        deep += [(place.as_posix(), name) for name in _reaching_inside(package, place, ast.parse(text))]
    return House(sizes, deep, names)


def _reaching_inside(package: Path, place: Path, module: ast.Module) -> list[str]:
    """The imports of a module that name a module inside another package, not the package."""
    found = []
    for node in ast.walk(module):
        if isinstance(node, ast.ImportFrom) and node.module and node.level == 0:
            top, *rest = node.module.split(".")
            if top == package.name and len(rest) > 1 and rest[0] != place.parts[0]:
                found.append(node.module)
    return found


def modules_of_a_check(entry: Path) -> int:
    """How many modules of ours `mbl check` of an entry imports."""
    done = subprocess.run(
        [sys.executable, "-c", _CHECK, str(entry)], capture_output=True, text=True, check=True, cwd=ROOT
    )
    return int(done.stderr.split()[-1])


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
    print(f"modules that `mbl check` goes through: {modules_of_a_check(ROOT / 'submissions' / 'dummy')}")


if __name__ == "__main__":
    main()
