"""Leaderboards for models that predict materials properties.

Everything public is here, and is imported when it is first used.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

from matbench_lite._version import __version__

if TYPE_CHECKING:
    from matbench_lite.errors import MatbenchLiteError
    from matbench_lite.submission import Submission
    from matbench_lite.tasks import Benchmark, Category, Task, load_benchmark

_HOMES = {
    "Benchmark": "tasks",
    "Category": "tasks",
    "MatbenchLiteError": "errors",
    "Submission": "submission",
    "Task": "tasks",
    "load_benchmark": "tasks",
}

__all__ = ["Benchmark", "Category", "MatbenchLiteError", "Submission", "Task", "__version__", "load_benchmark"]


def __getattr__(name: str) -> object:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
