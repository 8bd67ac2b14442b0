"""What holds for every plot, whatever the entries are called."""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from xml.etree import ElementTree

from markupsafe import escape

from matbench_lite.board import Results
from matbench_lite.view import Plot

KINDS = {
    "best_by_date",
    "calibration",
    "confusion_matrix",
    "critical_difference",
    "error_bars",
    "error_by_distance",
    "error_by_group",
    "parity",
    "periodic_table",
    "rank_intervals",
    "residuals",
    "roc_curve",
    "scaled_errors",
    "target_histogram",
}
ELEMENTS = {"svg", "title", "desc", "g", "path", "circle", "rect", "text", "tspan"}
SMALL = 18_000


def test_all_kinds_are_there(all_plots: list[Plot]) -> None:
    assert {plot.kind for plot in all_plots} == KINDS


def test_a_plot_is_one_picture_with_a_text_alternative(all_plots: list[Plot]) -> None:
    for plot in all_plots:
        root = ElementTree.fromstring(plot.svg)
        assert root.get("role") == "img"
        first, second = root.get("aria-labelledby").split()
        texts = {child.get("id"): child.text for child in root if child.tag in ("title", "desc")}
        assert texts == {first: plot.title, second: plot.description}
        assert plot.title.rstrip("?").count("?") <= 1
        assert plot.description.endswith(".")
        assert re.search(r"\d", plot.description), "findings are numbers"
        assert not root.findall(".//a")


def test_nothing_of_an_entry_becomes_markup(all_plots: list[Plot]) -> None:
    for plot in all_plots:
        root = ElementTree.fromstring(plot.svg)
        assert {element.tag for element in root.iter()} <= ELEMENTS
        allowed = {"class", "d", "x", "y", "dy", "cx", "cy", "r", "width", "height", "viewBox", "id", "role"}
        allowed |= {"transform", "aria-labelledby", "data-points", "data-unit"}
        assert {name for element in root.iter() for name in element.attrib} <= allowed


def test_names_are_written_as_they_are(all_plots: list[Plot]) -> None:
    bars = next(plot for plot in all_plots if plot.kind == "error_bars")
    written = [element.text for element in ElementTree.fromstring(bars.svg).iter("text")]
    assert "{{ 7 * 7 }}{% raw %}" in written
    assert "gnp.exe rtl" in written, "no mark turns the direction of what follows"
    assert any(text.startswith("WWWW") and text.endswith("…") and len(text) < 30 for text in written)


def test_ids_differ_on_a_page(all_plots: list[Plot]) -> None:
    ids = [element.get("id") for plot in all_plots for element in ElementTree.fromstring(plot.svg).iter()]
    known = [name for name in ids if name]
    assert len(known) == 2 * len(all_plots)
    assert len(set(known)) == len(known)


def test_drawings_stand_in_markdown(all_plots: list[Plot]) -> None:
    for plot in all_plots:
        figure = plot.__html__()
        assert "\n" not in figure
        assert figure.startswith("<figure")
        assert str(escape(plot.caption)) in figure


def test_every_number_is_finite_and_inside(all_plots: list[Plot]) -> None:
    for plot in all_plots:
        root = ElementTree.fromstring(plot.svg)
        _, _, width, height = map(float, root.get("viewBox").split())
        for element in root.iter():
            for name, limit in (("x", width), ("cx", width), ("y", height), ("cy", height)):
                value = float(element.get(name, 0))
                assert math.isfinite(value)
                assert 0 <= value <= limit, (plot.kind, ElementTree.tostring(element))
            for x, y in re.findall(r"M(-?[\d.]+) (-?[\d.]+)", element.get("d", "")):
                assert 0 <= float(x) <= width, plot.kind
                assert 0 <= float(y) <= height, plot.kind
            assert "nan" not in element.get("d", "")


def test_drawings_are_small(all_plots: list[Plot]) -> None:
    sizes = {plot.kind: len(plot.svg.encode()) for plot in all_plots if "data-points" not in plot.svg}
    assert max(sizes.values()) < SMALL, sizes
    points = [len(plot.svg.encode()) for plot in all_plots if "data-points" in plot.svg]
    assert max(points) < 60 * 500, "so many bytes per row"


def test_the_same_records_give_the_same_bytes(
    results: Results, all_plots: list[Plot], plots_of: Callable[..., list[Plot]]
) -> None:
    assert [plot.svg for plot in plots_of(results, "entry-0")] == [plot.svg for plot in all_plots]
