"""The category of an entry: every edge of the rule, as a table, on real folds and through the checks."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from matbench_lite import Submission, load_benchmark
from matbench_lite.check import check_entry
from matbench_lite.tasks import Benchmark, categorise

BENCH = load_benchmark("matbench_v0.1")
ALL = frozenset(BENCH.names)
REGRESSION = frozenset(task.name for task in BENCH.select(kind="regression"))
STRUCTURE = frozenset(task.name for task in BENCH.select(input="structure"))
COMPOSITION = ALL - STRUCTURE
LABELS = ALL - REGRESSION

TABLE = [
    # recorded in full, declared, category, reason
    (ALL, True, "general-purpose", "all 13 tasks"),
    (ALL, None, "general-purpose", "all 13 tasks"),
    (ALL, False, "task-specific", "all 13 tasks, but configured by hand for each task"),
    (REGRESSION, True, "general-purpose, regression only", "all 10 regression tasks, nothing else"),
    (STRUCTURE, True, "general-purpose, requires-structure", "all 9 structure tasks, nothing else"),
    (REGRESSION | STRUCTURE, True, "general-purpose", "all 10 regression tasks and 1 more"),
    (STRUCTURE | {"matbench_steels"}, True, "general-purpose", "all 9 structure tasks and 1 more"),
    (STRUCTURE | (COMPOSITION & LABELS), True, "general-purpose", "all 9 structure tasks and 2 more"),
    (REGRESSION | {"matbench_glass"}, True, "general-purpose", "all 10 regression tasks and 1 more"),
    (ALL - {"matbench_glass"}, True, "general-purpose", "all 10 regression tasks and 2 more"),
    (ALL - {"matbench_steels"}, True, "general-purpose", "all 9 structure tasks and 3 more"),
    *((STRUCTURE - {name}, True, "task-specific", "8 of 13 tasks, neither all regression nor all structure tasks")
      for name in sorted(STRUCTURE)),
    *((REGRESSION - {name}, True, "task-specific", "9 of 13 tasks, neither all regression nor all structure tasks")
      for name in sorted(REGRESSION)),
    (ALL - {"matbench_steels", "matbench_mp_gap"}, True, "task-specific",
     "11 of 13 tasks, neither all regression nor all structure tasks"),
    (STRUCTURE & REGRESSION, True, "task-specific", "8 of 13 tasks, neither all regression nor all structure tasks"),
    (COMPOSITION, True, "task-specific", "4 of 13 tasks, neither all regression nor all structure tasks"),
    (LABELS, True, "task-specific", "3 of 13 tasks, neither all regression nor all structure tasks"),
    ({"matbench_steels"}, False, "task-specific", "1 of 13 tasks, neither all regression nor all structure tasks"),
    (frozenset(), True, "task-specific", "0 of 13 tasks, neither all regression nor all structure tasks"),
    (ALL | {"made_up"}, True, "general-purpose", "all 13 tasks"),
    (STRUCTURE | {"made_up"}, True, "general-purpose, requires-structure", "all 9 structure tasks, nothing else"),
]  # fmt: skip


@pytest.mark.parametrize(("recorded", "declared", "expected", "reason"), TABLE)
def test_matbench(recorded, declared, expected, reason) -> None:
    category = categorise(BENCH, recorded, single_configuration=declared)
    assert (category.name, category.reason) == (expected.partition(",")[0], reason)
    if declared is not False:
        assert str(category) == expected


def part(**of: str) -> Benchmark:
    return replace(BENCH, tasks=BENCH.select(**of))


@pytest.mark.parametrize(
    ("bench", "expected"),
    [
        (part(input="structure"), "general-purpose, requires-structure"),
        (part(input="composition"), "general-purpose"),
        (part(kind="regression"), "general-purpose, regression only"),
        (part(kind="classification"), "general-purpose"),
        (part(input="composition", kind="classification"), "general-purpose"),
        (part(input="structure", kind="regression"), "general-purpose, requires-structure, regression only"),
    ],
)
def test_other_benchmarks_where_a_group_is_empty_or_everything(bench, expected) -> None:
    assert str(categorise(bench, bench.names, single_configuration=True)) == expected
    assert not categorise(bench, [], single_configuration=True).general_purpose, "an empty set satisfies nothing"


@pytest.mark.parametrize(
    ("missing", "expected", "reason"),
    [
        (None, "general-purpose", "all 7 tasks"),
        (("mini_is_ductile", 4), "general-purpose", "all 5 regression tasks and 1 more"),
        (("mini_e_form", 0), "task-specific", "6 of 7 tasks, neither all regression nor all structure tasks"),
    ],
)
def test_a_task_counts_when_all_its_folds_are_recorded(tmp_path, missing, expected, reason) -> None:
    bench = load_benchmark("mini")
    sub = Submission(bench, algorithm="A", single_configuration=True)
    rng = np.random.default_rng(0)
    for task in bench:
        for fold in task.folds:
            if (task.name, fold) != missing:
                values = rng.random(len(task.test_rows(fold)))
                sub.record(task.name, fold, values if task.kind == "regression" else values > 0.5)
    category = check_entry(sub.save(tmp_path / "a")).category
    assert (str(category), category.reason) == (expected, reason)
