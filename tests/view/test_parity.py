"""Parity plots: every row one by one up to 2000, a density beyond."""

from __future__ import annotations

import re
from xml.etree import ElementTree

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from matbench_lite import Benchmark
from matbench_lite.board import WorstRow
from matbench_lite.metrics import summarise
from matbench_lite.view import Plot, Predicted, parity, residuals
from matbench_lite.view.parity_plot import cell_counts, level_paths, levels_of


def drawn(mini: Benchmark, truth, prediction, **options) -> Plot:
    truth, prediction = np.asarray(truth, float), np.asarray(prediction, float)
    formulas = np.array([f"Fe{row}O" for row in range(len(truth))], dtype=object)
    plot = parity(
        mini["mini_gap"], Predicted(type="value", truth=truth, prediction=prediction, formulas=formulas), **options
    )
    assert plot is not None
    return plot


def points(plot: Plot) -> tuple[list[tuple[float, float]], list[str]]:
    (path,) = (path for path in ElementTree.fromstring(plot.svg).iter("path") if path.get("data-points"))
    assert path.get("transform") == "scale(.5)"
    steps = re.findall(r"m(-?\d+) (-?\d+)h0", path.get("d"))
    places = np.cumsum(np.array(steps, dtype=int), axis=0) / 2
    return [(x, y) for x, y in places.tolist()], path.get("data-points").split(";")


def test_each_point_has_its_own_hover_text(mini: Benchmark) -> None:
    truth = np.linspace(0, 4, 50)
    prediction = truth[::-1].copy()
    places, texts = points(drawn(mini, truth, prediction))
    assert len(places) == len(texts) == 50
    fields = [text.split("|") for text in texts]
    assert fields[7] == ["Fe7O", f"{truth[7]:.4g}", f"{prediction[7]:.4g}"]
    # The same order along the axis as in the data: the texts belong to their points.
    assert [x for x, _ in places] == sorted(x for x, _ in places)
    assert [y for _, y in places] == sorted(y for _, y in places)  # less is predicted further on: further down


def test_both_axes_have_one_range(mini: Benchmark) -> None:
    places, _ = points(drawn(mini, [0, 1, 2, 3], [0, 1, 2, 3]))
    assert np.ptp([x + y for x, y in places]) <= 1, "exact predictions are on the diagonal"


def test_a_separator_in_a_formula_cannot_shift_the_texts(mini: Benchmark) -> None:
    predicted = Predicted(
        type="value",
        truth=np.arange(2.0),
        prediction=np.arange(2.0),
        formulas=np.array(["A;B|C", '"<b>'], dtype=object),
    )
    _, texts = points(parity(mini["mini_gap"], predicted))
    assert texts == ["A B C|0|0", '"<b>|1|1']


def test_many_rows_are_a_small_density_with_the_worst_rows_named(mini: Benchmark) -> None:
    rng = np.random.default_rng(0)
    truth = rng.normal(size=130_000)
    prediction = truth + 0.1 * rng.normal(size=130_000)
    prediction[5] = truth[5] + 3.0
    worst = WorstRow(id="x", formula="UO2", fold=0, target=truth[5], prediction=prediction[5], error=3.0)
    plot = drawn(mini, truth, prediction, worst=[worst], score=summarise([0.08, 0.09]))
    root = ElementTree.fromstring(plot.svg)
    assert not any(path.get("data-points") for path in root.iter("path"))
    texts = [text.text for text in root.iter("text")]
    assert "UO2" in texts
    assert "MAE 0.0850 eV" in texts
    assert "130,000 rows" in texts
    assert len(plot.svg.encode()) < 16_000


def test_far_rows_are_drawn_at_the_edge_and_counted(mini: Benchmark) -> None:
    truth = np.linspace(0, 5, 100)
    prediction = truth.copy()
    prediction[3] = 1e60
    prediction[4] = -1e60
    plot = drawn(mini, truth, prediction)
    assert "2 rows beyond the frame are drawn at its edge" in plot.caption
    places, _ = points(plot)
    assert max(x for x, _ in places) - min(x for x, _ in places) > 300, "the others keep their room"


@pytest.mark.parametrize("value", [0.0, 3.5])
def test_one_value_for_all_rows(mini: Benchmark, value: float) -> None:
    places, _ = points(drawn(mini, [value] * 5, [value] * 5))
    assert len(places) == 5


levels = arrays(np.int64, st.tuples(st.integers(1, 8), st.integers(1, 8)), elements=st.integers(-1, 8))


@given(levels)
def test_paths_paint_exactly_the_cells(grid: np.ndarray) -> None:
    painted = np.full(grid.shape, -1)
    for level, path in level_paths(grid, left=10, top=20, size=6):
        for x, y, wide in re.findall(r"M(\d+) (\d+)h(\d+)v6h-\3z", path):
            row, column, cells = (int(y) - 20) // 6, (int(x) - 10) // 6, int(wide) // 6
            painted[row, column : column + cells] = level
    assert painted.tolist() == grid.tolist()


@given(st.lists(st.tuples(st.floats(-5, 65), st.floats(-5, 65)), min_size=1))
def test_no_point_is_lost_in_the_cells(places: list[tuple[float, float]]) -> None:
    x, y = np.array(places).T
    counts = cell_counts(x, y, 10, 6)
    assert counts.sum() == len(places)
    assert ((levels_of(counts) >= 0) == (counts > 0)).all()


def test_residuals_say_how_many_are_too_high(mini: Benchmark) -> None:
    truth = np.zeros(1000)
    prediction = np.concatenate([np.full(700, 0.1), np.full(299, -0.1), [1e9]])
    formulas = np.array(["C"] * 1000, dtype=object)
    predicted = Predicted(type="value", truth=truth, prediction=prediction, formulas=formulas)
    plot = residuals(mini["mini_gap"], predicted)
    texts = [text.text for text in ElementTree.fromstring(plot.svg).iter("text")]
    assert "too high: 70 %" in texts
    assert "too low: 30 %" in texts
    assert "1 row with a larger error is in the outermost bars" in plot.caption


def test_labels_have_neither_parity_nor_residuals(mini: Benchmark) -> None:
    predicted = Predicted(
        type="label", truth=np.zeros(2), prediction=np.ones(2), formulas=np.array(["C", "C"], dtype=object)
    )
    assert parity(mini["mini_gap"], predicted) is None
    assert residuals(mini["mini_gap"], predicted) is None
