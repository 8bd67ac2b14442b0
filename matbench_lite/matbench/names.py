"""The names in Matbench's files."""

from __future__ import annotations

from matbench_lite.metrics import METRICS as REGISTRY

BENCHMARK = "matbench_v0.1"
VERSION = "0.6"
"""The version of Matbench whose files we write."""
DATESTAMP = "%Y.%m.%d %H:%M.%S"

DOCUMENT_KEYS = ("@module", "@class", "version", "tasks", "user_metadata", "benchmark_name", "datestamp", "hash")
TASK_KEYS = ("@module", "@class", "benchmark_name", "dataset_name", "results")
FOLD_KEYS = ("data", "parameters", "scores")
UNCERTAINTY_KEYS = ("ci_lower", "ci_upper", "std")

METRICS = {
    kind: tuple(sorted(metric.name for metric in REGISTRY.values() if metric.published and kind in metric.kinds))
    for kind in ("regression", "classification")
}


def fold_key(fold: int) -> str:
    """The name of a fold in a file.

    Examples:
        >>> fold_key(0)
        'fold_0'
    """
    return f"fold_{fold}"
