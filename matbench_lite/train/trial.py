"""A local test as RAMP does it: inner cross-validation inside the training part of one fold, saved as it goes."""

from __future__ import annotations

import time
import traceback
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from matbench_lite.errors import MatbenchLiteError, RunError
from matbench_lite.submission import class_numbers
from matbench_lite.tasks import Task
from matbench_lite.train.backends import outcomes
from matbench_lite.train.bagging import RowPredictions
from matbench_lite.train.estimators import Predicted, derived_seed, fit_predict
from matbench_lite.train.jobs import Job, Outcome
from matbench_lite.train.model_file import Model, model_inputs
from matbench_lite.train.trial_files import TrialFolder, note_official_test
from matbench_lite.train.trial_record import (
    PARTS,
    InnerFold,
    InnerResult,
    Predictions,
    State,
    Trial,
    TrialSettings,
    inner_folds,
    score_part,
    trial_scores,
)

Seen = Callable[[InnerResult, bool], None]
"""Called with an inner fold, and whether it is from an earlier run."""
_STEPS = ("fit", *PARTS)
_STATES: dict[str, State] = {"fit": "trained", "valid": "validated", "test": "tested"}


def try_model(
    model: Model,
    task: Task,
    output: Path,
    *,
    fold: int = 0,
    n_folds: int | None = None,
    seed: int = 0,
    official_test: bool = False,
    bagging: bool = True,
    jobs: int = 1,
    timeout: float | None = None,
    fresh: bool = False,
    begins: Callable[[TrialSettings], None] = lambda _: None,
    seen: Seen = lambda *_: None,
) -> Trial:
    """Test a model inside one fold: train on inner folds, score what each holds out, average the models.

    Everything is kept under `output` as it comes. A test that was interrupted goes on where it stopped, if neither the
    model's files nor the settings have changed; one that has ended begins anew. A fold whose model fails is kept with
    its error, and the others go on.

    Args:
        model: The model.
        task: The task.
        output: The model's output folder.
        fold: The fold inside whose training part everything happens.
        n_folds: Number of inner folds; see `inner_folds`.
        seed: Seed of the inner folds and of everything random in the models.
        official_test: Show the scores on the official test part instead of on a slice of the training part; it is
            noted in `output`.
        bagging: Whether to score the averaged models.
        jobs: How many inner folds to train at a time, each in a process of its own with one thread.
        timeout: Seconds after which an inner fold is given up.
        fresh: Train every inner fold, even if a test that was interrupted could go on.
        begins: Called with what is tested, before anything is trained.
        seen: Called with each inner fold as it comes, in order, and whether it is from an earlier run.

    Raises:
        ModelError: If the model does not take what the task gives.
        RunError: If the folds cannot be made, or the folder cannot be written.

    Examples:
        >>> import tempfile
        >>> from matbench_lite import load_benchmark
        >>> from matbench_lite.train import load_model
        >>> task = load_benchmark("mini")["mini_gap"]
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     trial = try_model(load_model("dummy"), task, Path(folder), n_folds=3)
        ...     again = rescore(task, Path(folder))
        >>> [result.state for result in trial.results], len(trial.scores.bagged["valid"])
        (['scored', 'scored', 'scored'], 3)
        >>> again.scores == trial.scores
        True
    """
    folds = inner_folds(task, fold, n_folds=n_folds, seed=seed, official_test=official_test)
    model_inputs(model, task)  # data that is missing is one error, not one per fold
    settings = TrialSettings(
        benchmark=task.benchmark,
        task=task.name,
        fold=fold,
        model=model.name,
        model_sha256=model.sha256,
        inner_folds=len(folds),
        seed=seed,
        official_test=official_test,
    )
    if official_test:
        note_official_test(output, task, fold)
    folder = trial_folder(output, settings)
    begins(settings)
    jobs_to_do = [
        InnerJob(
            model=model,
            benchmark=task.benchmark,
            task=task.name,
            fold=fold,
            seed=seed,
            timeout=timeout,
            task_record=replace(task),  # without what it has cached: it goes to another process
            inner=inner,
            folder=folder,
        )
        for inner in folds
    ]
    with folder.locked():
        there = folder.begin(settings, fresh=fresh)
        results = []
        for result in _results(jobs_to_do, there, workers=jobs):
            seen(result, result.number in there)
            results.append(result)
        return _ended(task, folder, settings, tuple(results), bagging=bagging)


def rescore(task: Task, output: Path, *, fold: int = 0, official_test: bool = False, bagging: bool = True) -> Trial:
    """Score the saved predictions of a test again, without training.

    Args:
        task: The task.
        output: The model's output folder.
        fold: The fold of the test.
        official_test: Whether the test with the official test part is meant.
        bagging: Whether to score the averaged models.

    Raises:
        RunError: If nothing was tried there, or a file is damaged.

    Examples:
        >>> from matbench_lite import load_benchmark
        >>> rescore(load_benchmark("mini")["mini_gap"], Path("nowhere"))  # after `try_model`, its scores
        Traceback (most recent call last):
        matbench_lite.errors.RunError: ...nothing was tried there...
    """
    folder = TrialFolder(output, task.benchmark, task.name, fold, official_test=official_test)
    before = folder.results()
    if not any(result.predictions_sha256 for result in before):
        raise RunError(f"{folder.path} has no predictions", fix="run `mbl try` without --rescore")
    results = tuple(
        folder.keep(scored(task, result, folder.predictions(result))) if result.predictions_sha256 else result
        for result in before
    )
    return _ended(task, folder, folder.settings(), results, bagging=bagging)


def trial_folder(output: Path, settings: TrialSettings) -> TrialFolder:
    """Where the test with these settings is kept."""
    return TrialFolder(output, settings.benchmark, settings.task, settings.fold, official_test=settings.official_test)


def _ended(
    task: Task, folder: TrialFolder, settings: TrialSettings, results: tuple[InnerResult, ...], *, bagging: bool
) -> Trial:
    scored = [result for result in results if result.state == "scored"]
    predictions = {result.number: folder.predictions(result) for result in scored} if bagging else {}
    scores = trial_scores(task, results, predictions, bagging=bagging)
    trial = Trial(settings=settings, results=results, scores=scores)
    if trial.ended:  # a test that was interrupted and rescored can still go on
        folder.finish(scores)
    return trial


def _results(jobs: list[InnerJob], there: dict[int, InnerResult], *, workers: int) -> Iterator[InnerResult]:
    """Every inner fold in order; each is trained as soon as there is a worker for it."""
    results = dict(there)
    missing = [job for job in jobs if job.inner.number not in there]
    trained = outcomes(missing, workers=min(workers, max(1, len(missing))))
    for job in jobs:
        while job.inner.number not in results:
            outcome = next(trained)
            assert isinstance(outcome.job, InnerJob)
            results[outcome.job.inner.number] = _received(outcome.job, outcome)
        yield results[job.inner.number]


def _received(job: InnerJob, outcome: Outcome) -> InnerResult:
    """What an inner fold left on disk; with the error, if its process did not live to write one."""
    result = job.folder.result(job.inner.number) or InnerResult(number=job.inner.number)
    if outcome.error is not None:
        result = failed(replace(result, predictions_sha256=None), RunError(outcome.error))
    return job.folder.keep(replace(result, printed=outcome.output))


@dataclass(frozen=True, kw_only=True)
class InnerJob(Job):
    """One inner fold to train; what comes of it is kept in the folder of the test."""

    task_record: Task
    inner: InnerFold
    folder: TrialFolder

    @property
    def where(self) -> str:
        """Which fold and inner fold, for messages."""
        return f"fold {self.fold}, inner fold {self.inner.number}"

    def work(self) -> Outcome:
        """Train, predict and score, in this process; an error of the model's is kept, too."""
        try:
            self._train()
        except MatbenchLiteError as error:  # the folder cannot be written
            return Outcome(job=self, error=error.message, fix=error.fix)
        return Outcome(job=self)

    def _train(self) -> None:
        task, rows = self.task_record, {part: getattr(self.inner, part) for part in PARTS}
        result = InnerResult(number=self.inner.number)
        started = time.perf_counter()

        def step() -> None:
            """Note after every step of the training how long it took and how far the fold has come."""
            nonlocal result, started
            name = _STEPS[len(result.seconds)]
            seconds = {**result.seconds, name: time.perf_counter() - started}
            result = self.folder.keep(replace(result, seconds=seconds, state=_STATES.get(name, result.state)))
            started = time.perf_counter()

        try:
            inputs, targets = model_inputs(self.model, task), task.targets["target"]
            estimator = self.model.estimator(task)
            started = time.perf_counter()  # what was done before is not part of the training
            predicted = fit_predict(
                estimator,
                task,
                inputs.iloc[self.inner.train],
                targets.iloc[self.inner.train],
                [inputs.iloc[of] for of in rows.values()],
                seed=inner_seed(self.seed, self.task, self.fold, self.inner.number),
                where=self.where,
                step=step,
            )
        except MatbenchLiteError as error:
            at = "" if error.message.startswith(self.place) else f"{self.place}: "
            self.folder.keep(failed(result, error, at=at))
            return
        predictions = {
            # On rows that it has learnt by heart, a model may well be certain: no uncertainty to score.
            part: row_predictions(task, rows[part], replace(of, std=None) if part == "train" else of)
            for part, of in zip(PARTS, predicted, strict=True)
        }
        result = self.folder.keep(result, predictions)
        self.folder.keep(scored(task, result, predictions))


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
    if task.scored_as == "multiclass":
        is_label = values.ndim == 1
        matrix = np.eye(len(task.classes))[class_numbers(task, values)[0]] if is_label else values
        return RowPredictions(rows=rows, prediction=matrix, type="label" if is_label else "probability")
    return RowPredictions(
        rows=rows,
        prediction=values.astype(np.float64),
        type="value" if task.kind == "regression" else "label" if values.dtype == bool else "probability",
        std=predicted.std,
    )
