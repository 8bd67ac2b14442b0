"""Periodic tables, histograms, errors of groups, badges, and the arrays that plots read."""

from __future__ import annotations

import re
from collections.abc import Callable
from xml.etree import ElementTree

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from matbench_lite import Benchmark, Submission
from matbench_lite.board import Anatomy, Group
from matbench_lite.data import SYMBOLS
from matbench_lite.view import (
    Plot,
    badge,
    element_errors,
    element_prevalence,
    error_by_group,
    read_predicted,
    target_histogram,
)
from matbench_lite.view.group_plots import FEWEST

anything = st.text(max_size=60)


def coloured(plot: Plot) -> dict[str, int]:
    """The colour of each element that has one."""
    groups = ElementTree.fromstring(plot.svg).iter("g")
    levels = {group: re.fullmatch(r"s(\d)", group.get("class", "")) for group in groups}
    return {symbol(text): int(level[1]) for group, level in levels.items() if level for text in group.iter("text")}


def symbol(text: ElementTree.Element) -> str:
    """What is written: the text without its tip."""
    title = text.find("title")
    return text.text if title is None else title.tail


def groups(by: str, errors: dict[str, tuple[int, float]]) -> Anatomy:
    found = [Group(by=by, label=label, rows=rows, error=error) for label, (rows, error) in errors.items()]
    return Anatomy(groups=tuple(found), worst=())


def test_every_element_has_its_place(mini: Benchmark) -> None:
    plot = element_prevalence(mini["mini_gap"], ["Fe2O3"])
    texts = ElementTree.fromstring(plot.svg).iter("text")
    places = {symbol(text): (int(text.get("x")), int(text.get("y"))) for text in texts if symbol(text) in SYMBOLS}
    assert len(places) == 118
    assert len(set(places.values())) == 118
    x, y = ({name: place[axis] for name, place in places.items()} for axis in (0, 1))
    for column in ("H Li Na K Rb Cs Fr", "Be Mg Ca Sr Ba Ra", "B Al Ga In Tl", "He Ne Ar Kr Xe Rn Og", "Ti Zr Hf Rf"):
        assert len({x[name] for name in column.split()}) == 1, column
    for row in ("H He", "Li Be B Ne", "K Ca Sc Zn Ga Kr", "Cs Ba Hf Hg Tl Rn", "La Ce Lu", "Ac Th Lr"):
        assert len({y[name] for name in row.split()}) == 1, row
    assert y["La"] > y["Fr"]


def test_prevalence_counts_rows(mini: Benchmark) -> None:
    plot = element_prevalence(mini["mini_gap"], ["Fe2O3", "FeO", "NaCl", "CO2"])
    assert "<title>Fe: 2 rows, 50 %</title>" in plot.svg
    assert "<title>O: 3 rows, 75 %</title>" in plot.svg
    levels = coloured(plot)
    assert levels.keys() == {"Fe", "O", "Na", "Cl", "C"}
    assert levels["O"] == 8
    assert levels["C"] == 0
    assert element_prevalence(mini["mini_gap"], []) is None


def test_elements_of_few_rows_have_a_text_but_no_colour(mini: Benchmark) -> None:
    errors = {"Fe": (50, 0.1), "O": (80, 0.9), "U": (FEWEST - 1, 7.0)}
    plot = element_errors(mini["mini_gap"], groups("element", errors))
    assert coloured(plot).keys() == {"Fe", "O"}
    assert "U: MAE 7.00 eV, 4 rows" in plot.svg
    assert "U (" not in plot.description
    assert element_errors(mini["mini_gap"], groups("element", {"U": (1, 7.0)})) is None


def test_equal_errors_have_one_colour(mini: Benchmark) -> None:
    plot = element_errors(mini["mini_gap"], groups("element", {"Fe": (50, 0.0), "O": (80, 0.0)}))
    assert len(set(coloured(plot).values())) == 1


def test_bars_are_as_long_as_the_error(mini: Benchmark) -> None:
    plot = error_by_group(
        mini["mini_gap"],
        groups("crystal system", {"cubic": (10, 1.0), "trigonal": (30, 2.0), "hexagonal": (1, 0.5)}),
        "crystal system",
    )
    bars = re.findall(r'class="bar( quiet)?" d="M([\d.]+) [\d.]+H([\d.]+)', plot.svg)
    lengths = [float(end) - float(start) for _, start, end in bars]
    assert lengths[1] == pytest.approx(2 * lengths[0], abs=0.2)
    assert [bool(quiet) for quiet, _, _ in bars] == [False, False, True]
    overall = float(re.search(r'class="reference" d="M([\d.]+)', plot.svg).group(1))
    mean = (10 * 1.0 + 30 * 2.0 + 0.5) / 41
    assert overall - float(bars[0][1]) == pytest.approx(mean * lengths[0], abs=0.2)
    assert "smallest for cubic" in plot.description, "one row is no finding"


def test_many_groups_are_cut_to_the_most_common(mini: Benchmark) -> None:
    many = {str(number): (number, 0.1) for number in range(1, 41)}
    plot = error_by_group(mini["mini_gap"], groups("space group", many), "space group")
    assert "The 12 most common of 40 groups" in plot.caption
    assert ">29</text>" in plot.svg
    assert ">28</text>" not in plot.svg
    assert error_by_group(mini["mini_gap"], groups("space group", {"1": (9, 0.1)}), "space group") is None


def test_wrong_rows_are_percentages(mini: Benchmark) -> None:
    plot = error_by_group(mini["mini_is_stable"], groups("target", {"false": (10, 0.0), "true": (10, 0.0)}), "target")
    assert "wrong rows (%)" in plot.svg
    assert "0 % wrong" in plot.description


def test_a_histogram_holds_every_row(mini: Benchmark) -> None:
    values = np.concatenate([np.linspace(0, 1, 990), np.full(10, 1e6)])
    plot = target_histogram(mini["mini_gap"], values)
    assert "1 row beyond" not in plot.caption
    assert "10 rows beyond the axis are in the outermost bars" not in plot.caption
    tail = np.concatenate([np.linspace(0, 1, 9990), [1e6]])
    assert "1 row beyond the axis is in the outermost bars" in target_histogram(mini["mini_gap"], tail).caption
    classes = target_histogram(mini["mini_is_stable"], [True] * 3 + [False])
    assert "3 rows, 75 %" in classes.svg
    assert target_histogram(mini["mini_gap"], []) is None


@given(anything, anything)
def test_badges_are_files_of_their_own(label: str, message: str) -> None:
    root = ElementTree.fromstring(badge(label, message))
    assert root.tag == "{http://www.w3.org/2000/svg}svg"
    assert int(root.get("width")) <= 480
    assert {element.tag.partition("}")[2] for element in root.iter()} == {"svg", "title", "path", "g", "text"}


def test_what_is_not_verified_has_another_colour() -> None:
    assert badge("a", "b") != badge("a", "b", good=False)


def test_predictions_are_read_in_file_order(mini: Benchmark, recorded: Callable[..., Submission]) -> None:
    entry = recorded(mini, 0.1)
    task = mini["mini_e_form"]
    predicted = read_predicted(task, entry.recorded(task.name))
    for fold, held in entry.recorded(task.name).items():
        assert (predicted.prediction[task.test_rows(fold)] == held.predictions.prediction).all()
        assert (predicted.std[task.test_rows(fold)] == held.predictions.std).all()
    assert (predicted.truth == task.target_values).all()
    assert predicted.lower is None


def test_a_missing_fold_has_no_arrays(mini: Benchmark, recorded: Callable[..., Submission]) -> None:
    folds = recorded(mini, 0.1).recorded("mini_gap")
    del folds[2]
    assert read_predicted(mini["mini_gap"], folds) is None
