"""The API reference: a page per package, made by mkdocstrings from the docstrings."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from matbench_lite.site import addresses
from matbench_lite.site.files import File
from matbench_lite.site.site import Site
from matbench_lite.site.templating import page

_PACKAGE = Path(__file__).parent.parent.parent
_INTERNAL = {"airlock", "cli", "site"}
"""What is used through the program, not from Python."""


@dataclass(frozen=True, kw_only=True)
class Package:
    """A package and its public names.

    Args:
        name: Its full name.
        about: The first line of its docstring.
        names: What it lists as `__all__`.
    """

    name: str
    about: str
    names: tuple[str, ...]

    @property
    def address(self) -> str:
        """Its page."""
        return f"reference/{self.name.partition('.')[2] or 'index'}.html"


def publish(site: Site) -> Iterator[File]:  # noqa: ARG001
    """One page for what most people need, one for each package."""
    for package in packages():
        text = page("reference.md.j2", address=package.address, title=package.name, package=package)
        yield File(addresses.source(package.address), text)


@cache
def packages() -> tuple[Package, ...]:
    """The packages that have public names, `matbench_lite` itself first; read, not imported: some are heavy.

    Examples:
        >>> [package.name for package in packages()][:2]
        ['matbench_lite', 'matbench_lite.board']
    """
    paths = [_PACKAGE / "__init__.py", *sorted(_PACKAGE.glob("*/__init__.py"))]
    found = [_read(path) for path in paths if path.parent.name not in _INTERNAL]
    return tuple(package for package in found if package.names)


def _read(path: Path) -> Package:
    module = ast.parse(path.read_text(encoding="utf-8"))
    listed = [
        ast.literal_eval(node.value)
        for node in module.body
        if isinstance(node, ast.Assign) and [ast.unparse(target) for target in node.targets] == ["__all__"]
    ]
    return Package(
        name=".".join(path.parent.relative_to(_PACKAGE.parent).parts),
        about=(ast.get_docstring(module) or "").partition("\n")[0],
        names=tuple(name for names in listed for name in names if not name.startswith("__")),
    )
