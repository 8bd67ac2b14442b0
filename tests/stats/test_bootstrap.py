"""The bootstrap gives what drawing rows by hand gives, at a cost that does not grow with the rows."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from matbench_lite.errors import MetricError
from matbench_lite.stats import Design, Interval, class_losses, score_interval

DRAWS = 10_000


def single(rows: int, folds: int = 1) -> Design:
    """Each row is a cluster."""
    return Design(folds=np.arange(rows) % folds, clusters=np.arange(rows))


def assert_close(found: Interval, expected: Interval) -> None:
    """Both ends agree to a few percent of the width: what so many draws allow."""
    width = expected.high - expected.low
    assert found.low == pytest.approx(expected.low, abs=0.04 * width)
    assert found.high == pytest.approx(expected.high, abs=0.04 * width)


def clusters_by_hand(losses: np.ndarray, design: Design) -> Interval:
    """The bootstrap-t over clusters: of each, the sum of what its rows add, less the mean of their group."""
    rng = np.random.default_rng(99)
    folds = len(design.sizes)
    parts = []
    for cluster in np.unique(design.clusters):
        total = 0.0
        for row in np.flatnonzero(design.clusters == cluster):
            alike = design.groups == design.groups[row]
            total += (losses[row] - losses[alike].mean()) / (folds * design.sizes[design.folds[row]])
        parts.append(total)
    sums = np.array(parts)
    drawn = sums[rng.integers(len(sums), size=(DRAWS, len(sums)))]
    low, high = np.quantile(drawn.sum(axis=1) / (drawn.std(axis=1) * np.sqrt(len(sums))), [0.025, 0.975])
    low, high = min(low, -1.96), max(high, 1.96)  # a normal interval at least
    score = np.mean([losses[design.folds == fold].mean() for fold in range(folds)])
    error = np.sqrt(len(sums) / (len(sums) - 1) * np.sum(sums**2))
    return Interval(score - high * error, score - low * error)


@pytest.mark.parametrize("rows", [40, 249, 250, 1200])
def test_a_mean_as_by_hand_whether_by_rows_or_by_bins(rows) -> None:
    losses = np.random.default_rng(rows).exponential(size=rows) ** 2  # a heavy tail: bins would lose it
    assert_close(score_interval(losses, single(rows, 2), draws=DRAWS), clusters_by_hand(losses, single(rows, 2)))


def test_one_huge_error_makes_the_interval_wide_not_infinite() -> None:
    losses = np.zeros(10_000)
    losses[17] = 1e4
    found = score_interval(losses, single(10_000))
    assert found.low == pytest.approx(0, abs=0.2)
    assert 5 < found.high < 50


@pytest.mark.parametrize(("rows", "clusters"), [(300, 60), (1200, 600)])
@pytest.mark.parametrize("classes", [False, True])
def test_the_interval_of_a_score_as_by_hand_whether_by_clusters_or_by_bins(rows, clusters, classes) -> None:
    rng = np.random.default_rng(rows)
    folds, families = np.arange(rows) % 5, rng.integers(clusters, size=rows)
    hard = rng.exponential(size=clusters)[families]
    truth = rng.random(rows) < 0.3
    if classes:
        losses = class_losses(truth, truth ^ (rng.random(rows) < 0.15 * hard), folds)
    else:
        losses = hard * rng.exponential(size=rows)
    design = Design(folds=folds, clusters=families, classes=truth.astype(int) if classes else None)
    assert_close(score_interval(losses, design, draws=DRAWS), clusters_by_hand(losses, design))


@given(st.integers(0, 10_000), st.integers(1, 4), st.booleans())
def test_the_interval_of_a_score_is_within_what_is_possible(seed, folds, classes) -> None:
    rng = np.random.default_rng(seed)
    fold, truth, wrong = np.arange(24) % folds, rng.random(24) < 0.3, rng.random(24) < rng.random()
    design = Design(folds=fold, clusters=rng.integers(8, size=24), classes=truth.astype(int) if classes else None)
    losses = class_losses(truth, truth ^ wrong, fold) if classes else 5 * wrong
    found = score_interval(losses, design, draws=200)
    assert -1e-12 <= found.low <= found.high <= (1 if classes else 5) + 1e-12
    assert found == score_interval(losses, design, draws=200)


def test_rows_that_belong_together_make_a_wider_interval() -> None:
    rng = np.random.default_rng(3)
    families = np.arange(1000) // 20
    losses = rng.exponential(size=50)[families]
    together, apart = (
        score_interval(losses, Design(folds=np.arange(1000) % 5, clusters=clusters))
        for clusters in (families, np.arange(1000))
    )
    assert together.high - together.low > 3 * (apart.high - apart.low)


def test_equal_losses_and_one_cluster_have_the_interval_that_is_possible() -> None:
    design = Design(folds=np.arange(10) % 2, clusters=np.arange(10))
    assert score_interval(np.full(10, 0.1), design) == Interval(pytest.approx(0.1), pytest.approx(0.1))
    one = Design(folds=np.arange(10) % 2, clusters=np.zeros(10, dtype=int))
    assert score_interval(np.arange(10.0), one) == Interval(0.5, 8.5)


def test_pairing_pays_where_two_entries_fail_on_the_same_rows() -> None:
    rng = np.random.default_rng(7)
    ours = rng.exponential(size=400)
    theirs = ours + rng.normal(0.1, 0.01, size=400)
    paired = score_interval(ours - theirs, single(400))
    alone = score_interval(ours, single(400))
    assert paired.high - paired.low < 0.05 * (alone.high - alone.low)


@given(arrays(np.float64, st.integers(1, 40), elements=st.floats(-1e3, 1e3)))
def test_the_interval_lies_within_the_losses_and_is_the_same_each_time(losses) -> None:
    found = score_interval(losses, single(len(losses)), draws=200)
    assert found == score_interval(losses, single(len(losses)), draws=200)
    assert losses.min() - 1e-9 <= found.low <= found.high <= losses.max() + 1e-9


def test_another_seed_gives_another_draw() -> None:
    losses = np.random.default_rng(0).random(300)
    assert score_interval(losses, single(300), seed=1) != score_interval(losses, single(300), seed=2)


@pytest.mark.parametrize("losses", [[1.0], [1.0, np.nan], [[1.0, 2.0]]])
def test_a_score_without_a_finite_loss_per_row_is_an_error(losses) -> None:
    with pytest.raises(MetricError):
        score_interval(losses, Design(folds=np.array([0, 1]), clusters=np.array([0, 1])))
