"""The catalogue describes the functions there are, and says truly which way is better."""

from __future__ import annotations

import numpy as np
import pytest

from matbench_lite import metrics
from matbench_lite.errors import UnknownNameError

ALL = (*metrics.REGRESSION_METRICS, *metrics.CLASSIFICATION_METRICS, *metrics.UNCERTAINTY_METRICS)


def test_every_metric_is_named_once() -> None:
    assert len({metric.name for metric in ALL}) == len(ALL)


@pytest.mark.parametrize("metric", ALL, ids=lambda metric: metric.name)
def test_a_public_function_of_that_name_is_the_same(metric: metrics.Metric) -> None:
    rows = ([1.0, 0.0, 1.0], [0.75, 0.25, 0.375])
    others = metrics.Sample(np.arange(20.0), np.zeros(20), std=np.ones(20))
    sample = metrics.Sample(*rows, std=[0.5, 0.25, 0.125], probability=True, calibration=others)
    given = {"coverage": (rows[0], *sample.bounds), "mape_rows": rows[:1], "sharpness": ([0.5, 0.25, 0.125],)}
    uncertain = (*rows, [0.5, 0.25, 0.125]) if metric.needs in ("std", "interval", "calibration") else rows
    more = {"calibration": others} if metric.needs == "calibration" else {}
    found = getattr(metrics, metric.name)(*given.get(metric.name, uncertain), **more)
    assert found == pytest.approx(metric.function(sample), rel=0, abs=0, nan_ok=True)


def test_labels_and_descriptions_are_there_for_a_table() -> None:
    assert len({metric.label for metric in ALL}) == len(ALL)
    assert all(metric.description and "\n" not in metric.description for metric in ALL)


@pytest.mark.parametrize("metric", metrics.REGRESSION_METRICS, ids=lambda metric: metric.name)
def test_a_better_regression_scores_better(metric: metrics.Metric) -> None:
    predictions = ([1.1, 2.0, 3.0], [2.0, 2.0, 1.0])
    good, bad = (metric.function(metrics.Sample([1.0, 2.0, 3.0], predicted)) for predicted in predictions)
    assert metric.higher_is_better in (None, good > bad)


@pytest.mark.parametrize("metric", metrics.CLASSIFICATION_METRICS, ids=lambda metric: metric.name)
def test_a_better_classification_scores_better(metric: metrics.Metric) -> None:
    function = getattr(metrics, metric.name)
    good, bad = function([1, 1, 0, 0], [0.9, 0.8, 0.2, 0.1]), function([1, 1, 0, 0], [0.9, 0.1, 0.8, 0.3])
    assert (good > bad) is metric.higher_is_better


@pytest.mark.parametrize("metric", [*metrics.REGRESSION_METRICS, *metrics.UNCERTAINTY_METRICS], ids=lambda m: m.name)
def test_a_metric_in_the_unit_of_the_target_scales_with_it(metric: metrics.Metric) -> None:
    y_true, y_pred, std = [1.0, 2.0, 4.0], [1.5, 2.0, 3.0], [0.5, 0.25, 1.5]
    if metric is metrics.constant_std:
        std = [0.5] * 3

    def score(unit: float) -> float:
        y, p, s = ([unit * value for value in values] for values in (y_true, y_pred, std))
        others = metrics.Sample([unit * row for row in range(20)], [0.0] * 20, std=[2.0 * unit] * 20)
        return metrics.scores("regression", metrics.Sample(y, p, std=s, calibration=others))[metric.name]

    if metric.in_target_unit:
        assert score(1024.0) == pytest.approx(1024.0 * score(1.0), rel=1e-12)
    elif metric.name != "nll":  # shifted by the logarithm of the unit
        assert score(1024.0) == pytest.approx(score(1.0), rel=1e-12)


def test_tasks_are_ranked_by_mae_or_balanced_accuracy() -> None:
    assert metrics.ranking_metric("regression") == metrics.REGRESSION_METRICS[0].name == "mae"
    assert metrics.ranking_metric("classification") == metrics.CLASSIFICATION_METRICS[0].name == "balanced_accuracy"


def test_an_unknown_kind_of_task_is_an_error_that_lists_the_kinds() -> None:
    with pytest.raises(UnknownNameError, match=r"kind='ranking'.*regression, classification"):
        metrics.ranking_metric("ranking")
