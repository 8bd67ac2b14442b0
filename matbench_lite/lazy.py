"""Doors: packages whose names are listed once, and imported when they are first used."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable
from functools import cache
from importlib import import_module

_IMPORT = re.compile(r"^    from (\S+) import (\([^)]*\)|.*)", re.M)


def listed(text: str) -> dict[str, str]:
    r"""The public names in the source of a package, and the module of each: imported "as" what it is called.

    Examples:
        >>> listed("if TYPE_CHECKING:\n    from matbench_lite.errors import DataError as DataError\n")
        {'DataError': 'matbench_lite.errors'}
    """
    return {name: module for module, names in _IMPORT.findall(text) for name in re.findall(r"(\w+) as \1", names)}


def lazy(package: str) -> tuple[Callable[[str], object], Callable[[], list[str]]]:
    """The `__getattr__` and `__dir__` of a package (PEP 562): a module is imported when one of its names is asked for.

    Examples:
        >>> get, names = lazy("matbench_lite")
        >>> get("MatbenchLiteError").__name__, names()[:2]
        ('MatbenchLiteError', ['Benchmark', 'Category'])
    """

    @cache
    def homes() -> dict[str, str]:
        loader = sys.modules[package].__loader__
        return listed(loader.get_source(package))  # type: ignore[union-attr]

    def names() -> list[str]:
        return sorted(homes())

    def get(name: str) -> object:
        if name == "__all__":
            return names()
        if name not in homes():
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        value = getattr(import_module(homes()[name]), name)
        setattr(sys.modules[package], name, value)
        return value

    return get, names
