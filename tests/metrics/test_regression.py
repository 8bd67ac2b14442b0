"""Regression metrics agree with scikit-learn, and with what their docstrings say where it has no opinion."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st
from sklearn import metrics as sk

from matbench_lite import metrics
from matbench_lite.errors import MetricError

numbers = st.floats(-1e3, 1e3, allow_subnormal=False)


@st.composite
def pairs(draw: st.DrawFn, min_size: int = 1) -> tuple[np.ndarray, np.ndarray]:
    """Measured and predicted values of one length, many of them equal, from very small to very large."""
    element = st.one_of(numbers, st.sampled_from([0.0, 1.0, -1.0, 1e-5, 0.1]))
    rows = draw(st.lists(st.tuples(element, element), min_size=min_size, max_size=30))
    y_true, y_pred = np.array(rows).T * 10.0 ** draw(st.integers(-100, 146))
    return y_true, y_pred


@given(rows=pairs())
@example(rows=(np.array([1.0]), np.array([1.0])))
def test_errors_in_the_unit_of_the_target_are_those_of_scikit_learn(rows: Any) -> None:
    assert metrics.mae(*rows) == pytest.approx(sk.mean_absolute_error(*rows), rel=1e-12, abs=0)
    assert metrics.rmse(*rows) == pytest.approx(sk.root_mean_squared_error(*rows), rel=1e-12, abs=0)
    assert metrics.max_error(*rows) == pytest.approx(sk.max_error(*rows), rel=1e-12, abs=0)


@given(rows=pairs(min_size=2))
@example(rows=(np.array([0.0, 5e-162]), np.array([0.0, 1e36])))  # beyond the range of floats: -inf
def test_r2_is_that_of_scikit_learn(quiet: Callable[..., Any], rows: Any) -> None:
    y_true, _ = rows
    assume((y_true != y_true[0]).any())
    expected = quiet(sk.r2_score, *rows)
    assert 1 - metrics.r2(*rows) == pytest.approx(1 - expected, rel=1e-12, abs=1e-15)


@pytest.mark.parametrize("constant", [0.0, 0.1, -7.3, 1e100])
def test_r2_of_a_constant_target_is_one_if_perfect_and_zero_otherwise(constant: float) -> None:
    y_true = np.full(7, constant)
    assert metrics.r2(y_true, y_true) == 1.0
    assert metrics.r2(y_true, y_true + np.arange(7) * max(1.0, constant)) == 0.0


def test_r2_of_a_single_row_is_nan_as_in_scikit_learn(quiet: Callable[..., Any]) -> None:
    assert math.isnan(metrics.r2([1.0], [1.0]))
    assert math.isnan(quiet(sk.r2_score, [1.0], [1.0]))


@given(rows=pairs())
def test_mape_is_that_of_scikit_learn_on_the_rows_above_the_threshold(rows: Any) -> None:
    y_true, y_pred = rows
    used = np.abs(y_true) > 1e-5
    assert metrics.mape_rows(y_true) == used.sum()
    if used.any():
        expected = sk.mean_absolute_percentage_error(y_true[used], y_pred[used])
        assert metrics.mape(y_true, y_pred) == pytest.approx(expected, rel=1e-12, abs=0)
    else:
        assert math.isnan(metrics.mape(y_true, y_pred))


def test_a_row_exactly_at_the_threshold_of_mape_is_left_out() -> None:
    y_true = [1e-5, -1e-5, math.nextafter(1e-5, 1), 1.0]
    assert metrics.mape_rows(y_true) == 2
    assert metrics.mape(y_true, [9.0, 9.0, y_true[2], 3.0]) == 1.0


@given(rows=pairs())
def test_all_at_once_are_the_same_bits_as_one_by_one_and_in_order(rows: Any) -> None:
    scores = metrics.scores("regression", metrics.Sample(*rows))
    assert list(scores) == [metric.name for metric in metrics.REGRESSION_METRICS]
    for name in ("mae", "rmse", "mape", "max_error", "r2"):
        np.testing.assert_array_equal(scores[name], getattr(metrics, name)(*rows))
    assert scores["mape_rows"] == metrics.mape_rows(rows[0])
    underflow = 1e-150  # the square of a smaller error loses digits, or is zero
    assert 0 <= scores["mae"] <= scores["rmse"] * (1 + 1e-12) + underflow
    assert scores["rmse"] <= scores["max_error"] * (1 + 1e-12) + underflow


def test_numbers_as_large_as_allowed_do_not_overflow() -> None:
    y_true = np.full(1000, 1e150)
    y_true[0] = -1e150
    scores = metrics.scores("regression", metrics.Sample(y_true, -y_true))
    assert all(math.isfinite(value) for value in scores.values())
    assert scores["rmse"] == pytest.approx(2e150)


def test_the_rows_that_make_half_of_mape_are_counted_over_all_folds() -> None:
    truth, folds = np.ones(400), np.repeat([0, 1], 200)
    predicted = truth + 0.1
    assert metrics.mape_half_rows(truth, predicted, folds) is None
    truth[[0, 1, 200]], predicted[[0, 1, 200]] = 1e-4, 1e-4 + 0.0011  # each adds as much as 110 others
    assert metrics.mape_half_rows(truth, predicted, folds) is None
    predicted[[0, 1, 200]] = 1e-4 + 0.0014
    assert metrics.mape_half_rows(truth, predicted, folds) == 3
    assert metrics.mape_half_rows(np.zeros(30), np.ones(30), np.zeros(30)) is None
    with pytest.raises(MetricError, match=r"folds\[1\]=0\.5 is no fold"):
        metrics.mape_half_rows([1.0, 1.0], [1.0, 1.0], [0, 0.5])
