"""A benchmark whose data says which rows are to train on and which to test on."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from matbench_lite import Submission, load_benchmark
from matbench_lite.board import Results
from matbench_lite.errors import BenchmarkFileError, MetricError
from matbench_lite.train import inner_folds

TOML = """
name = "years"

[[tasks]]
name = "gap"
input = "composition"
kind = "regression"
target = "band gap"
unit = "eV"
[tasks.data]
path = "gap.csv"
id = "id"
input = "formula"
target = "gap"
part = "part"
"""
PARTS = ["train"] * 20 + ["test"] * 6 + ["train"] * 4


@pytest.fixture
def write(tmp_path: Path) -> Callable[..., Path]:
    def write(parts: list[str]) -> Path:
        rows = range(len(parts))
        frame = {"id": [f"r{row}" for row in rows], "formula": [f"Fe{row + 1}O2" for row in rows]}
        pd.DataFrame({**frame, "gap": [0.1 * row for row in rows], "part": parts}).to_csv(
            tmp_path / "gap.csv", index=False
        )
        (tmp_path / "years.toml").write_text(TOML)
        return tmp_path / "years.toml"

    return write


def test_there_is_one_fold_and_the_data_says_which(write: Callable[..., Path]) -> None:
    task = load_benchmark(write(PARTS)).tasks[0]
    assert list(task.folds) == [0]
    assert task.test_rows(0).tolist() == list(range(20, 26))
    assert task.train_rows(0).tolist() == [*range(20), *range(26, 30)]
    assert task.fold_of_rows[19:21].tolist() == [255, 0]
    assert not task.fold_of_rows.flags.writeable
    assert task.has_given_parts


def test_every_training_row_is_held_out_once_and_the_test_rows_never(write: Callable[..., Path]) -> None:
    task = load_benchmark(write(PARTS)).tasks[0]
    folds = inner_folds(task, 0, n_folds=4)
    assert sorted(np.concatenate([fold.valid for fold in folds])) == task.train_rows(0).tolist()
    for fold in folds:
        assert fold.test.tolist() == task.test_rows(0).tolist()
        assert not set(fold.train) & (set(fold.valid) | set(fold.test))
    with_flag = inner_folds(task, 0, n_folds=4, official_test=True)
    assert [fold.test.tolist() for fold in with_flag] == [fold.test.tolist() for fold in folds]


def test_anything_else_than_train_and_test_is_a_mistake(write: Callable[..., Path]) -> None:
    with pytest.raises(BenchmarkFileError, match="'part' in row 2 is 'Train', not train or test"):
        load_benchmark(write(["train", "test", "Train", "train"]))


def test_an_entry_has_one_fold_and_leaderboards_say_why_they_cannot_rank(
    write: Callable[..., Path], tmp_path: Path
) -> None:
    bench = load_benchmark(write(PARTS))
    entries = {}
    for name, shift in (("a", 0.1), ("b", 0.2)):
        entry = Submission(bench, algorithm=name, authors=["A"], single_configuration=True, external_data=False)
        entry.record("gap", 0, bench["gap"].test_targets(0) + shift)
        assert entry.scores["gap"].mae.mean == pytest.approx(shift)
        (tmp_path / f"{name}.py").write_text("")
        entry.save(tmp_path / "submissions" / name, code=tmp_path / f"{name}.py")
        entries[name] = Submission.load(tmp_path / "submissions" / name, benchmark=bench)
    with pytest.raises(MetricError, match="gap has one fold"):
        Results(bench, entries)
