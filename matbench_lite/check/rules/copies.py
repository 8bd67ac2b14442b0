"""Predictions that are constant, or copied from another fold or task."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from matbench_lite.check.material import Material
from matbench_lite.check.rules import RULES
from matbench_lite.stats import shared_by_at_most
from matbench_lite.submission import Finding

CONSTANT = RULES["MBL503"]
COPIED = RULES["MBL504"]

SHARE = 0.5
"""Share of the rows with a prediction of their own that are the same elsewhere."""
_ROWS = 2000  # that are compared: enough to tell, and all pairs of tasks stay cheap
_FEWEST = 20
_SHOWN = 4


def check_constant(material: Material) -> Iterator[Finding]:
    """Folds with one value, then pairs of folds of a task and of tasks of the entry."""
    constant = {
        task.name: sum(_is_constant(held.predictions.prediction) for held in material.recorded(task).values())
        for task in material.tasks
    }
    if found := {name: folds for name, folds in constant.items() if folds}:
        tasks = ", ".join([*list(found)[:_SHOWN], *([f"{len(found) - _SHOWN} more"] if len(found) > _SHOWN else [])])
        yield CONSTANT.found(
            f"one value for all rows of a fold, in {sum(found.values())} folds of {tasks}",
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
    # Values of their own: zeros, labels and clipped values are the same by accident.
    own = {place: shared_by_at_most(values, 0) for place, values in parts.items()}
    pairs = (pair for pair in combinations(parts, 2) if pair[0][0] == pair[1][0] or pair[0][1] == pair[1][1])
    for first, second in pairs:
        size = min(len(parts[first]), len(parts[second]))
        compared = own[first][:size]
        same = int(np.count_nonzero((parts[first][:size] == parts[second][:size]) & compared))
        possible = int(np.count_nonzero(compared))
        if possible >= _FEWEST and same > SHARE * possible:
            yield COPIED.found(
                f"{same} of {possible} predictions are those of {first[0]} fold {first[1]}, row by row",
                task=second[0],
                fold=second[1],
                evidence={"same rows": same, "rows compared": possible},
            )


def _is_constant(values: NDArray[np.float64]) -> bool:
    return len(values) > 1 and bool(values[0] == values[-1]) and bool((values == values[0]).all())
