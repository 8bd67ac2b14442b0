"""How near the training data is: equal to a search by brute force in rational numbers, for all kinds of folds."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from pymatgen.core import DummySpecies, Lattice, Structure

from matbench_lite import Benchmark, load_benchmark
from matbench_lite.board import NOWHERE, Relatives, read_relatives, targets_state
from matbench_lite.board.composition_search import compositions, nearest
from matbench_lite.board.relatives import find_relatives
from matbench_lite.tasks import Task

TOML = """
name = "alloys"
title = "Alloys"
{folds}
[[tasks]]
name = "alloys_hardness"
input = "composition"
kind = "regression"
target = "y"
unit = "GPa"
[tasks.data]
path = "alloys.csv"
id = "id"
input = "formula"
target = "y"
{data}
"""
Own = Callable[..., Task]


@pytest.fixture
def own(tmp_path: Path) -> Own:
    """Make a task from formulas and columns that say how they are shared out."""

    def make(formulas: Sequence[str], *, folds: str = "", data: str = "", **columns: Sequence[object]) -> Task:
        frame = pd.DataFrame({"formula": formulas, "y": np.arange(len(formulas)) / 10, **columns})
        frame["id"] = [f"row-{row}" for row in range(len(frame))]
        frame.to_csv(tmp_path / "alloys.csv", index=False)
        (tmp_path / "alloys.toml").write_text(TOML.format(folds=folds, data=data))
        return load_benchmark(tmp_path / "alloys.toml")["alloys_hardness"]

    return make


def shares(amounts: Mapping[str, Fraction]) -> dict[str, Fraction]:
    return {symbol: amount / sum(amounts.values()) for symbol, amount in amounts.items()}


def distance(one: Mapping[str, Fraction], other: Mapping[str, Fraction]) -> Fraction:
    return sum(abs(one.get(symbol, 0) - other.get(symbol, 0)) for symbol in {*one, *other}) / 2


amounts = st.integers(1, 40).map(lambda whole: Fraction(whole, 20))
some_compositions = st.dictionaries(st.sampled_from(["Fe", "Ni", "O", "C", "Mo"]), amounts, min_size=1, max_size=4)


@given(st.lists(some_compositions, min_size=2, max_size=12), st.data())
@example([{"Fe": Fraction(1, 2), "Ni": Fraction(1, 2)}, {"Fe": Fraction(11, 20), "Ni": Fraction(9, 20)}], None)
def test_the_nearest_is_that_of_a_search_among_all(of: list[dict[str, Fraction]], data: st.DataObject | None) -> None:
    cut = data.draw(st.integers(0, len(of) - 1)) if data else 1
    formulas = ["".join(f"{symbol}{float(amount)}" for symbol, amount in each.items()) for each in of]
    queries, known = np.arange(cut, len(of)), np.arange(cut)
    distances, found = nearest(queries, known, compositions(formulas))
    for query, apart, number in zip(queries, distances, found, strict=True):
        exact = [distance(shares(of[query]), shares(of[each])) for each in known]
        if not exact or min(exact) > Fraction(1, 4):
            assert (apart, number) == (np.inf, -1)
        else:
            assert apart == pytest.approx(float(min(exact)), abs=1e-7)
            assert exact[number] == min(exact)
            assert (apart <= 0.05) == (min(exact) <= Fraction(1, 20)), "5 at.% in print is a relative"


def test_every_row_has_its_nearest_in_the_training_part_of_its_fold(own: Own) -> None:
    formulas = ["Fe0.5Ni0.5", "FeNi", "Fe0.55Ni0.45", "Fe0.8Ni0.2", "Cu", "Cu", "NaCl"]
    found = find_relatives(own(formulas, data='fold = "fold"', fold=["a", "b", "a", "b", "a", "b", "b"]))
    assert found.folds.tolist() == [0, 0, 0, 1, 1, 1, 1]
    assert found.rows.tolist() == [0, 2, 4, 1, 3, 5, 6]
    assert found.distances.tolist() == [0, 0.05, 0, 0, 0.25, 0, np.inf]
    assert found.nearest.tolist() == [1, 1, 5, 0, 2, 4, NOWHERE]
    assert found.without.tolist() == [False, False, False, False, True, False, True]
    assert found.new_system.tolist() == [False] * 6 + [True]


def test_a_fold_that_trains_on_nothing_of_the_kind_finds_nothing(own: Own) -> None:
    formulas, parts = ["NaCl", "KCl", "Fe", "W"], ["train", "train", "test", "test"]
    found = find_relatives(own(formulas, data='part = "part"', part=parts))
    assert found.rows.tolist() == [2, 3]
    assert np.isinf(found.distances).all()
    assert found.new_system.all()
    assert (found.nearest == NOWHERE).all()


def test_rows_that_several_folds_test_are_there_as_often(own: Own) -> None:
    marks = {"r0": ["train", "test", "test", ""], "r1": ["train", "test", "train", "train"]}
    found = find_relatives(own(["Fe", "Fe3Ni", "Fe4Ni", "Ni"], data='repeats = ["r0", "r1"]', **marks))
    assert found.folds.tolist() == [0, 0, 1]
    assert found.rows.tolist() == [1, 2, 1]
    assert found.distances.tolist() == pytest.approx([0.25, 0.2, 0.05])
    assert found.nearest.tolist() == [0, 0, 2]
    assert found.new_system.tolist() == [True, True, False]


def test_groups_of_rows_that_stay_together_are_no_relatives_of_each_other(own: Own) -> None:
    formulas = ["Fe", "Fe", "W", "W"]
    found = find_relatives(own(formulas, folds="[folds]\nsplits = 2", data='group = "lab"', lab=list("aabb")))
    assert np.isinf(found.distances).all()


def test_rows_of_a_table_have_none(tmp_path: Path) -> None:
    pd.DataFrame({"id": range(20), "x": range(20), "y": range(20)}).to_csv(tmp_path / "alloys.csv", index=False)
    text = TOML.format(folds="", data='columns = ["x"]')
    text = text.replace('input = "composition"', 'input = "table"').replace('input = "formula"\n', "")
    (tmp_path / "table.toml").write_text(text)
    assert find_relatives(load_benchmark(tmp_path / "table.toml")["alloys_hardness"]) is None


def test_on_mini_all_is_as_a_search_among_all_says(mini: Benchmark) -> None:
    task = mini["mini_n"]
    found = find_relatives(task)
    formulas = task.targets["formula"].tolist()
    known = compositions(formulas)
    matrix = np.zeros((len(formulas), 120))
    matrix[known.owners, known.elements] = known.fractions
    for position in range(0, task.rows, 7):
        row, fold = found.rows[position], found.folds[position]
        apart = np.abs(matrix[task.train_rows(fold)] - matrix[row]).sum(axis=1) / 2
        assert found.distances[position] == pytest.approx(apart.min() if apart.min() <= 0.25 else np.inf, abs=1e-7)


def test_what_was_found_is_kept_until_the_rows_are_others(own: Own, data_directory: Path, monkeypatch) -> None:
    def read(task: Task) -> Relatives:
        read_relatives.cache_clear()
        return read_relatives(task, targets_state(task).digest)

    searches: list[str] = []
    monkeypatch.setattr(
        "matbench_lite.board.relatives.find_relatives", lambda task: searches.append(task.name) or find_relatives(task)
    )
    task = own(["Fe", "Fe", "Ni", "FeNi"], data='fold = "fold"', fold=list("abab"))
    first, again = read(task), read(task)
    assert len(searches) == 1
    for name in ("folds", "rows", "distances", "nearest", "new_system"):
        assert np.array_equal(getattr(first, name), getattr(again, name))
        assert getattr(first, name).dtype == getattr(again, name).dtype
    changed = read(own(["Fe", "Fe", "Ni", "Ni"], data='fold = "fold"', fold=list("abab")))
    assert len(searches) == 2
    assert (first.distances.tolist(), changed.distances.tolist()) == ([0, np.inf, 0, np.inf], [0, 0, 0, 0])


def test_of_sites_that_are_no_elements_there_are_no_compositions(tmp_path: Path) -> None:
    structures = [Structure(Lattice.cubic(3), [DummySpecies("X"), "O"], [[0, 0, 0], [0.5, 0.5, 0.5]])] * 10
    texts = [structure.to_json() for structure in structures]
    frame = pd.DataFrame({"id": range(10), "structure": texts, "y": range(10)})
    frame.to_csv(tmp_path / "alloys.csv", index=False)
    (tmp_path / "own.toml").write_text(
        TOML.format(folds="", data="").replace("composition", "structure").replace("formula", "structure")
    )
    assert find_relatives(load_benchmark(tmp_path / "own.toml")["alloys_hardness"]) is None
