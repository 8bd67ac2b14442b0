from __future__ import annotations

import json
import zipfile
from dataclasses import replace
from pathlib import Path

import pytest

from matbench_lite.errors import EventError
from matbench_lite.event import (
    Event,
    ReceivedFolder,
    board_document,
    clock,
    private_board,
    public_board,
    receive,
    require_public,
    score_submissions,
    waiting,
)

from .making import Send, write_model


@pytest.fixture
def played(event: Event, send: Send, tmp_path: Path) -> Event:
    """Three participants; Team A sent three models, one of which does not count."""
    for name, participant, quantile in (
        ("a1", "Team A", 0.1),
        ("a2", "Team A", 0.45),
        ("b1", "Team B", 0.5),
        ("c1", "Team C", 0.9),
    ):
        send(event, write_model(tmp_path / name, participant=participant, quantile=quantile))
    receive(event, tmp_path / "b1.zip", participant="Team A")
    score_submissions(event, waiting(event))
    return event


def test_each_participant_stands_with_the_best_by_validation_score(played: Event) -> None:
    board = public_board(played)
    assert [row.submission.participant for row in board.rows][-1] == "Team C"
    team_a = next(row for row in board.rows if row.submission.participant == "Team A")
    assert (team_a.submission.id, team_a.submissions) == ("0002-team-a", 2)
    assert [row.rank for row in board.rows] == [1, 2, 3]
    assert [row.valid.mean for row in board.rows] == sorted(row.valid.mean for row in board.rows)
    assert [line.mark for line in board.submissions] == [None, None, None, None, "duplicate"]


def test_the_private_board_ranks_the_same_submissions_by_test_score(played: Event) -> None:
    board = private_board(played)
    scores = ReceivedFolder(played)
    for row in board.rows:
        assert row.test == scores.scores(row.submission.id).test.mean["mae"]
        assert row.move == row.public_rank - row.rank
    assert [row.rank for row in board.rows] == [1, 2, 3]
    assert [row.test.mean for row in board.rows] == sorted(row.test.mean for row in board.rows)
    assert {row.submission.id for row in board.rows} == {row.submission.id for row in public_board(played).rows}
    first, *others = board.rows
    assert first.behind is None
    for row in others:
        assert row.behind is not None
        assert row.behind.low <= row.test.mean - first.test.mean <= row.behind.high


def test_bagged_scores_can_be_shown_and_can_decide(played: Event) -> None:
    event = replace(played, public="bagged", final="bagged")
    scores = ReceivedFolder(event)
    for row in private_board(event).rows:
        assert row.test.mean == scores.scores(row.submission.id).test.bagged["mae"]
        assert row.valid.mean == scores.scores(row.submission.id).valid.bagged["mae"]


def test_equal_scores_share_a_rank(event: Event, send: Send, tmp_path: Path) -> None:
    send(event, write_model(tmp_path / "a", participant="Team B", quantile=0.5))
    with zipfile.ZipFile(tmp_path / "a.zip", "a") as archive:
        archive.writestr("note.txt", "the same predictions")
    receive(event, tmp_path / "a.zip", participant="Team A")
    send(event, write_model(tmp_path / "c", participant="Team C", quantile=0.9))
    score_submissions(event, waiting(event))
    assert [row.rank for row in public_board(event).rows] == [1, 1, 3]
    board = private_board(event)
    assert [row.rank for row in board.rows] == [1, 1, 3]
    assert board.tied == 1


def test_the_public_document_has_no_test_score(played: Event) -> None:
    document = json.dumps(board_document(played, public_board(played), None, clock()), default=str)
    for row in private_board(played).rows:
        assert f"{row.test.mean:.6g}"[:7] not in document
    assert "private_board" not in document


def test_nothing_scored_is_an_empty_board(event: Event, tmp_path: Path) -> None:
    receive(event, write_model(tmp_path / "a"))
    assert public_board(event).rows == ()
    assert private_board(event).rows == ()
    assert [line.state for line in public_board(event).submissions] == ["new"]


def test_the_board_is_shown_from_its_opening_on(event: Event) -> None:
    with pytest.raises(EventError, match="the public board opens on"):
        require_public(event, event.opening)
    require_public(event, event.public_opening)
