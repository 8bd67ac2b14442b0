"""Leaderboards for models that predict materials properties.

Everything public is here, and is imported when it is first used.
"""

from typing import TYPE_CHECKING

from matbench_lite.lazy import lazy

if TYPE_CHECKING:
    from matbench_lite._version import __version__ as __version__
    from matbench_lite.errors import MatbenchLiteError as MatbenchLiteError
    from matbench_lite.submission import Submission as Submission
    from matbench_lite.tasks import (
        Benchmark as Benchmark, Category as Category, Task as Task, load_benchmark as load_benchmark,
    )
else:
    __getattr__, __dir__ = lazy(__name__)
