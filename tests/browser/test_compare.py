"""A or B? The page says in the browser what `mbl compare` says."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from playwright.sync_api import Page

from matbench_lite import Submission, load_benchmark
from matbench_lite.board import CompareBoard, Results, compare
from matbench_lite.text import ends, p_value, spread


def python_says(submissions: Path, *slugs: str) -> CompareBoard:
    mini = load_benchmark("mini")
    return compare(Results(mini, {slug: Submission.load(submissions / slug) for slug in slugs}), slugs)


def choose(page: Page, place: int, name: str) -> None:
    page.locator(".mbl-choose select").nth(place).select_option(label=name)


def cells(page: Page, key: str) -> list[str]:
    heads = page.locator(".mbl-comparison thead th")
    place = heads.evaluate_all("(heads, key) => heads.findIndex((h) => h.dataset.key === key)", key)
    assert place >= 0, heads.evaluate_all("heads => heads.map((h) => h.dataset.key)")
    return page.locator(f".mbl-comparison tbody tr > :nth-child({place + 1})").all_inner_texts()


def test_two_entries_are_compared_as_on_the_command_line(
    folder_address: str, visit: Callable, submissions: Path
) -> None:
    page = visit(folder_address).go("compare.html")
    choose(page, 1, "Noise 3")
    choose(page, 0, "Noise 2")
    expected = python_says(submissions, "noise-2", "noise-3")
    headline = expected.headline.replace("noise-", "Noise ")
    assert page.locator(".mbl-headline").inner_text() == headline
    assert cells(page, "noise-2") == [spread(row.first_score) for row in expected.rows]
    assert cells(page, "noise-3") == [spread(row.second_score) for row in expected.rows]
    assert cells(page, "p") == [p_value(row.p) for row in expected.rows]
    verdicts = [
        f"{row.winner.replace('noise-', 'Noise ')} is better" if row.winner else row.word for row in expected.rows
    ]
    assert cells(page, "verdict") == verdicts
    assert cells(page, "difference") == [ends(row.interval, sign=True).replace("-", "−") for row in expected.rows]


def test_the_order_of_the_two_does_not_matter(folder_address: str, visit: Callable) -> None:
    window = visit(folder_address)
    page = window.go("compare.html#entries=noise-1,noise-3")
    verdicts, scores = cells(page, "verdict"), cells(page, "noise-1")
    page = window.go("compare.html#entries=noise-3,noise-1")
    assert cells(page, "verdict") == verdicts
    assert cells(page, "noise-1") == scores


def test_the_choice_is_in_the_address(folder_address: str, visit: Callable) -> None:
    window = visit(folder_address)
    page = window.go("compare.html")
    choose(page, 1, "Labels only")
    assert "labels" in page.url
    headline = page.locator(".mbl-headline").inner_text()
    page = window.go(page.url.removeprefix(f"{folder_address}/"))
    assert page.locator(".mbl-choose select").nth(1).locator("option:checked").inner_text() == "Labels only"
    assert page.locator(".mbl-headline").inner_text() == headline


def test_three_entries_are_compared_pair_by_pair(folder_address: str, visit: Callable, submissions: Path) -> None:
    page = visit(folder_address).go("compare.html#entries=noise-0,noise-1,noise-2")
    assert (
        page.locator(".mbl-headline").inner_text() == python_says(submissions, "noise-0", "noise-1", "noise-2").headline
    )
    assert page.locator(".mbl-comparison .mbl-board").count() == 3
    assert page.locator(".mbl-sort").count() == page.locator(".mbl-comparison thead th").count(), "one button each"
    page.locator(".mbl-choose button", has_text="remove").click()
    assert page.locator(".mbl-comparison .mbl-board").count() == 1


def test_unknown_entries_in_the_address_are_passed_over(folder_address: str, visit: Callable) -> None:
    page = visit(folder_address).go("compare.html")
    for hash in ("entries=nobody,noise-1,noise-1&x=%00", "entries=", "entries=__proto__,labels"):
        page.evaluate("hash => (location.hash = hash)", hash)
        page.reload()
        assert page.locator(".mbl-choose select").count() == 2, hash
        assert page.locator(".mbl-comparison tbody tr").count() >= 1, hash


def test_an_entry_page_leads_to_its_comparison(folder_address: str, visit: Callable) -> None:
    page = visit(folder_address).go("entries/noise-3.html")
    page.locator("a", has_text="Compare it").click()
    page.wait_for_selector(".mbl-choose select")
    assert page.locator(".mbl-choose select").first.locator("option:checked").inner_text() == "Noise 3"
