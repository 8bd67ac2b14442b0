"""The peer's side of perf/submission.py: record all folds of some tasks, score them, save the file.

Arguments: the prepared arrays, the file to write, the tasks.
"""

from __future__ import annotations

import json
import sys
import time
from typing import Any

import numpy as np
import pandas as pd
from matbench.bench import MatbenchBenchmark
from matbench.task import MatbenchTask


def targets_frame(task: MatbenchTask, targets: np.ndarray) -> pd.DataFrame:
    """What `task.load()` would give, without the structures: `record` looks at the targets alone."""
    prefix = task.dataset_name.replace("matbench", "mb").replace("_", "-")
    width = len(str(len(targets)))
    ids = pd.Index([f"{prefix}-{row:0{width}d}" for row in range(1, len(targets) + 1)], name="mbid")
    return pd.DataFrame({task.metadata.input_type: None, task.metadata.target: targets}, index=ids)


def prepare(arrays: str, names: list[str]) -> tuple[MatbenchBenchmark, dict[str, list[np.ndarray]]]:
    """A benchmark that is ready to record, and what to record."""
    benchmark = MatbenchBenchmark(subset=names, autoload=False)
    with np.load(arrays) as given:
        predictions = {name: [given[f"{name}/{fold}"] for fold in range(5)] for name in names}
        for task in benchmark.tasks:
            task.df = targets_frame(task, given[f"{task.dataset_name}/targets"])
    return benchmark, predictions


def record(benchmark: MatbenchBenchmark, predictions: dict[str, list[np.ndarray]]) -> dict[str, Any]:
    for task in benchmark.tasks:
        for fold in task.folds:
            task.record(fold, predictions[task.dataset_name][fold])
    return benchmark.scores


def main() -> None:
    arrays, output, *names = sys.argv[1:]
    # Whatever is slow the first time is done before, on the smallest task.
    small, few = prepare(arrays, ["matbench_steels"])
    record(small, few)
    small.to_file(output)
    benchmark, predictions = prepare(arrays, names)

    began = time.perf_counter()
    scores = record(benchmark, predictions)
    recorded = time.perf_counter()
    benchmark.to_file(output)
    saved = time.perf_counter()

    ranking = {name: scores[name].get("mae", scores[name].get("balanced_accuracy"))["mean"] for name in names}
    print(json.dumps({"record": recorded - began, "save": saved - recorded, "scores": ranking}))


main()
