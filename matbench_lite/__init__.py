"""Leaderboards for models that predict materials properties.

Everything public is here, and is imported when it is first used.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from matbench_lite._version import __version__
from matbench_lite.lazy import lazy

if TYPE_CHECKING:
    from matbench_lite.errors import MatbenchLiteError
    from matbench_lite.submission import Submission
    from matbench_lite.tasks import Benchmark, Category, Task, load_benchmark

__all__ = ["Benchmark", "Category", "MatbenchLiteError", "Submission", "Task", "__version__", "load_benchmark"]

__getattr__ = lazy(__name__)


def __dir__() -> list[str]:
    return sorted(__all__)
