"""Mistakes that are seen when predictions meet the targets: warned of at once, and found by the check."""

from __future__ import annotations

import re
import warnings
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from matbench_lite import Submission, load_benchmark
from matbench_lite.check import check_entry
from matbench_lite.errors import PredictionWarning

MINI = load_benchmark("mini")
Change = Callable[[np.ndarray, np.random.Generator], np.ndarray]


def wild(values: np.ndarray, _: object) -> np.ndarray:
    return np.where(np.arange(len(values)) == 7, 1e9, values)


MISTAKES: dict[str, tuple[str, str, Change]] = {
    "another order": ("MBL513", "rank correlation", lambda values, rng: rng.permutation(values)),
    "sorted": ("MBL513", "rank correlation", lambda values, _: np.sort(values)),
    "the logarithm": ("MBL515", "log10 of the targets", lambda values, _: np.log10(np.maximum(values, 0.01))),
    "meV for eV": ("MBL515", "1000 times as large", lambda values, _: 1000 * values),
    "another power of ten": ("MBL515", "0.1 times as large", lambda values, _: values / 10),
    "one wild value": ("MBL514", "1e+09", wild),
    "worse than the mean": ("MBL512", "that of the mean", lambda values, _: values + 3),
}


def predictions(task_name: str, fold: int, rng: np.random.Generator) -> np.ndarray:
    """Those of a model that has learned something."""
    task = MINI[task_name]
    truth = task.target_values[task.test_rows(fold)].astype(float)
    return truth + rng.normal(size=len(truth)) * 0.4 * task.mean_absolute_deviation


@pytest.mark.parametrize("name", MISTAKES)
def test_a_mistake_is_warned_of_at_once_and_found_by_the_check(name: str, tmp_path: Path) -> None:
    code, words, change = MISTAKES[name]
    task = "mini_n" if "logarithm" in name else "mini_gap" if "worst" in name else "mini_log_kvrh"
    rng = np.random.default_rng(0)
    entry = Submission(MINI, algorithm="A", authors=["B"], description="C", external_data=False)
    for fold in range(5):
        changed = change(predictions(task, fold, rng), rng)
        with pytest.warns(PredictionWarning, match=rf"{task} fold {fold}: .*{re.escape(words)}"):
            entry.record(task, fold, changed)
    checked = check_entry(entry.save(tmp_path / "entry"))
    found = [finding for finding in checked.findings if finding.code in ("MBL512", "MBL513", "MBL514", "MBL515")]
    assert [(finding.code, finding.severity, finding.task) for finding in found] == [(code, "warning", task)]
    assert found[0].fix
    if name == "one wild value":
        assert (found[0].rows[0], found[0].row_count) == (MINI[task].test_ids(0)[7], 5)


def test_classes_that_are_turned_round_are_worse_than_a_guess() -> None:
    task = MINI["mini_is_stable"]
    entry = Submission(MINI, algorithm="A")
    with pytest.warns(PredictionWarning, match="balanced accuracy is 0, that of a guess 0.5"):
        entry.record(task.name, 0, ~task.target_values[task.test_rows(0)])


def test_honest_predictions_and_constant_guesses_raise_nothing() -> None:
    rng = np.random.default_rng(0)
    entry = Submission(MINI, algorithm="A")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for fold in range(5):
            entry.record("mini_gap", fold, predictions("mini_gap", fold, rng))
            entry.record("mini_log_kvrh", fold, np.full(len(MINI["mini_log_kvrh"].test_rows(fold)), 9.0))
            entry.record("mini_is_stable", fold, np.zeros(len(MINI["mini_is_stable"].test_rows(fold)), dtype=bool))


def test_without_targets_nothing_is_said() -> None:
    entry = Submission("matbench_v0.1", algorithm="A")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        entry.record("matbench_steels", 0, np.full(63, 1e9))
