"""Packages whose names are imported when they are first used."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from importlib import import_module


def lazy(package: str, modules: Mapping[str, str]) -> Callable[[str], object]:
    """The `__getattr__` of a package (PEP 562) that imports a module when one of its names is first asked for.

    Args:
        package: Full name of the package.
        modules: For each module of the package, the names that it gives, separated by spaces.

    Examples:
        >>> lazy("matbench_lite", {"errors": "DataError MetricError"})("DataError").__name__
        'DataError'
    """
    homes = {name: module for module, names in modules.items() for name in names.split()}

    def get(name: str) -> object:
        if name not in homes:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        value = getattr(import_module(f"{package}.{homes[name]}"), name)
        setattr(sys.modules[package], name, value)
        return value

    return get
