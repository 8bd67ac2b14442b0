"""What imports what in the package, read from its sources."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import cache
from pathlib import Path

PACKAGE = Path(__file__).parent.parent / "matbench_lite"


@cache
def sources() -> dict[Path, ast.Module]:
    """The parsed source of every module, by its path in the package."""
    return {path.relative_to(PACKAGE): ast.parse(path.read_text()) for path in sorted(PACKAGE.rglob("*.py"))}


def imported(node: ast.AST) -> list[str]:
    """The modules and names that a statement imports."""
    if isinstance(node, ast.Import):
        return [alias.name for alias in node.names]
    if isinstance(node, ast.ImportFrom) and node.module and node.level == 0:
        return [node.module, *(f"{node.module}.{alias.name}" for alias in node.names)]
    return []


def room(path: Path) -> str:
    """The package, or the single module at the top, that a module belongs to."""
    return path.parts[0].removesuffix(".py")


def rooms_imported(module: ast.Module) -> Iterator[tuple[str, str]]:
    """Each import of ours in a module: the room it leads to, and the whole name."""
    for node in ast.walk(module):
        for name in imported(node):
            top, *rest = name.split(".")
            if top == "matbench_lite" and rest:
                yield rest[0], name


def dependents(name: str) -> frozenset[str]:
    """A room and all that import it, directly or through others."""
    edges = {(room(path), target) for path, module in sources().items() for target, _ in rooms_imported(module)}
    found = {name}
    while more := {source for source, target in edges if target in found} - found:
        found |= more
    return frozenset(found)
