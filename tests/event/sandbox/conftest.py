"""Submissions of a few lines, honest and hostile, and what it takes to train them."""

from __future__ import annotations

import secrets
import textwrap
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import psutil
import pytest

from matbench_lite import load_benchmark
from matbench_lite.errors import SubmittedCodeError
from matbench_lite.event.sandbox import STAGES, Fitted, Limits, fit_contained, isolation_problem

MODEL = """
import ctypes, errno, json, os, signal, socket, struct, subprocess, sys, threading, time
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
LIMITS = Limits(seconds=20, memory_mb=700, disk_mb=64, processes=24, output_mb=0.25)
ROWS = 40


@pytest.fixture(scope="session")
def _isolation() -> None:
    if problem := isolation_problem():
        pytest.skip(f"submitted code cannot be isolated here: {problem}")


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
        body = {part: textwrap.indent(textwrap.dedent(text), " " * 8) for part, text in (("fit", fit), ("predict", predict))}
        (folder / "model.py").write_text(MODEL.format(mark=mark, top=textwrap.dedent(top), **body))
        return folder

    return made


def train(folder: Path, limits: Limits = LIMITS, task_name: str = "mini_gap", **options: Any) -> Fitted:
    """Train a submission on some rows of an embedded task."""
    task = load_benchmark("mini")[task_name]
    X, y = task.train_data(0)
    tests = [task.test_inputs(0).iloc[:7], task.test_inputs(0).iloc[7:12]]
    return fit_contained(folder, task, X.iloc[:ROWS], y.iloc[:ROWS], tests, seed=1, where="fold 0", limits=limits, **options)


def mean() -> float:
    """What the model above predicts if it is left to do its work."""
    return float(np.mean(load_benchmark("mini")["mini_gap"].train_data(0)[1].iloc[:ROWS]))


@pytest.fixture
def contained(_isolation: None, write: Callable[..., Path], mark: str) -> Callable[..., SubmittedCodeError]:
    """Trains a hostile submission, sees that it failed alone and left nothing, and gives the error."""

    def failed(*, limits: Limits = LIMITS, **parts: str) -> SubmittedCodeError:
        folder = write(**parts)
        started = time.monotonic()
        with pytest.raises(SubmittedCodeError) as caught:
            train(folder, limits)
        assert time.monotonic() - started < limits.seconds + 40
        assert survivors(mark) == []
        assert caught.value.stage in STAGES
        assert str(caught.value).startswith(f"mini_gap fold 0: the submitted code {caught.value.stage};")
        return caught.value

    return failed
