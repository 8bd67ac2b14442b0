"""Tables: sort, filter, choose columns, keep the state in the address, copy and download."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Locator, Page

from matbench_lite import load_benchmark

TASK = "tasks/mini_gap.html"


def board(page: Page) -> Locator:
    return page.locator(".mbl-board").first


def names(page: Page) -> list[str]:
    """The entries that are to be seen, from above."""
    return [text.strip() for text in board(page).locator("tbody tr:visible th bdi").all_inner_texts()]


def column(page: Page, key: str) -> list[str]:
    """The cells of a column, from above."""
    place = (
        board(page)
        .locator("thead th")
        .evaluate_all("(heads, key) => heads.findIndex((h) => h.dataset.key === key)", key)
    )
    assert place >= 0, key
    return board(page).locator(f"tbody tr:visible > :nth-child({place + 1})").all_inner_texts()


def menu(page: Page, name: str) -> Locator:
    found = board(page).locator("details.mbl-menu").filter(has=page.locator("summary", has_text=name))
    found.locator("summary").click()
    return found


def test_a_click_sorts_and_a_second_reverses(folder_address: str, visit: Callable) -> None:
    page = visit(folder_address).go(TASK)
    by_rank = names(page)
    head = board(page).locator('thead th[data-key="score"]')
    head.click()
    values = [float(text.split()[0]) for text in column(page, "score")]
    first = head.get_attribute("aria-sort")
    assert values == sorted(values, reverse=first == "descending")
    head.click()
    assert [float(text.split()[0]) for text in column(page, "score")] == values[::-1]
    assert {first, head.get_attribute("aria-sort")} == {"ascending", "descending"}
    assert sorted(names(page)) == sorted(by_rank)


def test_names_sort_as_people_sort(folder_address: str, visit: Callable) -> None:
    page = visit(folder_address).go(TASK)
    board(page).locator("thead th.name").click()
    found = [name for name in names(page) if name.startswith("Noise")]
    assert found == sorted(found)


def test_the_keyboard_is_enough(folder_address: str, visit: Callable) -> None:
    page = visit(folder_address).go(TASK)
    button = board(page).locator('thead th[data-key="score"] button')
    button.focus()
    ring = button.evaluate("b => { const s = getComputedStyle(b); return s.outlineStyle + ' ' + s.outlineWidth }")
    assert ring.split()[0] != "none", "the focus is to be seen"
    page.keyboard.press("Enter")
    assert board(page).locator('thead th[data-key="score"]').get_attribute("aria-sort")
    menu(page, "Columns")
    page.keyboard.press("Escape")
    assert board(page).locator("details.mbl-menu[open]").count() == 0


def test_a_chip_filters_and_the_count_says_so(folder_address: str, visit: Callable) -> None:
    page = visit(folder_address).go(TASK)
    everything = names(page)
    chip = board(page).locator('[data-filter="category"] button', has_text="task-specific")
    chip.click()
    assert names(page) == ["One task"]
    assert board(page).locator(".mbl-count").inner_text() == f"1 of {len(everything)}"
    chip.click()
    assert names(page) == everything


def test_a_chip_in_a_row_filters_too_and_the_address_says_so(folder_address: str, visit: Callable) -> None:
    page = visit(folder_address).go("index.html")
    everything = names(page)
    board(page).locator("tbody .mbl-chip", has_text="requires structure").click()
    assert names(page) == ["Structures"] != everything
    above = board(page).locator('[data-filter="input"] button', has_text="requires structure")
    assert above.get_attribute("aria-pressed") == "true"
    page.reload()
    assert names(page) == ["Structures"]
    above.click()
    assert names(page) == everything


def test_thirteen_tasks_fit_a_laptop(folder_address: str, visit: Callable) -> None:
    """The home page of Matbench has six more columns than that of `mini`: its names, in this table."""
    page = visit(folder_address, width=1280).go("index.html")
    page.evaluate(
        """([tasks, entry]) => {
            for (const row of document.querySelectorAll("#board tr")) {
                const heat = row.querySelectorAll(".heat");
                for (let at = heat.length; at < tasks.length; at++) row.append(heat[0].cloneNode(true));
                row.querySelectorAll("bdi").forEach((name) => (name.textContent = entry));
            }
            document.querySelectorAll("#board thead .heat a").forEach((link, at) => (link.textContent = tasks[at]));
        }""",
        [
            [name.removeprefix("matbench_").replace("_", " ") for name in load_benchmark("matbench_v0.1").names],
            "Random forest on Magpie features",
        ],
    )
    assert board(page).locator("thead .heat").count() == 13
    wide = board(page).locator(".mbl-scroll").evaluate("part => part.scrollWidth - part.clientWidth")
    assert wide <= 0, f"the last column is cut by {wide} pixels"


def test_uncertainty_filters(folder_address: str, visit: Callable) -> None:
    page = visit(folder_address).go(TASK)
    before = set(names(page))
    filters = board(page).locator("[data-filter]").evaluate_all("all => all.map((f) => f.dataset.filter)")
    (key,) = (name for name in filters if "uncertain" in name)
    board(page).locator(f'[data-filter="{key}"] button').first.click()
    left = set(names(page))
    assert left
    assert left < before
    assert ("One task" in left) != ("Noise 0" in left)


def test_finding_an_entry(folder_address: str, visit: Callable) -> None:
    page = visit(folder_address).go(TASK)
    board(page).locator("input.mbl-find").fill("nOISe 2")
    assert names(page) == ["Noise 2"]
    board(page).locator("input.mbl-find").fill("nobody")
    assert names(page) == []


def test_columns_are_chosen(folder_address: str, visit: Callable) -> None:
    page = visit(folder_address).go(TASK)
    head = board(page).locator('thead th[data-key="rmse"]')
    shown = head.is_visible()
    menu(page, "Columns").locator('input[data-column="rmse"]').click()
    assert head.is_visible() != shown
    cells = board(page).locator("tbody tr").first.locator("> :visible").count()
    assert cells == board(page).locator("thead th:visible").count()


@pytest.mark.parametrize("name", [TASK, "compare.html#entries=wicked,noise-0"])
def test_menus_stay_on_a_phone(name: str, folder_address: str, visit: Callable) -> None:
    page = visit(folder_address, width=390, height=844).go(name)
    for title in ("Columns", "download"):
        box = menu(page, title).locator("> div").bounding_box()
        assert box["x"] >= 0
        assert box["x"] + box["width"] <= 390
        page.keyboard.press("Escape")


def test_of_many_rows_the_first_are_shown_until_all_are_asked_for(folder_address: str, visit: Callable) -> None:
    page = visit(folder_address).go(TASK)
    page.evaluate(
        """() => {
            const old = document.querySelector(".mbl-board");
            const board = old.cloneNode(true); // without what listens to the old one
            old.replaceWith(board);
            const body = board.querySelector("tbody");
            const copies = Array.from({ length: 300 }, (_, at) => {
                const row = body.rows[0].cloneNode(true);
                row.querySelector("th").dataset.v = `Copy ${at}`;
                row.querySelector("th bdi").textContent = `Copy ${at}`;
                return row;
            });
            body.replaceChildren(...copies);
            window.many = new MblBoard(board);
        }"""
    )
    assert len(names(page)) == 100
    button = board(page).locator(".mbl-all")
    assert button.inner_text() == "Show all 300"
    board(page).locator("input.mbl-find").fill("copy 29")
    assert names(page) == ["Copy 29", *(f"Copy 29{digit}" for digit in range(10))], "also those that were not shown"
    assert not button.is_visible()
    board(page).locator("input.mbl-find").fill("")
    assert page.evaluate("many.csv()").count("\n") == 301, "all are downloaded"
    head = board(page).locator("thead th.name")
    while head.get_attribute("aria-sort") != "descending":
        head.click()
    assert names(page)[0] == "Copy 299"
    button.click()
    assert len(names(page)) == 300


def test_the_address_keeps_the_state(folder_address: str, visit: Callable) -> None:
    window = visit(folder_address)
    page = window.go(TASK)
    board(page).locator('thead th[data-key="score"]').click()
    board(page).locator('thead th[data-key="score"]').click()
    board(page).locator('[data-filter="category"] button', has_text="general-purpose").click()
    board(page).locator("input.mbl-find").fill("noise")
    menu(page, "Columns").locator('input[data-column="r2"]').click()
    seen = names(page)
    visible = board(page).locator("thead th:visible").all_inner_texts()
    page = window.go(page.url.removeprefix(f"{folder_address}/"))
    assert names(page) == seen
    assert board(page).locator("thead th:visible").all_inner_texts() == visible
    assert board(page).locator("input.mbl-find").input_value() == "noise"
    # The way back to the page as it came.
    page.evaluate("location.hash = ''")
    page.wait_for_function("document.querySelector('.mbl-count').textContent === ''")
    assert len(names(page)) > len(seen)


def test_a_wrong_address_shows_the_whole_table(folder_address: str, visit: Callable) -> None:
    window = visit(folder_address)
    usual = names(window.go(TASK))
    key = board(window.page).get_attribute("id")
    for hash in (f"{key}.sort=nothing&{key}.columns=,,-x&{key}.category=none%00", "%E0%A4%A", "a=b&=&&__proto__=1"):
        window.page.evaluate("hash => (location.hash = hash)", hash)
        window.page.reload()
        assert names(window.page) == usual, hash


def test_a_table_is_downloaded_as_it_is_seen(folder_address: str, visit: Callable) -> None:
    page = visit(folder_address).go(TASK)
    board(page).locator('[data-filter="category"] button', has_text="general-purpose").click()
    shown = names(page)
    with page.expect_download() as expected:
        menu(page, "download").locator('[data-do="download-csv"]').click()
    text = Path(expected.value.path()).read_text(encoding="utf-8")
    rows = list(csv.DictReader(io.StringIO(text)))
    assert len(rows) == len(shown)
    assert "Noise 0" in {value for row in rows for value in row.values()}
    # More digits than the page has.
    assert any(re.fullmatch(r"\d+\.\d{6,}", value) for row in rows for value in row.values())


def test_all_digits_are_one_link_away(folder_address: str, visit: Callable, site_folder: Path) -> None:
    page = visit(folder_address).go(TASK)
    with page.expect_download() as expected:
        board(page).locator(".mbl-source a").click()
    assert Path(expected.value.path()).read_bytes() == (site_folder / "data" / "mini_gap.csv").read_bytes()


def test_a_table_is_copied(folder_address: str, visit: Callable) -> None:
    page = visit(folder_address).go(TASK)
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    opened = menu(page, "Copy")
    for what, wanted in (("copy-csv", "Noise 0"), ("copy-markdown", "| ---"), ("copy-bibtex", "@article{noise0")):
        button = opened.locator(f'[data-do="{what}"]')
        button.click()
        page.wait_for_function("b => b.textContent === 'Copied'", arg=button.element_handle())
        assert wanted in page.evaluate("navigator.clipboard.readText()")
