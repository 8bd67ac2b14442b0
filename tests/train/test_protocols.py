"""Protocols: data that changes on disk is something else, and is read again."""

from __future__ import annotations

from pathlib import Path

import pytest

from matbench_lite import load_benchmark
from matbench_lite.train import Folds, Here, Job, LocalTest, drive, load_model

TOML = """
name = "own"
title = "Own"
description = "Mine."
[[tasks]]
name = "own_y"
input = "composition"
kind = "regression"
target = "y"
unit = "eV"
description = "y"
[tasks.data]
path = "data.csv"
id = "id"
input = "formula"
target = "y"
"""


def write_data(folder: Path, target: float) -> Folds:
    """A table whose targets are all the same; its folds."""
    rows = "".join(f"r{number},Na{number}Cl,{target}\n" for number in range(1, 31))
    (folder / "data.csv").write_text(f"id,formula,y\n{rows}")
    (folder / "own.toml").write_text(TOML)
    return Folds(task=load_benchmark(folder / "own.toml")["own_y"])


def test_a_table_that_has_changed_is_read_again(tmp_path: Path) -> None:
    jobs = []
    for target in (1.0, 2.0):
        jobs.append(Job(model=load_model("dummy"), protocol=write_data(tmp_path, target), piece=0))
        (outcome,) = drive(jobs[-1:], Here())
        assert set(outcome.predictions["test"].prediction) == {target}
    assert jobs[0].mark != jobs[1].mark


def test_where_a_table_lies_changes_nothing(tmp_path: Path) -> None:
    digests = set()
    for name in ("here", "there"):
        (tmp_path / name).mkdir()
        digests.add(write_data(tmp_path / name, 1.0).digest)
    assert len(digests) == 1


@pytest.mark.parametrize("change", [{"fold": 1}, {"inner_folds": 3}, {"official_test": True}])
def test_every_setting_counts(change: dict[str, object]) -> None:
    about = {"task": load_benchmark("mini")["mini_gap"], "fold": 0, "inner_folds": 2}
    assert LocalTest(**about).digest != LocalTest(**(about | change)).digest
