"""Models of a few lines, written to files as a user would."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path

import pytest

from matbench_lite import load_benchmark
from matbench_lite.train import Job, LocalTest, Plan, TrialSettings, load_model, rescore, run_model, trial_journal

collect_ignore_glob = ["ramp_kits/*"]  # what ramp-workflow runs, in a Python of its own
MODEL = """
import os, time
import numpy as np
from pathlib import Path

input = "composition"

class Model:
    def __init__(self, task):
        self.task = task

    def fit(self, X, y):
        {fit}
        self.mean = float(np.mean(y)) if self.task == "regression" else 0.5
        return self

    def predict(self, X):
        {predict}

def get_estimator(task):
    return Model(task.kind)
"""
"""A model with holes for what its fit and predict do; without scikit-learn, which takes two seconds to import."""
TWO = ("mini_gap", "mini_is_ductile")
"""The tasks that models are run on, unless a test is about others."""
RANDOM = "return np.random.rand(len(X))"


@pytest.fixture
def write_model(tmp_path: Path) -> Callable[..., Path]:
    """Writes a model file and gives its path."""

    def write(*, fit: str = "pass", predict: str = "return np.full(len(X), self.mean)", name: str = "model_a") -> Path:
        path = tmp_path / f"{name}.py"
        path.write_text(MODEL.format(fit=fit, predict=predict))
        return path

    return write


@pytest.fixture(scope="session")
def random_run(once: Callable[[str, Callable[[Path], None]], Path]) -> Path:
    """A folder with a model that predicts random numbers, and `entry`: its finished run on two tasks. For reading."""

    def build(folder: Path) -> None:
        (folder / "model_a.py").write_text(MODEL.format(fit="pass", predict=RANDOM))
        plan = Plan(model=load_model(folder / "model_a.py"), benchmark="mini", output=folder / "entry", tasks=TWO)
        assert run_model(plan).failed == ()

    return once("random-run", build)


@pytest.fixture
def random_entry(random_run: Path, tmp_path: Path) -> tuple[Path, Path]:
    """A copy of that model and of that entry."""
    shutil.copytree(random_run, tmp_path / "random")
    return tmp_path / "random" / "model_a.py", tmp_path / "random" / "entry"


@pytest.fixture(scope="session")
def try_here() -> Callable[[Path, str, int], None]:
    """Does what `try_model` does, in this process: no child has to be started."""

    def try_one(folder: Path, name: str, n_folds: int) -> None:
        model, task = load_model(folder), load_benchmark("mini")[name]
        settings = TrialSettings(
            benchmark="mini", task=name, fold=0, model=model.name, model_sha256=model.sha256, inner_folds=n_folds
        )
        journal = trial_journal(folder, task, 0)
        journal.begin(asdict(settings))
        protocol = LocalTest(task=task, fold=0, inner_folds=n_folds)
        for number in range(n_folds):
            job = Job(model=model, protocol=protocol, piece=number)
            journal.keep(job, job.work())
        assert rescore(task, folder).ok

    return try_one
