"""Search, light and dark, paper, and a browser without JavaScript."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from playwright.sync_api import Locator, Page


def background(page: Page) -> float:
    """How bright the page is, from 0 to 1."""
    colour = page.evaluate("getComputedStyle(document.body).backgroundColor")
    return sum(float(part) for part in colour[colour.index("(") + 1 : -1].split(",")[:3]) / (3 * 255)


def ink(page: Page, selector: str) -> float:
    """How bright the text of an element is."""
    colour = page.locator(selector).first.evaluate(
        "e => { const s = getComputedStyle(e); return e instanceof SVGElement ? s.fill : s.color }"
    )
    return sum(float(part) for part in colour[colour.index("(") + 1 : -1].split(",")[:3]) / (3 * 255)


def search(page: Page, words: str, target: str) -> Locator:
    """The link to a page that the search shows."""
    page.locator("input.md-search__input").press_sequentially(words)  # the theme listens to keys
    link = page.locator(f'.md-search-result a[href*="{target}"]').first
    link.wait_for(state="visible")
    return link


def test_search_finds_pages(address: str, visit: Callable) -> None:
    page = visit(address).go("index.html")
    page.keyboard.press("/")
    search(page, "mini_e_form", "tasks/mini_e_form.html").click()
    page.wait_for_url("**/tasks/mini_e_form.html**")
    # From there, in a folder below.
    page.locator("input.md-search__input").click()
    search(page, "Noise 3", "entries/noise-3.html")


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_colours_follow_the_system(scheme: str, folder_address: str, visit: Callable) -> None:
    page = visit(folder_address, color_scheme=scheme).go("tasks/mini_gap.html")
    dark = scheme == "dark"
    assert (background(page) < 0.3) == dark
    for selector in ("svg.mbl-plot text:not(.small)", "h1", "table.mbl-table td"):
        assert (ink(page, selector) > 0.6) == dark, selector


def test_the_button_turns_the_colours_and_the_choice_is_kept(folder_address: str, visit: Callable) -> None:
    window = visit(folder_address, color_scheme="light")
    page = window.go("index.html")
    page.locator('label[for^="__palette"]:visible').first.click()
    page.wait_for_function("document.body.getAttribute('data-md-color-scheme') === 'slate'")
    assert background(page) < 0.3
    page = window.go("tasks/mini_gap.html")
    assert background(page) < 0.3


def test_paper_is_white_and_complete(folder_address: str, visit: Callable) -> None:
    page = visit(folder_address, color_scheme="dark").go("tasks/mini_gap.html")
    page.emulate_media(media="print", color_scheme="dark")
    assert ink(page, "svg.mbl-plot text:not(.small)") < 0.4
    assert page.locator("svg.mbl-plot").first.is_visible()
    assert not page.locator(".mbl-tools").first.is_visible()
    assert len(page.pdf()) > 10_000


def test_without_javascript_everything_is_there(folder_address: str, visit: Callable) -> None:
    with_scripts, without = visit(folder_address), visit(folder_address, java_script_enabled=False)
    for name in ("index", "tasks/mini_gap", "tasks/mini_is_stable", "entries/noise-1", "statistics"):
        script, plain = with_scripts.go(f"{name}.html"), without.go(f"{name}.html")
        assert plain.locator("svg.mbl-plot").count() == script.locator("svg.mbl-plot").count() > 0
        rows = plain.locator(".mbl-table tbody tr")
        assert rows.count() == script.locator(".mbl-table tbody tr").count() > 0
        first = plain.locator(".mbl-board").first
        assert first.locator("thead th:visible").count() == first.locator("thead th").count(), "no column is hidden"
        assert first.locator(".mbl-tools:visible").count() == 0, "nothing that would not work"
        assert plain.locator("a:visible").count() > 5


def test_without_javascript_two_entries_are_compared(folder_address: str, visit: Callable) -> None:
    page = visit(folder_address, java_script_enabled=False).go("compare.html")
    assert page.locator(".mbl-comparison tbody tr").count() == 7
    # A browser that is told to run no script still does not render <noscript>: its text is all that can be asked for.
    assert "mbl compare A B" in page.locator("noscript").last.inner_text()
