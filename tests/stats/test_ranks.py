"""Ranks, Friedman's test and the critical difference agree with scipy and scikit-posthocs."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy import stats

from matbench_lite.errors import MetricError
from matbench_lite.stats import Interval, average_ranks, critical_difference, friedman, rank_intervals

# Few different values, so that there are equal ones.
SCORES = arrays(np.float64, st.tuples(st.integers(3, 6), st.integers(2, 9)), elements=st.integers(0, 6).map(float))


@given(SCORES)
def test_ranks_are_scipys(scores) -> None:
    assert average_ranks(scores).tolist() == stats.rankdata(scores, axis=0).tolist()


@given(SCORES)
def test_friedman_is_scipys_equal_ranks_included(scores) -> None:
    found = friedman(average_ranks(scores))
    if (scores == scores[0]).all():
        assert (found.statistic, found.p) == (0, 1)  # scipy divides by zero
        return
    expected = stats.friedmanchisquare(*scores)
    assert found.statistic == pytest.approx(expected.statistic, rel=1e-9, abs=1e-9)
    assert found.p == pytest.approx(expected.pvalue, rel=1e-9, abs=1e-9)


@pytest.mark.parametrize(("entries", "tasks"), [(2, 13), (6, 8), (10, 9), (22, 10)])
def test_the_critical_difference_is_where_nemenyis_p_is_five_percent(entries, tasks) -> None:
    import scikit_posthocs  # dear to load: not by those who only collect the tests

    scores = np.random.default_rng(entries).normal(size=(entries, tasks)) + 0.3 * np.arange(entries)[:, np.newaxis]
    p_values = scikit_posthocs.posthoc_nemenyi_friedman(scores.T).to_numpy()
    mean = average_ranks(scores).mean(axis=1)
    limit = critical_difference(entries, tasks)
    for first, second in combinations(range(entries), 2):
        assert (p_values[first, second] < 0.05) == (abs(mean[first] - mean[second]) > limit)
    quantile = limit / np.sqrt(entries * (entries + 1) / (6 * tasks)) * np.sqrt(2)
    assert stats.studentized_range.sf(quantile, entries, np.inf) == pytest.approx(0.05, abs=1e-9)


def test_an_entry_that_always_wins_is_first_for_certain() -> None:
    first, *others = rank_intervals([[1, 1, 1, 1], [2, 3, 2, 3], [3, 2, 3, 2]])
    assert (first.mean, first.rank, first.rank_interval, first.mean_interval) == (
        1, 1, Interval(1, 1), Interval(1, 1),
    )  # fmt: skip
    assert [other.rank for other in others] == [2, 2]
    assert all(other.rank_interval == Interval(2, 3) for other in others)


@given(SCORES)
def test_the_place_lies_in_its_interval_and_mean_ranks_add_up(scores) -> None:
    found = rank_intervals(average_ranks(scores), draws=300)
    assert sum(entry.mean for entry in found) == pytest.approx(len(scores) * (len(scores) + 1) / 2)
    for entry in found:
        assert 1 <= entry.rank_interval.low <= entry.rank_interval.high <= len(scores)
        assert entry.mean_interval.low <= entry.mean_interval.high


def test_one_task_leaves_nothing_to_draw() -> None:
    assert [entry.rank_interval for entry in rank_intervals([[2], [1]])] == [Interval(2, 2), Interval(1, 1)]


def test_a_single_entry_is_first_but_cannot_be_tested() -> None:
    assert rank_intervals([[1, 1, 1]])[0].rank == 1
    for impossible in (
        lambda: friedman([[1, 1]]),
        lambda: critical_difference(1, 8),
        lambda: critical_difference(3, 0),
    ):
        with pytest.raises(MetricError):
            impossible()
