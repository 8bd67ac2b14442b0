"""Hostile submissions in an event: each is contained and marked, nobody sees more than that, and the event goes on."""

from __future__ import annotations

import socket
import zipfile
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from matbench_lite.errors import MatbenchLiteError
from matbench_lite.event import (
    Event,
    ReceivedFolder,
    board_document,
    clock,
    private_board,
    public_board,
    receive,
    score_submissions,
    waiting,
)
from matbench_lite.train import Resources
from matbench_lite.train.sandbox import Limits

from .making import write_model

REACHING = """
        import socket
        import matbench_lite.metrics.regression as regression

        def walk():
            found = [name for _, _, names in os.walk({top!r}) for name in names if name == "private.csv"]
            return found or 1 / 0

        regression.mae = lambda *_, **__: 0.0  # here, but not where scores are computed
        outcomes = []
        for attempt in (
            lambda: open({private!r} + "/data/private.csv").read(),
            walk,
            lambda: socket.create_connection(("127.0.0.1", {port}), timeout=60),
            lambda: open({private!r} + "/received/0001-honest/scores.json", "w").write("{{}}"),
        ):
            try:
                attempt()
                outcomes.append("done")
            except Exception as error:
                outcomes.append(type(error).__name__)
        raise LookupError("outcomes: " + " ".join(outcomes))
"""
ATTACKS = {
    "reaches out": (REACHING, "raised an error"),
    "sends forged results": (
        "for number in range(3, 64):\n            try:\n                os.write(number, b'0.0' * 1000)\n"
        "            except OSError:\n                pass\n        os._exit(0)",
        "sent no usable predictions",
    ),
    "tells what it was shown": ("raise ValueError('targets: ' + ' '.join(map(repr, y)))", "raised an error"),
    "never ends": ("while True:\n            pass", "took too long"),
}
"""What reaches the event of an attack: who is stopped, and how, is tested with the sandbox."""

MODEL = """
import os

import numpy as np

input = "composition"


class Hostile:
    def fit(self, X, y):
        {attack}
        return self

    def predict(self, X):
        return np.zeros(len(X))


def get_estimator(task):
    return Hostile()
"""


@pytest.fixture
def listening() -> Iterator[int]:
    """A port of this machine that can be connected to: who has a network gets through."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
        socket.create_connection(("127.0.0.1", port), timeout=60).close()
        yield port


@pytest.mark.slow
@pytest.mark.usefixtures("isolation")
def test_each_is_contained_and_marked_and_the_event_goes_on(code_event: Event, tmp_path: Path, listening: int) -> None:
    event = replace(code_event, training=Limits(memory_mb=600, disk_mb=32, processes=32, output_mb=0.5))
    receive(event, write_model(tmp_path / "honest", participant="Honest"))
    names = {}
    for number, (name, (attack, _)) in enumerate(ATTACKS.items()):
        places = {"private": str(event.private), "top": str(Path(*event.private.parts[:2])), "port": listening}
        code = MODEL.format(attack=attack.format(**places) if name == "reaches out" else attack)
        sent = receive(event, write_model(tmp_path / str(number), participant=f"Team {number}", source=code))
        names[sent.id] = name
    receive(event, write_model(tmp_path / "last", participant="Last", quantile=0.4))
    endless = [id for id, name in names.items() if name == "never ends"]
    brief = replace(event, training=replace(event.training, seconds=1))
    done = [*score_submissions(brief, waiting(event, endless), run_submitted_code=True, resources=Resources(workers=2))]
    seen: list[str] = []
    done += score_submissions(
        event,
        waiting(event),
        run_submitted_code=True,
        resources=Resources(workers=2),
        seen=lambda each: seen.append(each.participant),
    )
    assert seen == ["Honest", "Team 0", "Team 1", "Team 2", "Last"]
    states = {names.get(each.id, each.participant): (each.state, each.stage) for each in done}
    assert states.pop("Honest") == states.pop("Last") == ("scored", None)
    assert states == {name: ("error", stage) for name, (_, stage) in ATTACKS.items()}
    traces = {names.get(each.id): each.trace or "" for each in done}
    outcomes = "outcomes: FileNotFoundError ZeroDivisionError OSError FileNotFoundError"
    assert outcomes in traces["reaches out"].replace("ConnectionRefusedError", "OSError")
    assert "targets: " in traces["tells what it was shown"]

    shown = repr(board_document(event, public_board(event), None, clock()))
    train = event.private_task.target_values[event.private_task.train_rows(0)]
    assert not any(repr(float(value)) in shown for value in train if len(repr(float(value))) > 6)
    assert [row.submission.participant for row in private_board(event).rows] != []
    assert all(row.test.mean > 0 for row in private_board(event).rows)


def test_hostile_zips_are_refused_and_the_others_are_taken(event: Event, tmp_path: Path) -> None:
    bad = tmp_path / "bad.zip"
    with zipfile.ZipFile(bad, "w") as archive:
        archive.writestr("../../../escaped.txt", "x")
    with pytest.raises(MatbenchLiteError, match="escaped"):
        receive(event, bad, participant="Mallory")
    assert not list(tmp_path.rglob("escaped.txt"))
    bomb = tmp_path / "bomb.zip"
    with zipfile.ZipFile(bomb, "w", zipfile.ZIP_DEFLATED) as archive:
        for number in range(6):
            archive.writestr(f"{number}.txt", b"0" * 10_000_000)
    with pytest.raises(MatbenchLiteError, match="would unpack to"):
        receive(event, bomb, participant="Mallory")
    assert receive(event, write_model(tmp_path / "good")).id == "0001-team-a"
    assert sorted(path.name for path in ReceivedFolder(event).path.iterdir()) == [".lock", "0001-team-a"]
