"""Sets of tasks that entries are ranked on: a missing task is missing, so that nobody is ranked who lacks one."""

from __future__ import annotations

from matbench_lite.errors import UnknownNameError, unknown_name
from matbench_lite.tasks import Benchmark, Task

TASK_SETS = {
    "all": "all tasks",
    "regression": "the regression tasks",
    "structure": "the structure tasks",
    "common": "the regression tasks on structures, which every general-purpose entry has",
}
"""What each set holds, by name."""


def select_tasks(benchmark: Benchmark, task_set: str) -> tuple[Task, ...]:
    """The tasks of a set, a key of `TASK_SETS`.

    Raises:
        UnknownNameError: If there is no such set, or the benchmark has no task in it.

    Examples:
        >>> from matbench_lite import load_benchmark
        >>> {name: len(select_tasks(load_benchmark("matbench_v0.1"), name)) for name in TASK_SETS}
        {'all': 13, 'regression': 10, 'structure': 9, 'common': 8}
    """
    if task_set not in TASK_SETS:
        raise unknown_name("task set", task_set, TASK_SETS)
    tasks = _selected(benchmark, task_set)
    if not tasks:
        raise UnknownNameError(f"{benchmark.name} has no task in the set {task_set!r}", fix="use the set 'all'")
    return tasks


def default_task_set(benchmark: Benchmark) -> str:
    """The set on which every general-purpose entry can be ranked: "common", or "all" where that is empty.

    An entry is general-purpose if it has all tasks, all regression tasks or all structure tasks, and so, each time, the
    tasks that are both.
    """
    return "common" if _selected(benchmark, "common") else "all"


def _selected(benchmark: Benchmark, task_set: str) -> tuple[Task, ...]:
    return benchmark.select(
        kind="regression" if task_set in ("regression", "common") else None,
        input="structure" if task_set in ("structure", "common") else None,
    )
