from __future__ import annotations

import json
import re
import zipfile
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from matbench_lite import load_benchmark
from matbench_lite.data import load_formulas
from matbench_lite.errors import EventError
from matbench_lite.event import (
    Event,
    ReceivedFolder,
    benchmark_source,
    board_document,
    clock,
    private_board,
    public_board,
    receive,
    require_public,
    score_submissions,
    waiting,
)
from matbench_lite.event.event_scoring import load_folds
from matbench_lite.stats import Design, differences, moments, verdicts

from .making import Send, make_event, write_model

OWN = """
name = "own"
title = "Own"

[[tasks]]
name = "own_y"
input = "table"
kind = "regression"
target = "y"
unit = "unitless"
description = "Noise"

[tasks.data]
path = "own.csv"
id = "name"
columns = ["x"]
target = "y"
group = "batch"
"""


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
    assert [row.score.mean for row in board.rows] == sorted(row.score.mean for row in board.rows)
    assert [line.mark for line in board.submissions] == [None, None, None, None, "duplicate"]


def test_the_private_board_ranks_the_same_submissions_by_test_score(played: Event) -> None:
    board = private_board(played)
    scores = ReceivedFolder(played)
    for row in board.rows:
        exact = scores.scores(row.submission.id).test.mean["mae"]
        assert (row.test.mean, row.test.std) == (float(f"{exact.mean:.4g}"), round(float(f"{exact.std:.2g}"), 3))
        assert row.move == row.public_rank - row.rank
    assert [row.rank for row in board.rows] == [1, 2, 3]
    assert [row.test.mean for row in board.rows] == sorted(row.test.mean for row in board.rows)
    assert {row.submission.id for row in board.rows} == {row.submission.id for row in public_board(played).rows}


def test_places_and_words_are_those_of_the_one_model_of_variance(played: Event) -> None:
    """By hand: one fold, chemical systems as clusters, the mean loss of a row over the models that predicted it."""
    task, board = played.private_task, private_board(played)
    rows = task.test_rows(0)
    truth, formulas = task.target_values[rows], [load_formulas(task)[row] for row in rows]
    systems = [frozenset(re.findall("[A-Z][a-z]?", formula)) for formula in formulas]
    clusters = np.array([systems.index(system) for system in systems])
    losses = {}
    for row in board.rows:
        folds = load_folds(played, ReceivedFolder(played).get(row.submission.id))
        losses[row.submission.id] = np.mean([np.abs(fold["test"].prediction - truth) for fold in folds], axis=0)
    design = Design(folds=np.zeros(len(rows), dtype=int), clusters=clusters, scatter=2.0)
    told = differences(moments(list(losses.values()), design))
    said, first = verdicts(told), board.rows[0]
    assert (first.place.best, first.place.word) == (True, None)
    for number, row in enumerate(board.rows):
        assert (row.place.first_place, row.place.last_place) == said.places()[number]
        assert row.interval.low < row.test.mean < row.interval.high
        if number:
            assert row.place.word == said.word(number, 0)
            assert row.place.p == float(f"{told.p[number, 0]:.2g}")
            assert row.place.difference == pytest.approx(row.test.mean - first.test.mean, abs=2e-3)
            excluded = not row.place.difference_interval.low <= 0 <= row.place.difference_interval.high
            assert excluded == (row.place.p < 0.01)
    assert board.headline.endswith("One split: training variance is assumed, not measured.")


def test_a_table_of_groups_has_groups_as_clusters(tmp_path: Path) -> None:
    """Which rows are kin is known in private alone."""
    rng = np.random.default_rng(0)
    groups = np.repeat(np.arange(60), 4)
    frame = pd.DataFrame(
        {"name": [f"r{n}" for n in range(240)], "batch": groups, "x": rng.normal(size=240), "y": rng.normal(size=240)}
    )
    frame.to_csv(tmp_path / "own.csv", index=False)
    (tmp_path / "own.toml").write_text(OWN)
    bench = load_benchmark(tmp_path / "own.toml")
    event = make_event(tmp_path / "event", source=benchmark_source(bench, bench.tasks[0]), inner_folds=2)
    assert "row_cluster" not in "".join(path.read_text() for path in event.kit.glob("*.toml"))
    task = event.private_task
    assert set(np.bincount(task.clusters)) == {4}
    assert "row_cluster" not in task.inputs.columns


def test_bagged_scores_can_be_shown_and_can_decide(played: Event) -> None:
    event = replace(played, public="bagged", final="bagged")
    scores = ReceivedFolder(event)
    for row in private_board(event).rows:
        exact = scores.scores(row.submission.id)
        assert row.test.mean == float(f"{exact.test.bagged['mae']:.4g}")
        assert row.score.mean == float(f"{exact.public.bagged['mae']:.4g}")
        assert (row.test.std, row.score.std) == (0, 0)


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
    words = {row.submission.participant: row.place.word for row in board.rows}
    assert sorted(words, key=lambda name: words[name] is not None)[0] in ("Team A", "Team B")
    assert set(words.values()) == {None, "equivalent", "worse"}
    assert "is equivalent to it." in board.headline


def test_a_metric_that_is_no_mean_over_rows_has_ranks_alone(played: Event) -> None:
    board = private_board(replace(played, metric="rmse"))
    assert [row.rank for row in board.rows] == [1, 2, 3]
    assert {(row.interval, row.place.first_place, row.place.word) for row in board.rows} == {(None, None, None)}
    assert not board.compared


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
