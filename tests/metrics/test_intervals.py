"""95 % intervals and standard deviations are two forms of one thing, also after storage in single precision."""

from __future__ import annotations

from collections.abc import Callable
from types import ModuleType
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from matbench_lite.errors import MetricError
from matbench_lite.metrics import coverage, interval_from_std, std_from_interval
from matbench_lite.metrics.arrays import Z_95

values = st.floats(-1e6, 1e6)
deviations = st.floats(0, 1e6)
rows = st.lists(st.tuples(values, deviations), min_size=1, max_size=20).map(lambda pairs: np.array(pairs).T)


def test_the_interval_holds_the_central_95_percent() -> None:
    assert stats.norm.ppf(0.975) == Z_95
    lower, upper = interval_from_std([1.0, 5.0], [0.5, 0.0])
    np.testing.assert_allclose(stats.norm(1.0, 0.5).cdf([lower[0], upper[0]]), [0.025, 0.975])
    assert lower[1] == upper[1] == 5.0


@pytest.mark.parametrize("stored", [np.float64, np.float32])
@given(rows=rows)
def test_a_standard_deviation_survives_the_way_through_an_interval(stored: Any, rows: np.ndarray) -> None:
    prediction, std = rows
    lower, upper = (bound.astype(stored) for bound in interval_from_std(prediction, std))
    back = std_from_interval(prediction, lower, upper)
    assert back is not None
    rounding = np.finfo(stored).eps * (np.abs(lower) + np.abs(upper)) + np.finfo(np.float32).tiny
    assert (np.abs(back - std) <= rounding).all()


@given(prediction=values, std=st.floats(1e-3, 1e3), shift=st.floats(1e-2, 10), sign=st.sampled_from([-1, 1]))
def test_one_asymmetric_interval_leaves_no_standard_deviation(
    prediction: float, std: float, shift: float, sign: int
) -> None:
    (lower,), (upper,) = interval_from_std([prediction], [std])
    moved = sign * (shift * std + 1e-5 * abs(prediction))
    assert std_from_interval([prediction, 0.0], [lower + moved, -1.0], [upper + moved, 1.0]) is None


@given(rows=rows)
def test_every_prediction_lies_in_its_own_interval(rows: np.ndarray) -> None:
    prediction, std = rows
    assert coverage(prediction, *interval_from_std(prediction, std)) == 1.0


def test_bounds_belong_to_the_interval() -> None:
    assert coverage([0.0, 1.0, 1.5, -0.5], [0.0] * 4, [1.0] * 4) == 0.5


def test_coverage_is_that_of_uncertainty_toolbox(toolbox: ModuleType) -> None:
    random = np.random.default_rng(1)
    prediction, std = random.normal(size=500), random.uniform(0.5, 2, 500)
    y_true = random.normal(prediction, 1.0)
    expected = toolbox.get_proportion_in_interval(prediction, std, y_true, 0.95)
    assert 0.8 < expected < 1
    assert coverage(y_true, *interval_from_std(prediction, std)) == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize("function", [std_from_interval, coverage])
def test_bounds_the_wrong_way_round_are_an_error_that_shows_them(function: Callable[..., Any]) -> None:
    with pytest.raises(MetricError, match=r"lower\[1\]=3\.0 > upper\[1\]=2\.0"):
        function([1.0, 2.5], [0.0, 3.0], [1.0, 2.0])


def test_a_negative_standard_deviation_is_an_error_that_shows_it() -> None:
    with pytest.raises(MetricError, match=r"std\[1\]=-0\.5 is negative"):
        interval_from_std([1.0, 2.0], [0.5, -0.5])
