"""Tie groups: who cannot be told apart from the best, then from the best of the rest."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from matbench_lite.errors import MetricError
from matbench_lite.stats import holm, paired_test, tie_groups

SCORES = arrays(np.float64, st.tuples(st.integers(1, 8), st.just(5)), elements=st.floats(0.0, 10.0))


def test_one_entry_is_the_best() -> None:
    assert tie_groups([[1.0, 2.0]], higher_is_better=False) == ["a"]


def test_identical_entries_are_tied() -> None:
    assert tie_groups([[1.0, 2.0, 3.0]] * 4, higher_is_better=True) == ["a"] * 4


def test_entries_far_apart_have_groups_of_their_own() -> None:
    steps = [[level + noise for noise in (0.0, 0.01, -0.01)] for level in (2.0, 1.0, 3.0)]
    assert tie_groups(steps, higher_is_better=False) == ["b", "a", "c"]
    assert tie_groups(steps, higher_is_better=True) == ["b", "c", "a"]


def test_there_are_letters_for_any_number_of_groups() -> None:
    levels = [[float(level), level + 0.001] for level in range(60)]
    groups = tie_groups(levels, higher_is_better=False, alpha=0.5)
    assert groups[:2] + groups[25:28] + groups[51:53] == ["a", "b", "z", "aa", "ab", "az", "ba"]


@given(SCORES)
def test_the_first_group_is_all_that_cannot_be_told_from_the_best(scores) -> None:
    groups = tie_groups(scores, higher_is_better=False)
    best = int(np.argmin(scores.mean(axis=1)))
    others = [row for row in range(len(scores)) if row != best]
    p_values = holm([paired_test(scores[row], scores[best]).p for row in others])
    assert groups[best] == "a"
    assert [groups[row] == "a" for row in others] == [p >= 0.05 for p in p_values]


@given(SCORES)
def test_a_high_score_is_a_low_one_with_the_sign_changed(scores) -> None:
    assert tie_groups(scores, higher_is_better=False) == tie_groups(-scores, higher_is_better=True)


def test_a_missing_fold_is_an_error_and_never_imputed() -> None:
    with pytest.raises(MetricError, match="nothing is imputed"):
        tie_groups([[1.0, float("nan")]], higher_is_better=False)
