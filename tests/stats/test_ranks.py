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
from matbench_lite.stats import average_ranks, critical_difference, friedman, ranked

# Few different values, so that there are equal ones.
SCORES = arrays(np.float64, st.tuples(st.integers(3, 6), st.integers(2, 9)), elements=st.integers(0, 6).map(float))


@given(SCORES)
def test_ranks_are_scipys(scores) -> None:
    assert average_ranks(scores).tolist() == stats.rankdata(scores, axis=0).tolist()


@given(st.lists(st.integers(0, 6).map(float), min_size=1), st.booleans())
def test_places_are_scipys_and_equals_keep_their_order(scores, high) -> None:
    found = ranked(dict(enumerate(scores)), higher_is_better=high)
    worse = [-score if high else score for score in scores]
    assert [found[name] for name in range(len(scores))] == stats.rankdata(worse, method="min").tolist()
    assert list(found) == sorted(found, key=lambda name: (found[name], name))


def test_rounding_alone_does_not_rank() -> None:
    assert ranked({"a": 0.3, "b": 0.1 + 0.2, "c": 0.3 + 1e-6}) == {"a": 1, "b": 1, "c": 3}


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


def test_a_single_entry_or_no_task_cannot_be_tested() -> None:
    for impossible in (
        lambda: friedman([[1, 1]]),
        lambda: critical_difference(1, 8),
        lambda: critical_difference(3, 0),
    ):
        with pytest.raises(MetricError):
            impossible()
