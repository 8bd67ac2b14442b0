"""A small submission with every kind of prediction, and the entry it makes."""

from __future__ import annotations

import copy
import shutil
from pathlib import Path

import numpy as np
import pytest

from matbench_lite import Submission, load_benchmark

MODEL = "def get_estimator():\n    return None\n"


def small_submission(**arguments) -> Submission:
    """Values with std, values with an interval, labels and probabilities: two folds or all of them."""
    bench = load_benchmark("mini")
    sub = Submission(bench, algorithm="Test", authors=["A. Name"], single_configuration=True, **arguments)
    rng = np.random.default_rng(0)
    for fold in range(5):
        truth = bench["mini_gap"].test_targets(fold).to_numpy()
        noise = rng.normal(size=len(truth))
        sub.record("mini_gap", fold, truth + noise, std=np.abs(noise) + 0.1, params={"depth": np.int64(3)})
    truth = bench["mini_n"].test_targets(0).to_numpy()
    sub.record("mini_n", 0, truth + 0.1, interval=(truth - 0.3, truth + 0.5))
    for fold in (1, 3):
        sub.record("mini_is_ductile", fold, rng.random(len(bench["mini_is_ductile"].test_ids(fold))) > 0.5)
    sub.record("mini_is_stable", 0, rng.random(len(bench["mini_is_stable"].test_ids(0))))
    return sub


@pytest.fixture(scope="session")
def saved(tmp_path_factory: pytest.TempPathFactory) -> tuple[Submission, Path]:
    """The submission and its entry, to be copied."""
    home = tmp_path_factory.mktemp("small")
    code = home / "model.py"
    code.write_text(MODEL)
    submission = small_submission()
    folder = submission.save(home / "entries" / "test", code=code)
    (folder / "README.md").write_text("# Test\n")
    return submission, submission.save(folder)


@pytest.fixture
def submission(saved: tuple[Submission, Path]) -> Submission:
    made, _ = saved
    return copy.deepcopy(made, {id(made.benchmark): made.benchmark})


@pytest.fixture
def entry(saved: tuple[Submission, Path], tmp_path: Path) -> Path:
    shutil.copy(saved[1].parents[1] / "model.py", tmp_path)
    return shutil.copytree(saved[1], tmp_path / "entries" / "test")
