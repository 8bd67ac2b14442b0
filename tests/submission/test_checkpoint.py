"""A run that dies loses nothing that was recorded."""

from __future__ import annotations

import random
import signal
import subprocess
import sys
import time

import numpy as np
import pytest

from matbench_lite import Submission, load_benchmark
from matbench_lite.errors import EntryError

BENCH = load_benchmark("mini")

WORKER = """
import sys
import numpy as np
from matbench_lite import Submission, load_benchmark
folder, resume = sys.argv[1], sys.argv[2] == "resume"
bench = load_benchmark("mini")
sub = Submission.resume(folder) if resume else Submission(bench, algorithm="Test", checkpoint=folder)
print("ready", flush=True)
for task in bench:
    for fold in task.folds:
        if sub.is_recorded(task.name, fold):
            continue
        size = len(task.test_ids(fold))
        values = np.full(size, fold / 10)
        sub.record(task.name, fold, values, params={"fold": fold})
        print(task.name, fold, flush=True)
print("done", flush=True)
"""


def test_what_was_recorded_is_there_after_resuming(tmp_path) -> None:
    sub = Submission(BENCH, algorithm="Test", authors=["A"], external_data=False, checkpoint=tmp_path / "run")
    with sub.measure("mini_gap", 0):
        sub.record("mini_gap", 0, np.arange(100.0), std=np.ones(100), params={"depth": 3})
    sub.record("mini_is_ductile", 4, np.ones(100, dtype=bool))
    back = Submission.resume(tmp_path / "run")
    assert back._document() == sub._document() | {"provenance": back.provenance}
    back.record("mini_gap", 1, np.zeros(100))
    assert Submission.resume(tmp_path / "run").is_recorded("mini_gap", 1)


def test_a_checkpoint_is_not_begun_twice_by_accident(tmp_path) -> None:
    Submission(BENCH, algorithm="Test", checkpoint=tmp_path)
    with pytest.raises(EntryError, match=r"go on with Submission\.resume"):
        Submission(BENCH, algorithm="Test", checkpoint=tmp_path)
    with pytest.raises(EntryError, match="no checkpoint in"):
        Submission.resume(tmp_path / "nowhere")


def test_a_damaged_fold_is_named(tmp_path) -> None:
    sub = Submission(BENCH, algorithm="Test", checkpoint=tmp_path)
    sub.record("mini_gap", 0, np.zeros(100))
    path = tmp_path / "mini_gap.0.npz"
    path.write_bytes(path.read_bytes()[:-5])
    with pytest.raises(EntryError, match=r"mini_gap\.0\.npz is damaged.*only that fold"):
        Submission.resume(tmp_path)


def test_a_place_that_cannot_be_written_is_named_and_nothing_recorded_is_lost(tmp_path) -> None:
    blocked = tmp_path / "file"
    blocked.write_text("not a folder")
    with pytest.raises(EntryError, match=r"checkpoint .* cannot be written"):
        Submission(BENCH, algorithm="Test", checkpoint=blocked / "run")
    sub = Submission(BENCH, algorithm="Test", checkpoint=tmp_path / "run")
    (tmp_path / "run" / "checkpoint.json").unlink()
    (tmp_path / "run").rmdir()
    (tmp_path / "run").write_text("somebody's file")
    with pytest.raises(EntryError, match="still in memory"):
        sub.record("mini_gap", 0, np.zeros(100))
    with pytest.raises(EntryError, match="cannot be written"):
        sub.save(blocked / "entry")
    assert Submission.load(sub.save(tmp_path / "entry")).is_recorded("mini_gap", 0)


@pytest.mark.slow
def test_kill_9_at_random_moments_loses_no_recorded_fold(tmp_path) -> None:
    """Twenty runs, each killed once or more; every fold whose `record` returned is there after `resume`."""
    rng = random.Random(20)
    for attempt in range(20):
        folder = tmp_path / str(attempt)
        promised: set[tuple[str, int]] = set()
        mode = "new"
        for kill in (True, True, False):
            command = [sys.executable, "-c", WORKER, str(folder), mode]
            process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
            assert process.stdout is not None
            assert process.stdout.readline() == "ready\n"
            if kill:
                time.sleep(rng.uniform(0, 0.05))
                process.send_signal(signal.SIGKILL)
            lines = process.stdout.read().splitlines()
            process.wait()
            process.stdout.close()
            promised |= {(line.split()[0], int(line.split()[1])) for line in lines if line != "done" and " " in line}
            mode = "resume"
            back = Submission.resume(folder)
            for task, fold in promised:
                held = back.recorded(task)[fold]
                assert np.all(held.predictions.prediction == fold / 10)
                assert held.params == {"fold": fold}
        assert len(back.complete_tasks) == len(BENCH)
