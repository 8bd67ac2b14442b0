"""What the organiser has received: one folder per submission, with its files, its state and its scores.

```
private/received/0001-team-a/
  files/            what was sent
  submission.json   who, when, how it came, what is held against it, how far it has come
  fold-0.npz        code only: what the model of inner fold 0 predicts
  scores.json       scores on what was held out, and on the private test rows
```
"""

from __future__ import annotations

import json
import secrets
import shutil
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass, replace
from datetime import datetime
from pathlib import Path
from typing import Any, Literal

from filelock import FileLock, Timeout

from matbench_lite.atomic import write_bytes
from matbench_lite.documents import plain
from matbench_lite.errors import EventError, UnknownNameError
from matbench_lite.event.settings import Event
from matbench_lite.metrics import Summary

State = Literal["new", "tested", "scored", "error"]
"""Arrived; complete predictions are there; scores are there; it failed."""
Mark = Literal["early", "late", "duplicate", "over the limit"]
"""Why a submission does not count, although it is kept."""
RECORD_FILE = "submission.json"
SCORES_FILE = "scores.json"


@dataclass(frozen=True, kw_only=True)
class Received:
    """One submission.

    Args:
        id: Its number and its sender, e.g. "0001-team-a".
        participant: Who sent it.
        title: What it is, in a line.
        received: When it came, ISO 8601 in UTC, by the organiser's clock.
        kind: How it came: "folder", "zip" or "git".
        source: Where it was taken from.
        commit: The commit, if it came by git.
        sha256: Digest of its files: copies have the same.
        mark: Why it does not count, if it does not.
        same_as: The submission that it is a copy of.
        state: How far it has come.
        stage: What went wrong, in words of ours: fit to be shown to everybody.
        trace: What went wrong, with what the submission itself said: for the organiser alone.
        seconds: What it took to train, wall clock.
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
    """Scores of the models of the inner folds on one part.

    Args:
        folds: Every metric of every inner fold.
        mean: Mean and standard deviation (ddof=0) over the inner folds.
        bagged: Every metric of the averaged predictions.
    """

    folds: tuple[Mapping[str, float], ...]
    mean: Mapping[str, Summary]
    bagged: Mapping[str, float]


@dataclass(frozen=True, kw_only=True)
class EventScores:
    """Scores of one submission.

    Args:
        valid: On the rows that inner folds held out: public.
        test: On the private test rows: secret until the event has closed.
    """

    valid: PartScores
    test: PartScores


class ReceivedFolder:
    """The folder of everything that was received.

    Args:
        event: The event.
    """

    def __init__(self, event: Event) -> None:
        self.path = event.private / "received"

    @contextmanager
    def locked(self) -> Iterator[None]:
        """Keep a second program out; the lock of one that was killed is free.

        Raises:
            EventError: If one is at work here.
        """
        self.path.mkdir(parents=True, exist_ok=True)
        lock = FileLock(self.path / ".lock", timeout=0)
        try:
            lock.acquire()
        except Timeout:
            raise EventError(f"another program is at work in {self.path}", fix="wait for it") from None
        except OSError as error:
            raise EventError(f"{self.path} cannot be written: {error.strerror}") from error
        try:
            yield
        finally:
            lock.release()

    def folder(self, id: str) -> Path:
        """The folder of a submission."""
        return self.path / id

    def files(self, id: str) -> Path:
        """What was sent."""
        return self.path / id / "files"

    def all(self) -> tuple[Received, ...]:
        """Every submission, in the order in which they came.

        Raises:
            EventError: If a record is damaged.
        """
        folders = sorted(path.parent for path in self.path.glob(f"[0-9]*/{RECORD_FILE}"))
        return tuple(self._read(folder.name) for folder in folders)

    def get(self, id: str) -> Received:
        """One submission.

        Raises:
            UnknownNameError: If there is none of that id.
        """
        known = [each.id for each in self.all()]
        if id not in known:
            from matbench_lite.errors import unknown_name

            error: UnknownNameError = unknown_name("submission", id, known)
            raise error
        return self._read(id)

    @contextmanager
    def arriving(self) -> Iterator[Path]:
        """Give a hidden folder for a submission that is being taken in; what is left there when the block ends goes.

        Whatever a program that was killed has left goes, too: only one is at work here.
        """
        for left in self.path.glob(".*.tmp"):
            shutil.rmtree(left, ignore_errors=True)
        staged = self.path / f".{secrets.token_hex(6)}.tmp"
        staged.mkdir()
        try:
            yield staged
        finally:
            shutil.rmtree(staged, ignore_errors=True)

    def add(self, submission: Received, staged: Path) -> Received:
        """Give a submission its place: its folder appears with its record, or not at all."""
        self._write(staged, RECORD_FILE, asdict(submission))
        staged.rename(self.folder(submission.id))
        return submission

    def keep(self, submission: Received) -> Received:
        """Put the record of a submission on disk."""
        self._write(self.folder(submission.id), RECORD_FILE, asdict(submission))
        return submission

    def keep_scores(self, submission: Received, scores: EventScores) -> Received:
        """Put the scores of a submission on disk, then say in its record that they are there."""
        self._write(self.folder(submission.id), SCORES_FILE, asdict(scores))
        return self.keep(replace(submission, state="scored", stage=None, trace=None))

    def scores(self, id: str) -> EventScores:
        """The scores of a submission that was scored.

        Raises:
            EventError: If they cannot be read.
        """
        path = self.path / id / SCORES_FILE
        try:
            document = json.loads(path.read_bytes())
            return EventScores(**{part: _part(document[part]) for part in ("valid", "test")})
        except (OSError, ValueError, KeyError, TypeError) as error:
            raise EventError(f"{path} cannot be read: {error}", fix=f"run `mbl event score` with {id}") from error

    def _read(self, id: str) -> Received:
        path = self.path / id / RECORD_FILE
        try:
            return Received(**json.loads(path.read_bytes()))
        except (OSError, ValueError, TypeError) as error:
            raise EventError(f"{path} cannot be read: {error}", fix="restore it, or remove its folder") from error

    def _write(self, folder: Path, name: str, document: Any) -> None:
        path = folder / name
        try:
            write_bytes(path, json.dumps(plain(document), indent=2, ensure_ascii=False).encode() + b"\n")
        except OSError as error:
            raise EventError(f"{path} cannot be written: {error.strerror}", fix="free some space") from error


def _part(document: Mapping[str, Any]) -> PartScores:
    return PartScores(
        folds=tuple(_metrics(fold) for fold in document["folds"]),
        mean={name: Summary(**_metrics(summary)) for name, summary in document["mean"].items()},
        bagged=_metrics(document["bagged"]),
    )


def _metrics(document: Mapping[str, float | None]) -> dict[str, float]:
    """JSON has no NaN."""
    return {name: float("nan") if value is None else value for name, value in document.items()}
