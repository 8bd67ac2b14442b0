"""Plots in pages: readable, complete, with texts at the pointer."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from playwright.sync_api import Locator

PAGES = [
    "index.html",
    "statistics.html",
    "tasks/mini_gap.html",
    "tasks/mini_is_stable.html",
    "entries/noise-1.html",
    "entries/wicked.html",
]
FAULTS = """() => {
  const faults = [];
  for (const plot of document.querySelectorAll("svg.mbl-plot")) {
    const frame = plot.getBoundingClientRect(), scale = frame.width / plot.viewBox.baseVal.width;
    if (!frame.width) continue;
    const texts = [...plot.querySelectorAll("text")].map((text) => [text.textContent, text.getBoundingClientRect()]);
    for (const [text, box] of texts) {
      const across = Math.max(frame.left - box.left, box.right - frame.right);
      const out = Math.max(across, frame.top - box.top, box.bottom - frame.bottom);
      if (out > 3 * scale) faults.push(`${plot.classList[1]}: ${text} is ${out} pixels outside`);
    }
    texts.forEach(([one, a], at) => texts.slice(at + 1).forEach(([other, b]) => {
      const wide = Math.min(a.right, b.right) - Math.max(a.left, b.left);
      const high = Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top);
      if (wide > 2 * scale && high > 5 * scale) faults.push(`${plot.classList[1]}: ${one} lies on ${other}`);
    }));
  }
  return faults;
}"""


@pytest.mark.parametrize("width", [390, 1280])
@pytest.mark.parametrize("name", PAGES)
def test_no_text_lies_on_another_or_outside(name: str, width: int, folder_address: str, visit: Callable) -> None:
    page = visit(folder_address, width=width).go(name)
    assert page.locator("svg.mbl-plot").count() > 0
    assert page.evaluate(FAULTS) == []


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
    assert "tie group a" in text


def test_the_pointer_shows_formula_truth_and_prediction(address: str, visit: Callable) -> None:
    page = visit(address).go("entries/noise-1.html")
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
