"""From runs to scores, by the rules."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from matbench_lite.judge.points import harmonic_mean, points, simplicity
from matbench_lite.judge.rules import Rules
from matbench_lite.judge.runs import DatasetRuns, Field

if TYPE_CHECKING:
    from numpy.typing import NDArray

_DECIMALS = 3  # of R2: closer than that is equal


@dataclass(frozen=True, kw_only=True)
class Scores:
    """Points and scores, algorithms in the order of the field.

    Args:
        points: Mean points by dataset, algorithm and criterion, from 1 to N.
        by_dataset: Score by dataset and algorithm, from 1 to N.
        overall: Score by algorithm, from 1 to N.
    """

    points: NDArray[np.float64]
    by_dataset: NDArray[np.float64]
    overall: NDArray[np.float64]


def score(field: Field, rules: Rules) -> Scores:
    """Score all algorithms on all datasets.

    Args:
        field: The runs.
        rules: The rules.

    Examples:
        >>> from matbench_lite.judge import Run, arrange, rule_set
        >>> good = Run(algorithm="a", dataset="d", run=0, r2=0.9, components=3, property_value=1.0)
        >>> poor = Run(algorithm="b", dataset="d", run=0, r2=0.8, components=5, property_value=0.0)
        >>> score(arrange([good, poor]), rule_set("draft")).overall.tolist()
        [2.0, 1.0]
    """
    mean_points = np.stack([dataset_points(runs, rules) for runs in field.datasets])
    by_dataset = harmonic_mean(mean_points)
    return Scores(points=mean_points, by_dataset=by_dataset, overall=by_dataset.mean(axis=0))


def dataset_points(runs: DatasetRuns, rules: Rules) -> NDArray[np.float64]:
    """Points on one dataset.

    Args:
        runs: Arrays of shape (..., runs, algorithms).
        rules: The rules.

    Returns:
        Shape (..., algorithms, 3).
    """
    if rules.name == "draft":
        placed = _placed(runs.r2, -runs.components, runs.property_value, passed_runs(runs, rules), rules)
        mean: NDArray[np.float64] = placed.mean(axis=-3)
        return mean
    middle = medians(runs)
    return _placed(middle.r2, simplicity(middle.components), middle.property_value, passed_runs(middle, rules), rules)


def medians(runs: DatasetRuns) -> DatasetRuns:
    """The medians over the runs, shape (..., algorithms); a missing run counts as the worst there could be."""
    with np.errstate(invalid="ignore"):
        r2, r2_train, prop = (
            np.median(np.where(np.isnan(values), -np.inf, values), axis=-2)
            for values in (runs.r2, runs.r2_train, runs.property_value)
        )
        components = np.median(np.where(np.isnan(runs.components), np.inf, runs.components), axis=-2)
    return DatasetRuns(
        dataset=runs.dataset, numbers=(), r2=r2, r2_train=r2_train, components=components, property_value=prop
    )


def passed_runs(runs: DatasetRuns, rules: Rules) -> NDArray[np.bool_]:
    """Which runs (or medians) count: complete, and accurate enough for the rules."""
    passed: NDArray[np.bool_] = np.isfinite(runs.r2) & np.isfinite(runs.components) & np.isfinite(runs.property_value)
    if rules.min_accuracy == "off":
        return passed
    accurate = _accurate(runs.r2, passed)
    if rules.min_accuracy == "train-and-test":
        accurate |= _accurate(runs.r2_train, passed)
    return passed & accurate


def _accurate(r2: NDArray[np.float64], complete: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Whether an R2 is more than half of the best one; none is where the best is not above 0."""
    usable = np.where(complete & np.isfinite(r2), r2, -np.inf)
    best = usable.max(axis=-1, keepdims=True)
    # Doubled, not divided: exact, so that exactly half fails.
    accurate: NDArray[np.bool_] = (best > 0) & (2 * usable > best)
    return accurate


def _placed(
    r2: NDArray[np.float64],
    simple: NDArray[np.float64],
    prop: NDArray[np.float64],
    passed: NDArray[np.bool_],
    rules: Rules,
) -> NDArray[np.float64]:
    values = (np.round(r2, _DECIMALS), simple, prop)
    return np.stack([points(value, passed, ties=rules.ties) for value in values], axis=-1)
