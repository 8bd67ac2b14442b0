"""A run that dies loses nothing that was recorded."""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
import time

import numpy as np
import pytest

from matbench_lite import Submission, load_benchmark
from matbench_lite.atomic import add_lines
from matbench_lite.errors import EntryError

from ..conftest import LONG

BENCH = load_benchmark("mini")

# Loads the package once; each run is a process of its own that it forks, to be killed.
WORKER = """
import os, signal, sys
import numpy as np
from matbench_lite import Submission, load_benchmark
bench = load_benchmark("mini")
ids = [task.test_ids(0) for task in bench]  # loads what they are read with

def say(*words):
    os.write(1, (" ".join(map(str, words)) + "\\n").encode())  # a whole line or none, however Python buffers

def work(folder, mode):
    sub = Submission(bench, algorithm="Test", checkpoint=folder) if mode == "new" else Submission.resume(folder)
    say(os.getpid())
    for task in bench:
        for fold in task.folds:
            if sub.is_recorded(task.name, fold):
                continue
            size = len(task.test_ids(fold))
            values = np.full(size, fold / 10)
            sub.record(task.name, fold, values, params={"fold": fold})
            say(task.name, fold)
    say("all")
    if mode != "last":
        signal.pause()

for line in sys.stdin:
    process = os.fork()
    if process == 0:
        work(*line.split())
        os._exit(0)
    say("ended", os.waitpid(process, 0)[1])
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


@pytest.mark.parametrize("damage", [lambda text: text[:-5], lambda text: text.replace(b"0.25", b"0.75")])
def test_a_damaged_fold_is_one_that_is_not_recorded(tmp_path, damage) -> None:
    sub = Submission(BENCH, algorithm="Test", checkpoint=tmp_path)
    sub.record("mini_gap", 0, np.zeros(100))
    sub.record("mini_gap", 1, np.full(100, 0.25))
    path = tmp_path / "folds.jsonl"
    path.write_bytes(damage(path.read_bytes()))
    for _ in range(2):
        back = Submission.resume(tmp_path)
        assert list(back.recorded("mini_gap")) == [0]
    back.record("mini_gap", 1, np.ones(100))
    assert list(Submission.resume(tmp_path).recorded("mini_gap")) == [0, 1]


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
    """Runs that are killed twice; every fold whose `record` returned is there after `resume`."""
    rng = random.Random(20)
    folds = sum(len(task.folds) for task in BENCH)
    with subprocess.Popen(
        [sys.executable, "-c", WORKER], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1
    ) as worker:
        for folder in (tmp_path / str(attempt) for attempt in range(100 if LONG else 10)):
            promised: list[str] = []
            for mode in ("new", "resume", "last"):
                print(folder, mode, file=worker.stdin)
                process = int(worker.stdout.readline())
                more = folds if mode == "last" else rng.randrange(folds // 2)
                while (line := worker.stdout.readline().strip()) != "all" and more > 0:
                    promised.append(line)
                    more -= 1
                if mode != "last":
                    time.sleep(rng.uniform(0, 0.003))  # in the middle of a fold
                    os.kill(process, signal.SIGKILL)
                while not line.startswith("ended"):
                    promised += [line] if line != "all" else []
                    line = worker.stdout.readline().strip()
                assert line == ("ended 0" if mode == "last" else f"ended {int(signal.SIGKILL)}")
                back = Submission.resume(folder)
                for task, fold in map(str.split, promised):
                    held = back.recorded(task)[int(fold)]
                    assert np.all(held.predictions.prediction == int(fold) / 10)
                    assert held.params == {"fold": int(fold)}
            assert len(set(promised)) == len(promised), "no fold is recorded twice"
            assert len(back.complete_tasks) == len(BENCH)
        worker.stdin.close()
    assert worker.returncode == 0


ALTERED = {
    "unknown key": lambda header: header | {"colour": "red"},
    "another folder": lambda header: header | {"checkpoint": "elsewhere"},
    "no algorithm": lambda header: {key: value for key, value in header.items() if key != "algorithm"},
    "no benchmark": lambda header: {key: value for key, value in header.items() if key != "benchmark"},
    "authors": lambda header: header | {"authors": 5},
    "metadata": lambda header: header | {"metadata": [1]},
}


@pytest.mark.parametrize("name", ALTERED)
def test_a_header_of_another_version_is_an_error_with_what_to_do(tmp_path, name) -> None:
    Submission(BENCH, algorithm="A", checkpoint=tmp_path / "kept")
    path = tmp_path / "kept" / "checkpoint.json"
    path.write_text(json.dumps(ALTERED[name](json.loads(path.read_bytes()))))
    before = path.read_bytes()
    with pytest.raises(EntryError, match=r"(?s)another version of matbench_lite.*; go on with the version"):
        Submission.resume(tmp_path / "kept")
    with pytest.raises(EntryError, match=r"another version of matbench_lite"):
        Submission.resume(tmp_path / "kept", BENCH)
    assert path.read_bytes() == before


@pytest.mark.parametrize(
    "fields",
    [{"task": "mini_hardness"}, {"fold": 9}, *({"prediction": p} for p in ([0] * 7, [None] * 100, ["a"] * 100))],
)
def test_a_fold_that_is_not_one_of_the_benchmark_is_named(tmp_path, fields) -> None:
    """As after a change of one's own benchmark: nothing of it would be found out before the run has ended."""
    Submission(BENCH, algorithm="A", checkpoint=tmp_path / "kept")
    fold = {"task": "mini_gap", "fold": 0, "type": "value", "prediction": [0.0] * 100, **fields}
    add_lines(tmp_path / "kept" / "folds.jsonl", [json.dumps(fold).encode()])
    with pytest.raises(EntryError, match=r"kept has a fold that mini has not.*; go on with the benchmark"):
        Submission.resume(tmp_path / "kept")
