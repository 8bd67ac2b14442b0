"""Fold scores that are too much alike."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from matbench_lite.metrics import DECISION_THRESHOLD
from matbench_lite.review.findings import Finding
from matbench_lite.review.material import Material
from matbench_lite.review.rule import Rule
from matbench_lite.tasks import Task

if TYPE_CHECKING:
    from numpy.typing import NDArray

ALIKE = Rule(
    code="MBL502",
    severity="warning",
    title="Fold scores too much alike",
    why="Different test rows give different scores. A spread far below that of the errors themselves looks made up.",
    fix="explain it in the README, or look for predictions that were made from one another",
    needs="targets",
)
RULES = (ALIKE,)

CHANCE = 1e-4
"""Probability of so small a spread by accident below which it is reported, per task."""


def check(material: Material) -> Iterator[Finding]:
    """Tasks of which at least three folds are recorded."""
    for task, targets in material.with_targets():
        folds = material.recorded(task)
        if len(folds) < 3:
            continue
        parts = [(targets.values[task.test_rows(fold)], held.predictions.prediction) for fold, held in folds.items()]
        scores, errors = zip(*(_score(task, truth, p) for truth, p in parts), strict=True)
        chance = chance_of_spread(scores, errors)
        if chance < CHANCE:
            spread, expected = float(np.std(scores, ddof=1)), float(np.sqrt(np.mean(np.square(errors))))
            yield ALIKE.found(
                f"the scores of {len(folds)} folds spread by {spread:.2g}, the errors of their rows by {expected:.2g}",
                task=task.name,
                evidence={"spread of the fold scores": spread, "spread expected": expected, "chance": chance},
            )


def _score(task: Task, truth: NDArray[Any], p: NDArray[np.float64]) -> tuple[float, float]:
    """The ranking score of a fold and its standard error over test rows."""
    if task.kind == "regression":
        losses = np.abs(p - truth)
        return float(losses.mean()), float(losses.std() / math.sqrt(len(losses)))
    # By class: the folds are stratified, so the share of each class does not vary.
    right = (p > DECISION_THRESHOLD) == truth
    rates = [
        (float(right[truth == label].mean()), int((truth == label).sum()))
        for label in (True, False)
        if (truth == label).any()
    ]
    error = math.sqrt(sum(rate * (1 - rate) / size for rate, size in rates)) / len(rates)
    return sum(rate for rate, _ in rates) / len(rates), error


def chance_of_spread(scores: Sequence[float], errors: Sequence[float]) -> float:
    """The probability that scores with these standard errors spread as little as they do, or less; an upper bound.

    The sum of squares over the expected variance follows a chi-squared distribution; real scores spread more, since
    rows of a fold share chemistry and a trained model. For the small values that matter the first term of its series
    is the probability.

    Examples:
        >>> round(chance_of_spread([1.0, 1.1, 0.9, 1.05, 0.95], [0.1] * 5), 2)
        0.78
        >>> chance_of_spread([1.0, 1.0, 1.0, 1.0, 1.0], [0.1] * 5)
        0.0
    """
    variance = float(np.mean(np.square(errors)))
    if variance == 0:  # constant errors: a spread of nothing is what they give
        return 1.0
    half = (len(scores) - 1) / 2
    ratio = float(np.var(scores) * len(scores)) / variance
    if ratio > 100 * len(scores):  # certainly no small spread; its power might overflow
        return 1.0
    chance: float = (ratio / 2) ** half / math.gamma(half + 1)
    return min(1.0, chance)
