"""Matbench in and out: its results, its numbers, its API on top of ours."""

from matbench_lite.matbench.bench import MatbenchBenchmark
from matbench_lite.matbench.matbench_form import MatbenchError, MatbenchKeyError, MatbenchTypeError
from matbench_lite.matbench.matbench_results import is_taken, read_results, results_in, write_results
from matbench_lite.matbench.published_scores import PublishedDifference, compare_published
from matbench_lite.matbench.task import MatbenchTask

__all__ = [
    "MatbenchBenchmark", "MatbenchError", "MatbenchKeyError", "MatbenchTask", "MatbenchTypeError",
    "PublishedDifference", "compare_published", "is_taken", "read_results", "results_in", "write_results",
]  # fmt: skip
