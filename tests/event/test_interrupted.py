"""Scoring that is killed goes on where it stopped: what was trained is not trained again."""

from __future__ import annotations

import signal
import subprocess
import sys
from pathlib import Path

import pytest

from matbench_lite.event import Event, ReceivedFolder, receive, score_submissions, waiting
from matbench_lite.event.submission_files import event_folds

from ..waiting import wait_until
from .making import DUMMY, write_model

FIRST_FOLD_ONLY = """

import time
from pathlib import Path


class Waiting(Quantile):
    def fit(self, X, y):
        if list(X.index) != {first!r} and not (Path(__file__).parent / "go").exists():
            time.sleep(1000)
        return super().fit(X, y)


def get_estimator(task):
    return Waiting()
"""


@pytest.mark.slow
@pytest.mark.usefixtures("isolation")
def test_a_killed_scoring_goes_on(code_event: Event, tmp_path: Path) -> None:
    task = code_event.private_task
    first_rows = list(task.ids[event_folds(code_event, task)[0].train])
    source = DUMMY.format(quantile=0.5) + FIRST_FOLD_ONLY.format(first=first_rows)
    received = receive(code_event, write_model(tmp_path / "mine", source=source))
    home = ReceivedFolder(code_event).folder(received.id)
    command = ["event", "score", str(code_event.folder), "--run-submitted-code"]
    program = [sys.executable, "-c", "from matbench_lite.cli import main; main()", *command]
    first, last = home / "fold-0.npz", home / "fold-1.npz"
    with subprocess.Popen(program, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
        try:
            wait_until(lambda: first.is_file() or process.poll() is not None)
        finally:
            process.send_signal(signal.SIGKILL)
    assert first.is_file()
    assert not last.is_file()
    (ReceivedFolder(code_event).files(received.id) / "go").touch()
    trained = first.stat().st_mtime_ns
    (scored,) = score_submissions(code_event, waiting(code_event), run_submitted_code=True)
    assert scored.state == "scored"
    assert first.stat().st_mtime_ns == trained
    interrupted = ReceivedFolder(code_event).scores(received.id)
    (again,) = score_submissions(
        code_event, waiting(code_event, [received.id]), run_submitted_code=True, again=True, jobs=2
    )
    assert again.state == "scored"
    assert first.stat().st_mtime_ns != trained
    assert ReceivedFolder(code_event).scores(received.id) == interrupted
