"""Events that were made before there were hidden validation rows go on as announced, and say what they lack."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from matbench_lite import load_benchmark
from matbench_lite.cli.app import run
from matbench_lite.errors import EventError
from matbench_lite.event import (
    Event,
    ReceivedFolder,
    Shares,
    benchmark_source,
    create_event,
    load_event,
    public_board,
    score_submissions,
    waiting,
)

from .making import closed, make_event, send_numbers


@pytest.fixture(params=["no private rows but the test", "private rows that nobody was asked for"])
def earlier(event: Event, request: pytest.FixtureRequest) -> Event:
    """Made by an earlier version: the kit asks for no rows but those that decide."""
    inputs = event.kit / "data" / "private_inputs.csv"
    frame = pd.read_csv(inputs, dtype=str)
    frame[frame["id"].isin(event.private_task.test_ids(0))].to_csv(inputs, index=False)
    if request.param.startswith("no"):
        private = event.private / "data" / "private.csv"
        frame = pd.read_csv(private, dtype=str)
        frame[frame["part"] == "test"].to_csv(private, index=False)
    return load_event(event.folder)


def test_it_goes_on_and_says_what_it_lacks(earlier: Event, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    known = pd.Series(earlier.public_task.target_values, index=earlier.public_task.ids)
    for name, share in (("Copy", 0.0), ("Honest", 0.1)):
        send_numbers(
            earlier,
            tmp_path / name,
            lambda fold, part, ids, share=share: known[ids] + share if part == "valid" else np.ones(len(ids)),
            participant=name,
        )
    score_submissions(earlier, waiting(earlier))
    for each in ReceivedFolder(earlier).all():  # as they were scored then
        file = earlier.private / "received" / each.id / "scores.json"
        document = json.loads(file.read_text())
        assert document.pop("hidden") is None
        file.write_text(json.dumps(document))
    board = public_board(earlier)
    assert [(row.submission.participant, row.score.mean) for row in board.rows] == [("Copy", 0.0), ("Honest", 0.1)]
    for command in (["board", "--no-page"], ["status"]):
        assert run(["event", command[0], str(earlier.folder), *command[1:]]) == 0
        said = " ".join(capsys.readouterr().out.split())
        assert "before there were hidden validation rows" in said
        assert "A new event has hidden rows." in said
    assert run(["event", "status", str(earlier.folder), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["bits_per_submission"] == 0
    assert run(["event", "board", str(closed(earlier).folder), "--no-page"]) == 0
    assert "Private board: test scores on 125 rows" in capsys.readouterr().out


def test_a_new_event_has_hidden_rows(event: Event, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert list(event.private_parts) == ["hidden", "test"]
    assert run(["event", "status", str(event.folder)]) == 0
    assert "hidden validation rows" not in capsys.readouterr().out
    none = Shares(0.6, 0.15, 0.0, 0.25)

    bench = load_benchmark("mini")

    with pytest.raises(EventError, match="hidden rows to be ranked by"):
        create_event(replace(event, folder=tmp_path / "new"), benchmark_source(bench, bench["mini_gap"]), shares=none)
    assert list(make_event(tmp_path / "code", mode="code").private_parts) == ["test"]
