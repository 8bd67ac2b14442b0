"""What the statistics claim, simulated.

The suite has few repeats, enough to notice intervals of 90 % or 98 %; `MATBENCH_LITE_LONG=1` is for the finer faults.
`python -m tests.stats.test_simulation` prints the measured rates.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator

import numpy as np
import pytest

from matbench_lite.stats import Design, class_losses, differences, moments, score_interval, verdicts

from ..conftest import LONG

FOLDS = 5
REPEATS, DRAWS = (1000, 2000) if LONG else (300, 500)
LOW, HIGH = (0.93, 0.97) if LONG else (0.92, 0.975)
SEEDS = 16
"""Draws of rows are shared by repeats, a few sets of them: one set alone would put its own error into the rate."""
ERRORS: dict[str, tuple[Callable[[np.random.Generator, int], np.ndarray], float]] = {
    "normal": (lambda rng, rows: np.abs(rng.normal(size=rows)), math.sqrt(2 / math.pi)),
    "exponential": (lambda rng, rows: rng.exponential(size=rows), 1.0),
    "log-normal": (lambda rng, rows: rng.lognormal(size=rows), math.exp(0.5)),
}
"""Absolute errors with an ever heavier tail, and their true mean."""


def single(rows: int) -> Design:
    """Each row is a cluster."""
    return Design(folds=np.arange(rows) % FOLDS, clusters=np.arange(rows))


def mean_coverage(kind: str, rows: int, repeats: int = REPEATS, draws: int = DRAWS) -> float:
    """How often the interval of a mean error holds the true one."""
    draw, truth = ERRORS[kind]
    rng = np.random.default_rng(rows)
    hits = 0
    for repeat in range(repeats):
        interval = score_interval(draw(rng, rows), single(rows), draws=draws, seed=repeat % SEEDS)
        hits += interval.low <= truth <= interval.high
    return hits / repeats


def difference_coverage(rows: int, repeats: int = REPEATS, draws: int = DRAWS) -> float:
    """How often the interval of a difference holds the true one, for two entries that fail on the same rows."""
    rng = np.random.default_rng(rows)
    hits = 0
    for repeat in range(repeats):
        hard = rng.exponential(size=rows)
        ours, theirs = (np.abs(hard * rng.normal(size=rows)) for _ in range(2))
        interval = score_interval(ours - 1.2 * theirs, single(rows), draws=draws, seed=repeat % SEEDS)
        hits += interval.low <= -0.2 * math.sqrt(2 / math.pi) <= interval.high
    return hits / repeats


def score_coverage(clusters: int, *, classes: bool, repeats: int = REPEATS, draws: int = DRAWS) -> float:
    """How often the interval of a score holds the true one, where ten rows of a cluster are alike."""
    rng = np.random.default_rng(clusters)
    rows = 10 * clusters
    folds, families = np.arange(rows) % FOLDS, np.arange(rows) // 10
    hits = 0
    for repeat in range(repeats):
        hard = rng.random(clusters)[families]  # uniform: mean 1/2
        if classes:
            truth = rng.random(rows) < 0.3
            wrong = rng.random(rows) < np.where(truth, 0.5, 0.2) * hard
            losses, expected = class_losses(truth, truth ^ wrong, folds), (0.25 + 0.1) / 2
            design = Design(folds=folds, clusters=families, classes=truth.astype(int))
        else:
            losses, expected = hard * rng.exponential(size=rows), 0.5
            design = Design(folds=folds, clusters=families)
        interval = score_interval(losses, design, draws=draws, seed=repeat % SEEDS)
        hits += interval.low <= expected <= interval.high
    return hits / repeats


def told_apart(entries: int, repeats: int = 4 * REPEATS) -> float:
    """How often the best of some equal entries is told apart from another: rows alike by cluster, folds scattered."""
    rng = np.random.default_rng(entries)
    rows, scatter = 300, 1.5
    folds, families = np.arange(rows) % FOLDS, np.arange(rows) // 3
    design = Design(folds=folds, clusters=families, scatter=scatter)
    apart = 0
    for _ in range(repeats):
        own = rng.normal(size=(entries, rows)) + rng.normal(size=(entries, len(families) // 3))[:, families]
        trained = math.sqrt((scatter - 1) * 2 / (rows / FOLDS)) * rng.normal(size=(entries, FOLDS))
        said = verdicts(differences(moments(10 + own + trained[:, folds], design)))
        best = int(own.mean(axis=1).argmin())
        apart += bool(said.told_apart[best].any())
    return apart / repeats


def told_apart_on_one_split(groups: int, repeats: int = 4 * REPEATS) -> float:
    """How often two equal entries are told apart on one split, where rows of a group are alike: an evaluation."""
    rng = np.random.default_rng(groups)
    apart = 0
    for _ in range(repeats):
        group = np.repeat(np.arange(groups), rng.integers(1, 16, groups))
        own = rng.normal(size=(2, len(group))) + rng.normal(size=(2, groups))[:, group]
        design = Design(folds=np.zeros_like(group), clusters=group, scatter=1.0)
        apart += bool(verdicts(differences(moments(10 + own, design))).told_apart[0, 1])
    return apart / repeats


@pytest.mark.parametrize(("kind", "rows"), [*((kind, 300) for kind in ERRORS), ("exponential", 1500)])
def test_intervals_of_a_mean_error_cover_95_percent(kind, rows) -> None:
    assert LOW <= mean_coverage(kind, rows) <= HIGH


def test_intervals_of_a_difference_cover_95_percent() -> None:
    assert LOW <= difference_coverage(300) <= HIGH


@pytest.mark.parametrize("classes", [False, True])
def test_intervals_of_a_score_cover_95_percent_where_rows_belong_together(classes) -> None:
    assert LOW <= score_coverage(100, classes=classes) <= HIGH


def test_two_equal_entries_are_told_apart_in_at_most_one_and_a_half_percent() -> None:
    assert told_apart(2) <= 0.015


def test_the_best_of_ten_equal_entries_is_told_apart_from_another_in_at_most_five_percent() -> None:
    assert told_apart(10, repeats=REPEATS) <= 0.05


@pytest.mark.parametrize("groups", [3, 6, 30])
def test_two_equal_entries_are_told_apart_on_one_split_in_at_most_two_percent(groups) -> None:
    assert told_apart_on_one_split(groups) <= 0.02


def report() -> Iterator[str]:
    """Every rate, with more repeats than the tests have."""
    for rows in (300, 1500):
        for kind in ERRORS:
            yield f"coverage, mean of {kind} errors, {rows} rows: {mean_coverage(kind, rows, 5000, 2000):.3f}"
        yield f"coverage, difference, {rows} rows: {difference_coverage(rows, 5000, 2000):.3f}"
    for clusters in (30, 100, 500):
        for classes in (False, True):
            rate = score_coverage(clusters, classes=classes, repeats=5000, draws=2000)
            yield f"coverage, score{' of classes' if classes else ''}, {clusters} clusters of ten rows: {rate:.3f}"
    for groups in (3, 6, 10, 30, 100):
        rate = told_apart_on_one_split(groups, 5000)
        yield f"told apart on one split, two equal entries, {groups} groups: {rate:.3f}"
    for entries in (2, 10, 22):
        yield f"told apart from the best, any of {entries} equal entries: {told_apart(entries, 5000):.3f}"


if __name__ == "__main__":
    for line in report():
        print(line, flush=True)
