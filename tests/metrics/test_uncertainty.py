"""Uncertainty metrics agree with uncertainty-toolbox, and AUSE with its definition spelled out."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable
from types import ModuleType
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import integrate, stats

from matbench_lite import metrics
from matbench_lite.errors import MetricError
from matbench_lite.metrics.arrays import Z_95

values = st.one_of(st.floats(-100, 100), st.sampled_from([0.0, 1.0, 2.0]))
deviations = st.one_of(st.floats(1e-3, 100), st.sampled_from([0.5, 1.0]))


def uncertainty_scores(y_true: Any, y_pred: Any, **uncertainty: Any) -> dict[str, float]:
    """The scores beside those that a prediction without uncertainty has."""
    scores = metrics.scores("regression", metrics.Sample(y_true, y_pred, **uncertainty))
    without = metrics.scores("regression", metrics.Sample(y_true, y_pred))
    assert {name: scores.pop(name) for name in without} == pytest.approx(without, nan_ok=True)
    return scores


def triples(max_size: int = 30, std: st.SearchStrategy[float] = deviations) -> st.SearchStrategy[list[np.ndarray]]:
    """Measured values, predictions and standard deviations of one length, often with ties."""
    rows = st.lists(st.tuples(values, values, std), min_size=1, max_size=max_size)
    return rows.map(lambda rows: list(np.array(rows).T))


@given(rows=triples())
def test_metrics_are_those_of_uncertainty_toolbox(toolbox: ModuleType, rows: Any) -> None:
    y_true, y_pred, std = rows
    scores = uncertainty_scores(y_true, y_pred, std=std)
    assert scores["sharpness"] == pytest.approx(toolbox.sharpness(std), rel=1e-12)
    assert scores["nll"] == pytest.approx(toolbox.nll_gaussian(y_pred, std, y_true), rel=1e-12, abs=1e-12)
    assert scores["crps"] == pytest.approx(toolbox.crps_gaussian(y_pred, std, y_true), rel=1e-12)
    area = toolbox.miscalibration_area(y_pred, std, y_true)
    assert scores["miscalibration_area"] == pytest.approx(area, rel=1e-12, abs=1e-14)


@pytest.mark.parametrize("spread", [0.3, 0.9, 1.0, 1.1, 3.0])
def test_the_calibration_curve_may_cross_the_diagonal(toolbox: ModuleType, spread: float) -> None:
    random = np.random.default_rng(3)
    y_pred, std = random.normal(size=700), random.uniform(0.5, 2, 700)
    y_true = y_pred + spread * std * random.standard_t(3, 700)
    expected = toolbox.miscalibration_area(y_pred, std, y_true)
    assert metrics.miscalibration_area(y_true, y_pred, std) == pytest.approx(expected, rel=1e-12)


def _ause_by_definition(error: np.ndarray, std: np.ndarray) -> float:
    """Remove row after row; rows of equal std in every possible order."""
    if not error.any():
        return 0.0

    def curve(order: Any) -> np.ndarray:
        return np.array([error[list(order[k:])].mean() for k in range(len(error))])

    by_error = curve(np.argsort(-error))
    orders = [o for o in itertools.permutations(range(len(error))) if (np.diff(std[list(o)]) <= 0).all()]
    return float(np.mean([curve(order) - by_error for order in orders]) / error.mean())


@given(rows=triples(max_size=5))
def test_ause_is_what_its_docstring_says(rows: Any) -> None:
    y_true, y_pred, std = rows
    expected = _ause_by_definition(np.abs(y_true - y_pred), std)
    assert metrics.ause(*rows) == pytest.approx(expected, rel=1e-9, abs=1e-12)


@given(rows=triples(), seed=st.integers(0, 1000))
def test_ause_does_not_depend_on_the_order_of_rows_or_the_scale_of_std(rows: Any, seed: int) -> None:
    y_true, y_pred, std = rows
    order = np.random.default_rng(seed).permutation(len(std))
    again = metrics.ause(y_true[order], y_pred[order], std[order] * 4)
    assert again == pytest.approx(metrics.ause(*rows), rel=1e-9, abs=1e-12)


@pytest.mark.parametrize("error", [0.1, 0.2, 0.7, 1.1])
@pytest.mark.parametrize("rows", [3, 6, 7])
def test_ause_is_never_below_zero_by_rounding(error: float, rows: int) -> None:
    assert 0 <= metrics.ause(np.zeros(rows), np.full(rows, error), np.ones(rows)) < 1e-12


def test_ause_is_lower_the_more_std_knows_about_the_errors() -> None:
    error = np.random.default_rng(5).exponential(size=400)
    y_true = np.zeros(400)
    perfect, ignorant, misled = (metrics.ause(y_true, error, std) for std in (error, np.ones(400), 1 / error))
    assert perfect == 0.0 < ignorant < misled


@given(rows=triples(std=st.one_of(deviations, st.just(0.0))))
def test_a_standard_deviation_of_zero_is_a_point_with_everything_but_a_likelihood(rows: Any) -> None:
    y_true, y_pred, std = rows
    scores = uncertainty_scores(y_true, y_pred, std=std)
    assert math.isnan(scores.pop("nll")) == (not std.all())
    assert math.isnan(scores.pop("constant_std")) == (np.ptp(std) > 0)
    assert all(math.isfinite(value) and value >= 0 for value in scores.values())
    assert metrics.crps(y_true, y_pred, np.zeros_like(std)) == pytest.approx(metrics.mae(y_true, y_pred), rel=1e-12)


def test_a_tiny_standard_deviation_beside_a_large_error_does_not_warn() -> None:
    scores = uncertainty_scores([0.0], [1e100], std=[1e-300])
    assert scores["nll"] == math.inf
    assert scores["crps"] == pytest.approx(1e100)


@given(rows=triples())
def test_all_at_once_are_the_same_bits_as_one_by_one(rows: Any) -> None:
    y_true, y_pred, std = rows
    scores = uncertainty_scores(y_true, y_pred, std=std)
    assert list(scores) == [metric.name for metric in metrics.UNCERTAINTY_METRICS if metric.needs != "calibration"]
    assert scores["coverage"] == metrics.coverage(y_true, *metrics.interval_from_std(y_pred, std))
    assert scores["sharpness"] == metrics.sharpness(std)
    for function in (metrics.nll, metrics.crps, metrics.miscalibration_area, metrics.ause):
        assert scores[function.name] == function(y_true, y_pred, std)


def test_symmetric_intervals_stand_in_for_a_standard_deviation() -> None:
    y_true, y_pred, std = np.array([1.0, 2.0, 4.0]), np.array([1.5, 2.0, 3.0]), np.array([0.5, 0.25, 0.25])
    lower, upper = (bound.astype(np.float32) for bound in metrics.interval_from_std(y_pred, std))
    from_interval = uncertainty_scores(y_true, y_pred, lower=lower, upper=upper)
    assert from_interval == pytest.approx(uncertainty_scores(y_true, y_pred, std=std), rel=1e-5, nan_ok=True)


def test_asymmetric_intervals_have_no_likelihood_unless_std_is_given_too() -> None:
    y_true, y_pred, bounds = [1.0, 2.0], [1.5, 2.0], {"lower": [1.2, 1.0], "upper": [9.0, 9.0]}
    scores = uncertainty_scores(y_true, y_pred, **bounds)
    assert list(scores) == ["crps", "coverage", "miscalibration_area", "constant_std"]
    assert scores["coverage"] == 0.5
    both = uncertainty_scores(y_true, y_pred, std=[0.5, 0.5], **bounds)
    assert both == uncertainty_scores(y_true, y_pred, std=[0.5, 0.5]) | {"coverage": 0.5}


@given(rows=triples())
def test_the_crps_of_a_normal_distribution_is_the_closed_form(rows: Any) -> None:
    y_true, y_pred, std = rows
    z = (y_true - y_pred) / std
    closed = std * (z * (2 * stats.norm.cdf(z) - 1) + 2 * stats.norm.pdf(z) - 1 / math.sqrt(math.pi))
    assert metrics.crps(y_true, y_pred, std) == pytest.approx(closed.mean(), rel=1e-9, abs=1e-12)


@pytest.mark.parametrize("truth", [-3.0, 0.5, 1.0, 2.0, 9.0])
def test_the_crps_of_an_interval_is_that_of_two_halves_of_normal_distributions(truth: float) -> None:
    predicted, lower, upper = 1.0, 0.25, 4.0

    def probability(x: float) -> float:
        """At most x, where the prediction is the median and 2.5 % lie beyond either end."""
        return float(stats.norm.cdf((x - predicted) / abs((lower if x < predicted else upper) - predicted) * Z_95))

    bends = sorted({-20.0, predicted, truth, 40.0})
    parts = [
        integrate.quad(lambda x: (probability(x) - (x >= truth)) ** 2, start + 1e-13, end - 1e-13, epsabs=1e-12)[0]
        for start, end in itertools.pairwise(bends)
    ]
    assert [probability(end) for end in (lower, predicted, upper)] == pytest.approx([0.025, 0.5, 0.975])
    sample = metrics.Sample([truth], [predicted], lower=[lower], upper=[upper])
    assert metrics.crps.function(sample) == pytest.approx(sum(parts), rel=1e-9)


def test_a_prediction_outside_its_own_interval_has_no_distribution() -> None:
    scores = uncertainty_scores([1.0, 2.0], [1.5, 2.0], lower=[1.6, 1.0], upper=[9.0, 9.0])
    assert math.isnan(scores["crps"])
    assert math.isnan(scores["miscalibration_area"])


def test_without_uncertainty_there_is_no_score_of_it() -> None:
    assert uncertainty_scores([1.0], [1.0]) == {}


@pytest.mark.parametrize("given", [{"lower": [0.0]}, {"upper": [2.0]}, {"std": [1.0], "upper": [2.0]}])
def test_half_an_uncertainty_is_an_error(given: dict[str, list[float]]) -> None:
    with pytest.raises(MetricError, match="incomplete"):
        uncertainty_scores([1.0], [1.0], **given)


@pytest.mark.parametrize("function", [metrics.nll, metrics.crps, metrics.miscalibration_area, metrics.ause])
def test_a_negative_standard_deviation_is_an_error_that_shows_it(function: Callable[..., float]) -> None:
    with pytest.raises(MetricError, match=r"std\[1\]=-0\.5 is negative"):
        function([1.0, 2.0], [1.0, 2.0], [0.5, -0.5])
