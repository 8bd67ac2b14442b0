"""Plots in pages: texts at the pointer, and for those who cannot see."""

from __future__ import annotations

from collections.abc import Callable

from playwright.sync_api import Locator


def tip(plot: Locator) -> str:
    box = plot.page.locator(".mbl-tip")
    box.wait_for(state="visible")
    return box.inner_text()


def test_the_pointer_shows_the_numbers_of_an_entry(folder_address: str, visit: Callable) -> None:
    page = visit(folder_address).go("tasks/mini_gap.html")
    plot = page.locator("svg.mbl-error_bars").first
    plot.scroll_into_view_if_needed()
    plot.locator("circle").first.hover()
    text = tip(plot)
    assert text.startswith("Noise 0: MAE")
    assert "95 % interval" in text
    assert "rank 1; places 1" in text


def test_the_pointer_shows_formula_truth_and_prediction(folder_address: str, visit: Callable) -> None:
    page = visit(folder_address).go("entries/noise-1.html")
    path = page.locator("svg.mbl-parity path[data-points]").first
    path.scroll_into_view_if_needed()
    # A point far from the others: the first of the sorted ones, whose text is the first, too.
    at = path.evaluate(
        """path => {
            const [x, y] = path.getAttribute("d").slice(1).split("m")[0].split(/[ h]/).map(Number);
            const matrix = path.getScreenCTM();
            const at = [matrix.a * x + matrix.e, matrix.d * y + matrix.f];
            return [...at, path.dataset.points.split(";")[0], path.dataset.unit];
        }"""
    )
    page.mouse.move(at[0], at[1])
    formula, true, predicted = at[2].split("|")
    assert tip(path) == f"{formula}: true {true} {at[3]}, predicted {predicted} {at[3]}".replace(" ,", ",").rstrip()


def test_the_whole_cell_of_an_element_shows_its_number(folder_address: str, visit: Callable) -> None:
    page = visit(folder_address).go("tasks/mini_gap.html")
    plot = page.locator("svg.mbl-periodic_table").first
    plot.scroll_into_view_if_needed()
    plot.hover(position={"x": 1, "y": 1})  # takes the texts over from the browser
    box = plot.locator("text[data-tip^='O:']").bounding_box()
    page.mouse.move(box["x"] - 3, box["y"] + 2)
    assert tip(plot).startswith("O: ")
    page.mouse.move(2, 2)
    page.locator(".mbl-tip").wait_for(state="hidden")


def test_a_plot_keeps_its_name_when_the_script_takes_its_titles(folder_address: str, visit: Callable) -> None:
    page = visit(folder_address).go("tasks/mini_gap.html")
    plot = page.locator("svg.mbl-error_bars").first
    plot.scroll_into_view_if_needed()
    plot.hover()
    assert plot.get_attribute("aria-label") == "Who is ahead, and is it certain?"
    described = plot.get_attribute("aria-describedby")
    assert "has the lowest MAE" in page.locator(f"#{described}").evaluate("d => d.textContent")
    assert page.get_by_role("img", name="Who is ahead, and is it certain?").count() == 1
