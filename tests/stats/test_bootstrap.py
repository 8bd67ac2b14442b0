"""The bootstrap gives what drawing rows by hand gives, at a cost that does not grow with the rows."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from matbench_lite.errors import MetricError
from matbench_lite.metrics import balanced_accuracy
from matbench_lite.stats import Interval, bootstrap_balanced_accuracy, bootstrap_mean

DRAWS = 10_000
VALUES = arrays(np.float64, st.integers(1, 40), elements=st.floats(-1e3, 1e3))


def draw_rows_by_hand(folds: list[np.ndarray], statistic, draws: int = DRAWS) -> Interval:
    """The plain percentile bootstrap: rows drawn with replacement within each fold."""
    rng = np.random.default_rng(99)
    means = np.zeros(draws)
    for fold in folds:
        for draw in range(draws):
            means[draw] += statistic(fold[rng.integers(len(fold), size=len(fold))]) / len(folds)
    return Interval(*np.quantile(means, [0.025, 0.975]))


def studentised_by_hand(folds: list[np.ndarray]) -> Interval:
    """The bootstrap-t: each draw's mean less that of the rows, in the draw's own standard error."""
    rng = np.random.default_rng(99)
    mean = np.mean([fold.mean() for fold in folds])
    shift, variance = np.full(DRAWS, -mean), np.zeros(DRAWS)
    for fold in folds:
        rows = fold[rng.integers(len(fold), size=(DRAWS, len(fold)))]
        shift += rows.mean(axis=1) / len(folds)
        variance += rows.var(axis=1) / len(fold) / len(folds) ** 2
    low, high = np.quantile(shift / np.sqrt(variance), [0.025, 0.975])
    error = np.sqrt(sum(fold.var() / len(fold) for fold in folds)) / len(folds)
    return Interval(mean - high * error, mean - low * error)


def assert_close(found: Interval, expected: Interval) -> None:
    """Both ends agree to a few percent of the width: what so many draws allow."""
    width = expected.high - expected.low
    assert found.low == pytest.approx(expected.low, abs=0.04 * width)
    assert found.high == pytest.approx(expected.high, abs=0.04 * width)


@pytest.mark.parametrize("rows", [20, 249, 250, 600])
def test_a_mean_as_by_hand_whether_by_rows_or_by_bins(rows) -> None:
    rng = np.random.default_rng(rows)
    folds = [rng.exponential(size=rows) ** 2 for _ in range(2)]  # a heavy tail: bins would lose it
    assert_close(bootstrap_mean(folds, draws=DRAWS), studentised_by_hand(folds))


def test_one_huge_error_makes_the_interval_wide_not_infinite() -> None:
    fold = np.zeros(10_000)
    fold[17] = 1e4
    found = bootstrap_mean([fold])
    assert found.low == pytest.approx(0, abs=0.2)
    assert 5 < found.high < 50


def test_a_balanced_accuracy_as_by_hand() -> None:
    rng = np.random.default_rng(5)
    truth = [rng.random(80) < 0.3 for _ in range(2)]
    right = [rng.random(80) < 0.8 for _ in range(2)]
    found = bootstrap_balanced_accuracy(truth, right, draws=DRAWS)
    folds = [np.column_stack(pair) for pair in zip(truth, right, strict=True)]
    by_hand = draw_rows_by_hand(folds, lambda rows: balanced_accuracy(rows[:, 0], rows[:, 0] == rows[:, 1]), 5000)
    assert_close(found, by_hand)


@pytest.mark.parametrize("rare", [0.02, 0.3])
@pytest.mark.parametrize("pair", [False, True])
def test_balanced_accuracies_of_large_folds_as_by_hand(rare: float, pair: bool) -> None:
    """Classes of more than 125 rows are drawn by bins."""
    rng = np.random.default_rng(7)
    truth = [rng.random(1500) < rare for _ in range(2)]
    ours = [rng.random(1500) < np.where(fold, 0.7, 0.9) for fold in truth]
    theirs = [np.where(rng.random(1500) < 0.85, fold, ~fold) for fold in ours]
    drawn = np.zeros(4000)
    for classes, right, other in zip(truth, ours, theirs, strict=True):
        rows = rng.integers(1500, size=(4000, 1500))
        won = np.where(right, 1.0, 0.0) - (np.where(other, 1.0, 0.0) if pair else 0.0)
        for part in (classes, ~classes):
            drawn += (won * part)[rows].sum(axis=1) / part[rows].sum(axis=1) / 4
    found = bootstrap_balanced_accuracy(truth, ours, theirs if pair else None, draws=DRAWS)
    assert_close(found, Interval(*np.quantile(drawn, [0.025, 0.975])))


def test_a_difference_of_balanced_accuracies_as_by_hand() -> None:
    rng = np.random.default_rng(6)
    truth, ours = rng.random(100) < 0.4, rng.random(100) < 0.8
    theirs = np.where(rng.random(100) < 0.7, ours, ~ours)

    def difference(rows: np.ndarray) -> float:
        classes, first, second = rows.T
        return balanced_accuracy(classes, classes == first) - balanced_accuracy(classes, classes == second)

    found = bootstrap_balanced_accuracy([truth], [ours], [theirs], draws=DRAWS)
    assert_close(found, draw_rows_by_hand([np.column_stack([truth, ours, theirs])], difference, 5000))


def test_pairing_pays_where_two_entries_fail_on_the_same_rows() -> None:
    rng = np.random.default_rng(7)
    ours = rng.exponential(size=400)
    theirs = ours + rng.normal(0.1, 0.01, size=400)
    paired = bootstrap_mean([ours - theirs])
    alone = bootstrap_mean([ours])
    assert paired.high - paired.low < 0.05 * (alone.high - alone.low)


@given(st.lists(VALUES, min_size=1, max_size=3))
def test_the_interval_lies_within_the_values_and_is_the_same_each_time(folds) -> None:
    found = bootstrap_mean(folds, draws=200)
    assert found == bootstrap_mean(folds, draws=200)
    assert np.mean([fold.min() for fold in folds]) <= found.low + 1e-9
    assert found.low <= found.high
    assert found.high <= np.mean([fold.max() for fold in folds]) + 1e-9


@given(st.lists(st.tuples(st.booleans(), st.booleans(), st.booleans()), min_size=1, max_size=30))
def test_an_entry_does_not_differ_from_itself(rows) -> None:
    truth, right, _ = zip(*rows, strict=True)
    assert bootstrap_balanced_accuracy([truth], [right], [right], draws=200) == Interval(0, 0)
    alone = bootstrap_balanced_accuracy([truth], [right], draws=200)
    assert 0 <= alone.low <= alone.high <= 1


def test_equal_rows_have_an_interval_of_no_width() -> None:
    assert bootstrap_mean([[0.1] * 7, [0.1] * 900]) == Interval(0.1, 0.1)


def test_another_seed_gives_another_draw() -> None:
    rows = [np.random.default_rng(0).random(300)]
    assert bootstrap_mean(rows, seed=1) != bootstrap_mean(rows, seed=2)


@pytest.mark.parametrize("folds", [[], [[]], [[1.0, np.nan]], [[[1.0]]]])
def test_what_has_no_mean_is_an_error(folds) -> None:
    with pytest.raises(MetricError):
        bootstrap_mean(folds)


@pytest.mark.parametrize(
    ("truth", "right"), [([], []), ([[]], [[]]), ([[True]], [[True, False]]), ([[True]], [[True], [True]])]
)
def test_what_has_no_balanced_accuracy_is_an_error(truth, right) -> None:
    with pytest.raises(MetricError):
        bootstrap_balanced_accuracy(truth, right)
