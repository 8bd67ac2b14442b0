"""Entries that make the same errors as an entry that is there already."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from matbench_lite.review.findings import Finding
from matbench_lite.review.material import Material
from matbench_lite.review.rule import Rule
from matbench_lite.submission import RecordedFold, Submission
from matbench_lite.tasks import Task

if TYPE_CHECKING:
    from numpy.typing import NDArray

DUPLICATE = Rule(
    code="MBL505",
    severity="warning",
    title="Nearly the predictions of another entry",
    why="Independent models make different errors. The same errors, row by row, mean the same model or a copy.",
    fix="say in the README how the two entries are related",
    needs="others",
)
RULES = (DUPLICATE,)

CORRELATION = 0.98
"""Correlation of the residuals from which on two entries are compared further."""
DISTANCE = 0.25
"""Mean difference of their predictions, as a share of the smaller mean error, below which they are nearly the same."""
_SCREENED = 2000  # rows of one fold, looked at first: nearly every pair ends there
_MARGIN = 0.1


@dataclass(frozen=True, kw_only=True)
class Likeness:
    """How much alike two sets of predictions are.

    Args:
        correlation: Of their residuals (prediction minus target), -1 to 1.
        distance: Mean absolute difference of the predictions, as a share of the smaller mean absolute error.
    """

    correlation: float
    distance: float


def check(material: Material) -> Iterator[Finding]:
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
    targets = material.targets[task.name].values.astype(np.float64)
    some = _compared(task, targets, ours, theirs, folds[:1], _SCREENED)
    if some is None or some.correlation < CORRELATION - _MARGIN or some.distance > DISTANCE + _MARGIN:
        return None
    all_rows = _compared(task, targets, ours, theirs, folds, None)
    if all_rows is None or all_rows.correlation < CORRELATION or all_rows.distance > DISTANCE:
        return None
    return all_rows


def _compared(
    task: Task,
    targets: NDArray[np.float64],
    ours: Mapping[int, RecordedFold],
    theirs: Mapping[int, RecordedFold],
    folds: list[int],
    limit: int | None,
) -> Likeness | None:
    truth = np.concatenate([targets[task.test_rows(fold)[:limit]] for fold in folds])
    first, second = (
        np.concatenate([held[fold].predictions.prediction[:limit] for fold in folds]) for held in (ours, theirs)
    )
    return likeness(truth, first, second)


def likeness(truth: NDArray[np.float64], first: NDArray[np.float64], second: NDArray[np.float64]) -> Likeness | None:
    """How much alike two predictions of the same rows are; None if one of them has no error at all.

    Examples:
        >>> truth = np.array([0.0, 1.0, 2.0, 3.0])
        >>> likeness(truth, truth + [1, -1, 1, -1], truth + [1, -1, 1, -0.9])
        Likeness(correlation=0.999..., distance=0.025...)
    """
    errors = first - truth, second - truth
    smaller = min(float(np.abs(error).mean()) for error in errors)
    if smaller == 0:
        return None
    distance = float(np.abs(first - second).mean()) / smaller
    spread = [float(error.std()) for error in errors]
    if min(spread) == 0:  # both are off by a constant: the distance alone tells
        return Likeness(correlation=1.0, distance=distance)
    covariance = float(np.mean((errors[0] - errors[0].mean()) * (errors[1] - errors[1].mean())))
    return Likeness(correlation=covariance / (spread[0] * spread[1]), distance=distance)
