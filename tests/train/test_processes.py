"""Real processes: any number of workers, a cluster, and kill -9 give the same predictions, bit for bit."""

from __future__ import annotations

import hashlib
import random
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import psutil
import pytest

from matbench_lite import Submission, load_benchmark
from matbench_lite.train import Journal, Plan, Resources, load_model, run_model

from ..conftest import LONG
from ..waiting import wait_until

pytestmark = pytest.mark.slow

TASKS = ("mini_gap", "mini_is_ductile")
MODEL = """
import hashlib, time
import numpy as np
from pathlib import Path
from matbench_lite.train import magpie_array

input = "composition"

class Model:
    def __init__(self, task):
        self.task = task

    def fit(self, X, y):
        rows = hashlib.sha256("".join(y.index).encode()).hexdigest()
        Path({marks!r}, f"{{self.task.name}}.{{rows}}.{{time.time_ns()}}").touch()
        time.sleep({sleep})
        features = magpie_array(X)
        # One thread or many, BLAS must give the same: a sum over the rows, and random numbers of both kinds.
        self.weights = np.linalg.lstsq(features, np.asarray(y, dtype=float), rcond=None)[0] + np.random.rand(132) * 1e-4
        return self

    def predict(self, X):
        values = magpie_array(X) @ self.weights
        return values if self.task.kind == "regression" else 1 / (1 + np.exp(-values))

def get_estimator(task):
    return Model(task)
"""


def write_model(folder: Path, sleep: float) -> Path:
    """A model that leaves a mark at every fit, then sleeps for some seconds."""
    (folder / "marks").mkdir()
    path = folder / "model_a.py"
    path.write_text(MODEL.format(marks=str(folder / "marks"), sleep=sleep))
    return path


def train(model: Path, output: Path, workers: int) -> None:
    """Run a model in children of this process."""
    plan = Plan(
        model=load_model(model), benchmark="mini", output=output, tasks=TASKS, resources=Resources(workers=workers)
    )
    assert run_model(plan).failed == ()


@pytest.fixture(scope="session")
def undisturbed(once: Callable[[str, Callable[[Path], None]], Path]) -> str:
    """What a run in one process gives, one fold after the other."""
    return values(once("undisturbed", lambda folder: train(write_model(folder, 0), folder / "entry", 1)) / "entry")


@pytest.fixture(autouse=True)
def scratch(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Dask leaves a folder where its workers were."""
    monkeypatch.setenv("DASK_TEMPORARY_DIRECTORY", str(tmp_path))


@pytest.fixture
def model(tmp_path: Path) -> Callable[[float], Path]:
    return lambda sleep: write_model(tmp_path, sleep)


def command(model: Path, output: Path, *options: str) -> list[str]:
    program = [sys.executable, "-c", "from matbench_lite.cli import main; main()"]
    return [*program, "run", str(model), "-b", "mini", "-o", str(output), "--tasks", *TASKS, *options]


def values(folder: Path) -> str:
    submission = Submission.load(folder)
    assert sorted(submission.complete_tasks) == sorted(TASKS)
    found = re.search(r'"values_sha256": "(\w+)"\n}', (folder / "submission.json").read_text())
    assert found
    return found[1]


def marks(folder: Path) -> list[str]:
    return sorted(path.name.rpartition(".")[0] for path in folder.iterdir())


def mark_of(task_name: str, fold: int) -> str:
    ids = load_benchmark("mini")[task_name].train_ids(fold)
    return f"{task_name}.{hashlib.sha256(''.join(ids).encode()).hexdigest()}"


@contextmanager
def process(*arguments: str, log: Path) -> Iterator[subprocess.Popen[bytes]]:
    with log.open("wb") as stream, subprocess.Popen(arguments, stdout=stream, stderr=stream) as started:
        try:
            yield started
        finally:
            started.kill()


def test_a_cluster_that_loses_a_worker_gives_the_same_bits(
    tmp_path: Path, model: Callable[[float], Path], undisturbed: str
) -> None:
    path = model(0.2)
    dask = [sys.executable, "-m", "dask"]
    file = tmp_path / "scheduler.json"
    scheduling = [*dask, "scheduler", "--scheduler-file", str(file), "--port", "0", "--no-dashboard"]
    working = [*dask, "worker", "--scheduler-file", str(file), "--nthreads", "1", "--no-nanny", "--no-dashboard"]
    with (
        process(*scheduling, log=tmp_path / "scheduler.log"),
        process(*working, log=tmp_path / "first.log") as first,
        process(*working, log=tmp_path / "second.log"),
    ):
        wait_until(lambda: file.is_file() and file.stat().st_size > 0)
        found = re.search(r'"address": "(tcp://[^"]+)"', file.read_text())
        assert found
        arguments = command(path, tmp_path / "cluster", "--backend", "dask", "--scheduler", found[1])
        with process(*arguments, log=tmp_path / "run.log") as running:
            wait_until(lambda: len(marks(tmp_path / "marks")) >= 4)
            first.send_signal(signal.SIGKILL)
            assert running.wait(timeout=300) == 0, (tmp_path / "run.log").read_text()
    assert values(tmp_path / "cluster") == undisturbed


def test_a_cluster_is_started_where_none_is_named(
    tmp_path: Path, model: Callable[[float], Path], undisturbed: str
) -> None:
    arguments = command(model(0), tmp_path / "cluster", "--backend", "dask", "--jobs", "2")
    done = subprocess.run(arguments, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert values(tmp_path / "cluster") == undisturbed


def test_kill_9_at_any_moment_loses_nothing_that_was_recorded(
    tmp_path: Path, model: Callable[[float], Path], undisturbed: str
) -> None:
    """The moments are drawn: the same ones each time, unless there is time for more of them."""
    path = model(0.1)
    output = tmp_path / "killed"
    rng = random.Random(None if LONG else 16)
    recorded: set[str] = set()
    counts: dict[str, int] = {}
    for _ in range(6 if LONG else 2):
        kept = kept_in(output)
        with process(*command(path, output, "--jobs", "2"), log=tmp_path / "log") as running:
            wait_until(lambda kept=kept: kept_in(output) > kept or running.poll() is not None)
            time.sleep(rng.uniform(0, 0.3))
            children = psutil.Process(running.pid).children() if running.poll() is None else []
            running.kill()
            running.wait()
        wait_until(lambda children=children: all(map(gone, children)))
        for mark in recorded:
            assert marks(tmp_path / "marks").count(mark) == counts[mark], f"{mark} was trained again"
        recorded = {mark_of(name, fold) for name, fold in kept_in(output)}
        counts = {mark: marks(tmp_path / "marks").count(mark) for mark in recorded}
    assert recorded
    train(path, output, 2)
    for mark in recorded:
        assert marks(tmp_path / "marks").count(mark) == counts[mark], f"{mark} was trained again"
    assert values(output) == undisturbed


def gone(process: psutil.Process) -> bool:
    """Whether it has ended; the system may be late to take notice."""
    try:
        return not process.is_running() or process.status() == psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return True


def kept_in(output: Path) -> set[tuple[str, int]]:
    """Folds that are on disk."""
    return {(kept.task, kept.piece) for kept in Journal(output / ".run" / "folds").read()}


def test_children_do_not_outlive_the_program(tmp_path: Path, model: Callable[[float], Path]) -> None:
    path = model(600)
    for end in (signal.SIGKILL, signal.SIGINT):
        before = len(marks(tmp_path / "marks"))
        with process(*command(path, tmp_path / end.name, "--jobs", "2"), log=tmp_path / "log") as running:
            wait_until(lambda before=before: len(marks(tmp_path / "marks")) == before + 2)
            children = psutil.Process(running.pid).children(recursive=True)
            assert len(children) == 2
            running.send_signal(end)
            code = running.wait(timeout=300)
        wait_until(lambda children=children: all(map(gone, children)))
        assert code == (130 if end is signal.SIGINT else -signal.SIGKILL), (tmp_path / "log").read_text()


def test_a_scheduler_that_is_not_there_is_named(tmp_path: Path, model: Callable[[float], Path]) -> None:
    arguments = command(model(0), tmp_path / "e", "--backend", "dask", "--scheduler", "tcp://127.0.0.1:9")
    # Dask knocks again and again for ten seconds: one is enough.
    arguments[2] = f"import matbench_lite.train.runners as runners; runners._CONNECT = '1s'; {arguments[2]}"
    done = subprocess.run(arguments, capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert "no Dask scheduler answers at tcp://127.0.0.1:9" in done.stderr
