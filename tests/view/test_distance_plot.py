"""The curve of error against distance to the training data: dots where there are rows, names that can be read."""

from __future__ import annotations

import math
import re
from itertools import pairwise
from xml.etree import ElementTree

import pytest

from matbench_lite import Benchmark
from matbench_lite.board import DistanceBin
from matbench_lite.view import error_by_distance
from matbench_lite.view.distance_plot import _spread

EDGES = (0.0, 0.02, 0.05, 0.1, 0.25, math.inf)


def bins(*errors: float | None, rows: int = 50, half: float | None = 0.02) -> list[DistanceBin]:
    lows = (0.0, *EDGES)
    return [
        DistanceBin(low=low, high=high, rows=rows if error is not None else 0, error=error, half_width=half)
        for low, high, error in zip(lows, EDGES, errors, strict=False)
    ]


def test_each_distance_with_enough_rows_has_a_dot_per_entry(mini: Benchmark) -> None:
    curves = [("A", bins(0.1, None, 0.2, 0.3, 0.4, 0.5)), ("B", bins(0.2, None, 0.3, 0.4, 0.5, 0.6))]
    plot = error_by_distance(mini["mini_gap"], curves)
    root = ElementTree.fromstring(plot.svg)
    assert len(root.findall(".//circle")) == 2 * 5
    assert {"A", "B", "> 25", "0–2", "50"} <= {text.text for text in root.iter("text")}
    assert "A: 0.100 eV for the same composition (50 rows), 0.200 eV up to 5 at.%" in plot.description
    assert "do they hold?" in plot.title
    tips = [title.text for title in root.findall(".//g/g/title")]
    assert tips[0] == "A: 0.100 eV ± 0.020 for the same composition, 50 rows"


def test_one_entry_needs_no_name_in_the_drawing(mini: Benchmark) -> None:
    plot = error_by_distance(mini["mini_gap"], [("Only", bins(0.1, 0.2))])
    assert "does it hold?" in plot.title
    assert not any(text.text == "Only" for text in ElementTree.fromstring(plot.svg).iter("text"))


def test_shares_of_wrong_rows_are_never_drawn_beyond_all(mini: Benchmark) -> None:
    plot = error_by_distance(mini["mini_is_ductile"], [("Sure", bins(0.1, 0.9, half=0.6))])
    texts = [text.text for text in ElementTree.fromstring(plot.svg).iter("text")]
    assert "100" in texts
    assert "150" not in texts
    assert "90 % wrong, 95 % interval 30 % to 100 % up to 2 at.%" in plot.svg


@pytest.mark.parametrize("curves", [[], [("A", [])], [("A", bins(0.1))], [("A", bins(0.1, 0.2, rows=29))]])
def test_with_fewer_than_two_distances_there_is_nothing_to_draw(mini: Benchmark, curves) -> None:
    assert error_by_distance(mini["mini_gap"], curves) is None


def test_errors_that_are_nothing_are_drawn(mini: Benchmark) -> None:
    plot = error_by_distance(mini["mini_gap"], [("Perfect", bins(0.0, 0.0, half=None))])
    assert not re.search("nan|inf", str(plot.svg))


@pytest.mark.parametrize("heights", [[100, 100, 100, 100], [226, 225, 224, 223], [10, 12, 200, 14], [16.0]])
def test_names_stay_in_order_and_apart(heights: list[float]) -> None:
    found = _spread(heights)
    order = sorted(range(len(heights)), key=heights.__getitem__)
    placed = [found[place] for place in order]
    assert all(after - before >= 16 for before, after in pairwise(placed))
    assert placed[-1] <= 226
