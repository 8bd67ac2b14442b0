"""Fixtures for judging: one process for algebra, a small set of datasets, models that behave in chosen ways."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from textwrap import dedent

import psutil
import pytest

from matbench_lite.judge.competition import write_datasets
from matbench_lite.judge.expression import Simplifier
from matbench_lite.judge.judge_dataset import FORMULAS, Dataset


@pytest.fixture(scope="session")
def simplifier() -> Simplifier:
    """It remembers what it was asked: all tests share one."""
    return Simplifier()


@pytest.fixture
def airlock_process() -> Callable[[], psutil.Process]:
    """The process in which formulas are simplified, once there is one."""

    def process() -> psutil.Process:
        children = psutil.Process().children()
        (found,) = (child for child in children if "matbench_lite.airlock" in " ".join(child.cmdline()))
        return found

    return process


@pytest.fixture(scope="session")
def datasets_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("judging") / "datasets"
    write_datasets(FORMULAS, folder, seed=7)
    return folder


@pytest.fixture(scope="session")
def datasets(datasets_folder: Path) -> dict[str, Dataset]:
    from matbench_lite.judge.competition import load_datasets

    return {dataset.name: dataset for dataset in load_datasets(datasets_folder)}


@pytest.fixture
def model(tmp_path: Path) -> Callable[[str, str], Path]:
    """Write a model file; `body` is what `fit` does."""
    return lambda name, body, head="": write_model(tmp_path, name, body, head)


def write_model(folder: Path, name: str, body: str, head: str = "") -> Path:
    path = folder / f"{name}.py"
    text = f"""
import time
import numpy as np
{head}

class Estimator:
    def fit(self, X, y):
        self.mean = float(np.mean(y))
{_indented(body)}
        return self

    def predict(self, X):
        return np.full(len(X), self.mean)


def get_estimator():
    return Estimator()
"""
    path.write_text(text)
    return path


def _indented(body: str) -> str:
    return "\n".join("        " + line for line in dedent(body).strip().splitlines())
