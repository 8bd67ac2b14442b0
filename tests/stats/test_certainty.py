"""Words, groups and places: they agree with one another, whoever is named first, and whoever else is there."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from matbench_lite.errors import MetricError
from matbench_lite.stats import EQUIVALENT, Design, Verdicts, differences, fold_scatter, leaders, moments, verdicts

SEEDS = st.integers(0, 10_000)


def some_entries(seed: int, *, entries: int = 8, rows: int = 200, folds: int = 5) -> tuple[np.ndarray, Design]:
    """Losses of entries of which some are alike, some better, and some scatter widely."""
    rng = np.random.default_rng(seed)
    design = Design(folds=np.arange(rows) % folds, clusters=rng.integers(rows // 3, size=rows))
    common = rng.exponential(size=rows)
    widths = rng.choice([0.01, 0.1, 1.0], size=(entries, 1))
    shifts = rng.choice([0.0, 0.0, 0.02, 0.3], size=(entries, 1))
    return np.abs(common * (1 + shifts) + widths * rng.normal(size=(entries, rows))), design


@given(SEEDS, st.integers(1, 5))
def test_word_p_interval_and_places_agree(seed, folds) -> None:
    losses, design = some_entries(seed, folds=folds)
    found = differences(moments(losses, design))
    said = verdicts(found)
    half, narrow = found.half_width(0.99), found.half_width(0.90)
    for i, j in np.ndindex(said.better.shape):
        word = said.word(i, j)
        apart = found.p[i, j] < 0.01
        assert apart == said.told_apart[i, j] == (abs(found.difference[i, j]) > half[i, j])
        inside = abs(found.difference[i, j]) + narrow[i, j] <= EQUIVALENT * min(found.errors[i], found.errors[j])
        assert (word == "equivalent") == inside
        if not inside:
            assert (word == "not told apart") != apart
            assert (word == "better") == (apart and found.difference[i, j] < 0)
    for place, (first, last) in enumerate(said.places()):
        words = [said.word(place, other) for other in range(len(losses))]
        assert (first, last) == (1 + words.count("worse"), len(losses) - words.count("better"))
        rank = 1 + int((found.errors < found.errors[place]).sum())
        assert first <= rank <= last


@given(SEEDS)
def test_the_order_of_two_entries_turns_words_round_and_changes_nothing_else(seed) -> None:
    losses, design = some_entries(seed)
    said = verdicts(differences(moments(losses, design)))
    turned = {"better": "worse", "worse": "better", "equivalent": "equivalent", "not told apart": "not told apart"}
    for i, j in np.ndindex(said.better.shape):
        assert said.word(i, j) == turned[said.word(j, i)]
    assert np.array_equal(said.equivalent, said.equivalent.T)


@given(SEEDS)
def test_the_leading_group_is_the_best_and_all_that_are_not_worse(seed) -> None:
    losses, design = some_entries(seed)
    found = differences(moments(losses, design))
    said, order = verdicts(found), np.argsort(found.errors)
    group = leaders(said, order=order)
    assert group.best == order[0]
    for place, entry in enumerate(order):
        worse = said.word(entry, group.best) == "worse"
        assert group.leading[entry] == (not worse)
        above = [said.word(other, group.best) == "worse" for other in order[:place]]
        assert group.wide[entry] == (any(above) and not worse)


def test_an_entry_that_stands_below_one_outside_is_wide() -> None:
    better = np.zeros((3, 3), bool)
    better[0, 1] = True
    said = Verdicts(better=better, equivalent=np.eye(3, dtype=bool), told_apart=better | better.T)
    group = leaders(said)
    assert (group.leading.tolist(), group.wide.tolist()) == ([True, False, True], [False, False, True])


def test_a_reference_is_never_in_the_group_unless_there_is_nothing_else() -> None:
    nothing = np.zeros((2, 2), bool)
    said = Verdicts(better=nothing, equivalent=nothing, told_apart=nothing)
    group = leaders(said, references=[True, False])
    assert (group.best, group.leading.tolist()) == (1, [False, True])
    assert leaders(said, references=[True, True]).leading.tolist() == [True, True]


def test_nobody_leads_where_nobody_is() -> None:
    with pytest.raises(MetricError, match="no entry"):
        leaders(Verdicts(better=np.zeros((0, 0), bool), equivalent=np.zeros((0, 0)), told_apart=np.zeros((0, 0))))


@given(SEEDS)
def test_worse_newcomers_move_nobody_into_or_out_of_the_group(seed) -> None:
    losses, design = some_entries(seed, entries=5)
    rng = np.random.default_rng(seed)
    degraded = losses[rng.integers(5, size=20)] + rng.exponential(size=(20, losses.shape[1]))
    near = 1.002 * losses[losses.mean(axis=1).argmin()]
    few, many = (verdicts(differences(moments(rows, design))) for rows in (losses, [*losses, *degraded, near]))
    best = int(losses.mean(axis=1).argmin())
    assert np.array_equal(many.better[best, :5], few.better[best])
    assert np.array_equal(many.equivalent[best, :5], few.equivalent[best])


def test_scatter_of_folds_is_measured_from_pairs_of_entries() -> None:
    rng = np.random.default_rng(1)
    design = Design(folds=np.arange(1000) % 5, clusters=np.arange(1000))
    losses = 10 + rng.normal(size=(12, 1000))
    assert fold_scatter(moments(losses, design)) == pytest.approx(1, abs=0.3)
    # The error of one fold's mean is sqrt(1 / 200): twice its variance, added to each fold and entry.
    scattered = losses + np.sqrt(2 / 200) * rng.normal(size=(12, 5))[:, design.folds]
    assert fold_scatter(moments(scattered, design)) == pytest.approx(3, rel=0.3)


@pytest.mark.parametrize("losses", [[[1.0, 2.0]], [[1.0, 2.0], [1.0, 2.0]]])
def test_scatter_is_measured_from_entries_that_differ(losses) -> None:
    with pytest.raises(MetricError, match="no two entries differ"):
        fold_scatter(moments(losses, Design(folds=np.array([0, 1]), clusters=np.array([0, 1]))))
    with pytest.raises(MetricError, match="one fold"):
        fold_scatter(moments(losses, Design(folds=np.array([0, 0]), clusters=np.array([0, 1]))))
