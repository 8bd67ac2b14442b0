"""The model of variance on the ten real entries, against numbers made by independent code."""

from __future__ import annotations

import json
import re
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from matbench_lite import Submission, Task, load_benchmark
from matbench_lite.stats import Design, class_losses, differences, moments

pytestmark = [pytest.mark.real, pytest.mark.slow]

BENCHMARK = load_benchmark("matbench_v0.1")
ORACLE = json.loads((Path(__file__).parent.parent / "oracles" / "variance.json").read_text())
NAMES = ("difference", "fold_variance", "row_variance", "clustered_variance", "variance", "t", "p")


def losses(entry: Submission, task: Task) -> np.ndarray:
    predictions = np.empty(task.rows)
    for fold, recorded in entry.recorded(task.name).items():
        predictions[task.test_rows(fold)] = recorded.predictions.prediction
    if task.kind == "classification":
        return class_losses(task.target_values, predictions > 0.5, task.fold_of_rows)
    return np.abs(predictions - task.target_values)


def design(task: Task, scatter: float) -> Design:
    formulas = task.targets["formula"]
    systems = pd.factorize(formulas.map(lambda formula: "-".join(sorted(set(re.findall("[A-Z][a-z]?", formula))))))[0]
    if np.bincount(systems).max() > task.rows / 10:  # one system holds half of the steels
        systems = pd.factorize(formulas)[0]
    return Design(folds=task.fold_of_rows, clusters=systems, scatter=scatter)


def test_every_difference_from_the_best_is_as_given(real_entries: Path, real_store: Path, monkeypatch) -> None:
    monkeypatch.setenv("MATBENCH_LITE_DATA", str(real_store))
    entries = {folder.name: Submission.load(folder) for folder in real_entries.iterdir()}
    for task in BENCHMARK:
        given = ORACLE["tasks"][task.name]
        slugs = [name.lower().replace("_", "-") for name in (given["best"], *given["against_best"])]
        of_task = design(task, given["c"])
        assert of_task.cluster_count == given["clusters"]
        found = differences(moments([losses(entries[slug], task) for slug in slugs], of_task), weight=ORACLE["k"])
        for position, expected in enumerate(given["against_best"].values(), 1):
            numbers = {name: getattr(found, name)[position, 0] for name in NAMES}
            assert numbers == pytest.approx({name: expected[name] for name in NAMES}, rel=1e-6)
