"""What the statistics claim, simulated. The rates for many equal entries are stated in the notes on statistics.

The suite has few repeats, enough to notice intervals of 90 % or 98 %; `MATBENCH_LITE_LONG=1` is for the finer faults.
`python -m tests.stats.test_simulation` prints the measured rates.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator

import numpy as np
import pytest

from matbench_lite.stats import bootstrap_balanced_accuracy, bootstrap_mean, tie_groups

from ..conftest import LONG

FOLDS = 5
REPEATS, DRAWS = (1000, 2000) if LONG else (300, 500)
LOW, HIGH = (0.93, 0.97) if LONG else (0.92, 0.975)
SEEDS = 16
"""Draws of rows are shared by repeats, a few sets of them: one set alone would put its own error into the rate."""
CORRELATIONS = (0.0, 0.1, 0.2)
ERRORS: dict[str, tuple[Callable[[np.random.Generator, int], np.ndarray], float]] = {
    "normal": (lambda rng, rows: np.abs(rng.normal(size=rows)), math.sqrt(2 / math.pi)),
    "exponential": (lambda rng, rows: rng.exponential(size=rows), 1.0),
    "log-normal": (lambda rng, rows: rng.lognormal(size=rows), math.exp(0.5)),
}
"""Absolute errors with an ever heavier tail, and their true mean."""


def mean_coverage(kind: str, rows: int, repeats: int = REPEATS, draws: int = DRAWS) -> float:
    """How often the interval of a mean error holds the true one."""
    draw, truth = ERRORS[kind]
    rng = np.random.default_rng(rows)
    hits = 0
    for repeat in range(repeats):
        interval = bootstrap_mean(np.split(draw(rng, rows), FOLDS), draws=draws, seed=repeat % SEEDS)
        hits += interval.low <= truth <= interval.high
    return hits / repeats


def difference_coverage(rows: int, repeats: int = REPEATS, draws: int = DRAWS) -> float:
    """How often the interval of a difference holds the true one, for two entries that fail on the same rows."""
    rng = np.random.default_rng(rows)
    hits = 0
    for repeat in range(repeats):
        hard = rng.exponential(size=rows)
        ours, theirs = (np.abs(hard * rng.normal(size=rows)) for _ in range(2))
        interval = bootstrap_mean(np.split(ours - 1.2 * theirs, FOLDS), draws=draws, seed=repeat % SEEDS)
        hits += interval.low <= -0.2 * math.sqrt(2 / math.pi) <= interval.high
    return hits / repeats


def accuracy_coverage(rows: int, repeats: int = REPEATS, draws: int = DRAWS) -> float:
    """How often the interval of a balanced accuracy holds the true one."""
    rng = np.random.default_rng(rows)
    hits = 0
    for repeat in range(repeats):
        truth = rng.random(rows) < 0.3
        right = rng.random(rows) < np.where(truth, 0.75, 0.9)
        interval = bootstrap_balanced_accuracy(np.split(truth, FOLDS), np.split(right, FOLDS), draws=draws, seed=repeat)
        hits += interval.low <= (0.75 + 0.9) / 2 <= interval.high
    return hits / repeats


def false_splits(entries: int, correlation: float, repeats: int = 4 * REPEATS) -> float:
    """How often equal entries are not all in one group; the scores of one entry are correlated over the folds."""
    rng = np.random.default_rng(entries)
    splits = 0
    for _ in range(repeats):
        shared = rng.normal(size=(1, FOLDS))  # a fold is hard for all entries alike
        own = math.sqrt(correlation) * rng.normal(size=(entries, 1))
        scores = shared + own + math.sqrt(1 - correlation) * rng.normal(size=(entries, FOLDS))
        splits += set(tie_groups(scores, higher_is_better=False)) != {"a"}
    return splits / repeats


@pytest.mark.parametrize(("kind", "rows"), [*((kind, 300) for kind in ERRORS), ("exponential", 1500)])
def test_intervals_of_a_mean_error_cover_95_percent(kind, rows) -> None:
    assert LOW <= mean_coverage(kind, rows) <= HIGH


def test_intervals_of_a_difference_cover_95_percent() -> None:
    assert LOW <= difference_coverage(300) <= HIGH


def test_intervals_of_a_balanced_accuracy_cover_95_percent() -> None:
    assert LOW <= accuracy_coverage(300) <= HIGH


@pytest.mark.parametrize("correlation", CORRELATIONS)
def test_two_equal_entries_are_split_in_at_most_6_percent(correlation) -> None:
    assert false_splits(2, correlation) <= 0.06


def report() -> Iterator[str]:
    """Every rate, with more repeats than the tests have."""
    for rows in (300, 1500):
        for kind in ERRORS:
            yield f"coverage, mean of {kind} errors, {rows} rows: {mean_coverage(kind, rows, 5000, 2000):.3f}"
        yield f"coverage, difference, {rows} rows: {difference_coverage(rows, 5000, 2000):.3f}"
        yield f"coverage, balanced accuracy, {rows} rows: {accuracy_coverage(rows, 5000, 2000):.3f}"
    for entries in (2, 10, 22):
        for correlation in CORRELATIONS:
            rate = false_splits(entries, correlation, 20_000)
            yield f"any false split, {entries} equal entries, fold correlation {correlation}: {rate:.3f}"


if __name__ == "__main__":
    for line in report():
        print(line, flush=True)
