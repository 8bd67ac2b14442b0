from __future__ import annotations

from dataclasses import astuple

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from matbench_lite.errors import EventError
from matbench_lite.event.event_setup import DATASETS, FOR_PREDICTIONS, Shares, split_rows


@given(st.lists(st.integers(0, 60), min_size=100, max_size=300), st.integers(0, 2**32 - 1))
def test_every_row_is_in_one_dataset_and_every_formula_too(formulas: list[int], seed: int) -> None:
    names = [f"A{number}B" for number in [*formulas, *range(100, 130)]]
    rows = split_rows(names, None, Shares(), seed=seed)
    assert sorted(np.concatenate(list(rows.values()))) == list(range(len(names)))
    held = [{names[row] for row in rows[dataset]} for dataset in DATASETS]
    assert sum(len(each) for each in held) == len(set(names))


def test_each_dataset_gets_its_share_of_each_class() -> None:
    labels = (np.random.default_rng(0).random(1000) < 0.2).astype(np.intp)
    rows = split_rows([f"A{i}" for i in range(1000)], labels, Shares(), seed=3)
    for dataset, share in zip(DATASETS, astuple(Shares()), strict=True):
        assert len(rows[dataset]) == pytest.approx(1000 * share, abs=2)
        assert labels[rows[dataset]].sum() == pytest.approx(labels.sum() * share, abs=2)


def test_the_order_of_the_rows_tells_nothing_of_the_file() -> None:
    rows = split_rows([f"A{i}" for i in range(500)], None, FOR_PREDICTIONS, seed=0)
    test = rows["private test"]
    assert abs(np.corrcoef(test, np.arange(len(test)))[0, 1]) < 0.25
    assert [len(rows[name]) for name in DATASETS] == [249, 63, 63, 125]


def test_another_seed_is_another_split() -> None:
    names = [f"A{i}" for i in range(100)]
    first, second = (split_rows(names, None, Shares(), seed=seed)["private test"] for seed in (0, 1))
    assert set(first) != set(second)


@pytest.mark.parametrize("shares", [Shares(public_train=0.9), Shares(public_train=-0.1, private_test=0.7)])
def test_shares_that_do_not_add_up_are_refused(shares: Shares) -> None:
    with pytest.raises(EventError, match="add up to"):
        split_rows(["A", "B"], None, shares, seed=0)


def test_too_few_formulas_are_refused() -> None:
    with pytest.raises(EventError, match="leave none for"):
        split_rows(["NaCl"] * 50, None, Shares(), seed=0)
