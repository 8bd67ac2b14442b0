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
    private_board,
    public_board,
    receive,
    score_submissions,
    waiting,
)
from matbench_lite.event.boards import board_document
from matbench_lite.event.sandbox import Limits, isolation_problem
from matbench_lite.event.settings import clock

from .making import write_model

ATTACKS = {
    "reads the private folder": ("open({private!r} + '/data/private.csv').read()", "raised an error"),
    "walks to the private folder": (
        "[None for root, _, names in os.walk({top!r}) for name in names if name == 'private.csv' and 1 / 0]\n"
        "        raise LookupError('not found')",
        "raised an error",
    ),
    "opens a socket": (
        "import socket\n        socket.create_connection(('127.0.0.1', {port}), timeout=5)",
        "raised an error",
    ),
    "forks without end": ("while True:\n            os.fork()", "started too many processes"),
    "fills the memory": (
        "kept = []\n        while True:\n            kept.append(bytearray(b'x') * 10_000_000)",
        None,  # it runs into its own limit, or is stopped by the watcher
    ),
    "fills the disk": (
        "number = 0\n        while True:\n            number += 1\n"
        "            open(f'file-{{number}}', 'wb').write(b'x' * 10_000_000)",
        None,
    ),
    "never ends": ("while True:\n            pass", "took too long"),
    "prints a gigabyte": ("for _ in range(1024):\n            os.write(1, b'x' * 2**20)", "printed too much"),
    "sends forged results": (
        "for number in range(3, 64):\n            try:\n                os.write(number, b'0.0' * 1000)\n"
        "            except OSError:\n                pass\n        os._exit(0)",
        "sent no usable predictions",
    ),
    "changes the score": (
        "import matbench_lite.metrics.regression as r\n        r.mae = lambda *_, **__: 0.0\n"
        "        open({private!r} + '/received/0001-team-0/scores.json', 'w').write('{{}}')",
        "raised an error",
    ),
    "tells what it was shown": (
        "raise ValueError('targets: ' + ' '.join(map(repr, y)))",
        "raised an error",
    ),
}

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
def isolated() -> None:
    if isolation_problem() is not None:
        pytest.skip(f"code cannot be isolated here: {isolation_problem()}")


@pytest.fixture
def listening() -> Iterator[int]:
    """A port of this machine that can be connected to: who has a network gets through."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
        socket.create_connection(("127.0.0.1", port), timeout=5).close()
        yield port


@pytest.mark.slow
@pytest.mark.usefixtures("isolated")
def test_each_is_contained_and_marked_and_the_event_goes_on(code_event: Event, tmp_path: Path, listening: int) -> None:
    limits = Limits(seconds=10, memory_mb=600, disk_mb=32, processes=32, output_mb=0.5)
    event = replace(code_event, training=limits)
    receive(event, write_model(tmp_path / "honest", participant="Honest"))
    names = {}
    for number, (name, (attack, _)) in enumerate(ATTACKS.items()):
        code = MODEL.format(
            attack=attack.format(private=str(event.private), top=str(Path(*event.private.parts[:2])), port=listening)
        )
        sent = receive(event, write_model(tmp_path / str(number), participant=f"Team {number}", source=code))
        names[sent.id] = name
    receive(event, write_model(tmp_path / "last", participant="Last", quantile=0.4))
    seen: list[str] = []
    done = score_submissions(
        event, waiting(event), run_submitted_code=True, jobs=2, seen=lambda each: seen.append(each.participant)
    )
    states = {names.get(each.id, each.participant): (each.state, each.stage) for each in done}
    assert states.pop("Honest") == states.pop("Last") == ("scored", None)
    for name, (_, stage) in ATTACKS.items():
        assert states[name][0] == "error", name
        assert stage in (None, states[name][1]), (name, states[name])
    traces = {names.get(each.id): each.trace for each in done}
    assert "No such file" in (traces["reads the private folder"] or "")
    assert "not found" in (traces["walks to the private folder"] or "")
    assert "targets: " in (traces["tells what it was shown"] or "")

    shown = repr(board_document(event, public_board(event), None, clock()))
    train = event.private_task.target_values[event.private_task.train_rows(0)]
    assert not any(repr(float(value)) in shown for value in train if len(repr(float(value))) > 6)
    assert [row.submission.participant for row in private_board(event).rows] != []


def test_hostile_zips_are_refused_and_the_others_are_taken(event: Event, tmp_path: Path) -> None:
    bad = tmp_path / "bad.zip"
    with zipfile.ZipFile(bad, "w") as archive:
        archive.writestr("../../../escaped.txt", "x")
    with pytest.raises(MatbenchLiteError, match="escaped"):
        receive(event, bad, participant="Mallory")
    assert not list(tmp_path.rglob("escaped.txt"))
    bomb = tmp_path / "bomb.zip"
    with zipfile.ZipFile(bomb, "w", zipfile.ZIP_DEFLATED) as archive:
        for number in range(20):
            archive.writestr(f"{number}.txt", b"0" * 10_000_000)
    with pytest.raises(MatbenchLiteError, match="would unpack to"):
        receive(event, bomb, participant="Mallory")
    assert receive(event, write_model(tmp_path / "good")).id == "0001-team-a"
    assert sorted(path.name for path in ReceivedFolder(event).path.iterdir()) == [".lock", "0001-team-a"]
