"""Every page opens and holds its layout, on a laptop and a phone, and nothing wicked runs, goes wrong or leaves."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Page

from ..conftest import LONG
from ..whole_site import BRACES, IMAGE

TURNING = re.compile("[\u200e\u200f\u202a-\u202e\u2066-\u2069]")
KINDS = {
    "home": "index.html",
    "task": "tasks/mini_gap.html",
    "classification": "tasks/mini_is_stable.html",
    "entry": "entries/noise-1.html",
    "wicked": "entries/wicked.html",
    "entries": "entries.html",
    "compare": "compare.html#entries=wicked,noise-0",
    "statistics": "statistics.html",
    "downloads": "downloads.html",
    "guide": "guide/statistics.html",
    "rules": "guide/rules/index.html",
    "rule": "guide/rules/MBL101.html",
    "reference": "reference/board.html",
}
"""One page of each kind."""
ON_A_SERVER = ["index.html", "tasks/mini_gap.html", "compare.html", "guide/rules/MBL101.html", "reference/review.html"]
"""Pages of every depth of folders, and those that load more than the others."""
ON_A_PHONE = ["home", "task", "classification", "entry", "compare", "statistics", "guide"]
"""Kinds with plots, and one without: as narrow as a phone, all pages are looked at."""
SOME = {"entries": 2, "guide": 3, "guide/rules": 12, "reference": 4}
"""Folders whose pages come from one template: every so many of them are opened, from the last, the wicked entry, on."""
WITH_PLOTS = ["index.html", "statistics.html", "tasks/mini_gap.html", "entries/noise-1.html", "entries/wicked.html"]
WITH_LONG_NAMES = ["index.html", "entries.html", "entries/wicked.html", KINDS["compare"], "tasks/mini_gap.html"]
FOLDERS = [".", "tasks", "entries", "guide", "guide/rules", "reference"]
PLOT_FAULTS = """() => {
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
LAYOUT_FAULTS = """() => {
  const faults = [];
  const wide = document.documentElement.scrollWidth - innerWidth;
  if (wide > 0) faults.push(`the page is ${wide} pixels too wide`);
  const high = document.querySelector("h1").getBoundingClientRect().height;
  if (high >= 200) faults.push(`the heading is ${high} pixels high: a name is not the whole screen`);
  return faults;
}"""
WIDEST_CELL = (
    """() => Math.max(...[...document.querySelectorAll(".mbl-table :is(th, td)")].map((c) => c.offsetWidth))"""
)
WICKED_FAULTS = """() => {
  const faults = [];
  if (!document.title) faults.push("no title");
  if (document.querySelectorAll("h1").length !== 1) faults.push("a heading of an entry became one of the page");
  if (window.hacked !== undefined) faults.push("a script of an entry has run");
  for (const found of document.querySelectorAll("img[src='x'], [onerror], [onclick*=alert]"))
    faults.push(found.outerHTML);
  for (const script of document.scripts) if (script.text.includes("hacked")) faults.push(script.outerHTML);
  for (const link of document.querySelectorAll("a[href]"))
    if (link.href.startsWith("javascript:") || link.href.includes("evil")) faults.push(link.outerHTML);
  return faults;
}"""


def look(page: Page, name: str) -> Iterator[str]:
    """All that is wrong with a page that is open, on a laptop and as narrow as a phone."""
    page.evaluate("document.querySelectorAll('details').forEach((part) => (part.open = true))")
    page.mouse.wheel(0, 100_000)
    yield from page.evaluate(WICKED_FAULTS)
    for width in (1280, 390):
        page.set_viewport_size({"width": width, "height": 844})
        for fault in (*page.evaluate(LAYOUT_FAULTS), *page.evaluate(PLOT_FAULTS)):
            yield f"{width} pixels: {fault}"
        if name in WITH_LONG_NAMES:
            assert 0 < page.evaluate(WIDEST_CELL) <= 500, "a name is not the whole table"
    if name in WITH_LONG_NAMES:
        text = page.locator("main").evaluate("main => main.textContent")
        yield from (f"{shown} is not shown as text" for shown in (BRACES[:11], IMAGE[:12]) if shown not in text)
        yield from (f"{mark!r} turns the direction of what follows" for mark in TURNING.findall(text))


@pytest.mark.parametrize("folder", FOLDERS)
def test_every_page_opens_and_holds(folder: str, site_folder: Path, folder_address: str, visit: Callable) -> None:
    window = visit(folder_address)
    names = sorted(path.relative_to(site_folder).as_posix() for path in (site_folder / folder).glob("*.html"))
    for name in names[:: -1 if LONG else -SOME.get(folder, 1)]:
        if name == "404.html":  # for servers that show it in place of any page: its links begin at the root
            continue
        window.page.set_viewport_size({"width": 1280, "height": 844})
        page = window.go(name)
        assert list(look(page, name)) == [], name
        assert not window.problems, name
        assert name not in WITH_PLOTS or page.locator("svg.mbl-plot").count() > 0


def test_no_page_is_passed_over(site_folder: Path) -> None:
    found = {path.parent.relative_to(site_folder).as_posix() for path in site_folder.rglob("*.html")}
    assert found == set(FOLDERS)


def test_pages_open_from_a_server(server: str, visit: Callable) -> None:
    window = visit(server)
    for name in ON_A_SERVER:
        assert window.go(name).locator("h1").count() == 1, name
        assert not window.problems, name


def test_a_comparison_with_the_wicked_entry_holds(folder_address: str, visit: Callable) -> None:
    name = KINDS["compare"]
    assert list(look(visit(folder_address).go(name), name)) == []


def test_there_is_a_page_of_every_task_and_entry(site_folder: Path, submissions: Path) -> None:
    slugs = {path.name for path in submissions.iterdir()} - {"broken"}
    assert {path.stem for path in (site_folder / "entries").glob("*.html")} == slugs
    assert len(list((site_folder / "tasks").glob("*.html"))) == 7


def test_phone(folder_address: str, visit: Callable) -> None:
    window = visit(folder_address, width=390, height=844, is_mobile=True, has_touch=True, device_scale_factor=2)
    for name in (KINDS[kind] for kind in ON_A_PHONE):
        page = window.go(name)
        assert page.evaluate(LAYOUT_FAULTS) == [], name
        # Text of tables and drawings can be read without a magnifying glass.
        small = page.evaluate(
            """() => [...document.querySelectorAll("svg.mbl-plot text")].filter((text) => {
                const matrix = text.getScreenCTM();
                const scale = Math.hypot(matrix.a, matrix.b); // turned text, too
                return text.checkVisibility() && parseFloat(getComputedStyle(text).fontSize) * scale < 7.5;
            }).length"""
        )
        assert small == 0, name
