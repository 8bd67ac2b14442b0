"""Over several tasks: an entry's number and its interval are its own, and the interval holds as often as it says."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy import stats

from matbench_lite.errors import MetricError
from matbench_lite.stats import FOLD_WEIGHT, Design, geometric_means, moments, places_over_tasks, score_variances

ERRORS = arrays(np.float64, st.tuples(st.integers(2, 6), st.integers(2, 12)), elements=st.floats(0, 3))


@given(ERRORS)
def test_the_mean_is_scipys_of_errors_that_are_at_least_a_thousandth(errors) -> None:
    found = [entry.mean for entry in geometric_means(errors)]
    assert found == pytest.approx(stats.gmean(np.maximum(errors, 0.001), axis=1))


def test_one_perfect_task_does_not_decide() -> None:
    perfect, even = geometric_means([[1e-9, 0.5, 0.5, 0.5], [0.1, 0.1, 0.1, 0.1]])
    assert perfect.mean == pytest.approx((0.001 * 0.5**3) ** 0.25)
    assert even.mean == pytest.approx(0.1)
    assert even.mean < perfect.mean


@given(ERRORS, st.integers(0, 5), st.integers(1, 30))
def test_copies_of_another_entry_move_no_number_no_interval_and_no_order(errors, copied, copies) -> None:
    variances = (errors / 20) ** 2
    several = np.r_[np.arange(len(errors)), np.full(copies, copied % len(errors))]
    before = geometric_means(errors, variances, draws=200)
    after = geometric_means(errors[several], variances[several], draws=200)
    assert [entry.mean for entry in after[: len(errors)]] == [entry.mean for entry in before]
    for old, new in zip(before, after, strict=False):
        assert (new.interval.low, new.interval.high) == pytest.approx((old.interval.low, old.interval.high), rel=1e-9)


@given(ERRORS)
def test_the_mean_lies_in_its_interval(errors) -> None:
    for entry in geometric_means(errors, (0.1 * errors) ** 2):
        assert 0.001 <= entry.interval.low <= entry.mean * (1 + 1e-9)
        assert entry.mean <= entry.interval.high * (1 + 1e-9)


def test_uncertain_scores_make_the_interval_wider() -> None:
    errors = np.random.default_rng(0).uniform(0.1, 0.5, size=(20, 8))
    sure, unsure = (geometric_means(errors, (share * errors) ** 2) for share in (0, 0.5))
    for entry, wider in zip(sure, unsure, strict=True):
        assert wider.mean == entry.mean
        assert wider.interval.high - wider.interval.low > entry.interval.high - entry.interval.low


@pytest.mark.parametrize("tasks", [3, 8, 13])
def test_the_interval_holds_on_other_tasks(tasks) -> None:
    """Tasks as different as those of Matbench are drawn, and entries measured on them with an error of a tenth."""
    rng = np.random.default_rng(tasks)
    true = np.log(0.2) + 0.8 * rng.normal(size=(2000, tasks))
    measured = np.exp(true + 0.1 * rng.normal(size=true.shape))
    found = geometric_means(measured, (0.1 * measured) ** 2)
    coverage = np.mean([entry.interval.low <= 0.2 <= entry.interval.high for entry in found])
    assert 0.93 < coverage < 0.97


def test_without_variances_or_with_one_task_there_is_no_interval() -> None:
    assert geometric_means([[0.1, 0.2]])[0].interval is None
    assert geometric_means([[0.1]], [[0.01]])[0].interval is None
    known, unknown = geometric_means([[0.1, 0.2], [0.1, 0.2]], [[0.01, 0.01], [0.01, np.nan]])
    assert (known.interval is None, unknown.interval is None) == (False, True)


def test_a_task_without_a_scale_is_refused() -> None:
    with pytest.raises(MetricError, match=r"scores\[0, 1\]=nan"):
        geometric_means([[0.1, np.nan]])


@given(ERRORS)
def test_places_over_tasks_are_whole_and_equals_share_them(errors) -> None:
    found = places_over_tasks(np.r_[errors, errors[:1]], draws=200)
    assert found[0] == found[-1]
    assert all(1 <= first <= last <= len(found) for first, last in found)


def test_who_is_ahead_on_every_task_is_first_whatever_tasks_are_drawn() -> None:
    errors = np.random.default_rng(0).uniform(0.2, 0.4, size=(4, 10))
    assert places_over_tasks([*errors, errors.min(axis=0) / 2, errors.max(axis=0) * 2])[4:] == [(1, 1), (6, 6)]


def test_the_variance_of_a_score_counted_by_hand() -> None:
    """Two folds of two rows, four clusters; the rows of the first fold differ by 2, the fold means by 1."""
    design = Design(folds=np.array([0, 0, 1, 1]), clusters=np.arange(4), scatter=1.0)
    losses = [1.0, 3.0, 3.0, 3.0]
    rows = (2 / 4 + 0) / 2  # the mean over folds of the sum of squares over the square of two rows
    clusters = 4 / 3 * 2 * (1 / 4) ** 2
    folds = 0.5  # the variance of 2 and 3
    excess = (8 * rows + 1 * folds) / 9 - rows
    assert score_variances(moments(losses, design)) == pytest.approx(clusters + FOLD_WEIGHT * excess / 2)


def test_the_variance_of_a_score_is_that_of_the_difference_from_no_error() -> None:
    from matbench_lite.stats import differences

    rng = np.random.default_rng(1)
    design = Design(folds=np.arange(300) % 5, clusters=np.arange(300) // 3, scatter=2.0)
    found = moments([rng.exponential(size=300), np.zeros(300)], design)
    assert score_variances(found) == pytest.approx([differences(found).variance[0, 1], 0])
