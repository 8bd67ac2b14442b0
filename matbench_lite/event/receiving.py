"""Taking submissions in: copied, named, numbered, and marked where they do not count; nothing of them is executed."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

from matbench_lite.errors import EventError
from matbench_lite.event.about import identity, named, read_about, slug
from matbench_lite.event.arriving import take
from matbench_lite.event.received import Mark, Received, ReceivedFolder
from matbench_lite.event.settings import Event, clock

_DIGITS = 4


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

    Args:
        event: The event.
        source: A folder, a zip file, or a git repository.
        participant: Who sent it; by default what its `submission.toml` says.
        branch: The branch, of a repository.
        path: The folder in the repository.
        now: The time, by the organiser's clock.

    Raises:
        ArrivalError: If it cannot be taken safely.
        EventError: If it does not say who sent it, or the folder cannot be written.
    """
    now = clock() if now is None else now.astimezone(UTC)
    folder = ReceivedFolder(event)
    try:
        with folder.locked(), folder.arriving() as staged:
            taken = take(source, staged / "files", branch=branch, path=path, limits=event.arrival)
            about = read_about(staged / "files")
            name = named(participant or about.participant)
            earlier = folder.all()
            number = 1 + max((int(each.id.partition("-")[0]) for each in earlier), default=0)
            same = next((each.id for each in earlier if each.sha256 == taken.sha256), None)
            submission = Received(
                id=f"{number:0{_DIGITS}d}-{slug(name)}",
                participant=_as_before(name, earlier),
                title=about.title,
                received=now.isoformat(timespec="seconds"),
                kind=taken.kind,
                source=str(source) if branch is None else f"{source} {branch}",
                commit=taken.commit,
                sha256=taken.sha256,
                mark=_mark(event, name, earlier, now, same),
                same_as=same,
            )
            return folder.add(submission, staged)
    except OSError as error:
        raise EventError(f"{folder.path} cannot be written: {error.strerror}", fix="free some space") from error


def _as_before(name: str, earlier: tuple[Received, ...]) -> str:
    """The name as the participant first wrote it: "Team A" and "team a" are one."""
    return next((each.participant for each in earlier if identity(each.participant) == identity(name)), name)


def _mark(event: Event, name: str, earlier: tuple[Received, ...], now: datetime, same: str | None) -> Mark | None:
    if now < event.opening:
        return "early"
    if now >= event.closing:
        return "late"
    if same is not None:
        return "duplicate"
    counted = [each for each in earlier if each.mark is None and identity(each.participant) == identity(name)]
    today = [each for each in counted if each.time.date() == now.date()]
    over = len(counted) >= event.participant.submissions or len(today) >= event.participant.per_day
    return "over the limit" if over else None
