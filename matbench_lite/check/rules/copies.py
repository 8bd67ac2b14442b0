"""Predictions that are constant, or copied from another fold, task or entry."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from matbench_lite.check.material import Material, occurs_once
from matbench_lite.check.rules import RULES
from matbench_lite.submission import Finding, Submission
from matbench_lite.tasks import Task

DUPLICATE = RULES["MBL505"]

CORRELATION = 0.98
"""Correlation of the residuals from which on two entries are compared further."""
DISTANCE = 0.25
"""Mean difference of their predictions, as a share of the smaller mean error, below which they are nearly the same."""
_SCREENED = 2000  # rows of one fold, looked at first: nearly every pair ends there
_MARGIN = 0.1


@dataclass(frozen=True, kw_only=True)
class Likeness:
    """How much alike two sets of predictions are: the correlation of their residuals (prediction minus target).

    The distance is their mean absolute difference, as a share of the smaller mean absolute error.
    """

    correlation: float
    distance: float


def check_duplicates(material: Material) -> Iterator[Finding]:
    """Every other entry of the benchmark, on the tasks they share."""
    benchmark = material.examined.benchmark
    for slug, other in (material.others or {}).items():
        if benchmark is None or slug == material.slug or other.benchmark.name != benchmark.name:
            continue
        found = {task.name: likeness for task in material.tasks if (likeness := _likeness(material, other, task))}
        if found:
            worst = min(found, key=lambda name: found[name].distance)
            yield DUPLICATE.found(
                f"the predictions are nearly those of {slug} on {len(found)} of the shared tasks: {', '.join(found)}",
                task=worst,
                evidence={
                    "entry": slug,
                    "correlation of the residuals": round(found[worst].correlation, 5),
                    "difference as a share of the error": round(found[worst].distance, 5),
                },
            )


def _likeness(material: Material, other: Submission, task: Task) -> Likeness | None:
    """How much alike two entries are on a task, if that is too much."""
    ours, theirs = material.recorded(task), other.recorded(task.name)
    folds = sorted(ours.keys() & theirs.keys())
    if not folds:
        return None
    if task.name not in material.targets:
        same = all(
            np.array_equal(ours[fold].predictions.prediction, theirs[fold].predictions.prediction) for fold in folds
        )
        return Likeness(correlation=1.0, distance=0.0) if same else None
    targets = material.targets[task.name].astype(np.float64)
    found = None
    for compared, rows, margin in ((folds[:1], _SCREENED, _MARGIN), (folds, None, 0.0)):
        truth = np.concatenate([targets[task.test_rows(fold)[:rows]] for fold in compared])
        first, second = (
            np.concatenate([held[fold].predictions.prediction[:rows] for fold in compared]) for held in (ours, theirs)
        )
        found = likeness(truth, first, second)
        if found is None or found.correlation < CORRELATION - margin or found.distance > DISTANCE + margin:
            return None
    return found


def likeness(truth: NDArray[np.float64], first: NDArray[np.float64], second: NDArray[np.float64]) -> Likeness | None:
    """How much alike two predictions of the same rows are; None if one of them has no error at all."""
    errors = first - truth, second - truth
    smaller = min(float(np.abs(error).mean()) for error in errors)
    if smaller == 0:
        return None
    distance = float(np.abs(first - second).mean()) / smaller
    if min(error.std() for error in errors) == 0:  # both are off by a constant: the distance alone tells
        return Likeness(correlation=1.0, distance=distance)
    return Likeness(correlation=float(np.corrcoef(*errors)[0, 1]), distance=distance)


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
    own = {place: occurs_once(values) for place, values in parts.items()}
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
