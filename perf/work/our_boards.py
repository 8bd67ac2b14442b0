"""What perf/boards.py measures: every kind of board, once.

Arguments: "real" and the folder of entries, or "synthetic" and the number of entries to make.
"""

from __future__ import annotations

import json
import sys
import time
from itertools import pairwise
from pathlib import Path

import jsonschema_rs  # noqa: F401  # imports do not count
import numpy as np
import pandas as pd  # noqa: F401
import pyarrow.parquet  # noqa: F401
import scipy.special
import scipy.stats  # noqa: F401

from matbench_lite import Benchmark, Submission, load_benchmark
from matbench_lite.board import (
    TASK_SETS,
    Results,
    compare,
    entry_board,
    general_board,
    history,
    read_entries,
    task_board,
)


def all_boards(results: Results, compared: list[list[str]]) -> None:
    for task in results.benchmark:
        task_board(results, task)
        history(results, task)
    for task_set in TASK_SETS:
        _ = general_board(results, task_set).critical_difference
    for slug in results.entries:
        entry_board(results, slug)
    for slugs in compared:
        compare(results, slugs)


def made_up(benchmark: Benchmark, number: int) -> dict[str, Submission]:
    """Entries of ever more noise."""
    rng = np.random.default_rng(0)
    entries = {}
    for which in range(number):
        entry = entries[f"entry-{which}"] = Submission(benchmark, algorithm=f"Entry {which}", single_configuration=True)
        entry.provenance = {}
        for task in benchmark:
            noise = 0.1 * (1 + which / number)
            for fold in task.folds:
                truth = task.target_values[task.test_rows(fold)]
                if task.kind == "classification":
                    entry.record(task.name, fold, truth ^ (rng.random(len(truth)) < noise))
                else:
                    entry.record(task.name, fold, truth + noise * rng.normal(size=len(truth)))
    return entries


def main() -> None:
    kind, argument = sys.argv[1:]
    # Seconds on the clock, and of the processor: on a busy machine only the latter can be compared.
    if kind == "real":
        bench = load_benchmark("matbench_v0.1")
        began, spent = time.perf_counter(), time.process_time()
        entries = read_entries(Path(argument), bench).read
        all_boards(Results(bench, entries), [list(entries)])  # every pair of them
    else:
        bench = load_benchmark("mini")
        entries = made_up(bench, int(argument))
        began, spent = time.perf_counter(), time.process_time()
        all_boards(Results(bench, entries), [list(pair) for pair in pairwise(entries)])
    print(json.dumps({"boards": time.perf_counter() - began, "processor": time.process_time() - spent}))


main()
