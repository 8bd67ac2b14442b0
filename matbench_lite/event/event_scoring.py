"""Scoring what was received: predictions are read, code is trained in a sandbox; one that fails stops no other."""

from __future__ import annotations

import math
import traceback
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from matbench_lite.errors import EventError, MachineError, MatbenchLiteError, SubmittedCodeError
from matbench_lite.event.event_settings import Event
from matbench_lite.event.kit import event_jobs
from matbench_lite.event.received import EventScores, PartScores, Received, ReceivedFolder
from matbench_lite.event.submission_files import PREDICTIONS_FILE, PartPredictions, event_folds, read_predictions
from matbench_lite.train import (
    MODEL_FILE,
    Contained,
    Job,
    Journal,
    Named,
    Outcome,
    Resources,
    RowPredictions,
    bag,
    drive,
    mean_metrics,
    require_isolation,
    score_part,
    submitted_model,
)

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from matbench_lite.tasks import Task

Seen = Callable[[Received], None]
"""Called with each submission when it was scored or has failed."""
UNUSABLE, UNRANKED = "its predictions cannot be used", "its predictions cannot be ranked"
NO_MODEL = "has no model.py"


def waiting(event: Event, ids: Sequence[str] = (), *, again: bool = False) -> tuple[Received, ...]:
    """The submissions to be scored: those that count and were not yet, or those that are named.

    With `again`, those that were scored or have failed are, too.

    Raises:
        UnknownNameError: If there is no such submission.
    """
    folder = ReceivedFolder(event)
    chosen = [folder.get(id) for id in ids] if ids else [each for each in folder.all() if each.mark is None]
    return tuple(each for each in chosen if again or ids or each.state in ("new", "tested"))


def score_submissions(
    event: Event,
    submissions: Sequence[Received],
    *,
    run_submitted_code: bool = False,
    isolated: bool = True,
    again: bool = False,
    resources: Resources = Resources(),
    seen: Seen = lambda _: None,
) -> tuple[Received, ...]:
    """Score submissions; a state is on disk after every step, and what was trained is not trained again.

    Submitted code runs only with `run_submitted_code`, and if the event's mode is "code"; `isolated` keeps it from the
    network and the private folder, see `matbench_lite.train.sandbox`. `again`: what was trained is trained anew. The
    `resources` are workers, threads and devices; limits are the event's. `seen` gets each submission as it is done,
    scored or with its error.

    Raises:
        EventError: If code would have to run and may not.
        IsolationError: If it would have to be isolated and this machine cannot.
    """
    folder = ReceivedFolder(event)
    if submissions and event.mode == "code":
        _permit(event, run_submitted_code=run_submitted_code, isolated=isolated)
    done = []
    with folder.locked():
        for submission in submissions:
            if again:
                _journal(folder, submission).forget()
            done.append(_scored(event, folder, submission, isolated=isolated, resources=resources))
            seen(done[-1])
    return tuple(done)


def load_folds(event: Event, submission: Received) -> tuple[PartPredictions, ...]:
    """What the models of a submission predict, as sent or as trained; an `EventError` if it cannot be used.

    Of predictions that were sent, "hidden" are those of the hidden validation rows, counted from 0 like the test rows.
    """
    folder = ReceivedFolder(event)
    if event.mode == "code":
        jobs = _jobs(event, folder, submission)
        known, missing = _journal(folder, submission).known(jobs)
        if missing:
            message = f"{submission.id} was trained on {len(known)} of {event.inner_folds} inner folds"
            raise EventError(message, fix=f"run `mbl event score` with {submission.id}")
        return tuple(outcome.predictions for _, outcome in known)
    task, private = event.public_task, event.private_parts
    asked = np.concatenate(list(private.values()))
    sent = read_predictions(
        folder.files(submission.id) / PREDICTIONS_FILE,
        task.kind,
        event_folds(event, task),
        task.ids,
        event.private_task.ids[asked],
        task.classes,
    )
    return tuple({"valid": fold["valid"], **_parts(fold["test"], private)} for fold in sent)


def _parts(predicted: RowPredictions, parts: Mapping[str, NDArray[np.intp]]) -> PartPredictions:
    """What was predicted for the rows of some parts, one part after the other; of each counted from 0."""
    found, first = {}, 0
    for part, rows in parts.items():
        here = slice(first, first + len(rows))
        std = None if predicted.std is None else predicted.std[here]
        counted = np.arange(len(rows), dtype=np.intp)
        found[part] = replace(predicted, rows=counted, prediction=predicted.prediction[here], std=std)
        first = here.stop
    return found


def score_folds(event: Event, folds: Sequence[PartPredictions]) -> EventScores:
    """Scores on what was held out, and on private rows; a `MetricError` if a prediction is not finite."""
    private = event.private_parts
    scores = {
        part: _part_scores(event.private_task, [replace(fold[part], rows=rows[fold[part].rows]) for fold in folds])
        for part, rows in private.items()
    }
    return EventScores(valid=_part_scores(event.valid_task, [fold["valid"] for fold in folds]), **scores)


def _permit(event: Event, *, run_submitted_code: bool, isolated: bool) -> None:
    if not run_submitted_code:
        raise EventError(
            "scoring would execute code that strangers sent",
            fix="read the guide for organisers, then say --run-submitted-code",
        )
    if isolated:
        require_isolation(event.folder)


def _scored(
    event: Event, folder: ReceivedFolder, submission: Received, *, isolated: bool, resources: Resources
) -> Received:
    try:
        if event.mode == "code":
            seconds = _train(event, folder, submission, isolated=isolated, resources=resources)
            submission = replace(submission, seconds=seconds)
        folds = load_folds(event, submission)
        if event.mode == "predictions":
            _keep_sent(event, folder, submission, folds)
    except MachineError:  # this machine's fault, not the submission's
        raise
    except SubmittedCodeError as error:
        return folder.keep(submission, state="error", stage=error.stage, trace=error.details)
    except MatbenchLiteError as error:
        return folder.keep(submission, state="error", stage=UNUSABLE, trace=str(error))
    submission = folder.keep(submission, state="tested", stage=None, trace=None)
    try:
        scores = score_folds(event, folds)
    except MatbenchLiteError:
        return folder.keep(submission, state="error", stage=UNRANKED, trace=traceback.format_exc())
    ranking = [part.mean.get(event.metric) for part in (scores.valid, scores.public, scores.test)]
    if not all(summary is not None and math.isfinite(summary.mean) for summary in ranking):
        why = f"{event.metric} cannot be computed: a part of an inner fold lacks a class"
        if any(fold["test"].type == "label" for fold in folds):
            why = f"{event.metric} cannot be computed from labels; probabilities are needed"
        return folder.keep(submission, state="error", stage=UNRANKED, trace=why)
    return folder.keep_scores(submission, scores)


def _part_scores(task: Task, folds: Sequence[RowPredictions]) -> PartScores:
    each = tuple(score_part(task, fold) for fold in folds)
    return PartScores(folds=each, mean=mean_metrics(each), bagged=score_part(task, bag(folds)))


def _train(
    event: Event, folder: ReceivedFolder, submission: Received, *, isolated: bool, resources: Resources
) -> float:
    """Train a submission on every inner fold that has not been trained; what that took, in seconds of wall clock.

    A `SubmittedCodeError` has the reason of the first inner fold that failed.
    """
    if not (folder.files(submission.id) / MODEL_FILE).is_file():
        raise SubmittedCodeError(
            f"there is no {MODEL_FILE}", stage=NO_MODEL, details=f"there is no {MODEL_FILE} at the top"
        )
    every, journal = _jobs(event, folder, submission, resources), _journal(folder, submission)
    _, missing = journal.known(every)
    seconds = 0.0
    with Contained(resources.workers, limits=event.training, isolated=isolated, devices=resources.devices) as runner:
        for outcome in drive(missing, runner, journal, title=submission.id, until_failure=True):
            record = outcome.record
            if record.error is not None:
                stage, details = record.log["stage"], record.traceback or ""
                raise SubmittedCodeError(record.error, fix=record.fix, stage=stage, details=details)
            seconds += record.seconds
    return seconds


def _keep_sent(event: Event, folder: ReceivedFolder, submission: Received, folds: Sequence[PartPredictions]) -> None:
    """Put what was sent into a journal, with the truth, where the table of predictions also finds what was trained."""
    sender = Named(name=submission.id, sha256=submission.sha256)
    jobs, journal = event_jobs(event, event.public_task, sender), _journal(folder, submission)
    private = {part: event.private_task.target_values[rows] for part, rows in event.private_parts.items()}
    truth = {"valid": event.public_task.target_values, **private}
    _, missing = journal.known(jobs)
    for job in missing:
        sent = folds[job.piece].items()
        known = {part: replace(one, truth=truth[part][one.rows].astype(np.float64)) for part, one in sent}
        journal.keep(job, Outcome(predictions=known))
    journal.flush()


def _jobs(event: Event, folder: ReceivedFolder, submission: Received, resources: Resources = Resources()) -> list[Job]:
    model = submitted_model(folder.files(submission.id), submission.id, submission.sha256)
    return event_jobs(event, event.private_task, model, resources=resources)


def _journal(folder: ReceivedFolder, submission: Received) -> Journal:
    return Journal(folder.path / submission.id / "journal")
