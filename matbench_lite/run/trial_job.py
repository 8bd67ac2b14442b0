"""One inner fold of a local test: trained in a process of its own, its state on disk after every step."""

from __future__ import annotations

import time
import traceback
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from matbench_lite.errors import MatbenchLiteError
from matbench_lite.run.bagging import RowPredictions
from matbench_lite.run.fitting import Predicted, fit_predict
from matbench_lite.run.inner import InnerFold
from matbench_lite.run.inputs import model_inputs
from matbench_lite.run.seeds import derived_seed
from matbench_lite.run.trial_folder import TrialFolder
from matbench_lite.run.trial_record import PARTS, InnerResult, State
from matbench_lite.run.trial_scores import score_part
from matbench_lite.run.unit import Job, Outcome
from matbench_lite.tasks import Task

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from matbench_lite.run.trial_scores import Predictions

_STEPS = ("fit", *PARTS)
_STATES: dict[str, State] = {"fit": "trained", "valid": "validated", "test": "tested"}


@dataclass(frozen=True, kw_only=True)
class InnerJob(Job):
    """One inner fold to train; what comes of it is kept in the folder of the test.

    Args:
        about: The task itself.
        inner: The rows.
        folder: Where the test is kept.
    """

    about: Task
    inner: InnerFold
    folder: TrialFolder

    @property
    def where(self) -> str:
        """Which fold and inner fold, for messages."""
        return f"fold {self.fold}, inner fold {self.inner.number}"

    @property
    def place(self) -> str:
        """Which task and fold, for messages."""
        return f"{self.task} {self.where}"

    def work(self) -> Outcome:
        """Train, predict and score, in this process; an error of the model's is kept, too."""
        try:
            self._train()
        except MatbenchLiteError as error:  # the folder cannot be written
            return Outcome(job=self, error=error.message, fix=error.fix)
        return Outcome(job=self)

    def _train(self) -> None:
        steps = _Steps(self)
        task, rows = self.about, {part: getattr(self.inner, part) for part in PARTS}
        try:
            inputs, targets = model_inputs(self.model, task), task.targets["target"]
            estimator = self.model.estimator(task)
            steps.begin()
            predicted = fit_predict(
                estimator,
                task,
                inputs.iloc[self.inner.train],
                targets.iloc[self.inner.train],
                [inputs.iloc[of] for of in rows.values()],
                seed=inner_seed(self.seed, self.task, self.fold, self.inner.number),
                where=self.where,
                step=steps,
            )
        except MatbenchLiteError as error:
            at = "" if error.message.startswith(self.place) else f"{self.place}: "
            self.folder.keep(failed(steps.result, error, at=at))
            return
        predictions = {
            # On rows that it has learnt by heart, a model may well be certain: no uncertainty to score.
            part: row_predictions(task, rows[part], replace(of, std=None) if part == "train" else of)
            for part, of in zip(PARTS, predicted, strict=True)
        }
        result = self.folder.keep(steps.result, predictions)
        self.folder.keep(scored(task, result, predictions))


class _Steps:
    """Called after every step of the training: notes how long it took and how far the fold has come."""

    def __init__(self, job: InnerJob) -> None:
        self.result = InnerResult(number=job.inner.number)
        self._folder = job.folder
        self.begin()

    def begin(self) -> None:
        """Start the clock: what was done before is not part of the training."""
        self._started = time.perf_counter()

    def __call__(self) -> None:
        name = _STEPS[len(self.result.seconds)]
        seconds = {**self.result.seconds, name: time.perf_counter() - self._started}
        self.result = replace(self.result, seconds=seconds, state=_STATES.get(name, self.result.state))
        self._folder.keep(self.result)
        self.begin()


def scored(task: Task, result: InnerResult, predictions: Predictions) -> InnerResult:
    """An inner fold with the scores of its predictions, or the reason why they cannot be scored."""
    try:
        scores = {part: score_part(task, predictions[part]) for part in PARTS}
    except MatbenchLiteError as error:
        return failed(result, error, at=f"{task.name} inner fold {result.number}: ")
    return replace(result, scores=scores, state="scored", error=None, traceback=None)


def failed(result: InnerResult, error: MatbenchLiteError, *, at: str = "") -> InnerResult:
    """An inner fold that ended with an error."""
    # What the model raised is the cause; the way from there through our code says nothing to its author.
    cause = error.__cause__
    message = str(error) if cause is None else error.message
    where = "".join(traceback.format_exception(cause or error))
    return replace(result, state="error", error=f"{at}{message}", traceback=where)


def inner_seed(seed: int, task: str, fold: int, number: int) -> int:
    """The seed of the model of one inner fold."""
    return derived_seed(seed, task, fold, "inner", number)


def row_predictions(task: Task, rows: NDArray[np.intp], predicted: Predicted) -> RowPredictions:
    """What a model predicts, with the rows that it is for."""
    values = predicted.values
    return RowPredictions(
        rows=rows,
        prediction=values.astype(np.float64),
        type="value" if task.kind == "regression" else "label" if values.dtype == bool else "probability",
        std=predicted.std,
    )
