"""Scores of an entry: per fold, then over the folds; compared with those that it states; and how they are shown."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from matbench_lite.errors import DataError, UnknownNameError
from matbench_lite.metrics import METRICS, Sample, Summary, ranking_metric, scores, shown_metrics, summarise
from matbench_lite.submission.fold_predictions import FoldPredictions
from matbench_lite.tasks import Scoring, Task
from matbench_lite.text import spread

if TYPE_CHECKING:
    import pandas as pd
    from numpy.typing import ArrayLike

    from matbench_lite.submission.submission import Submission

TOLERANCE = 1e-9
"""Relative difference that is still rounding, not another number."""


def score_fold(task: Task, fold: int, predictions: FoldPredictions) -> dict[str, float]:
    """All metrics of one fold, from its predictions and the true values."""
    truth = task.target_values[task.test_rows(fold)]
    return score_rows(task.scored_as, truth, predictions, classes=len(task.classes))


def score_folds(
    task: Task, truths: Mapping[int, ArrayLike], predictions: Mapping[int, FoldPredictions]
) -> dict[int, dict[str, float]]:
    """All metrics of some folds, by their numbers: those too that learn from the other folds, as a conformal width.

    Of folds that test the same row again, none learns from another.
    """
    classes = len(task.classes)
    samples = {fold: _sample(truths[fold], held, classes=classes) for fold, held in predictions.items()}
    return {
        fold: scores(
            task.scored_as, sample.beside([samples[other] for other in samples if _are_apart(task, fold, other)])
        )
        for fold, sample in samples.items()
    }


def _are_apart(task: Task, fold: int, other: int) -> bool:
    """Whether no row is tested in both of two folds."""
    if task.is_partition:
        return fold != other
    return not np.isin(task.test_rows(fold), task.test_rows(other)).any()


def score_rows(kind: Scoring, truth: ArrayLike, predictions: FoldPredictions, *, classes: int = 0) -> dict[str, float]:
    """All metrics of some rows of a task, from the predictions and the true values in the same order.

    These are in the unit of the target; of more than two classes, their numbers. `classes` is how many have names.

    Examples:
        >>> import numpy as np
        >>> predictions = FoldPredictions(type="label", prediction=np.array([1.0, 0.0]))
        >>> score_rows("classification", [True, False], predictions)
        {'balanced_accuracy': 1.0, 'accuracy': 1.0, 'f1': 1.0}
    """
    return scores(kind, _sample(truth, predictions, classes=classes))


def _sample(truth: ArrayLike, predictions: FoldPredictions, *, classes: int) -> Sample:
    matrix = predictions.probabilities
    return Sample(
        truth,
        predictions.prediction if matrix is None else matrix,
        std=predictions.std,
        lower=predictions.lower,
        upper=predictions.upper,
        probability=predictions.type == "probability",
        classes=max(2, classes),
    )


def is_averaged(metric: str) -> bool:
    """Whether a metric has a mean over folds: not a count that only explains another one."""
    return metric not in METRICS or bool(METRICS[metric].shown)


@dataclass(frozen=True, kw_only=True)
class TaskScores:
    """Scores of one task, for the folds recorded so far.

    Each metric is an attribute: `scores.mae.mean`, `.std`, `.min`, `.max`. `folds[0]["mae"]` is one fold's. `mae`,
    `rmse` and `max_error` are in the unit of the target.
    """

    task: str
    kind: str
    unit: str
    folds: Mapping[int, Mapping[str, float]]
    complete: bool

    @cached_property
    def metrics(self) -> dict[str, Summary]:
        """Mean, std, min and max over the folds, by metric; only metrics that every recorded fold has."""
        names = next(iter(self.folds.values()), {})
        everywhere = [name for name in names if all(name in scores for scores in self.folds.values())]
        return {
            name: summarise([scores[name] for scores in self.folds.values()])
            for name in everywhere
            if is_averaged(name)
        }

    @cached_property
    def ranking(self) -> Summary:
        """The metric that ranks: mae, or balanced accuracy for classification."""
        metric = ranking_metric(self.kind)
        return summarise([scores[metric] for scores in self.folds.values()])

    def __getattr__(self, name: str) -> Summary:
        if not name.startswith("_") and name in self.metrics:
            return self.metrics[name]
        raise AttributeError(f"{self.task} has no metric {name!r}: use one of {', '.join(self.metrics)}")

    def __dir__(self) -> list[str]:
        return [*super().__dir__(), *self.metrics]

    def __repr__(self) -> str:
        lines = [f"{name:>20}  {value.mean:.6g} ± {value.std:.2g}" for name, value in self.metrics.items()]
        state = "" if self.complete else f" (only folds {', '.join(map(str, self.folds))})"
        return "\n".join([f"{self.task}{state}", *lines])


class Scores(dict[str, TaskScores]):
    """Scores of an entry by task name, in registry order."""

    def __missing__(self, name: str) -> TaskScores:
        raise UnknownNameError(f"no fold of {name!r} is recorded", fix=f"recorded: {', '.join(self) or 'nothing yet'}")

    @property
    def frame(self) -> pd.DataFrame:
        """One row per task, fold and metric: columns task, fold, metric, value."""
        import pandas as pd

        rows = [
            (name, fold, metric, value)
            for name, task in self.items()
            for fold, metrics in task.folds.items()
            for metric, value in metrics.items()
        ]
        return pd.DataFrame(rows, columns=["task", "fold", "metric", "value"])

    def __repr__(self) -> str:
        if not self:
            return "no fold recorded yet"
        width = max(map(len, self))
        lines = []
        for name, task in self.items():
            metric = ranking_metric(task.kind)
            value = task.metrics[metric]
            unit = f" {task.unit}" if task.unit else ""
            state = "" if task.complete else f"  (folds {', '.join(map(str, task.folds))})"
            lines.append(f"{name:<{width}}  {metric} {value.mean:.4g} ± {value.std:.2g}{unit}{state}")
        return "\n".join(lines)


@dataclass(frozen=True, kw_only=True)
class ScoreDifference:
    """One stated score that is not what the predictions give; None where the metric is not defined."""

    task: str
    fold: int
    metric: str
    stated: float | None
    recomputed: float | None

    def __str__(self) -> str:
        return f"{self.task} fold {self.fold} {self.metric}: stated {self.stated}, recomputed {self.recomputed}"


def compare_scores(submission: Submission) -> list[ScoreDifference]:
    """Recompute every score that an entry's file states; a fold that states none is not compared."""
    return [
        difference
        for task in submission.tasks
        for fold, held in submission.recorded(task.name).items()
        if held.stated is not None
        for difference in fold_differences(task, fold, held.stated, score_fold(task, fold, held.predictions))
    ]


def fold_differences(
    task: Task, fold: int, stated: Mapping[str, float | None], scores: Mapping[str, float]
) -> list[ScoreDifference]:
    """In what the stated scores of a fold differ from those computed: metric by metric, those that both have."""
    known = {name: value if math.isfinite(value) else None for name, value in scores.items()}
    return [
        ScoreDifference(task=task.name, fold=fold, metric=metric, stated=value, recomputed=known[metric])
        for metric, value in stated.items()
        if metric in known and not same_score(value, known[metric])
    ]


def same_score(stated: float | None, recomputed: float | None, tolerance: float = TOLERANCE) -> bool:
    """Whether two scores are the same but for rounding; None is one that is not defined."""
    if stated is None or recomputed is None:
        return stated is recomputed
    return math.isclose(stated, recomputed, rel_tol=tolerance, abs_tol=1e-12)


def as_text(submission: Submission) -> str:
    """A short table: one line per recorded task."""
    rows = _rows(submission)
    lines = [
        f"Submission: {submission.algorithm} on {submission.benchmark.name}",
        f"{submission.category} ({submission.category.reason})",
    ]
    columns = ("task", "folds", "metric", "value")
    task, folds, metric, value = (max((len(row[name]) for row in rows), default=0) for name in columns)
    lines += [
        f"  {row['task']:<{task}}  {row['folds']:>{folds}}  {row['metric']:<{metric}}"
        f"  {row['value']:>{value}} {row['unit']}".rstrip()
        for row in rows
    ]
    return "\n".join(lines)


def as_html(submission: Submission) -> str:
    """The same for a notebook; every text is escaped."""
    from matbench_lite.templating import render  # for notebooks alone

    rows = _rows(submission)
    return render("submission/submission.html.j2", submission=submission, category=submission.category, rows=rows)


def _rows(submission: Submission) -> list[dict[str, str]]:
    """One per recorded task, ready to print."""
    try:
        scores = submission.scores
    except DataError:
        scores = None
    return [
        _row(task, len(submission.recorded(task.name)), None if scores is None else scores[task.name])
        for task in submission.tasks
    ]


def _row(task: Task, recorded: int, scores: TaskScores | None) -> dict[str, str]:
    row = {"task": task.name, "folds": f"{recorded}/{task.n_folds} folds", "unit": "", "others": ""}
    if scores is None:
        return {**row, "metric": "no targets here", "value": "–"}
    ranking = ranking_metric(scores.kind)
    others = ", ".join(
        f"{metric.name} {spread(scores.metrics[metric.name])}"
        for metric in shown_metrics(scores.kind, "overview")
        if metric.name in scores.metrics
    )
    value = spread(scores.metrics[ranking])
    return {**row, "metric": ranking, "value": value, "unit": scores.unit, "others": others}
