"""The model of variance: symmetric, independent of who else is there, and what it says by hand."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats as reference

from matbench_lite.errors import MetricError
from matbench_lite.metrics import balanced_accuracy
from matbench_lite.stats import FOLD_WEIGHT, Design, class_losses, differences, moments


def some_task(seed: int, *, entries: int = 4, rows: int = 120, folds: int = 5, clusters: int = 30):
    rng = np.random.default_rng(seed)
    design = Design(
        folds=np.concatenate([np.arange(folds), rng.integers(folds, size=rows - folds)]),
        clusters=rng.integers(clusters, size=rows),
        scatter=1.5,
    )
    common = rng.exponential(size=rows)
    return np.abs(common + rng.normal(scale=0.4, size=(entries, rows))), design


def by_hand(first, second, design, weight):
    """The definition, row by row."""
    number = len(design.sizes)
    d = first - second
    means = np.array([d[design.folds == fold].mean() for fold in range(number)])
    e = d - means[design.folds]
    sizes = design.sizes[design.folds]
    w = np.mean([np.sum(e[design.folds == f] ** 2) / design.sizes[f] ** 2 for f in range(number)])
    sums = np.array([np.sum(e[design.clusters == c] / (number * sizes[design.clusters == c])) for c in
                     np.unique(design.clusters)])  # fmt: skip
    v = max(len(sums) / (len(sums) - 1) * np.sum(sums**2), w / number)
    s2 = means.var(ddof=1)
    m = (8 * design.scatter * w + (number - 1) * s2) / (8 + number - 1)
    variance = v + weight * max(0, m - w) / number
    t = means.mean() / np.sqrt(variance)
    return means.mean(), variance, 2 * reference.t.sf(abs(t), 8 + number - 1)


@given(st.integers(0, 10_000), st.integers(2, 7), st.sampled_from([1.0, 4.0]))
def test_every_pair_is_as_defined(seed, folds, weight) -> None:
    losses, design = some_task(seed, folds=folds)
    found = differences(moments(losses, design), weight=weight)
    for i, j in [(0, 1), (2, 3), (3, 0)]:
        expected = by_hand(losses[i], losses[j], design, weight)
        assert (found.difference[i, j], found.variance[i, j], found.p[i, j]) == pytest.approx(expected, rel=1e-9)


@given(st.integers(0, 10_000))
def test_the_order_of_two_entries_flips_signs_and_nothing_else(seed) -> None:
    losses, design = some_task(seed)
    found = differences(moments(losses, design))
    assert np.array_equal(found.difference, -found.difference.T)
    assert np.array_equal(found.t, -found.t.T)
    for same in (found.variance, found.p, found.half_width(0.99)):
        assert np.array_equal(same, same.T)


def test_other_entries_change_nothing_about_two() -> None:
    losses, design = some_task(3, entries=12)
    few, many = (differences(moments(rows, design)) for rows in (losses[:2], losses))
    assert few.p[0, 1] == pytest.approx(many.p[0, 1], rel=1e-9)


def test_an_interval_of_99_percent_excludes_zero_exactly_when_p_is_below_1_percent() -> None:
    for seed in range(200):
        losses, design = some_task(seed, entries=3)
        losses[1] *= 1 + 0.002 * seed
        found = differences(moments(losses, design))
        outside = np.abs(found.difference) > found.half_width(0.99)
        assert np.array_equal(outside, found.p < 0.01)


def test_two_equal_entries_do_not_differ() -> None:
    losses, design = some_task(1)
    found = differences(moments([losses[0], losses[0]], design))
    assert (found.difference[0, 1], found.variance[0, 1], found.t[0, 1], found.p[0, 1]) == (0, 0, 0, 1)


@pytest.mark.filterwarnings("error")
def test_a_difference_that_is_the_same_on_every_row_is_certain() -> None:
    _, design = some_task(2)
    found = differences(moments([np.ones(120), np.full(120, 2.0)], design))
    assert (found.t[1, 0], found.p[1, 0], found.half_width(0.99)[1, 0]) == (np.inf, 0, 0)


def test_rows_that_belong_together_are_fewer_witnesses() -> None:
    rng = np.random.default_rng(0)
    folds, families = np.arange(1000) % 5, np.arange(1000) // 50
    together = np.repeat(rng.normal(size=20), 50)
    losses = [np.abs(together + rng.normal(size=1000)), np.abs(rng.normal(size=1000))]
    clustered, single = (
        differences(moments(losses, Design(folds=folds, clusters=clusters, scatter=1.0)))
        for clusters in (families, np.arange(1000))
    )
    assert clustered.clustered_variance[0, 1] > 5 * single.clustered_variance[0, 1]


def test_with_one_split_training_variance_is_assumed() -> None:
    losses, design = some_task(5, folds=1)
    found = differences(moments(losses, design))
    assert np.isnan(found.fold_variance).all()
    assert found.degrees == 8
    excess = FOLD_WEIGHT * (design.scatter - 1) * found.row_variance
    assert found.variance == pytest.approx(found.clustered_variance + excess)


@given(st.integers(0, 10_000), st.integers(2, 4))
def test_the_mean_loss_of_classes_is_one_less_the_balanced_accuracy(seed, folds) -> None:
    rng = np.random.default_rng(seed)
    truth, predicted, fold = rng.random(60) < 0.2, rng.random(60) < 0.5, np.arange(60) % folds
    losses = class_losses(truth, predicted, fold)
    for number in range(folds):
        here = fold == number
        if truth[here].any() and not truth[here].all():
            assert losses[here].mean() == pytest.approx(1 - balanced_accuracy(truth[here], predicted[here]))


@pytest.mark.parametrize(
    ("losses", "folds", "clusters"),
    [([[1.0]], [0, 0], [0, 1]), ([[1.0, np.nan]], [0, 0], [0, 1]), ([[1.0, 2.0]], [0, 2], [0, 1]), ([[1.0]], [0], [])],
)
def test_what_does_not_fit_is_an_error(losses, folds, clusters) -> None:
    with pytest.raises(MetricError):
        moments(losses, Design(folds=np.array(folds), clusters=np.array(clusters, dtype=int)))
