"""The predictions: which tasks count; beside the targets: scores recomputed, targets copied, folds too much alike."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from matbench_lite.check.material import Material
from matbench_lite.check.rules import RULES
from matbench_lite.metrics import DECISION_THRESHOLD
from matbench_lite.stats import near_labels
from matbench_lite.submission import DOCUMENT, MAX_ROWS, Finding, Mistake, fold_differences, mistakes, score_rows
from matbench_lite.tasks import Task
from matbench_lite.text import in_words

INCOMPLETE = RULES["MBL311"]
NOTHING = RULES["MBL312"]


def check_completeness(material: Material) -> Iterator[Finding]:
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
        yield NOTHING.found("no task has all its folds recorded")


DIFFERENT = RULES["MBL408"]
UNVERIFIED = RULES["MBL409"]
_SHOWN = 3


def check_scores(material: Material) -> Iterator[Finding]:
    """Every metric of every fold whose published targets are here."""
    for task, targets in material.with_targets():
        for fold, held in material.recorded(task).items():
            truth = targets[task.test_rows(fold)]
            scores = score_rows(task.scored_as, truth, held.predictions, classes=len(task.classes))
            differences = [] if held.stated is None else fold_differences(task, fold, held.stated, scores)
            if differences:
                stated = [f"{d.metric} is {_number(d.stated)}, computed {_number(d.recomputed)}" for d in differences]
                more = f" and {len(stated) - _SHOWN} more" if len(stated) > _SHOWN else ""
                message = f"{'; '.join(stated[:_SHOWN])}{more}"
                evidence = {"metrics": ", ".join(d.metric for d in differences)}
                yield DIFFERENT.found(message, file=DOCUMENT, task=task.name, fold=fold, evidence=evidence)
    missing = [task.name for task in material.tasks if task.name not in (*material.targets, *material.unproven)]
    if missing:
        yield UNVERIFIED.found(f"targets of {in_words(missing)} are missing")
    if material.unproven:
        named = in_words(material.unproven)
        yield UNVERIFIED.found(f"the targets of {named} on this machine are not proven to be the published ones")


def _number(value: float | None) -> str:
    return "not defined" if value is None else f"{value:.6g}"


EQUAL = RULES["MBL501"]

EXCESS = 0.04
"""Share of the rows above which predictions too near to their labels are no accident."""
_FEWEST = 3
_FEWEST_LABELS = 100


def check_equal_targets(material: Material) -> Iterator[Finding]:
    """Regression: rows predicted as the label, or nearly so. Classification: a task without one wrong row."""
    for task, targets in material.with_targets():
        if task.kind == "regression":
            yield from _values(material, task, targets)
        else:
            yield from _labels(material, task, targets)


def _values(material: Material, task: Task, targets: NDArray[Any]) -> Iterator[Finding]:
    recorded = material.recorded(task)
    rows = np.concatenate([task.test_rows(fold) for fold in recorded])
    near = near_labels(targets[rows], np.concatenate([held.predictions.prediction for held in recorded.values()]))
    if len(near.found) >= _FEWEST and near.excess > EXCESS and len(near.found) > 2 * near.expected:
        yield EQUAL.found(
            f"{len(near.found)} of {near.rows} predictions are the label or nearly so, {near.expected:.0f} expected",
            task=task.name,
            rows=tuple(map(str, task.ids[rows[near.found[:MAX_ROWS]]])),
            row_count=len(near.found),
            evidence={"near the label": len(near.found), "expected": near.expected, "rows": near.rows},
        )


def _labels(material: Material, task: Task, targets: NDArray[Any]) -> Iterator[Finding]:
    rows = 0
    for fold, held in material.recorded(task).items():
        truth = targets[task.test_rows(fold)]
        if not _right(task, truth, held.predictions.prediction).all():
            return
        rows += len(truth)
    if rows >= _FEWEST_LABELS:
        message = f"all {rows} rows are predicted correctly"
        yield EQUAL.found(message, task=task.name, row_count=rows, evidence={"rows": rows, "wrong rows": 0})


ALIKE = RULES["MBL502"]

CHANCE = 1e-4
"""Probability of so small a spread by accident below which it is reported, per task."""


def check_fold_scores(material: Material) -> Iterator[Finding]:
    """Tasks of which at least three folds are recorded."""
    for task, targets in material.with_targets():
        folds = material.recorded(task)
        if len(folds) < 3:
            continue
        parts = [(targets[task.test_rows(fold)], held.predictions.prediction) for fold, held in folds.items()]
        scores, errors = zip(*(_score(task, truth, p) for truth, p in parts), strict=True)
        chance = chance_of_spread(scores, errors)
        if chance < CHANCE:
            spread, expected = float(np.std(scores, ddof=1)), float(np.sqrt(np.mean(np.square(errors))))
            yield ALIKE.found(
                f"the scores of {len(folds)} folds spread by {spread:.2g}, the errors of their rows by {expected:.2g}",
                task=task.name,
                evidence={"spread of the fold scores": spread, "spread expected": expected, "chance": chance},
            )


def _right(task: Task, truth: NDArray[Any], p: NDArray[np.float64]) -> NDArray[np.bool_]:
    """The rows whose class is predicted right."""
    said = p if task.scored_as == "multiclass" else p > DECISION_THRESHOLD
    return np.asarray(said == truth)


def _score(task: Task, truth: NDArray[Any], p: NDArray[np.float64]) -> tuple[float, float]:
    """The ranking score of a fold and its standard error over test rows."""
    if task.kind == "regression":
        losses = np.abs(p - truth)
        return float(losses.mean()), float(losses.std() / math.sqrt(len(losses)))
    # By class: the folds are stratified, so the share of each class does not vary.
    right = _right(task, truth, p)
    labels = range(len(task.classes)) if task.scored_as == "multiclass" else (True, False)
    rates = [
        (float(right[truth == label].mean()), int((truth == label).sum())) for label in labels if (truth == label).any()
    ]
    error = math.sqrt(sum(rate * (1 - rate) / size for rate, size in rates)) / len(rates)
    return sum(rate for rate, _ in rates) / len(rates), error


def chance_of_spread(scores: Sequence[float], errors: Sequence[float]) -> float:
    """The probability that scores with these standard errors spread as little as they do, or less; an upper bound.

    The sum of squares over the expected variance follows a chi-squared distribution; real scores spread more, since
    rows of a fold share chemistry and a trained model. For the small values that matter the first term of its series is
    the probability.
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


OF_KIND = {
    "worse than a guess": RULES["MBL512"],
    "unrelated": RULES["MBL513"],
    "out of range": RULES["MBL514"],
    "another unit": RULES["MBL515"],
}


def check_mistakes(material: Material) -> Iterator[Finding]:
    """One finding per task and kind, with the figures of the first fold that has it."""
    for task, targets in material.with_targets():
        found: dict[str, dict[int, Mistake]] = defaultdict(dict)
        for fold, held in material.recorded(task).items():
            for mistake in mistakes(task, fold, held.predictions.prediction, targets):
                found[mistake.kind][fold] = mistake
        for kind, by_fold in found.items():
            fold, first = next(iter(by_fold.items()))
            rows = np.concatenate([task.test_rows(each)[mistake.rows] for each, mistake in by_fold.items()])
            folds = "" if len(by_fold) == 1 else f", and in folds {in_words(list(map(str, by_fold)))}"
            yield OF_KIND[kind].found(
                f"{first.message}{folds}",
                task=task.name,
                fold=fold,
                rows=tuple(map(str, task.ids[rows[:MAX_ROWS]])),
                row_count=len(rows),
                evidence=first.evidence,
            )
