"""A local test as RAMP does it: inner cross-validation inside the training part of one fold, kept as it goes."""

from __future__ import annotations

import traceback
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

from matbench_lite.errors import MatbenchLiteError, RunError
from matbench_lite.tasks import Task
from matbench_lite.train.driver import Step, drive
from matbench_lite.train.jobs import Job, Outcome
from matbench_lite.train.model_file import Model, model_inputs
from matbench_lite.train.protocols import PARTS, LocalTest, inner_folds
from matbench_lite.train.runners import runner
from matbench_lite.train.trial_record import (
    InnerResult,
    Trial,
    TrialSettings,
    note_official_test,
    read_settings,
    score_part,
    trial_journal,
    trial_scores,
)

Seen = Callable[[InnerResult, bool], None]
"""Called with an inner fold, and whether it is from an earlier run."""


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
    threads: int = 1,
    devices: Sequence[str] = (),
    timeout: float | None = None,
    memory_mb: float | None = None,
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
        jobs: How many inner folds to train at a time, each in a process of its own.
        threads: Threads of each of them.
        devices: Values of `CUDA_VISIBLE_DEVICES`, one for each process in turn.
        timeout: Seconds after which an inner fold is given up.
        memory_mb: Memory in MB above which an inner fold is given up.
        fresh: Train every inner fold, even if a test that was interrupted could go on.
        begins: Called with what is tested, before anything is trained.
        seen: Called with each inner fold as it comes, in order, and whether it is from an earlier run.

    Raises:
        ModelError: If the model does not take what the task gives.
        RunError: If the folds cannot be made, or a test is going on in the folder.
        MachineError: If the folder cannot be written.

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
    # What cannot be split is one error, not one per fold.
    n_folds = len(inner_folds(task, fold, n_folds=n_folds, seed=seed, official_test=official_test))
    protocol = LocalTest(task=replace(task), fold=fold, inner_folds=n_folds, official_test=official_test)
    model_inputs(model, task)  # and so is data that is missing
    settings = TrialSettings(
        benchmark=task.benchmark,
        task=task.name,
        fold=fold,
        model=model.name,
        model_sha256=model.sha256,
        inner_folds=n_folds,
        seed=seed,
        official_test=official_test,
    )
    if official_test:
        note_official_test(output, task, fold)
    first = Job(
        model=model, protocol=protocol, piece=0, seed=seed, seconds=timeout, memory_mb=memory_mb, threads=threads
    )
    every = [replace(first, piece=number) for number in range(n_folds)]
    journal = trial_journal(output, task, fold, official_test=official_test)
    begins(settings)
    with journal.locked():
        known = {} if fresh else journal.known(every)
        if not known or len(journal.read()) >= n_folds:  # of another test, or of one that has ended
            known = {}
            journal.forget()
            journal.begin(asdict(settings))
        outcomes = {piece: outcome for (_, piece), outcome in known.items()}
        results = {piece: _result(task, piece, outcome) for piece, outcome in outcomes.items()}
        there = set(results)
        shown = 0

        def show() -> None:
            """Show inner folds in order, each as soon as those before it are there."""
            nonlocal shown
            while shown in results:
                seen(results[shown], shown in there)
                shown += 1

        def received(step: Step) -> None:
            outcomes[step.job.piece] = step.outcome
            results[step.job.piece] = _result(task, step.job.piece, step.outcome)
            show()

        show()
        missing = [job for job in every if job.piece not in there]
        with runner(workers=min(jobs, max(1, len(missing))), devices=devices) as using:
            drive(missing, using, journal, title=task.name, report=received)
        return _trial(task, settings, results, outcomes, bagging=bagging)


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
    journal = trial_journal(output, task, fold, official_test=official_test)
    settings = read_settings(journal)
    outcomes = {kept.piece: kept.outcome for kept in journal.read()}
    if not any(outcome.predictions for outcome in outcomes.values()):
        raise RunError(f"{journal.folder} has no predictions", fix="run `mbl try` without --rescore")
    results = {piece: _result(task, piece, outcome) for piece, outcome in outcomes.items()}
    return _trial(task, settings, results, outcomes, bagging=bagging)


def _trial(
    task: Task,
    settings: TrialSettings,
    results: Mapping[int, InnerResult],
    outcomes: Mapping[int, Outcome],
    *,
    bagging: bool,
) -> Trial:
    ordered = tuple(results[number] for number in sorted(results))
    return Trial(settings=settings, results=ordered, scores=trial_scores(task, ordered, outcomes, bagging=bagging))


def _result(task: Task, number: int, outcome: Outcome) -> InnerResult:
    """What an inner fold found: its scores, or why there are none."""
    record = outcome.record
    about: dict[str, Any] = {"number": number, "seconds": record.steps, "printed": record.printed}
    if record.error is not None:
        return InnerResult(**about, state="error", error=record.error, traceback=record.traceback)
    try:
        return InnerResult(**about, scores={part: score_part(task, outcome.predictions[part]) for part in PARTS})
    except MatbenchLiteError as error:
        message = f"{task.name} inner fold {number}: {error}"
        return InnerResult(**about, state="error", error=message, traceback=traceback.format_exc())
