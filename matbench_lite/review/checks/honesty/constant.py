"""Constant predictions, and predictions that were copied from another fold or task."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations
from typing import TYPE_CHECKING

import numpy as np

from matbench_lite.review.findings import Finding
from matbench_lite.review.material import Material
from matbench_lite.review.rule import Rule

if TYPE_CHECKING:
    from numpy.typing import NDArray

CONSTANT = Rule(
    code="MBL503",
    severity="warning",
    title="Constant predictions",
    why="One value for all rows of a fold is what a dummy predicts, or a network that has collapsed.",
    fix="nothing, if a constant is meant; else look at the training",
)
COPIED = Rule(
    code="MBL504",
    severity="warning",
    title="Predictions copied from another fold or task",
    why="Different rows do not get the same predictions in the same order; recording the wrong array does that.",
    fix="see that each fold records the predictions for its own test rows",
)
RULES = (CONSTANT, COPIED)

SHARE = 0.5
"""Share of the rows with a prediction of their own that are the same elsewhere."""
_ROWS = 2000  # that are compared: enough to tell, and all pairs of tasks stay cheap
_FEWEST = 20
_SHOWN = 4


def check(material: Material) -> Iterator[Finding]:
    """Folds with one value, then pairs of folds of a task and of tasks of the entry."""
    constant = {
        task.name: sum(_is_constant(held.predictions.prediction) for held in material.recorded(task).values())
        for task in material.tasks
    }
    if found := {name: folds for name, folds in constant.items() if folds}:
        told = ", ".join([*list(found)[:_SHOWN], *([f"{len(found) - _SHOWN} more"] if len(found) > _SHOWN else [])])
        yield CONSTANT.found(
            f"one value for all rows of a fold, in {sum(found.values())} folds of {told}",
            task=next(iter(found)) if len(found) == 1 else None,
            evidence={"tasks": len(found), "constant folds": sum(found.values())},
        )
    yield from _copied(material)


def _copied(material: Material) -> Iterator[Finding]:
    parts = {
        (task.name, fold): held.predictions.prediction[:_ROWS]
        for task in material.tasks
        for fold, held in material.recorded(task).items()
    }
    own = {place: _values_of_their_own(values) for place, values in parts.items()}
    pairs = (pair for pair in combinations(parts, 2) if pair[0][0] == pair[1][0] or pair[0][1] == pair[1][1])
    for first, second in pairs:
        same, possible = _same(parts[first], parts[second], own[first])
        if possible >= _FEWEST and same > SHARE * possible:
            yield COPIED.found(
                f"{same} of {possible} predictions are those of {first[0]} fold {first[1]}, row by row",
                task=second[0],
                fold=second[1],
                evidence={"same rows": same, "rows compared": possible},
            )


def _same(first: NDArray[np.float64], second: NDArray[np.float64], own: NDArray[np.bool_]) -> tuple[int, int]:
    size = min(len(first), len(second))
    own = own[:size]
    return int(np.count_nonzero((first[:size] == second[:size]) & own)), int(np.count_nonzero(own))


def _is_constant(values: NDArray[np.float64]) -> bool:
    return len(values) > 1 and bool(values[0] == values[-1]) and bool((values == values[0]).all())


def _values_of_their_own(values: NDArray[np.float64]) -> NDArray[np.bool_]:
    """Whether each value occurs once: zeros, labels and clipped values are the same by accident."""
    _, place, counts = np.unique(values, return_inverse=True, return_counts=True)
    alone: NDArray[np.bool_] = (counts == 1)[place]
    return alone
