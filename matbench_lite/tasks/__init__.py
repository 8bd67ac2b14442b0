"""What is measured: tasks, benchmarks, fixed folds, and the category rule."""

from __future__ import annotations

from typing import TYPE_CHECKING

from matbench_lite.lazy import lazy
from matbench_lite.tasks.benchmark import BUILT_IN, MAX_CLASSES, Benchmark, load_benchmark
from matbench_lite.tasks.category import Category, categorise
from matbench_lite.tasks.folds import (
    IN_NO_FOLD,
    MAX_FOLDS,
    assign_folds,
    folds_digest,
    formulas_digest,
    inputs_digest,
    quick_targets_digest,
    spacegroups_digest,
    targets_digest,
)
from matbench_lite.tasks.task import Input, Kind, Scoring, Table, Task

if TYPE_CHECKING:
    from matbench_lite.tasks.splits import NEITHER, TEST, TRAIN, Marks, Split, share_groups, split_rows

__all__ = [
    "BUILT_IN", "IN_NO_FOLD", "MAX_CLASSES", "MAX_FOLDS", "NEITHER", "TEST", "TRAIN", "Benchmark", "Category", "Input",
    "Kind", "Marks", "Scoring", "Split", "Table", "Task", "assign_folds", "categorise", "folds_digest",
    "formulas_digest", "inputs_digest", "load_benchmark", "quick_targets_digest", "share_groups", "spacegroups_digest",
    "split_rows", "targets_digest",
]  # fmt: skip

__getattr__ = lazy(__name__)
