"""Entries that are made in a moment: the truth plus noise."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from matbench_lite import Benchmark, Submission, load_benchmark


def noisy_entry(
    benchmark: Benchmark, noise: float, *, tasks: Sequence[str] | None = None, seed: int = 0, **arguments
) -> Submission:
    """An entry whose predictions are off by `noise` (in the unit of the target; the share of wrong labels)."""
    arguments = {"algorithm": f"Noise {noise}", "single_configuration": True, **arguments}
    entry = Submission(benchmark, **arguments)
    rng = np.random.default_rng(seed)
    for task in benchmark.select(names=tasks):
        for fold in task.folds:
            truth = task.target_values[task.test_rows(fold)]
            if task.kind == "classification":
                entry.record(task.name, fold, truth ^ (rng.random(len(truth)) < noise))
            else:
                entry.record(task.name, fold, truth + noise * rng.normal(size=len(truth)))
    return entry


@pytest.fixture(scope="session")
def noisy() -> Callable[..., Submission]:
    """Make an entry; see `noisy_entry`."""
    return noisy_entry


@pytest.fixture(scope="session")
def mini() -> Benchmark:
    return load_benchmark("mini")


OWN = """
name = "own"
title = "Ours"

[[tasks]]
name = "own_zero"
input = "composition"
kind = "regression"
target = "y"
unit = "eV"
[tasks.data]
path = "own.csv"
id = "id"
input = "formula"
target = "y"
"""


@pytest.fixture
def own_benchmark(tmp_path: Path) -> Callable[[Sequence[str], Sequence[float]], Benchmark]:
    """Make a benchmark of one task from formulas and targets."""

    def make(formulas: Sequence[str], targets: Sequence[float]) -> Benchmark:
        ids = [f"row-{row}" for row in range(len(formulas))]
        pd.DataFrame({"id": ids, "formula": formulas, "y": targets}).to_csv(tmp_path / "own.csv", index=False)
        (tmp_path / "own.toml").write_text(OWN)
        return load_benchmark(tmp_path / "own.toml")

    return make
