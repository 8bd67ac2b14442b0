"""Scoring that is killed goes on where it stopped: what was trained is not trained again."""

from __future__ import annotations

import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from matbench_lite.event import Event, ReceivedFolder, receive, score_submissions, waiting
from matbench_lite.event.sandbox import isolation_problem

from .making import DUMMY, write_model

SLOW = DUMMY.format(quantile=0.5) + "\n\nimport time\n\ntime.sleep(1)\n"


@pytest.mark.slow
def test_a_killed_scoring_goes_on(code_event: Event, tmp_path: Path) -> None:
    if isolation_problem() is not None:
        pytest.skip(f"code cannot be isolated here: {isolation_problem()}")
    received = receive(code_event, write_model(tmp_path / "mine", source=SLOW))
    home = ReceivedFolder(code_event).folder(received.id)
    command = ["event", "score", str(code_event.folder), "--run-submitted-code"]
    program = [sys.executable, "-c", "from matbench_lite.cli import main; main()", *command]
    process = subprocess.Popen(program, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    first, last = home / "fold-0.npz", home / "fold-2.npz"
    while not first.is_file() and process.poll() is None:
        time.sleep(0.01)
    process.send_signal(signal.SIGKILL)
    process.wait()
    assert first.is_file()
    assert not last.is_file()
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
