"""What the organiser has received: one folder per submission, with its files, its state and its scores.

```
private/received/0001-team-a/
  files/            what was sent
  submission.json   who, when, how it came, what is held against it, how far it has come
  journal/          what the models of the inner folds predict, as trained or, when it was scored, as sent
  scores.json       scores on what was held out, on hidden validation rows, and on the private test rows
```
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Literal

from filelock import FileLock, Timeout

from matbench_lite.atomic import LOCK_SECONDS, write_bytes
from matbench_lite.documents import plain
from matbench_lite.errors import EventError, raising, unknown_name
from matbench_lite.event.arrival import take
from matbench_lite.event.event_settings import Event, clock
from matbench_lite.event.submission_files import identity, named, read_about
from matbench_lite.metrics import Summary
from matbench_lite.text import slug

State = Literal["new", "tested", "scored", "error"]
"""Arrived; complete predictions are there; scores are there; it failed."""
Mark = Literal["early", "late", "duplicate", "over the limit"]
"""Why a submission does not count, although it is kept."""
RECORD_FILE = "submission.json"
SCORES_FILE = "scores.json"
_DIGITS = 4


@dataclass(frozen=True, kw_only=True)
class Received:
    """One submission.

    The `id` is its number and its sender, e.g. "0001-team-a"; `received` is ISO 8601 in UTC, by the organiser's clock;
    `kind` and `source` say how it came, with the commit, if by git. Copies have the same `sha256`, of their files. A
    `mark` says why it does not count, `same_as` what it is a copy of; `stage` what went wrong, in words of ours: fit to
    be shown to everybody; `trace`, for the organiser alone, with what the submission itself said. `seconds` of wall
    clock it took to train.
    """

    id: str
    participant: str
    title: str
    received: str
    kind: str
    source: str
    sha256: str
    commit: str | None = None
    mark: Mark | None = None
    same_as: str | None = None
    state: State = "new"
    stage: str | None = None
    trace: str | None = None
    seconds: float | None = None

    @property
    def time(self) -> datetime:
        """When it came."""
        return datetime.fromisoformat(self.received)


@dataclass(frozen=True, kw_only=True)
class PartScores:
    """Every metric on one part: of each inner fold, their mean and standard deviation (ddof=0), and of the average."""

    folds: tuple[Mapping[str, float], ...]
    mean: Mapping[str, Summary]
    bagged: Mapping[str, float]


@dataclass(frozen=True, kw_only=True)
class EventScores:
    """Scores on what inner folds held out, on the test rows, secret until the event closed, and on hidden rows.

    `hidden` are validation rows whose targets only the organiser has, where predictions are sent.
    """

    valid: PartScores
    test: PartScores
    hidden: PartScores | None = None

    @property
    def public(self) -> PartScores:
        """What the public board ranks by."""
        return self.hidden or self.valid


class ReceivedFolder:
    """The folder of everything that an event received."""

    def __init__(self, event: Event) -> None:
        self.path = event.private / "received"

    @contextmanager
    def locked(self) -> Iterator[None]:
        """Keep a second program out, by an `EventError`; the lock of one that was killed is free."""
        try:
            self.path.mkdir(parents=True, exist_ok=True)
            lock = FileLock(self.path / ".lock", timeout=LOCK_SECONDS).acquire()
        except Timeout:
            raise EventError(f"another program is at work in {self.path}", fix="wait for it") from None
        except OSError as error:
            raise EventError(f"{self.path} cannot be written: {error.strerror}") from error
        with lock:
            yield

    def files(self, id: str) -> Path:
        """What was sent."""
        return self.path / id / "files"

    def all(self) -> tuple[Received, ...]:
        """Every submission, in the order in which they came; an `EventError` if a record is damaged."""
        found = []
        for path in sorted(self.path.glob(f"[0-9]*/{RECORD_FILE}"), key=lambda path: path.parent):
            with _reading(path, fix="restore it, or remove its folder") as document:
                found.append(Received(**document))
        return tuple(found)

    def get(self, id: str) -> Received:
        """One submission; an `UnknownNameError` if there is none of that id."""
        known = {each.id: each for each in self.all()}
        if id not in known:
            raise unknown_name("submission", id, list(known))
        return known[id]

    @contextmanager
    def arriving(self) -> Iterator[Path]:
        """Give a hidden folder for a submission that is being taken in; what is left there when the block ends goes.

        Whatever a program that was killed has left goes, too: only one is at work here.
        """
        for left in self.path.glob(".*.tmp"):
            shutil.rmtree(left, ignore_errors=True)
        with TemporaryDirectory(prefix=".", suffix=".tmp", dir=self.path, ignore_cleanup_errors=True) as hidden:
            staged = Path(hidden) / "submission"  # with ordinary permissions, which the hidden folder has not
            staged.mkdir()
            yield staged

    def add(self, submission: Received, staged: Path) -> Received:
        """Give a submission its place: its folder appears with its record, or not at all."""
        _write(staged / RECORD_FILE, asdict(submission))
        staged.rename(self.path / submission.id)
        return submission

    def keep(self, submission: Received, **changes: Any) -> Received:
        """Put the record of a submission on disk, with changes."""
        submission = replace(submission, **changes)
        _write(self.path / submission.id / RECORD_FILE, asdict(submission))
        return submission

    def keep_scores(self, submission: Received, scores: EventScores) -> Received:
        """Put the scores of a submission on disk, then say in its record that they are there."""
        _write(self.path / submission.id / SCORES_FILE, asdict(scores))
        return self.keep(submission, state="scored", stage=None, trace=None)

    def scores(self, id: str) -> EventScores:
        """The scores of a submission that was scored; an `EventError` if they cannot be read."""
        with _reading(self.path / id / SCORES_FILE, fix=f"run `mbl event score` with {id}") as document:
            return EventScores(**{part: _part(scores) for part, scores in document.items() if scores is not None})


@contextmanager
def _reading(path: Path, *, fix: str) -> Iterator[Any]:
    wrong = (OSError, ValueError, KeyError, TypeError)
    with raising(EventError, f"{path} cannot be read", fix=fix, on=wrong):
        yield json.loads(path.read_bytes())


def _write(path: Path, document: Any) -> None:
    with raising(EventError, f"{path} cannot be written", fix="free some space"):
        write_bytes(path, json.dumps(plain(document), indent=2, ensure_ascii=False).encode() + b"\n")


def _part(document: Mapping[str, Any]) -> PartScores:
    return PartScores(
        folds=tuple(_metrics(fold) for fold in document["folds"]),
        mean={name: Summary(**_metrics(summary)) for name, summary in document["mean"].items()},
        bagged=_metrics(document["bagged"]),
    )


def _metrics(document: Mapping[str, float | None]) -> dict[str, float]:
    """JSON has no NaN."""
    return {name: float("nan") if value is None else value for name, value in document.items()}


def receive(
    event: Event,
    source: str | Path,
    *,
    participant: str | None = None,
    branch: str | None = None,
    path: str = "",
    now: datetime | None = None,
) -> Received:
    """Take a submission in. It is kept whatever it is worth; whether it counts is said by its mark.

    `participant` is by default what its `submission.toml` says; `branch` and `path`, the folder, are of a git
    repository; `now` is by default the organiser's clock.

    Raises:
        ArrivalError: If it cannot be taken safely.
        EventError: If it does not say who sent it, or the folder cannot be written.
    """
    now = clock() if now is None else now.astimezone(UTC)
    folder = ReceivedFolder(event)
    writing = raising(EventError, f"{folder.path} cannot be written", fix="free some space")
    with writing, folder.locked(), folder.arriving() as staged:
        taken = take(source, staged / "files", branch=branch, path=path, limits=event.arrival)
        about = read_about(staged / "files")
        earlier = folder.all()
        number = 1 + max((int(each.id.partition("-")[0]) for each in earlier), default=0)
        same = next((each.id for each in earlier if each.sha256 == taken.sha256), None)
        name = named(participant or about.participant)
        # "Team A" and "team a" are one: under the name as it was first written.
        own = [each for each in earlier if identity(each.participant) == identity(name)]
        submission = Received(
            id=f"{number:0{_DIGITS}d}-{slug(name, 'participant')}",
            participant=own[0].participant if own else name,
            title=about.title,
            received=now.isoformat(timespec="seconds"),
            kind=taken.kind,
            source=str(source) if branch is None else f"{source} {branch}",
            commit=taken.commit,
            sha256=taken.sha256,
            mark=_mark(event, own, now, same),
            same_as=same,
        )
        return folder.add(submission, staged)


def _mark(event: Event, own: Sequence[Received], now: datetime, same: str | None) -> Mark | None:
    if now < event.opening:
        return "early"
    if now >= event.closing:
        return "late"
    if same is not None:
        return "duplicate"
    counted = [each.time.date() for each in own if each.mark is None]
    limits = event.participant
    over = len(counted) >= limits.submissions or counted.count(now.date()) >= limits.per_day
    return "over the limit" if over else None
