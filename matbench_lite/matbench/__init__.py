"""Matbench in and out: its results, its numbers, its API on top of ours."""

from matbench_lite.matbench.bench import MatbenchBenchmark
from matbench_lite.matbench.differences import PublishedDifference, compare_published
from matbench_lite.matbench.errors import MatbenchError, MatbenchKeyError, MatbenchTypeError
from matbench_lite.matbench.importing import read_results
from matbench_lite.matbench.task import MatbenchTask
from matbench_lite.matbench.writing import write_results

__all__ = [
    "MatbenchBenchmark",
    "MatbenchError",
    "MatbenchKeyError",
    "MatbenchTask",
    "MatbenchTypeError",
    "PublishedDifference",
    "compare_published",
    "read_results",
    "write_results",
]
