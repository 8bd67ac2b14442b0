"""The category rule: every edge of it."""

from __future__ import annotations

from dataclasses import replace

import pytest

from matbench_lite import load_benchmark
from matbench_lite.tasks import categorise

BENCH = load_benchmark("matbench_v0.1")
EVERYTHING = set(BENCH.names)
REGRESSION = {task.name for task in BENCH.select(kind="regression")}
STRUCTURE = {task.name for task in BENCH.select(input="structure")}
COMPOSITION = {task.name for task in BENCH.select(input="composition")}


@pytest.mark.parametrize(
    ("recorded", "expected", "reason"),
    [
        (EVERYTHING, "general-purpose", "all 13 tasks"),
        (REGRESSION, "general-purpose, regression only", "all 10 regression tasks, nothing else"),
        (STRUCTURE, "general-purpose, requires-structure", "all 9 structure tasks, nothing else"),
        (STRUCTURE | {"matbench_steels"}, "general-purpose", "all 9 structure tasks and 1 more"),
        (REGRESSION | {"matbench_glass"}, "general-purpose", "all 10 regression tasks and 1 more"),
        (EVERYTHING - {"matbench_glass"}, "general-purpose", "all 10 regression tasks and 2 more"),
        (EVERYTHING - {"matbench_steels", "matbench_mp_gap"}, "task-specific", "11 of 13 tasks"),
        (STRUCTURE - {"matbench_jdft2d"}, "task-specific", "8 of 13 tasks"),
        (REGRESSION & STRUCTURE, "task-specific", "8 of 13 tasks"),
        (COMPOSITION, "task-specific", "4 of 13 tasks"),
        ({"matbench_steels"}, "task-specific", "1 of 13 tasks"),
        (set(), "task-specific", "0 of 13 tasks"),
        (EVERYTHING | {"not_a_task"}, "general-purpose", "all 13 tasks"),
    ],
)
def test_the_recorded_tasks_decide(recorded, expected, reason) -> None:
    category = categorise(BENCH, recorded, single_configuration=True)
    assert str(category) == expected
    assert category.reason.startswith(reason)


@pytest.mark.parametrize("recorded", [EVERYTHING, REGRESSION, STRUCTURE])
def test_an_entry_configured_by_hand_per_task_is_task_specific(recorded) -> None:
    category = categorise(BENCH, recorded, single_configuration=False)
    assert category.name == "task-specific"
    assert category.reason.endswith("but configured by hand for each task")


def test_without_a_declaration_the_tasks_alone_decide() -> None:
    assert categorise(BENCH, EVERYTHING, single_configuration=None).general_purpose


def test_an_empty_set_of_tasks_satisfies_nothing() -> None:
    only_labels = replace(BENCH, tasks=BENCH.select(input="composition", kind="classification"))
    assert not categorise(only_labels, [], single_configuration=True).general_purpose
    assert str(categorise(only_labels, only_labels.names, single_configuration=True)) == "general-purpose"
