"""Every protocol under every runner: whatever is killed, the program or its workers, the predictions stay the same."""

from __future__ import annotations

import json
import os
import random
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import psutil
import pytest

from matbench_lite.event import Event, ReceivedFolder, receive, table_source
from matbench_lite.judge.competition import write_datasets
from matbench_lite.judge.judge_dataset import FORMULAS
from matbench_lite.train import Journal
from matbench_lite.train.sandbox import isolation_problem

from ..conftest import LONG, ROOT
from ..event.making import make_event, write_model
from ..event.test_table_event import write_wine
from ..waiting import wait_until

pytestmark = pytest.mark.slow

ROUNDS = 20 if LONG else 2
"""The program is killed in one, a worker in the next."""
AT_ONCE = "import matbench_lite.evaluate.evaluation_run as running; running._KEEP_EVERY = 0; "
MBL = [sys.executable, "-c", f"{AT_ONCE}from matbench_lite.cli import main; main()"]
ESTIMATOR = """
import time
import numpy as np

class Noise:
    def fit(self, X, y):
        time.sleep(0.2)
        self.shift, self.complexity_ = np.random.random(), 1
        return self

    def predict(self, X):
        return self.shift + np.random.random(len(X))

def get_estimator():
    return Noise()
"""
CLASSES = """
import time
import numpy as np

input = "table"

class Noise:
    def fit(self, X, y):
        time.sleep(0.2)
        self.classes_ = np.array(sorted(set(y)))
        return self

    def predict_proba(self, X):
        return np.random.dirichlet(np.ones(3), len(X))

    def predict(self, X):
        return self.classes_[self.predict_proba(X).argmax(axis=1)]

def get_estimator():
    return Noise()
"""
TABLE = """
name = "ours"
folds = { splits = 2 }
[[tasks]]
name = "grapes"
input = "table"
kind = "classification"
target = "grape"
data = { path = "wine.csv", id = "id", target = "grape", columns = ["alcohol", "proline"] }
"""
HOOKS = """
import random
import time
from matbench_lite.evaluate import Model

class Noise(Model):
    def start_participant(self, **about):
        time.sleep(0.1)

    def predict(self, item, **columns):
        return random.random()
"""


def trained(folder: Path, command: str, *options: str) -> tuple[list[str], Path]:
    """`mbl run` or `mbl try`: the command, and where its journal is."""
    (folder / "model.py").write_text(ESTIMATOR)
    output = folder / "out"
    journal = {"run": ".run/folds", "try": ".run/try/mini/mini_gap/fold-0"}[command]
    return [command, str(folder), "-b", "mini", "-t", "mini_gap", "-o", str(output), *options], output / journal


def classified(folder: Path, *options: str) -> tuple[list[str], Path]:
    """A local test on a table of three classes."""
    (folder / "model.py").write_text(CLASSES)
    (folder / "ours.toml").write_text(TABLE)
    write_wine(folder / "wine.csv").rename_axis("id").to_csv(folder / "wine.csv")
    command = ["try", str(folder / "model.py"), "-b", str(folder / "ours.toml"), "-t", "grapes", "--inner-folds", "6"]
    return [*command, "-o", str(folder / "out"), *options], folder / "out/.run/try/ours/grapes/fold-0"


def judged(folder: Path, *options: str) -> tuple[list[str], Path]:
    (folder / "noise.py").write_text(ESTIMATOR)
    write_datasets([known for known in FORMULAS if known.name == "saddle"], folder / "sets", seed=7)
    command = ["judge", "run", str(folder / "noise.py"), "--datasets", str(folder / "sets"), "--runs", "6"]
    return [*command, "-o", str(folder / "out"), *options], folder / "out" / ".run" / "runs"


def evaluated(folder: Path, setting: str, *options: str) -> tuple[list[str], Path]:
    (folder / "noise.py").write_text(HOOKS)
    rows = [f"g{group:02},{row},t{row},,{group + row},free,d" for group in range(12) for row in range(3)]
    header = "id,sequence,task,choices,response,response_type,domain"
    (folder / "data.csv").write_text("\n".join([header, *rows]) + "\n")
    about = {"type": setting, "data.test": "data.csv", "models": ["noise.py"]}
    (folder / "file.json").write_text(json.dumps(about))
    command = ["evaluate", str(folder / "file.json"), "-o", str(folder / "out"), "--yes", *options]
    return command, folder / "out" / ".evaluate"


def sent(folder: Path, *options: str) -> tuple[list[str], Path]:
    if problem := isolation_problem():
        pytest.skip(str(problem))
    return scored(
        make_event(folder / "gaps", mode="code", inner_folds=4), 'input = "composition"\n' + ESTIMATOR, *options
    )


def sent_classes(folder: Path, *options: str) -> tuple[list[str], Path]:
    if problem := isolation_problem():
        pytest.skip(str(problem))
    write_wine(folder / "wine.csv")
    source = table_source(folder / "wine.csv", target="grape", input="table")
    return scored(make_event(folder / "grapes", mode="code", inner_folds=4, source=source), CLASSES, *options)


def scored(event: Event, source: str, *options: str) -> tuple[list[str], Path]:
    received = receive(event, write_model(event.folder.parent / "mine", source=source))
    journal = ReceivedFolder(event).path / received.id / "journal"
    return ["event", "score", str(event.folder), received.id, "--run-submitted-code", *options], journal


CASES: dict[str, Callable[[Path], tuple[list[str], Path]]] = {
    "folds, processes": lambda folder: trained(folder, "run", "--jobs", "2"),
    "folds, Dask": lambda folder: trained(folder, "run", "--jobs", "2", "--backend", "dask"),
    "local test, processes": lambda folder: trained(folder, "try", "--jobs", "2", "--inner-folds", "6"),
    "classes, processes": lambda folder: classified(folder, "--jobs", "2"),
    "repeats, processes": lambda folder: judged(folder, "--jobs", "2"),
    "prediction, here": lambda folder: evaluated(folder, "prediction"),
    "adaption, processes": lambda folder: evaluated(folder, "adaption", "--jobs", "2"),
    "coverage, processes": lambda folder: evaluated(folder, "coverage", "--jobs", "2"),
    "loo-coverage, here": lambda folder: evaluated(folder, "loo-coverage"),
    "event, sandbox": lambda folder: sent(folder, "--jobs", "2"),
    "event of classes, sandbox": lambda folder: sent_classes(folder, "--jobs", "2"),
}
SHORT = ("folds, processes", "repeats, processes", "event, sandbox")
"""Without time for all: other tests kill local tests and evaluations, and a cluster takes seconds to start."""


def predictions(journal: Path) -> dict[tuple[str, int], object]:
    """What was predicted, to the last bit, of all that was done."""
    return {
        (kept.task, kept.piece): (
            kept.outcome.answers,
            {part: (some.rows.tobytes(), some.prediction.tobytes()) for part, some in kept.outcome.predictions.items()},
        )
        for kept in Journal(journal).read()
        if kept.outcome.record.error is None
    }


@pytest.mark.parametrize("case", CASES if LONG else SHORT)
def test_the_predictions_are_those_of_an_undisturbed_run(case: str, tmp_path: Path) -> None:
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "DASK_TEMPORARY_DIRECTORY": str(tmp_path)}
    for name in ("undisturbed", "killed"):
        (tmp_path / name).mkdir()
    command, journal = CASES[case](tmp_path / "undisturbed")
    subprocess.run([*MBL, *command], env=environment, check=True, capture_output=True)
    expected = predictions(journal)
    command, journal = CASES[case](tmp_path / "killed")
    rng = random.Random(None if LONG else 19)
    for number in range(ROUNDS):
        before = predictions(journal)
        with subprocess.Popen([*MBL, *command], env=environment, stdout=-3, stderr=-3) as running:
            if rng.random() < 0.7:
                wait_until(lambda before=before: len(predictions(journal)) > len(before) or running.poll() is not None)
            time.sleep(rng.uniform(0, 0.5))
            victims = family(running.pid)
            if number % 2 and len(victims) > 1:
                kill([rng.choice(victims[1:])])
                running.wait(300)
            else:
                kill(victims[:1])
        wait_until(lambda victims=victims: not any(map(alive, victims)))
        found = predictions(journal)
        assert {key: found.get(key) for key in before} == before, "what was kept stays"
        if len(found) == len(expected):
            assert found == expected
            for file in journal.glob("*.jsonl"):
                file.unlink()  # from the beginning
    subprocess.run([*MBL, *command], env=environment, check=True, capture_output=True)
    assert predictions(journal) == expected


def family(pid: int) -> list[psutil.Process]:
    """A program and its workers; the program first."""
    with suppress(psutil.Error):
        program = psutil.Process(pid)
        return [program, *program.children(recursive=True)]
    return []


def kill(victims: list[psutil.Process]) -> None:
    for victim in victims:
        with suppress(psutil.Error):
            victim.kill()


def alive(process: psutil.Process) -> bool:
    try:
        return process.is_running() and process.status() != psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return False
