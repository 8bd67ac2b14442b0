"""The paired test is scipy's t-test with the variance of Nadeau and Bengio."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy import stats

from matbench_lite.errors import MetricError
from matbench_lite.stats import paired_p_values, paired_test

SCORES = arrays(np.float64, (2, 5), elements=st.floats(0.0, 1e3).map(lambda value: round(value, 6)))


@pytest.mark.parametrize("folds", [2, 5, 10])
def test_it_is_scipys_paired_t_with_a_larger_variance(folds) -> None:
    a, b = np.random.default_rng(folds).normal(size=(2, folds))
    t = stats.ttest_rel(a, b).statistic * math.sqrt((1 / folds) / (1 / folds + 1 / (folds - 1)))
    test = paired_test(a, b)
    assert test.difference == pytest.approx(a.mean() - b.mean(), rel=1e-9)
    assert test.t == pytest.approx(t, rel=1e-9)
    assert test.p == pytest.approx(2 * stats.t.sf(abs(t), folds - 1), rel=1e-9)


def test_five_folds_have_the_variance_factor_of_the_design() -> None:
    a, b = np.random.default_rng(0).normal(size=(2, 5))
    expected = (a - b).mean() / math.sqrt((1 / 5 + 1 / 4) * (a - b).var(ddof=1))
    assert paired_test(a, b).t == pytest.approx(expected, rel=1e-12)


@given(SCORES)
def test_who_comes_first_changes_the_sign_and_nothing_else(scores) -> None:
    a, b = paired_test(*scores), paired_test(*scores[::-1])
    assert (a.difference, a.t) == (-b.difference, -b.t)
    assert a.p == b.p
    assert 0 <= a.p <= 1


@given(SCORES)
def test_all_at_once_is_one_by_one(scores) -> None:
    reference = np.array([0.2, 0.1, 0.3, 0.25, 0.15])
    singly = [paired_test(row, reference).p for row in scores]
    assert paired_p_values(scores, reference).tolist() == pytest.approx(singly, abs=1e-12)


def test_equal_scores_do_not_differ_and_a_constant_difference_is_certain() -> None:
    assert paired_test([1.0, 2.0, 3.0], [1.0, 2.0, 3.0]).p == 1
    certain = paired_test([1.0, 2.0, 3.0], [1.5, 2.5, 3.5])
    assert (certain.t, certain.p) == (-math.inf, 0)


@pytest.mark.parametrize(
    ("first", "second", "message"),
    [
        ([1.0], [2.0], "at least 2 folds"),
        ([1.0, 2.0, 3.0], [1.0, 2.0], "3 folds are compared with 2"),
        ([1.0, math.nan], [1.0, 2.0], "is not finite"),
        (["a", "b"], [1.0, 2.0], "not a table of numbers"),
    ],
)
def test_what_cannot_be_tested_is_an_error(first, second, message) -> None:
    with pytest.raises(MetricError, match=message):
        paired_test(first, second)
