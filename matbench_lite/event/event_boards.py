"""The boards of an event as plain records: what everybody may see, and what decides.

Whatever a board has of a score is a `ShownScore`: pages, JSON and terminal are made from these records.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from datetime import datetime
from typing import Any

import numpy as np
from numpy.typing import NDArray

from matbench_lite.board import headline, row_losses
from matbench_lite.data import chemical_clusters, load_formulas
from matbench_lite.errors import EventError
from matbench_lite.event.event_scoring import load_folds
from matbench_lite.event.event_settings import Event
from matbench_lite.event.received import Mark, Received, ReceivedFolder, State
from matbench_lite.event.shown_scores import Scale, ShownScore, part_score, shown_score, told
from matbench_lite.event.submission_files import identity
from matbench_lite.stats import (
    ONE_SPLIT,
    Design,
    Interval,
    Place,
    TaskPairs,
    class_losses,
    moments,
    order,
    ranked,
    score_interval,
)
from matbench_lite.train import bag


@dataclass(frozen=True, kw_only=True)
class SubmissionLine:
    """One submission, as everybody may see it; see `Received`.

    `score` is the one that ranks, if it was scored and counts. `own_valid` is beside it where predictions are sent: the
    score on rows whose targets are in the kit, which ranks nobody, because its author can choose it.
    """

    id: str
    participant: str
    title: str
    received: datetime
    state: State
    mark: Mark | None
    stage: str | None
    score: ShownScore | None
    own_valid: ShownScore | None


@dataclass(frozen=True, kw_only=True)
class PublicRow:
    """One participant on the public board, with the submission that stands for them: their best by the public score.

    Scores that are shown as equal share a rank; `submissions` is how many of theirs count.
    """

    rank: int
    submission: SubmissionLine
    score: ShownScore
    submissions: int


@dataclass(frozen=True, kw_only=True)
class PublicBoard:
    """What everybody may see: validation scores, nothing else.

    Participants are the best first, submissions in the order in which they came.
    """

    rows: tuple[PublicRow, ...]
    submissions: tuple[SubmissionLine, ...]


@dataclass(frozen=True, kw_only=True)
class PrivateRow:
    """One participant on the private board, ranked by test score, with the submission that stands for them.

    Ranks are by all digits of the test score. `interval` is the 95 % interval of the test score on other rows like
    these, for these trained models; `place` says who is ahead: its places, and it beside the best. Where the metric is
    not a mean over rows, or the score is off the scale, there is no interval, and the place is a rank alone.
    """

    rank: int
    public_rank: int
    submission: SubmissionLine
    score: ShownScore
    test: ShownScore
    interval: Interval | None
    place: Place

    @property
    def move(self) -> int:
        """Places won from the public to the private board; negative if they were lost."""
        return self.public_rank - self.rank


@dataclass(frozen=True, kw_only=True)
class PrivateBoard:
    """What decides: final ranks by test score, and what can be said beyond these test rows."""

    rows: tuple[PrivateRow, ...]
    test_rows: int

    @property
    def compared(self) -> bool:
        """Whether anything is said beside the ranks."""
        return all(row.place.first_place is not None for row in self.rows if not row.test.off_the_scale)

    @property
    def headline(self) -> str:
        """Who leads, and who cannot be told apart from the first."""
        names = {row.place.slug: row.submission.participant for row in self.rows}
        places = [row.place for row in self.rows if not row.test.off_the_scale]
        if not places:
            return "All test scores are off the scale."
        said = headline(places, names)
        return f"{said} {ONE_SPLIT[0].upper()}{ONE_SPLIT[1:]}." if self.compared and len(places) > 1 else said


def public_board(event: Event) -> PublicBoard:
    """The public board."""
    folder, scale = ReceivedFolder(event), Scale.of(event, event.public)
    lines = tuple(_line(event, each, folder, scale) for each in folder.all())
    counted = Counter(identity(line.participant) for line in lines if line.mark is None)
    scores = {line.id: line.score for line in lines if line.score is not None}
    every = _ranks(event, scores)
    best: dict[str, SubmissionLine] = {}
    for line in lines:
        who = identity(line.participant)
        # Of equal ones, the first.
        if line.id in every and (who not in best or every[line.id] < every[best[who].id]):
            best[who] = line
    ranks = _ranks(event, {who: scores[line.id] for who, line in best.items()})
    rows = (
        PublicRow(rank=rank, submission=best[who], score=scores[best[who].id], submissions=counted[who])
        for who, rank in ranks.items()
    )
    return PublicBoard(rows=tuple(rows), submissions=lines)


def _line(event: Event, received: Received, folder: ReceivedFolder, scale: Scale) -> SubmissionLine:
    """A submission as everybody may see it. What went wrong is told in words of ours; the trace is for the organiser.

    One that does not count has no score: those above the limits would tell more than the limits allow.
    """
    scores = folder.scores(received.id) if received.state == "scored" and received.mark is None else None
    known = scores.valid if scores and scores.hidden else None
    return SubmissionLine(
        id=received.id,
        participant=received.participant,
        title=received.title,
        received=received.time,
        state=received.state,
        mark=received.mark,
        stage=received.stage,
        score=shown_score(scale, event, event.public, scores.public) if scores else None,
        own_valid=shown_score(scale, event, event.public, known) if known else None,
    )


def private_board(event: Event, public: PublicBoard | None = None) -> PrivateBoard:
    """The private board: the submissions that stand on the public one, by their test scores.

    The choice among a participant's submissions was made by validation scores: chosen by test scores, the best of many
    would be lucky.
    """
    folder = ReceivedFolder(event)
    rows = {row.submission.id: row for row in (public or public_board(event)).rows}
    parts, scale = {id: folder.scores(id).test for id in rows}, Scale.of(event, event.final)
    tests = {id: shown_score(scale, event, event.final, part) for id, part in parts.items()}
    exact = {id: part_score(event, event.final, parts[id]).mean for id, test in tests.items() if not test.off_the_scale}
    design = _design(event)
    losses = _losses(event, sorted(exact), design)
    pairs = None
    if losses and design.cluster_count > 1:
        found = moments(list(losses.values()), design)
        pairs = TaskPairs(slugs=tuple(losses), higher=event.higher_is_better, moments=found)
    places = order(exact, pairs, higher_is_better=event.higher_is_better)
    off = [Place(slug=id, rank=len(exact) + 1) for id in sorted(tests.keys() - exact.keys())]
    final = [
        PrivateRow(
            rank=place.rank,
            public_rank=rows[place.slug].rank,
            submission=rows[place.slug].submission,
            score=rows[place.slug].score,
            test=tests[place.slug],
            interval=_interval(event, losses[place.slug], design, scale) if pairs and place.slug in exact else None,
            place=_rounded(place, scale),
        )
        for place in [*places, *off]
    ]
    return PrivateBoard(rows=tuple(final), test_rows=len(event.private_task.test_rows(0)))


def event_document(event: Event, now: datetime) -> dict[str, Any]:
    """What everybody may know of an event, as plain values, with how much its public board tells of hidden targets."""
    names = ("name", "title", "mode", "opening", "public_opening", "closing", "metric", "public", "final")
    return {**{name: getattr(event, name) for name in names}, "phase": event.phase(now), **told(event)}


def board_document(event: Event, public: PublicBoard, final: PrivateBoard | None, now: datetime) -> dict[str, Any]:
    """The boards as plain values; the private one only if it is given."""
    document = {**event_document(event, now), "public_board": asdict(public)}
    if final is not None:
        rows = [_final_row(row) for row in final.rows]
        said = {"headline": final.headline} if final.rows else {}
        document["private_board"] = {"rows": rows, "test_rows": final.test_rows, **said}
    return document


def _final_row(row: PrivateRow) -> dict[str, Any]:
    names = ("first_place", "last_place", "leading", "wide", "word", "difference", "difference_interval", "p")
    plain = {name: value for name, value in asdict(row).items() if name != "place"}
    return plain | {"move": row.move} | {name: getattr(row.place, name) for name in names}


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


def _ranks(event: Event, scores: Mapping[str, ShownScore]) -> dict[str, int]:
    return ranked({name: score.mean for name, score in scores.items()}, higher_is_better=event.higher_is_better)


def _losses(event: Event, ids: Sequence[str], design: Design) -> dict[str, NDArray[np.float64]]:
    """What each private test row adds to the error of each submission; none where the metric is not a mean over rows.

    The loss of a row is that of the averaged prediction, or, where the final score is the mean over the models of the
    inner folds, its mean loss over these models: all of them predict every private test row, so the mean over the rows
    is the score either way. A row is one witness, however many models predict it.
    """
    if event.metric not in ("mae", "accuracy", "balanced_accuracy"):
        return {}
    folder, truth = ReceivedFolder(event), _truth(event)
    classes = design.classes
    weights = 1.0 if classes is None else class_losses(classes, classes + 1, design.folds)  # what a wrong class costs
    losses = {}
    for id in ids:
        folds = [fold["test"] for fold in load_folds(event, folder.get(id))]
        models = [bag(folds)] if event.final == "bagged" else folds
        each = [weights * row_losses(truth[model.rows], model.scorable().prediction) for model in models]
        losses[id] = np.mean(each, axis=0)
    return losses


def _truth(event: Event) -> NDArray[Any]:
    return event.private_task.target_values[event.private_task.test_rows(0)]


def _design(event: Event) -> Design:
    """How the private test rows are tested: in one split, with chemical systems as clusters, or groups of a table."""
    task = event.private_task
    rows = task.test_rows(0)
    by_group = task.input == "table"
    clusters = task.clusters[rows] if by_group else chemical_clusters([load_formulas(task)[row] for row in rows])
    classes = _truth(event).astype(np.intp) if event.metric == "balanced_accuracy" else None
    folds = np.zeros(len(rows), dtype=np.intp)
    return Design(folds=folds, clusters=clusters, scatter=task.fold_scatter, classes=classes)


def _interval(event: Event, losses: NDArray[np.float64], design: Design, scale: Scale) -> Interval:
    found = score_interval(losses, design)
    return scale.ends(Interval(low=1 - found.high, high=1 - found.low) if event.higher_is_better else found)


def _rounded(place: Place, scale: Scale) -> Place:
    """A place with numbers of as many digits as scores have."""
    if place.difference is None or place.difference_interval is None or place.p is None:
        return place
    return replace(
        place,
        difference=scale.rounded(place.difference),
        difference_interval=scale.ends(place.difference_interval),
        p=float(f"{place.p:.2g}"),
    )
