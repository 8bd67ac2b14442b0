"""What is measured: tasks, benchmarks, fixed folds, and the category rule."""

from matbench_lite.tasks.benchmark import BUILT_IN, Benchmark, load_benchmark
from matbench_lite.tasks.category import Category, categorise
from matbench_lite.tasks.folds import (
    assign_folds,
    folds_digest,
    formulas_digest,
    inputs_digest,
    quick_targets_digest,
    spacegroups_digest,
    targets_digest,
)
from matbench_lite.tasks.task import Input, Kind, Table, Task

__all__ = [
    "BUILT_IN", "Benchmark", "Category", "Input", "Kind", "Table", "Task", "assign_folds",
    "categorise", "folds_digest", "formulas_digest", "inputs_digest", "load_benchmark", "quick_targets_digest",
    "spacegroups_digest", "targets_digest",
]  # fmt: skip
