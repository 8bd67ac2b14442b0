"""Submissions of a few lines, honest and hostile, and what it takes to train them."""

from __future__ import annotations

import secrets
import textwrap
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import psutil
import pytest

from matbench_lite import load_benchmark
from matbench_lite.errors import SubmittedCodeError
from matbench_lite.train import PieceRecord, Predicted, Split
from matbench_lite.train.sandbox import STAGES, Limits, contained_fit, fit_contained
from matbench_lite.train.sandbox.isolation import launched

MODEL = """
import ctypes, os, sys
import numpy as np
from pathlib import Path

MARK = {mark!r}
Path("/proc/self/comm").write_text(MARK)  # what it forks has the same name

{top}

class Model:
    def fit(self, X, y):
{fit}
        self.mean = float(np.mean(y))
        return self

    def predict(self, X):
{predict}

def get_estimator(task):
    return Model()
"""
ATTACK = """
import ctypes, errno, json, os, signal, socket, subprocess, sys, threading, time
from pathlib import Path

MARK = {mark!r}
Path("/proc/self/comm").write_text(MARK)
os.write(3, b"\\n")  # ready
with open(0, "rb", closefd=False) as job:
    job.read()
os.dup2(os.open("/dev/null", os.O_RDONLY), 0)
os.chdir("home")
def send_zeros():
    os.write(3, b"MBLP1\\0" + b"\\0\\0" + bytes(8 * 7) + b"\\0\\0" + bytes(8 * 5))
{code}
"""
"""What runs in the place of the worker: the process is the same in every way, only that it has not spent a second on
loading pandas. So it is with code that has taken over the process in which it is trained."""
LIMITS = Limits(seconds=100, memory_mb=700, disk_mb=64, processes=24, output_mb=0.25)
ROWS = 40
Trained = tuple[list[Predicted], PieceRecord]
"""What came of a training."""


@pytest.fixture
def mark() -> Iterator[str]:
    """A name by which a submission's processes can be known; none may be left after the test."""
    name = f"mark{secrets.token_hex(5)}"  # 14 letters: the kernel keeps 15
    yield name
    assert survivors(name) == []


def survivors(mark: str) -> list[str]:
    found = []
    for process in psutil.process_iter():
        try:
            if mark in process.name() or any(mark in part for part in process.cmdline()):
                found.append(f"{process.pid} {process.name()}")
        except psutil.Error:
            continue
    return found


@pytest.fixture
def write(tmp_path: Path, mark: str) -> Callable[..., Path]:
    """Writes a submission: lines at the top, in `fit` and in `predict`."""

    def made(*, top: str = "", fit: str = "pass", predict: str = "return np.full(len(X), self.mean)") -> Path:
        folder = tmp_path / "submissions" / "theirs"
        folder.mkdir(parents=True, exist_ok=True)
        body = {
            part: textwrap.indent(textwrap.dedent(text), " " * 8) for part, text in (("fit", fit), ("predict", predict))
        }
        (folder / "model.py").write_text(MODEL.format(mark=mark, top=textwrap.dedent(top), **body))
        return folder

    return made


def train(folder: Path, limits: Limits = LIMITS, task_name: str = "mini_gap", **options: Any) -> Trained:
    """Train a submission on some rows of an embedded task."""
    task = load_benchmark("mini")[task_name]
    X, y = task.train_data(0)
    asked = {"valid": task.test_inputs(0).iloc[:7], "test": task.test_inputs(0).iloc[7:12]}
    split = Split(task=task, X=X.iloc[:ROWS], y=y.iloc[:ROWS], asked=asked, rows={}, seed=1)
    return fit_contained(folder, split, where="fold 0", limits=limits, **options)


def mean() -> float:
    """What the model above predicts if it is left to do its work."""
    return float(np.mean(load_benchmark("mini")["mini_gap"].train_data(0)[1].iloc[:ROWS]))


@pytest.fixture
def run_code(
    request: pytest.FixtureRequest, write: Callable[..., Path], mark: str, monkeypatch: pytest.MonkeyPatch
) -> Callable[..., Trained]:
    """Trains with some code in the place of the worker."""

    def run(code: str, *, limits: Limits = LIMITS, isolated: bool = True) -> Trained:
        if isolated:
            request.getfixturevalue("isolation")
        program = ATTACK.format(mark=mark, code=textwrap.dedent(code))
        monkeypatch.setattr(contained_fit, "launched", partial(launched, program=program))
        try:
            return train(write(), limits, isolated=isolated)
        finally:
            assert survivors(mark) == []

    return run


@pytest.fixture
def works(run_code: Callable[..., Trained]) -> Callable[..., str]:
    """Runs some code in a sandbox that must come to its end and send predictions; what it printed."""

    def run(code: str, **options: Any) -> str:
        predicted, record = run_code(f"{textwrap.dedent(code)}\nsend_zeros()", **options)
        assert [one.values.tolist() for one in predicted] == [[0.0] * 7, [0.0] * 5]
        return record.printed

    return run


@pytest.fixture
def attack(run_code: Callable[..., Trained]) -> Callable[..., SubmittedCodeError]:
    """Runs some code in a sandbox that must fail alone and leave nothing; the error."""

    def failed(code: str, **options: Any) -> SubmittedCodeError:
        with pytest.raises(SubmittedCodeError) as caught:
            run_code(code, **options)
        return checked(caught.value)

    return failed


@pytest.fixture
def contained(isolation: None, write: Callable[..., Path], mark: str) -> Callable[..., SubmittedCodeError]:
    """Trains a hostile submission, sees that it failed alone and left nothing, and gives the error."""

    def failed(*, limits: Limits = LIMITS, **parts: str) -> SubmittedCodeError:
        with pytest.raises(SubmittedCodeError) as caught:
            train(write(**parts), limits)
        assert survivors(mark) == []
        return checked(caught.value)

    return failed


def checked(error: SubmittedCodeError) -> SubmittedCodeError:
    assert error.stage in STAGES
    assert str(error).startswith(f"mini_gap fold 0: the submitted code {error.stage};")
    return error
