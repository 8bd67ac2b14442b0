"""The names in Matbench's files."""

from __future__ import annotations

BENCHMARK = "matbench_v0.1"
VERSION = "0.6"
"""The version of Matbench whose files we write."""
DATESTAMP = "%Y.%m.%d %H:%M.%S"

DOCUMENT_KEYS = ("@module", "@class", "version", "tasks", "user_metadata", "benchmark_name", "datestamp", "hash")
TASK_KEYS = ("@module", "@class", "benchmark_name", "dataset_name", "results")
FOLD_KEYS = ("data", "parameters", "scores")
UNCERTAINTY_KEYS = ("ci_lower", "ci_upper", "std")

METRICS = {
    "regression": ("mae", "rmse", "mape", "max_error"),
    "classification": ("accuracy", "balanced_accuracy", "f1", "rocauc"),
}


def fold_key(fold: int) -> str:
    """The name of a fold in a file.

    Examples:
        >>> fold_key(0)
        'fold_0'
    """
    return f"fold_{fold}"
