"""The registry of Matbench v0.1: thirteen tasks, as published."""

from __future__ import annotations

import json
from pathlib import Path

import matminer.datasets
import pytest

from matbench_lite import MatbenchLiteError, load_benchmark
from matbench_lite.errors import UnknownNameError

BENCH = load_benchmark("matbench_v0.1")
PUBLISHED = json.loads((Path(matminer.datasets.__file__).parent / "dataset_metadata.json").read_text())


def test_there_are_thirteen_tasks_in_the_published_groups() -> None:
    assert len(BENCH) == 13
    assert len(BENCH.select(kind="regression")) == 10
    assert len(BENCH.select(kind="classification")) == 3
    assert len(BENCH.select(input="structure")) == 9
    assert len(BENCH.select(input="composition")) == 4
    assert len(BENCH.select(input="structure", kind="regression")) == 8


@pytest.mark.parametrize("task", BENCH, ids=lambda task: task.name)
def test_a_task_agrees_with_the_metadata_that_matminer_ships(task) -> None:
    published = PUBLISHED[task.name]
    assert task.original.sha256 == published["hash"]
    assert task.original.urls[0] == published["url"]
    assert task.rows == published["num_entries"]
    assert set(published["columns"]) == {task.input, task.target}


@pytest.mark.parametrize("task", BENCH, ids=lambda task: task.name)
def test_a_task_is_fully_described(task) -> None:
    assert task.description
    assert all(reference.strip().startswith("@") for reference in task.references)
    assert bool(task.unit) == (task.kind == "regression")
    assert (task.mean_absolute_deviation is None) == (task.kind == "classification")
    assert (task.fraction_true is None) == (task.kind == "regression")
    assert len(task.folds_sha256) == len(task.targets_sha256) == len(task.formulas_sha256) == 64
    assert (task.inputs_sha256 is None) == (task.input == "structure")


def test_row_ids_are_padded_to_the_width_of_the_number_of_rows() -> None:
    assert BENCH["matbench_dielectric"].ids[0] == "mb-dielectric-0001"
    assert BENCH["matbench_expt_is_metal"].ids[-1] == "mb-expt-is-metal-4921"
    assert BENCH["matbench_mp_e_form"].ids[-1] == "mb-mp-e-form-132752"
    assert all(len(task.ids) == task.rows and task.ids.is_unique for task in BENCH)


def test_an_unknown_task_lists_the_names_and_guesses_the_one_meant() -> None:
    with pytest.raises(UnknownNameError, match=r"did you mean 'matbench_steels'\?") as caught:
        BENCH["matbench_steel"]
    assert all(name in str(caught.value) for name in BENCH.names)
    assert isinstance(caught.value, KeyError)
    assert isinstance(caught.value, MatbenchLiteError)


def test_an_unknown_benchmark_lists_the_built_in_ones() -> None:
    with pytest.raises(UnknownNameError, match=r"matbench_v0\.1, mini"):
        load_benchmark("matbench_v0.2")


def test_selecting_by_name_keeps_registry_order() -> None:
    names = ["matbench_glass", "matbench_steels"]
    assert [task.name for task in BENCH.select(names=names)] == ["matbench_steels", "matbench_glass"]
    with pytest.raises(UnknownNameError):
        BENCH.select(names=["nothing"])


def test_an_unknown_fold_is_named() -> None:
    with pytest.raises(UnknownNameError, match="no fold 5; use one of 0 to 4"):
        BENCH["matbench_steels"].test_ids(5)


def test_a_built_in_benchmark_is_read_once() -> None:
    assert load_benchmark("matbench_v0.1") is load_benchmark("matbench_v0.1")
