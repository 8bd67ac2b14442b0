"""Classification metrics agree with scikit-learn, with ties, probabilities at 0.5 and missing classes."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from sklearn import metrics as sk

from matbench_lite import metrics
from matbench_lite.errors import MetricError

probabilities = st.one_of(
    st.floats(0, 1), st.sampled_from([0.0, 0.25, 0.5, math.nextafter(0.5, 1), math.nextafter(0.5, 0), 1.0])
)


@st.composite
def pairs(draw: st.DrawFn) -> tuple[np.ndarray, np.ndarray]:
    """Labels and probabilities of one length, often with ties."""
    rows = draw(st.lists(st.tuples(st.booleans(), probabilities), min_size=1, max_size=40))
    y_true, y_pred = zip(*rows, strict=True)
    return np.array(y_true), np.array(y_pred)


ORACLES = {
    metrics.balanced_accuracy: sk.balanced_accuracy_score,
    metrics.accuracy: sk.accuracy_score,
    metrics.f1: sk.f1_score,
}


@given(rows=pairs())
def test_metrics_are_those_of_scikit_learn(quiet: Callable[..., Any], rows: Any) -> None:
    y_true, y_pred = rows
    for ours, theirs in ORACLES.items():
        expected = quiet(theirs, y_true, y_pred > 0.5)
        assert ours(y_true, y_pred) == pytest.approx(expected, rel=1e-12, abs=0)
        assert ours(y_true, y_pred > 0.5) == ours(y_true, y_pred)
        assert ours(y_true.astype(int), (y_pred > 0.5).astype(int)) == ours(y_true, y_pred)
    expected = quiet(sk.roc_auc_score, *rows)
    assert metrics.rocauc(*rows) == pytest.approx(expected, rel=1e-12, abs=1e-15, nan_ok=True)
    expected = quiet(sk.log_loss, y_true, y_pred, labels=[False, True])
    assert metrics.log_loss(*rows) == pytest.approx(expected, rel=1e-9, abs=1e-12)


def test_rocauc_of_many_rows_with_many_ties_is_that_of_scikit_learn() -> None:
    random = np.random.default_rng(0)
    y_true = random.random(20_000) < 0.3
    y_pred = np.clip(np.round(random.normal(0.4 + 0.2 * y_true, 0.2), 2), 0, 1)
    assert metrics.rocauc(y_true, y_pred) == pytest.approx(sk.roc_auc_score(y_true, y_pred), rel=1e-12)


@given(rows=pairs())
def test_balanced_accuracy_is_what_matbench_published_as_rocauc(rows: Any) -> None:
    y_true, y_pred = rows
    assume(y_true.any() and not y_true.all())
    published = sk.roc_auc_score(y_true, y_pred > 0.5)
    assert metrics.balanced_accuracy(y_true, y_pred) == pytest.approx(published, rel=1e-12, abs=1e-15)
    assert metrics.rocauc(y_true, y_pred > 0.5) == pytest.approx(published, rel=1e-12, abs=1e-15)


@pytest.mark.parametrize("label", [True, False])
def test_one_class_only_leaves_rocauc_undefined_and_the_other_class_out(label: bool) -> None:
    y_true, y_pred = [label] * 4, [0.9, 0.8, 0.1, 0.7]
    assert math.isnan(metrics.rocauc(y_true, y_pred))
    assert metrics.balanced_accuracy(y_true, y_pred) == metrics.accuracy(y_true, y_pred)


def test_a_probability_of_one_half_is_negative() -> None:
    assert metrics.accuracy([False, True], [0.5, math.nextafter(0.5, 1)]) == 1.0


def test_f1_without_a_true_positive_is_zero() -> None:
    assert metrics.f1([False, False], [False, False]) == 0.0
    assert metrics.f1([True, False], [False, True]) == 0.0


@given(rows=pairs(), probability=st.booleans())
def test_all_at_once_are_the_same_bits_as_one_by_one(rows: Any, probability: bool) -> None:
    y_true, y_pred = rows
    y_pred = y_pred if probability else y_pred > 0.5
    scores = metrics.scores("classification", metrics.Sample(y_true, y_pred, probability=probability))
    of_two = [metric for metric in metrics.CLASSIFICATION_METRICS if "classification" in metric.kinds]
    assert list(scores) == [metric.name for metric in of_two if probability or metric.needs is None]
    for name, value in scores.items():
        np.testing.assert_array_equal(value, getattr(metrics, name)(y_true, y_pred))


@pytest.mark.parametrize("function", [metrics.balanced_accuracy, metrics.accuracy, metrics.f1, metrics.rocauc])
def test_what_is_no_label_or_no_probability_is_an_error_that_shows_it(function: Callable[..., float]) -> None:
    with pytest.raises(MetricError, match=r"y_true\[1\]=0\.5 is not a label"):
        function([1, 0.5, 3], [1, 0, 1])
    with pytest.raises(MetricError, match=r"y_pred\[2\]=-0\.25 is outside 0 to 1"):
        function([1, 0, 1], [1, 0, -0.25])
    with pytest.raises(MetricError, match=r"y_pred\[0\]=1\.5 is outside 0 to 1"):
        function([1, 0, 1], [1.5, 0, 1])


def test_probabilities_announced_as_labels_are_an_error() -> None:
    with pytest.raises(MetricError, match=r"y_pred\[1\]=0\.75 is not a label"):
        metrics.scores("classification", metrics.Sample([1, 0], [1, 0.75]))
