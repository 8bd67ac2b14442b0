"""Packages whose names are imported when they are first used."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable
from functools import cache
from importlib import import_module

_TYPES = re.compile(r"^if TYPE_CHECKING:\n((?:(?: .*)?\n)+)", re.M)
_IMPORT = re.compile(r"from (\S+) import (?:\(([^)]*)\)|(.+))")


def lazy(package: str) -> Callable[[str], object]:
    """The `__getattr__` of a package (PEP 562) that imports a module when one of its names is first asked for.

    Which names there are, and in which module, is said once: by the imports below `if TYPE_CHECKING:`.

    Args:
        package: Full name of the package.

    Examples:
        >>> lazy("matbench_lite")("MatbenchLiteError").__name__
        'MatbenchLiteError'
    """

    @cache
    def homes() -> dict[str, str]:
        loader = sys.modules[package].__loader__
        text = loader.get_source(package)  # type: ignore[union-attr]
        imports = _IMPORT.findall("".join(_TYPES.findall(text)))
        return {name: module for module, many, one in imports for name in re.findall(r"\w+", many or one)}

    def get(name: str) -> object:
        if name not in homes():
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        value = getattr(import_module(homes()[name]), name)
        setattr(sys.modules[package], name, value)
        return value

    return get
