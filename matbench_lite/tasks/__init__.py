"""What is measured: tasks, benchmarks, fixed folds, and the category rule."""

from typing import TYPE_CHECKING

from matbench_lite.lazy import lazy

if TYPE_CHECKING:
    from matbench_lite.tasks.benchmark import (
        BUILT_IN as BUILT_IN, MAX_CLASSES as MAX_CLASSES, Benchmark as Benchmark, load_benchmark as load_benchmark,
    )
    from matbench_lite.tasks.category import Category as Category, categorise as categorise
    from matbench_lite.tasks.folds import (
        IN_NO_FOLD as IN_NO_FOLD, MAX_FOLDS as MAX_FOLDS, Split as Split, assign_folds as assign_folds,
        folds_digest as folds_digest, inputs_digest as inputs_digest,
        quick_targets_digest as quick_targets_digest, spacegroups_digest as spacegroups_digest,
        targets_digest as targets_digest,
    )
    from matbench_lite.tasks.splits import (
        NEITHER as NEITHER, TEST as TEST, TRAIN as TRAIN, Marks as Marks, share_groups as share_groups,
        split_rows as split_rows,
    )
    from matbench_lite.tasks.task import Input as Input, Kind as Kind, Scoring as Scoring, Table as Table, Task as Task
else:
    __getattr__, __dir__ = lazy(__name__)
