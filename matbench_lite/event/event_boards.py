"""The boards of an event as plain records: what everybody may see, and what decides."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from datetime import datetime
from typing import Any

import numpy as np

from matbench_lite.errors import EventError
from matbench_lite.event.event_scoring import load_folds
from matbench_lite.event.event_settings import Combining, Event
from matbench_lite.event.received import Mark, PartScores, ReceivedFolder, State
from matbench_lite.event.submission_files import identity
from matbench_lite.metrics import Summary
from matbench_lite.stats import Interval, bootstrap_mean
from matbench_lite.train import bag


@dataclass(frozen=True, kw_only=True)
class SubmissionLine:
    """One submission, as everybody may see it; see `Received`. `valid` is its validation score, if it was scored.

    The `std` of a bagged score is 0.
    """

    id: str
    participant: str
    title: str
    received: datetime
    state: State
    mark: Mark | None
    stage: str | None
    valid: Summary | None


@dataclass(frozen=True, kw_only=True)
class PublicRow:
    """One participant on the public board, with the submission that stands for them: their best by validation score.

    Equal scores share a rank; `submissions` is how many of theirs count.
    """

    rank: int
    submission: SubmissionLine
    valid: Summary
    submissions: int


@dataclass(frozen=True, kw_only=True)
class PublicBoard:
    """What everybody may see: validation scores, nothing else.

    Args:
        rows: Participants, best first.
        submissions: All submissions, in the order in which they came.
    """

    rows: tuple[PublicRow, ...]
    submissions: tuple[SubmissionLine, ...]


@dataclass(frozen=True, kw_only=True)
class PrivateRow:
    """One participant on the private board, ranked by test score, with the submission that stands for them.

    `behind` is the 95 % interval of how much it is behind the first, over the test rows; positive is worse. None for
    the first, and where the metric is not a mean over rows.
    """

    rank: int
    public_rank: int
    submission: SubmissionLine
    valid: Summary
    test: Summary
    behind: Interval | None = None

    @property
    def move(self) -> int:
        """Places won from the public to the private board; negative if they were lost."""
        return self.public_rank - self.rank


@dataclass(frozen=True, kw_only=True)
class PrivateBoard:
    """What decides: final ranks by test score.

    Args:
        rows: Participants, best first.
        test_rows: Number of private test rows.
    """

    rows: tuple[PrivateRow, ...]
    test_rows: int

    @property
    def tied(self) -> int:
        """How many cannot be told apart from the first on these test rows."""
        return sum(row.behind is not None and row.behind.low <= 0 for row in self.rows)


def public_board(event: Event) -> PublicBoard:
    """The public board."""
    folder = ReceivedFolder(event)
    # What went wrong is told in words of ours; the trace is for the organiser.
    lines = tuple(
        SubmissionLine(
            id=each.id,
            participant=each.participant,
            title=each.title,
            received=each.time,
            state=each.state,
            mark=each.mark,
            stage=each.stage,
            valid=_score(event, event.public, folder.scores(each.id).valid) if each.state == "scored" else None,
        )
        for each in folder.all()
    )
    counted = Counter(identity(line.participant) for line in lines if line.mark is None)
    best: dict[str, PublicRow] = {}
    for line in lines:
        if line.mark is None and line.valid is not None:
            who = identity(line.participant)
            row = PublicRow(rank=0, submission=line, valid=line.valid, submissions=counted[who])
            # Of equal ones, the first.
            if who not in best or _badness(event, row.valid) < _badness(event, best[who].valid):
                best[who] = row
    ranks = _ranks(event, [row.valid for row in best.values()])
    rows = [replace(row, rank=rank) for row, rank in zip(best.values(), ranks, strict=True)]
    return PublicBoard(rows=tuple(sorted(rows, key=lambda row: row.rank)), submissions=lines)


def private_board(event: Event, public: PublicBoard | None = None) -> PrivateBoard:
    """The private board: the submissions that stand on the public one, by their test scores.

    The choice among a participant's submissions was made by validation scores: chosen by test scores, the best of many
    would be lucky.
    """
    folder = ReceivedFolder(event)
    rows = (public or public_board(event)).rows
    tests = [_score(event, event.final, folder.scores(row.submission.id).test) for row in rows]
    ranks = _ranks(event, tests)
    behind = _behind(event, [row.submission.id for row in rows], ranks)
    final = [
        PrivateRow(
            rank=rank,
            public_rank=row.rank,
            submission=row.submission,
            valid=row.valid,
            test=test,
            behind=behind.get(row.submission.id),
        )
        for rank, row, test in zip(ranks, rows, tests, strict=True)
    ]
    ordered = tuple(sorted(final, key=lambda row: (row.rank, row.public_rank)))
    return PrivateBoard(rows=ordered, test_rows=len(event.private_task.test_rows(0)))


def event_document(event: Event, now: datetime) -> dict[str, Any]:
    """What everybody may know of an event, as plain values."""
    names = ("name", "title", "mode", "opening", "public_opening", "closing", "metric", "public", "final")
    return {**{name: getattr(event, name) for name in names}, "phase": event.phase(now)}


def board_document(event: Event, public: PublicBoard, final: PrivateBoard | None, now: datetime) -> dict[str, Any]:
    """The boards as plain values, with all digits; the private one only if it is given."""
    document = {**event_document(event, now), "public_board": asdict(public)}
    if final is not None:
        rows = [{**asdict(row), "move": row.move} for row in final.rows]
        document["private_board"] = {"rows": rows, "test_rows": final.test_rows, "tied": final.tied}
    return document


def require_public(event: Event, now: datetime) -> None:
    """See that the public board may be shown.

    Raises:
        EventError: If it is not yet time.
    """
    if event.phase(now) in ("announced", "private"):
        raise EventError(
            f"the public board opens on {event.public_opening:%Y-%m-%d at %H:%M} UTC",
            fix="wait until then, or look at everything with --private",
        )


def _score(event: Event, combining: Combining, scores: PartScores) -> Summary:
    if combining == "mean":
        return scores.mean[event.metric]
    value = scores.bagged[event.metric]
    return Summary(mean=value, std=0.0, min=value, max=value)


def _badness(event: Event, score: Summary) -> float:
    return -score.mean if event.higher_is_better else score.mean


def _ranks(event: Event, scores: Sequence[Summary]) -> list[int]:
    badness = [_badness(event, score) for score in scores]
    return [1 + sum(other < own for other in badness) for own in badness]


def _behind(event: Event, ids: Sequence[str], ranks: Sequence[int]) -> dict[str, Interval]:
    """How much each is behind the first: the same test rows are drawn for both."""
    if event.metric != "mae" or not ids:
        return {}
    folder = ReceivedFolder(event)
    truth = event.private_task.target_values[event.private_task.test_rows(0)].astype(np.float64)
    errors = {}  # of every private test row, absolute: their mean is the test score
    for id in ids:
        folds = [fold["test"] for fold in load_folds(event, folder.get(id))]
        models = [bag(folds)] if event.final == "bagged" else folds
        errors[id] = np.mean([np.abs(model.prediction - truth) for model in models], axis=0)
    first = errors[ids[ranks.index(1)]]
    return {id: bootstrap_mean([own - first]) for id, own in errors.items() if own is not first}
