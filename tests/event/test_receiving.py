from __future__ import annotations

import shutil
import signal
import subprocess
import sys
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest

from matbench_lite.errors import EventError, MatbenchLiteError
from matbench_lite.event import Event, ReceivedFolder, SubmissionLimits, clock, receive

from .making import write_model


def sent(event: Event, folder: Path, number: int = 0, participant: str = "Team A", **options: object) -> str | None:
    model = write_model(folder / f"{participant}-{number}", participant=participant, quantile=(1 + number) / 100)
    return receive(event, model, **options).mark  # type: ignore[arg-type]


def test_a_submission_is_kept_with_who_when_and_how(event: Event, tmp_path: Path) -> None:
    model = write_model(tmp_path / "mine")
    received = receive(event, model)
    assert received.id == "0001-team-a"
    assert (received.participant, received.title, received.kind) == ("Team A", "Quantile 0.5", "folder")
    assert (received.state, received.mark) == ("new", None)
    assert abs(clock() - received.time) < timedelta(minutes=1)
    folder = ReceivedFolder(event)
    assert folder.all() == (received,)
    assert (folder.files(received.id) / "model.py").read_text() == (model / "model.py").read_text()


def test_early_late_and_repeated_ones_are_kept_and_marked(event: Event, tmp_path: Path) -> None:
    second = timedelta(seconds=1)
    assert sent(event, tmp_path, 0, now=event.opening - second) == "early"
    assert sent(event, tmp_path, 1, now=event.opening) is None
    assert sent(event, tmp_path, 2, now=event.closing - second) is None
    assert sent(event, tmp_path, 3, now=event.closing) == "late"
    copy = shutil.copytree(tmp_path / "Team A-1", tmp_path / "copy")
    again = receive(event, copy, participant="Somebody else")
    assert (again.mark, again.same_as) == ("duplicate", "0002-team-a")
    assert len(ReceivedFolder(event).all()) == 5


def test_limits_are_by_participant_and_by_day(event: Event, tmp_path: Path) -> None:
    event = replace(event, participant=SubmissionLimits(submissions=3, per_day=2))
    day = event.opening
    assert [sent(event, tmp_path, number, now=day) for number in range(3)] == [None, None, "over the limit"]
    assert sent(event, tmp_path, 3, "TEAM a", now=day) == "over the limit"
    assert sent(event, tmp_path, 4, "Team B", now=day) is None
    next_day = event.opening + timedelta(days=1)
    assert [sent(event, tmp_path, number, now=next_day) for number in (5, 6)] == [None, "over the limit"]


def test_one_participant_has_one_name(event: Event, tmp_path: Path) -> None:
    first = receive(event, write_model(tmp_path / "a", participant="Team A"))
    second = receive(event, write_model(tmp_path / "b", participant="team  a", quantile=0.1))
    assert first.participant == second.participant == "Team A"


def test_the_organiser_says_who_it_is(event: Event, tmp_path: Path) -> None:
    assert receive(event, write_model(tmp_path / "a"), participant="Team Z").id == "0001-team-z"


def test_nobodys_submission_is_refused_and_leaves_nothing(event: Event, tmp_path: Path) -> None:
    model = write_model(tmp_path / "a")
    (model / "submission.toml").unlink()
    with pytest.raises(EventError, match="--participant"):
        receive(event, model)
    assert ReceivedFolder(event).all() == ()
    assert [path.name for path in ReceivedFolder(event).path.iterdir()] == [".lock"]


def test_nothing_of_it_is_executed(event: Event, tmp_path: Path) -> None:
    marker = tmp_path / "executed"
    model = write_model(tmp_path / "a", source=f"open({str(marker)!r}, 'w')\n")
    receive(event, model)
    assert not marker.exists()


def test_a_link_out_of_the_folder_is_refused(event: Event, tmp_path: Path) -> None:
    model = write_model(tmp_path / "a")
    (model / "data.csv").symlink_to(event.private / "data" / "private.csv")
    with pytest.raises(MatbenchLiteError, match=r"data\.csv"):
        receive(event, model)
    assert ReceivedFolder(event).all() == ()


def test_numbers_go_on_after_a_folder_was_removed(event: Event, tmp_path: Path) -> None:
    receive(event, write_model(tmp_path / "a"))
    second = receive(event, write_model(tmp_path / "b", quantile=0.2))
    shutil.rmtree(ReceivedFolder(event).path / "0001-team-a")
    assert second.id == "0002-team-a"
    assert receive(event, write_model(tmp_path / "c", quantile=0.3)).id == "0003-team-a"


KILLED = """
import os, sys, signal
from pathlib import Path
from matbench_lite.event import arrival, load_event, receive
begun = []
real = arrival.sha256
def sha256():
    begun.append(1)
    if len(begun) == 3: os.kill(os.getpid(), signal.SIGKILL)
    return real()
arrival.sha256 = sha256
receive(load_event(Path(sys.argv[1])), sys.argv[2])
"""
"""Ends before the second file is written: the first digest is that of all files."""


def test_what_a_killed_program_left_is_cleared_away(event: Event, tmp_path: Path) -> None:
    model = write_model(tmp_path / "a")
    ended = subprocess.run([sys.executable, "-c", KILLED, str(event.folder), str(model)], check=False)
    assert ended.returncode == -signal.SIGKILL
    (left,) = ReceivedFolder(event).path.glob(".*.tmp")
    assert [path.name for path in left.rglob("*") if path.is_file()] == ["model.py"]
    assert ReceivedFolder(event).all() == ()
    assert receive(event, model).id == "0001-team-a"
    assert not left.exists()
