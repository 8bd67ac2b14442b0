"""A summary over folds is what NumPy says, and missing as a whole if a fold is."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from matbench_lite.errors import MetricError
from matbench_lite.metrics import Summary, summarise


@given(values=st.lists(st.floats(-1e100, 1e100), min_size=1, max_size=10))
def test_a_summary_is_that_of_numpy_with_ddof_zero(values: list[float]) -> None:
    expected = Summary(float(np.mean(values)), float(np.std(values, ddof=0)), min(values), max(values))
    assert summarise(values) == expected


def test_equal_folds_have_no_spread() -> None:
    assert summarise([0.25] * 5) == Summary(mean=0.25, std=0.0, min=0.25, max=0.25)


@pytest.mark.parametrize("position", range(3))
def test_a_fold_without_a_value_leaves_no_summary(position: int) -> None:
    values = [1.0, 2.0, 3.0]
    values[position] = math.nan
    summary = summarise(values)
    assert all(math.isnan(number) for number in (summary.mean, summary.std, summary.min, summary.max))


def test_an_infinite_score_is_kept_and_has_no_spread() -> None:
    summary = summarise([-math.inf, 0.5])
    assert (summary.mean, summary.min, summary.max) == (-math.inf, -math.inf, 0.5)
    assert math.isnan(summary.std)


def test_no_fold_at_all_is_an_error() -> None:
    with pytest.raises(MetricError, match=r"values=\[\]"):
        summarise([])
