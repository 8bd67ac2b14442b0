"""Which tasks count: those whose folds are all recorded."""

from __future__ import annotations

from collections.abc import Iterator

from matbench_lite.review.findings import Finding
from matbench_lite.review.material import Material
from matbench_lite.review.rule import Rule

INCOMPLETE = Rule(
    code="MBL311",
    severity="warning",
    title="A task that does not count",
    why="A task counts when all its folds are recorded. On boards and in the category it is as if it were not there.",
    fix="record the other folds, or leave the task out",
)
NOTHING = Rule(
    code="MBL312",
    severity="error",
    title="No task counts",
    why="No fold set is complete, so the entry would appear on no board.",
    fix="record all folds of at least one task",
)
RULES = (INCOMPLETE, NOTHING)


def check(material: Material) -> Iterator[Finding]:
    """Tasks with missing folds; folds that are there but unsound are somebody else's concern."""
    submission = material.submission
    if submission is None:
        return
    for task in submission.tasks:
        missing = [fold for fold in task.folds if not submission.is_recorded(task.name, fold)]
        if missing:
            recorded = task.n_folds - len(missing)
            message = f"{recorded} of {task.n_folds} folds are recorded; missing: {', '.join(map(str, missing))}"
            yield INCOMPLETE.found(message, task=task.name)
    if not submission.complete_tasks:
        yield NOTHING.found("of no task are all folds recorded")
