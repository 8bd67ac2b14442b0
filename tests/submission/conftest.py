"""A small submission with every kind of prediction, and the entry it makes."""

from __future__ import annotations

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


@pytest.fixture
def submission() -> Submission:
    return small_submission()


@pytest.fixture
def entry(submission: Submission, tmp_path: Path) -> Path:
    code = tmp_path / "model.py"
    code.write_text(MODEL)
    folder = submission.save(tmp_path / "entries" / "test", code=code)
    (folder / "README.md").write_text("# Test\n")
    return submission.save(folder)
