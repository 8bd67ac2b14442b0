"""The boards of an event as plain records: what everybody may see, and what decides."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Any

import numpy as np

from matbench_lite.errors import EventError
from matbench_lite.event.about import slug
from matbench_lite.event.received import EventScores, Mark, PartScores, Received, ReceivedFolder, State
from matbench_lite.event.scoring import load_folds
from matbench_lite.event.settings import Combining, Event
from matbench_lite.metrics import Summary
from matbench_lite.run.bagging import bag
from matbench_lite.stats import Interval, bootstrap_mean

if TYPE_CHECKING:
    from numpy.typing import NDArray


@dataclass(frozen=True, kw_only=True)
class SubmissionLine:
    """One submission, as everybody may see it.

    Args:
        id: Its number and sender.
        participant: Who sent it.
        title: What it is.
        received: When it came.
        state: How far it has come.
        mark: Why it does not count, if it does not.
        stage: What went wrong, in words of ours.
        valid: Its validation score, if it was scored; `std` is 0 for a bagged one.
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

    Args:
        rank: Place by validation score; equal scores share one.
        submission: That submission.
        valid: Its validation score.
        submissions: How many of theirs count.
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
    """One participant on the private board.

    Args:
        rank: Place by test score.
        public_rank: Place on the public board.
        submission: The submission that stands for them.
        valid: Its validation score.
        test: Its test score.
        behind: 95 % interval of how much it is behind the first, over the test rows; positive is worse. None for the
            first, and where the metric is not a mean over rows.
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
    received = folder.all()
    lines = {each.id: _line(event, each, _scores(folder, each)) for each in received}
    counted = [each for each in received if each.mark is None]
    best = _best_of_each(event, [lines[each.id] for each in counted])
    ranks = _ranks(event, [_known(line.valid) for line in best])
    rows = [
        PublicRow(
            rank=rank,
            submission=line,
            valid=_known(line.valid),
            submissions=sum(slug(each.participant) == slug(line.participant) for each in counted),
        )
        for rank, line in zip(ranks, best, strict=True)
    ]
    return PublicBoard(rows=tuple(sorted(rows, key=lambda row: row.rank)), submissions=tuple(lines.values()))


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


def _line(event: Event, each: Received, scores: EventScores | None) -> SubmissionLine:
    return SubmissionLine(
        id=each.id,
        participant=each.participant,
        title=each.title,
        received=each.time,
        state=each.state,
        mark=each.mark,
        stage=each.stage,
        valid=None if scores is None else _score(event, event.public, scores.valid),
    )


def _scores(folder: ReceivedFolder, each: Received) -> EventScores | None:
    return folder.scores(each.id) if each.state == "scored" else None


def _score(event: Event, combining: Combining, scores: PartScores) -> Summary:
    if combining == "mean":
        return scores.mean[event.metric]
    value = scores.bagged[event.metric]
    return Summary(mean=value, std=0.0, min=value, max=value)


def _best_of_each(event: Event, lines: Sequence[SubmissionLine]) -> list[SubmissionLine]:
    """The best submission of each participant; of equal ones, the first."""
    best: dict[str, SubmissionLine] = {}
    for line in lines:
        before = best.get(slug(line.participant))
        if line.valid is not None and (before is None or _badness(event)(line.valid) < _badness(event)(before.valid)):
            best[slug(line.participant)] = line
    return list(best.values())


def _ranks(event: Event, scores: Sequence[Summary]) -> list[int]:
    badness = [_badness(event)(score) for score in scores]
    return [1 + sum(other < own for other in badness) for own in badness]


def _badness(event: Event) -> Callable[[Summary | None], float]:
    sign = -1.0 if event.higher_is_better else 1.0
    return lambda score: sign * _known(score).mean


def _known(score: Summary | None) -> Summary:
    assert score is not None
    return score


def _behind(event: Event, ids: Sequence[str], ranks: Sequence[int]) -> dict[str, Interval]:
    """How much each is behind the first: the same test rows are drawn for both."""
    if event.metric != "mae" or not ids:
        return {}
    folder = ReceivedFolder(event)
    errors = {id: _row_errors(event, folder.get(id)) for id in ids}
    first = errors[ids[ranks.index(1)]]
    return {id: bootstrap_mean([own - first]) for id, own in errors.items() if own is not first}


def _row_errors(event: Event, submission: Received) -> NDArray[np.float64]:
    """The absolute error of every private test row, whose mean is the test score."""
    folds = [fold.test for fold in load_folds(event, submission)]
    truth = event.private_task.target_values[event.private_task.test_rows(0)].astype(np.float64)
    models = [bag(folds)] if event.final == "bagged" else folds
    errors: NDArray[np.float64] = np.mean([np.abs(model.prediction - truth) for model in models], axis=0)
    return errors
