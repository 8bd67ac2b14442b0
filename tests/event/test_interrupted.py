"""Scoring that is killed goes on where it stopped: what was trained is not trained again."""

from __future__ import annotations

import signal
import subprocess
import sys
from pathlib import Path

import pytest

from matbench_lite.errors import MachineError
from matbench_lite.event import Event, ReceivedFolder, receive, score_submissions, waiting
from matbench_lite.event.submission_files import event_folds
from matbench_lite.train import Journal, Resources

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
    home = ReceivedFolder(code_event).path / received.id
    command = ["event", "score", str(code_event.folder), "--run-submitted-code"]
    program = [sys.executable, "-c", "from matbench_lite.cli import main; main()", *command]
    journal = Journal(home / "journal")
    with subprocess.Popen(program, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
        try:
            wait_until(lambda: journal.read() or process.poll() is not None)
        finally:
            process.send_signal(signal.SIGKILL)
    (first,) = journal.read()
    assert first.piece == 0
    (ReceivedFolder(code_event).files(received.id) / "go").touch()
    (scored,) = score_submissions(code_event, waiting(code_event), run_submitted_code=True)
    assert scored.state == "scored"
    assert journal.read()[0].outcome.record == first.outcome.record
    assert len(journal.read()) == code_event.inner_folds
    interrupted = ReceivedFolder(code_event).scores(received.id)
    (again,) = score_submissions(
        code_event,
        waiting(code_event, [received.id]),
        run_submitted_code=True,
        again=True,
        resources=Resources(workers=2),
    )
    assert again.state == "scored"
    assert journal.read()[0].outcome.record != first.outcome.record
    assert ReceivedFolder(code_event).scores(received.id) == interrupted


@pytest.mark.usefixtures("isolation")
def test_a_disk_that_refuses_is_no_fault_of_the_submission(code_event: Event, tmp_path: Path) -> None:
    received = receive(code_event, write_model(tmp_path / "mine", source=DUMMY.format(quantile=0.5)))
    folder = ReceivedFolder(code_event)
    (folder.path / received.id / "journal").write_text("in the way")
    with pytest.raises(MachineError, match="cannot be written"):
        score_submissions(code_event, waiting(code_event), run_submitted_code=True)
    assert folder.get(received.id).state == "new"
