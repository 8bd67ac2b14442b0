"""Matbench in and out: its results, its numbers, its API on top of ours."""

from typing import TYPE_CHECKING

from matbench_lite.lazy import lazy

if TYPE_CHECKING:
    from matbench_lite.matbench.bench import MatbenchBenchmark as MatbenchBenchmark
    from matbench_lite.matbench.matbench_form import (
        MatbenchError as MatbenchError, MatbenchKeyError as MatbenchKeyError, MatbenchTypeError as MatbenchTypeError,
    )
    from matbench_lite.matbench.matbench_results import (
        PublishedDifference as PublishedDifference, compare_published as compare_published, is_taken as is_taken,
        read_results as read_results, results_in as results_in, write_results as write_results,
    )
    from matbench_lite.matbench.published import PublishedFile as PublishedFile, published_results as published_results
    from matbench_lite.matbench.task import MatbenchTask as MatbenchTask
else:
    __getattr__, __dir__ = lazy(__name__)
