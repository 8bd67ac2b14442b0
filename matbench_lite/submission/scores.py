"""Scores of an entry: per fold, then mean, std, min and max over the folds."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from matbench_lite.errors import UnknownNameError
from matbench_lite.metrics import METRICS, Sample, Summary, ranking_metric, scores, summarise
from matbench_lite.submission.predictions import FoldPredictions
from matbench_lite.tasks import Kind, Task

if TYPE_CHECKING:
    import pandas as pd
    from numpy.typing import ArrayLike


def score_fold(task: Task, fold: int, predictions: FoldPredictions) -> dict[str, float]:
    """All metrics of one fold, from the predictions and the true values.

    Args:
        task: The task; its targets must be on this machine or fetchable.
        fold: The fold number.
        predictions: What was recorded for it.
    """
    return score_rows(task.kind, task.target_values[task.test_rows(fold)], predictions)


def score_rows(kind: Kind, truth: ArrayLike, predictions: FoldPredictions) -> dict[str, float]:
    """All metrics of some rows of a task, from the predictions and the true values in the same order.

    Args:
        kind: Kind of the task.
        truth: The true values, in the unit of the target.
        predictions: One per true value.

    Examples:
        >>> import numpy as np
        >>> predictions = FoldPredictions(type="label", prediction=np.array([1.0, 0.0]))
        >>> score_rows("classification", [True, False], predictions)
        {'balanced_accuracy': 1.0, 'accuracy': 1.0, 'f1': 1.0}
    """
    sample = Sample(
        truth,
        predictions.prediction,
        std=predictions.std,
        lower=predictions.lower,
        upper=predictions.upper,
        probability=predictions.type == "probability",
    )
    return scores(kind, sample)


def is_averaged(metric: str) -> bool:
    """Whether a metric has a mean over folds: not a count that only explains another one."""
    return metric not in METRICS or bool(METRICS[metric].shown)


@dataclass(frozen=True, kw_only=True)
class TaskScores:
    """Scores of one task.

    Each metric is an attribute: `scores.mae.mean`, `.std`, `.min`, `.max`. `folds[0]["mae"]` is one fold's.

    Args:
        task: Name of the task.
        kind: Kind of the task.
        unit: Unit of the target and so of mae, rmse and max_error.
        folds: Metrics by fold number, for the folds recorded so far.
        complete: Whether all folds are recorded.
    """

    task: str
    kind: str
    unit: str
    folds: Mapping[int, Mapping[str, float]]
    complete: bool

    @cached_property
    def metrics(self) -> dict[str, Summary]:
        """Mean, std, min and max over the folds, by metric; only metrics that every recorded fold has."""
        everywhere = [name for name in self._names if all(name in scores for scores in self.folds.values())]
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

    @property
    def _names(self) -> list[str]:
        return list(next(iter(self.folds.values()), {}))

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


class Scores(Mapping[str, TaskScores]):
    """Scores of an entry by task name, in registry order."""

    def __init__(self, tasks: Mapping[str, TaskScores]) -> None:
        self._tasks = dict(tasks)

    def __getitem__(self, name: str) -> TaskScores:
        if name not in self._tasks:
            raise UnknownNameError(
                f"no fold of {name!r} is recorded", fix=f"recorded: {', '.join(self._tasks) or 'nothing yet'}"
            )
        return self._tasks[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._tasks)

    def __len__(self) -> int:
        return len(self._tasks)

    @property
    def frame(self) -> pd.DataFrame:
        """One row per task, fold and metric: columns task, fold, metric, value."""
        import pandas as pd

        rows = [
            (name, fold, metric, value)
            for name, task in self._tasks.items()
            for fold, metrics in task.folds.items()
            for metric, value in metrics.items()
        ]
        return pd.DataFrame(rows, columns=["task", "fold", "metric", "value"])

    def __repr__(self) -> str:
        if not self._tasks:
            return "no fold recorded yet"
        width = max(map(len, self._tasks))
        lines = []
        for name, task in self._tasks.items():
            metric = ranking_metric(task.kind)
            value = task.metrics[metric]
            unit = f" {task.unit}" if task.unit else ""
            state = "" if task.complete else f"  (folds {', '.join(map(str, task.folds))})"
            lines.append(f"{name:<{width}}  {metric} {value.mean:.4g} ± {value.std:.2g}{unit}{state}")
        return "\n".join(lines)
