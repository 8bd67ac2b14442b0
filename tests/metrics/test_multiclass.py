"""Metrics of more than two classes agree with scikit-learn, with ties, absent classes and probabilities of 0 and 1."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn import metrics as sk

from matbench_lite import metrics
from matbench_lite.errors import MetricError

weights = st.one_of(st.sampled_from([0.0, 1.0]), st.floats(1e-6, 1))


@st.composite
def samples(draw: st.DrawFn) -> tuple[int, np.ndarray, np.ndarray]:
    """How many classes there are, the class of every row, and the probability of every class."""
    classes = draw(st.integers(3, 6))
    row = st.tuples(
        st.integers(0, classes - 1),
        st.lists(weights, min_size=classes, max_size=classes).filter(lambda each: sum(each)),
    )
    y_true, given_weights = zip(*draw(st.lists(row, min_size=1, max_size=40)), strict=True)
    matrix = np.array(given_weights)
    return classes, np.array(y_true), matrix / matrix.sum(axis=1, keepdims=True)


@given(drawn=samples())
def test_metrics_are_those_of_scikit_learn(quiet: Callable[..., Any], drawn: Any) -> None:
    classes, y_true, matrix = drawn
    y_pred = matrix.argmax(axis=1)
    scores = metrics.scores("multiclass", metrics.Sample(y_true, matrix, classes=classes))
    expected = {
        "balanced_accuracy": quiet(sk.balanced_accuracy_score, y_true, y_pred),
        "accuracy": quiet(sk.accuracy_score, y_true, y_pred),
        "macro_f1": quiet(sk.f1_score, y_true, y_pred, average="macro"),
        "log_loss": quiet(sk.log_loss, y_true, matrix, labels=range(classes)),
        "rocauc_ovr": math.nan,
    }
    if len(set(y_true)) == classes:
        expected["rocauc_ovr"] = quiet(sk.roc_auc_score, y_true, matrix, multi_class="ovr")
    assert scores == pytest.approx(expected, rel=1e-9, abs=1e-12, nan_ok=True)


@given(drawn=samples())
def test_labels_score_as_the_most_probable_class_does(drawn: Any) -> None:
    classes, y_true, matrix = drawn
    sure = metrics.scores("multiclass", metrics.Sample(y_true, matrix, classes=classes))
    labels = metrics.scores("multiclass", metrics.Sample(y_true, matrix.argmax(axis=1), classes=classes))
    assert labels == {name: sure[name] for name in ("balanced_accuracy", "accuracy", "macro_f1")}


def test_the_area_is_not_known_where_a_class_has_no_row() -> None:
    assert math.isnan(metrics.rocauc_ovr([0, 1, 1], np.full((3, 3), 1 / 3)))


@pytest.mark.parametrize(
    ("y_true", "y_pred", "message"),
    [
        ([0, 1], [0, 3], r"y_pred\[1\]=3\.0 is no class"),
        ([0, -1], [0, 1], r"y_true\[1\]=-1\.0 is no class"),
        ([0, 1], [0, 0.5], r"y_pred\[1\]=0\.5 is no class"),
        ([0, 1], [[0.5, 0.5, 0.0], [0.5, 0.4, 0.0]], r"sum of y_pred\[1\]=0\.9 is not 1"),
        ([0, 1], [[0.5, 0.5, 0.0], [1.5, -0.5, 0.0]], r"sum of y_pred\[1\]=1\.0 has a part below 0"),
        ([0, 1], [[0.5, 0.5, 0.0], [math.nan, 0.5, 0.5]], r"sum of y_pred\[1\]=nan has a part below 0 or NaN"),
        ([0, 1], [[0.5, 0.5], [0.5, 0.5]], r"shape=\(2, 2\).* no probabilities of 3 classes"),
        ([0, 1], [["a", "b", "c"], ["a", "b", "c"]], "no probabilities of 3 classes"),
        ([0], [[0.5, 0.5, 0.0], [0.5, 0.5, 0.0]], r"len\(y_true\)=1 != len\(y_pred\)=2"),
    ],
)
def test_what_is_no_class_and_no_probability_is_an_error_that_shows_it(y_true: Any, y_pred: Any, message: str) -> None:
    with pytest.raises(MetricError, match=message):
        metrics.Sample(y_true, y_pred, classes=3)
