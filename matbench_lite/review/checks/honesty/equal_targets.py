"""Predictions that are the targets."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np

from matbench_lite.metrics import DECISION_THRESHOLD
from matbench_lite.review.findings import MAX_ROWS, Finding
from matbench_lite.review.material import Material, Targets
from matbench_lite.review.rule import Rule
from matbench_lite.tasks import Task

if TYPE_CHECKING:
    from numpy.typing import NDArray

EQUAL = Rule(
    code="MBL501",
    severity="warning",
    title="Predictions equal to the targets",
    why="A model does not hit a number to seven digits, least of all one that occurs once in the task.",
    fix="see that no test target reaches the model: scaling, features and tuning must use the training part alone",
    needs="targets",
)
RULES = (EQUAL,)

SAME = 1e-7
"""Relative difference that counts as equal: targets that went through float32 and back."""
SHARE = 0.01
"""Share of the rows with a unique target above which it is no accident."""
FEWEST = 3
_FEWEST_LABELS = 100


def check(material: Material) -> Iterator[Finding]:
    """Regression: rows with a unique target that are hit. Classification: a task without one wrong row."""
    for task, targets in material.with_targets():
        if task.kind == "regression":
            yield from _values(material, task, targets)
        else:
            yield from _labels(material, task, targets)


def _values(material: Material, task: Task, targets: Targets) -> Iterator[Finding]:
    hits: list[NDArray[np.intp]] = []
    possible = 0
    for fold, held in material.recorded(task).items():
        here = task.test_rows(fold)
        truth, candidates = targets.values[here], targets.unique[here]
        equal = candidates & (np.abs(held.predictions.prediction - truth) <= SAME * np.abs(truth))
        hits.append(here[equal])
        possible += int(candidates.sum())
    rows = np.concatenate(hits)
    if len(rows) >= FEWEST and len(rows) > SHARE * possible:
        yield EQUAL.found(
            f"{len(rows)} of {possible} rows whose target occurs once are predicted to the last digit",
            task=task.name,
            rows=tuple(map(str, task.ids[rows[:MAX_ROWS]])),
            row_count=len(rows),
            evidence={"rows predicted exactly": len(rows), "rows with a unique target": possible},
        )


def _labels(material: Material, task: Task, targets: Targets) -> Iterator[Finding]:
    rows = 0
    for fold, held in material.recorded(task).items():
        truth = targets.values[task.test_rows(fold)]
        if ((held.predictions.prediction > DECISION_THRESHOLD) != truth).any():
            return
        rows += len(truth)
    if rows >= _FEWEST_LABELS:
        message = f"all {rows} rows are predicted right"
        yield EQUAL.found(message, task=task.name, row_count=rows, evidence={"rows": rows, "wrong rows": 0})
