"""One run to do: an algorithm learns from a dataset and predicts, in whatever process it lands in."""

from __future__ import annotations

import math
import traceback
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any, cast

import numpy as np

from matbench_lite.errors import MatbenchLiteError, ModelError
from matbench_lite.judge.competition import TaskSource
from matbench_lite.judge.datasets import Dataset, load_datasets, task_dataset
from matbench_lite.metrics import r2
from matbench_lite.run.fitting import fit_predict
from matbench_lite.run.inputs import model_inputs
from matbench_lite.run.model import Model
from matbench_lite.run.seeds import derived_seed
from matbench_lite.run.unit import Job, Outcome
from matbench_lite.tasks import load_benchmark


@dataclass(frozen=True, kw_only=True)
class JudgedJob(Job):
    """One run of one algorithm; `task` is the name of the dataset, `fold` the number of the run.

    Args:
        features: Features of a task of the registry; None for a synthetic set, whose folder is `benchmark`.
        track: `synthetic` or `real`.
    """

    features: str | None = None
    track: str = "synthetic"

    @property
    def place(self) -> str:
        """Which dataset and run, for messages."""
        return f"{self.task} run {self.fold}"

    def work(self) -> Outcome:
        """Train and predict, in this process; errors become part of the outcome."""
        from matbench_lite.submission import Measurement

        try:
            with Measurement() as block:
                found = self._trained()
        except MatbenchLiteError as error:
            return Outcome(job=self, error=error.message, fix=error.fix, details=traceback.format_exc())
        except Exception as error:
            message = f"{self.place}: {type(error).__name__}: {error}"
            return Outcome(job=self, error=message, fix="see the log", details=traceback.format_exc())
        return Outcome(job=self, params=found, seconds=round(block.seconds, 3))

    def _trained(self) -> dict[str, Any]:
        dataset = _dataset(self.track, self.benchmark, self.task, self.features)
        train, test = dataset.training(self.fold, seed=self.seed), dataset.testing(self.fold)
        parts = [train.X, test.X]
        if dataset.beyond is not None:
            parts.append(dataset.beyond.X)
        if self.model.input is not None:
            parts = self._own_inputs(dataset)
        estimator = self.model.estimator(dataset.task)
        predicted = fit_predict(
            estimator,
            dataset.task,
            cast("Any", parts[0]),
            train.y,
            cast("Any", parts),
            seed=derived_seed(self.seed, self.task, "run", self.fold),
            where=f"run {self.fold}",
        )
        learnt, *others = (np.asarray(part.values, dtype=np.float64) for part in predicted)
        return {
            "r2_train": r2(train.y, learnt),
            "predictions": tuple(others[0].tolist()),
            "beyond": tuple(others[1].tolist()) if len(others) > 1 else None,
            "expression": _expression(estimator),
            "complexity": _complexity(estimator),
        }

    def _own_inputs(self, dataset: Dataset) -> list[Any]:
        """Formulas or structures, for a model that declares to work on them."""
        if dataset.track != "real":
            raise ModelError(
                f"the model {self.model.name!r} takes a {self.model.input}, {dataset.name} has columns of numbers",
                fix="leave out `input = …` in the model, and take a data frame",
            )
        fold = self.fold % dataset.task.n_folds
        rows = (dataset.task.train_rows(fold), dataset.task.test_rows(fold))
        return [model_inputs(self.model, dataset.task, part) for part in rows]


def source_of(dataset: Dataset, folder: Path | None, tasks: tuple[TaskSource, ...]) -> dict[str, Any]:
    """Where a job finds its dataset: what the process that does it needs to know."""
    for source in tasks:
        if dataset.track == "real" and source.name == dataset.name:
            return {"benchmark": source.benchmark, "features": source.features, "track": "real"}
    assert folder is not None, dataset.name
    return {"benchmark": str(folder.resolve()), "track": "synthetic"}


def job_for(model: Model, dataset: Dataset, run: int, source: dict[str, Any], **options: Any) -> JudgedJob:
    """The job of one run."""
    return JudgedJob(model=model, task=dataset.name, fold=run, **source, **options)


@lru_cache(maxsize=32)
def _dataset(track: str, benchmark: str, name: str, features: str | None) -> Dataset:
    """A dataset, read once per process."""
    if track == "real":
        return task_dataset(load_benchmark(benchmark)[name], features=features)
    return load_datasets(Path(benchmark), [name])[0]


def _expression(estimator: Any) -> str | None:
    text = getattr(estimator, "expression_", None)
    return None if text is None else str(text)


def _complexity(estimator: Any) -> float:
    declared = getattr(estimator, "complexity_", None)
    try:
        return math.nan if declared is None else float(declared)
    except (TypeError, ValueError) as error:
        raise ModelError(f"complexity_ is {declared!r}, not a number", fix="give the number of parameters") from error
