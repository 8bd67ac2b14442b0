"""Intervals that are recalibrated on other folds hold what they say; a std that is the same everywhere is found."""

from __future__ import annotations

import math

import numpy as np
import pytest

from matbench_lite import metrics
from matbench_lite.errors import MetricError
from matbench_lite.metrics import Sample, conformal_interval, conformal_width, constant_std

FOLDS, ROWS = 5, 3000


def simulated(kind: str, seed: int = 7) -> list[Sample]:
    """The folds of an entry that states its uncertainty well or badly."""
    rng = np.random.default_rng(seed)
    folds = []
    for _ in range(FOLDS):
        spread = rng.gamma(2, 1, ROWS)
        predicted = rng.normal(0, 10, ROWS)
        noise = rng.standard_t(3, ROWS) if kind == "heavy tails" else rng.normal(size=ROWS)
        if kind == "skewed":
            noise = rng.exponential(1, ROWS) - 0.3
        truth = predicted + spread * noise + (2 if kind == "biased" else 0)
        factor = {"far too sure": 0.1, "far too unsure": 30}.get(kind, 1)
        std = np.full(ROWS, 0.7) if kind == "constant" else factor * spread
        if kind in ("skewed", "crossing"):
            below, above = (40 * spread, 40 * spread + 1) if kind == "crossing" else (0.1 * std, 0.5 * std)
            folds.append(Sample(truth, predicted, lower=predicted - below, upper=predicted + above))
        else:
            folds.append(Sample(truth, predicted, std=std))
    return folds


def beside_others(folds: list[Sample]) -> list[Sample]:
    return [each.beside([other for other in folds if other is not each]) for each in folds]


KINDS = (
    "right", "far too sure", "far too unsure", "heavy tails", "biased", "constant", "skewed", "crossing",
)  # fmt: skip


@pytest.mark.parametrize("kind", KINDS)
def test_recalibrated_intervals_hold_95_percent_of_folds_they_have_not_seen(kind: str) -> None:
    shares, widths = [], []
    for fold in beside_others(simulated(kind)):
        lower, upper = conformal_interval(fold)
        shares.append(metrics.coverage(fold.truth, lower, upper))
        widths.append((upper - lower).mean())
        assert conformal_width.function(fold) == pytest.approx(widths[-1], rel=1e-12)
    assert 0.94 <= np.mean(shares) <= 0.96
    assert min(widths) > 0


def test_a_std_that_knows_the_errors_gives_narrower_intervals_whatever_its_scale() -> None:
    informed, scaled, constant = (
        np.mean([conformal_width.function(fold) for fold in beside_others(simulated(kind))])
        for kind in ("right", "far too unsure", "constant")
    )
    assert informed == pytest.approx(scaled, rel=1e-9)
    assert informed < 0.95 * constant


def test_the_quantile_is_the_finite_sample_one() -> None:
    errors = np.arange(1.0, 40.0)
    others = Sample(errors, np.zeros(39), std=np.ones(39))
    assert conformal_width([0.0], [0.0], [1.0], calibration=others) == 2 * 38  # rank 0.95 * 40
    few = Sample(errors[:18], np.zeros(18), std=np.ones(18))
    assert math.isnan(conformal_width([0.0], [0.0], [1.0], calibration=few))


def test_intervals_alone_are_moved_at_both_ends() -> None:
    others = Sample(np.arange(1.0, 20.0), np.zeros(19), lower=np.full(19, -2.0), upper=np.full(19, 4.0))
    lower, upper = conformal_interval(Sample([1.0], [1.0], lower=[0.5], upper=[2.5], calibration=others))
    assert (lower, upper) == (0.5 - 15, 2.5 + 15)  # the 19th of 19 scores: 19 is 15 beyond 4


def test_without_other_folds_there_is_no_conformal_width() -> None:
    alone = Sample([1.0], [1.0], std=[0.5])
    assert "conformal_width" not in metrics.scores("regression", alone.beside([]))
    assert "conformal_width" not in metrics.scores("regression", alone.beside([Sample([1.0], [1.0])]))
    with pytest.raises(MetricError, match="no rows of other folds"):
        conformal_interval(alone)


def test_folds_with_intervals_alone_make_all_be_read_as_intervals() -> None:
    bounds = {"lower": np.full(30, -2.0), "upper": np.full(30, 4.0)}
    mixed = [Sample(np.arange(30.0), np.zeros(30), **bounds), Sample(np.arange(30.0), np.zeros(30), std=np.ones(30))]
    first, second = beside_others(mixed)
    assert first.calibration is not None
    assert second.calibration is not None
    assert not second.calibration.has_recorded_std
    assert all(math.isfinite(conformal_width.function(fold)) for fold in (first, second))


@pytest.mark.parametrize("stored", [np.float32, np.float64])
def test_a_constant_std_is_found_also_behind_intervals(stored: type[np.floating]) -> None:
    rng = np.random.default_rng(3)
    truth, predicted = rng.normal(1000, 100, (2, 500))
    std = np.full(500, 0.3, stored)
    assert constant_std(truth, predicted, std) == pytest.approx(0.3)
    lower, upper = (end.astype(stored) for end in metrics.interval_from_std(predicted, std))
    assert constant_std.function(Sample(truth, predicted, lower=lower, upper=upper)) == pytest.approx(0.3, rel=1e-4)
    lopsided = Sample(truth, predicted, lower=(predicted - 1).astype(stored), upper=(predicted + 2).astype(stored))
    assert constant_std.function(lopsided) == pytest.approx(1.5 / 1.96, rel=1e-3)


def test_a_std_that_varies_is_not_constant() -> None:
    assert math.isnan(constant_std([1.0, 2.0], [1.0, 2.0], [0.5, 0.5001]))
    varying = Sample([1.0, 2.0], [1.0, 2.0], lower=[0.0, 1.0], upper=[1.5, 2.501])
    assert math.isnan(constant_std.function(varying))
