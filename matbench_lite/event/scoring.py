"""Scoring what was received: predictions are read, code is trained in a sandbox; one that fails stops no other."""

from __future__ import annotations

import traceback
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from matbench_lite.errors import EventError, IsolationError, MatbenchLiteError, SubmittedCodeError
from matbench_lite.event.folds import PARTS, FoldPredicted, event_folds
from matbench_lite.event.predictions_file import PREDICTIONS_FILE, read_predictions
from matbench_lite.event.received import EventScores, PartScores, Received, ReceivedFolder
from matbench_lite.event.settings import Event
from matbench_lite.event.training import forget_folds, saved_folds, train_submission
from matbench_lite.run.bagging import RowPredictions, bag
from matbench_lite.run.trial_scores import mean_metrics, score_part

if TYPE_CHECKING:
    from matbench_lite.tasks import Task

Seen = Callable[[Received], None]
"""Called with each submission when it was scored or has failed."""
UNUSABLE, UNRANKED = "its predictions cannot be used", "its predictions cannot be ranked"


def waiting(event: Event, ids: Sequence[str] = (), *, again: bool = False) -> tuple[Received, ...]:
    """The submissions to be scored: those that count and were not yet, or those that are named.

    Args:
        event: The event.
        ids: Submissions; by default all that count.
        again: Score also those that were scored or have failed.

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
    jobs: int = 1,
    seen: Seen = lambda _: None,
) -> tuple[Received, ...]:
    """Score submissions; a state is on disk after every step, and what was trained is not trained again.

    Args:
        event: The event.
        submissions: What to score, see `waiting`.
        run_submitted_code: Whether submitted code may be executed; the event's mode must be "code" as well.
        isolated: Whether code is kept from the network and the private folder; see `matbench_lite.event.sandbox`.
        again: Train anew what was trained.
        jobs: How many inner folds to train at a time.
        seen: Called with each submission as it is done.

    Returns:
        The submissions, each scored or with its error.

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
                forget_folds(folder.folder(submission.id))
            done.append(_scored(event, folder, submission, isolated=isolated, jobs=jobs))
            seen(done[-1])
    return tuple(done)


def load_folds(event: Event, submission: Received) -> tuple[FoldPredicted, ...]:
    """What the models of a submission predict, as sent, or as trained.

    Raises:
        EventError: If it cannot be used, or was not trained.
    """
    folder = ReceivedFolder(event)
    if event.mode == "code":
        return saved_folds(event, folder.folder(submission.id))
    task = event.public_task
    return read_predictions(
        folder.files(submission.id) / PREDICTIONS_FILE,
        task.kind,
        event_folds(event, task),
        task.ids,
        event.private_task.test_ids(0),
    )


def score_folds(event: Event, folds: Sequence[FoldPredicted]) -> EventScores:
    """Scores on what was held out, and on the private test rows.

    Raises:
        MetricError: If a prediction is NaN or infinite.
    """
    test_rows = event.private_task.test_rows(0)
    tested = [replace(fold.test, rows=test_rows[fold.test.rows]) for fold in folds]
    return EventScores(
        valid=_part_scores(event.valid_task, [fold.valid for fold in folds]),
        test=_part_scores(event.private_task, tested),
    )


def _permit(event: Event, *, run_submitted_code: bool, isolated: bool) -> None:
    if not run_submitted_code:
        raise EventError(
            "scoring would execute code that strangers sent",
            fix="read the guide for organisers, then say --run-submitted-code",
        )
    if isolated:
        from matbench_lite.event.sandbox import isolation_problem, visible_folders

        problem = isolation_problem()
        if problem is not None:
            raise problem
        home = event.folder.resolve()
        for folder in visible_folders():
            if home.is_relative_to(folder):
                raise IsolationError(
                    f"{home} lies in {folder}, where submitted code finds its Python",
                    fix="move the event to another folder",
                )


def _scored(event: Event, folder: ReceivedFolder, submission: Received, *, isolated: bool, jobs: int) -> Received:
    try:
        if event.mode == "code":
            seconds = train_submission(event, folder, submission, isolated=isolated, jobs=jobs)
            submission = replace(submission, seconds=seconds)
        folds = load_folds(event, submission)
    except IsolationError:  # this machine's fault, not the submission's
        raise
    except SubmittedCodeError as error:
        return folder.keep(replace(submission, state="error", stage=error.stage, trace=error.details))
    except MatbenchLiteError as error:
        return folder.keep(replace(submission, state="error", stage=UNUSABLE, trace=str(error)))
    submission = folder.keep(replace(submission, state="tested", stage=None, trace=None))
    try:
        scores = score_folds(event, folds)
    except MatbenchLiteError:
        return folder.keep(replace(submission, state="error", stage=UNRANKED, trace=traceback.format_exc()))
    missing = [part for part in PARTS if not np.isfinite(_ranking(event, getattr(scores, part)))]
    if missing:
        why = f"{event.metric} cannot be computed from labels; probabilities are needed"
        return folder.keep(replace(submission, state="error", stage=UNRANKED, trace=why))
    return folder.keep_scores(submission, scores)


def _ranking(event: Event, scores: PartScores) -> float:
    summary = scores.mean.get(event.metric)
    return float("nan") if summary is None else summary.mean


def _part_scores(task: Task, folds: Sequence[RowPredictions]) -> PartScores:
    each = tuple(score_part(task, fold) for fold in folds)
    return PartScores(folds=each, mean=mean_metrics(each), bagged=score_part(task, bag(folds)))
