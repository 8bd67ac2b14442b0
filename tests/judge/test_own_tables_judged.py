"""A table of numbers as the real-world track: its columns are the features."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from matbench_lite import load_benchmark
from matbench_lite.errors import JudgingError
from matbench_lite.judge.judge_dataset import task_dataset
from matbench_lite.tasks import Task

TOML = """
name = "ours"
[[tasks]]
name = "energy"
input = "table"
kind = "regression"
target = "energy"
unit = "eV"
[tasks.data]
path = "data.csv"
id = "id"
target = "y"
columns = {columns}
"""


def task_of(folder: Path, columns: str) -> Task:
    rows = np.arange(40)
    frame = pd.DataFrame({"id": rows, "bond length": rows / 3, "b_1": rows % 5, "bond-length": rows, "y": rows * 0.5})
    frame.assign(kind="a", gap=np.where(rows % 3, 1.0, np.nan)).to_csv(folder / "data.csv", index=False)
    (folder / "ours.toml").write_text(TOML.format(columns=columns))
    return load_benchmark(folder / "ours.toml").tasks[0]


def test_the_features_are_the_columns(tmp_path: Path) -> None:
    dataset = task_dataset(task_of(tmp_path, '["bond length", "b_1"]'))
    assert dataset.feature_set == "table"
    assert dataset.train.X.columns.tolist() == ["bond_length", "b_1"]
    assert dataset.train.X.dtypes.astype(str).tolist() == ["float64", "float64"]


def test_changed_inputs_are_another_dataset(tmp_path: Path) -> None:
    before = task_dataset(task_of(tmp_path, '["b_1"]')).digest
    assert task_dataset(task_of(tmp_path, '["b_1"]')).digest == before
    table = pd.read_csv(tmp_path / "data.csv")
    table.assign(b_1=table["b_1"] + 1).to_csv(tmp_path / "data.csv", index=False)
    assert task_dataset(load_benchmark(tmp_path / "ours.toml").tasks[0]).digest != before


@pytest.mark.parametrize(
    ("columns", "message"),
    [
        ('["b_1", "kind"]', "the column 'kind' has texts or missing values"),
        ('["gap"]', "the column 'gap' has texts or missing values"),
        ('["bond length", "bond-length"]', "bond_length, bond_length cannot all be names"),
    ],
)
def test_what_a_formula_cannot_take_is_refused(tmp_path: Path, columns: str, message: str) -> None:
    with pytest.raises(JudgingError, match=message):
        task_dataset(task_of(tmp_path, columns))


def test_features_of_materials_are_none_of_a_table(tmp_path: Path) -> None:
    with pytest.raises(JudgingError, match="energy has no features 'magpie'; use features = table"):
        task_dataset(task_of(tmp_path, '["b_1"]'), features="magpie")
    with pytest.raises(JudgingError, match="mini_gap has no features 'table'"):
        task_dataset(load_benchmark("mini")["mini_gap"], features="table")
