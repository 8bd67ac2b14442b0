"""Every page opens, from a folder and from a server, and nothing goes wrong or leaves the machine."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

KINDS = {
    "home": "index.html",
    "task": "tasks/mini_gap.html",
    "classification": "tasks/mini_is_stable.html",
    "entry": "entries/noise-1.html",
    "entries": "entries.html",
    "compare": "compare.html",
    "statistics": "statistics.html",
    "downloads": "downloads.html",
    "guide": "guide/statistics.html",
    "rules": "guide/rules/index.html",
    "rule": "guide/rules/MBL101.html",
    "reference": "reference/board.html",
}
"""One page of each kind."""


def test_every_page_opens(site_folder: Path, address: str, visit: Callable) -> None:
    pages = sorted(path.relative_to(site_folder).as_posix() for path in site_folder.rglob("*.html"))
    assert set(KINDS.values()) <= set(pages)
    window = visit(address)
    for name in pages:
        if name == "404.html":  # for servers that show it in place of any page: its links begin at the root
            continue
        page = window.go(name)
        assert page.locator("h1").count() == 1, name
        assert page.title(), name
        wide = page.evaluate("document.documentElement.scrollWidth - innerWidth")
        assert wide <= 0, f"{name} is {wide} pixels too wide"
        assert not window.problems, name


def test_there_is_a_page_of_every_task_and_entry(site_folder: Path, submissions: Path) -> None:
    slugs = {path.name for path in submissions.iterdir()} - {"broken"}
    assert {path.stem for path in (site_folder / "entries").glob("*.html")} == slugs
    assert len(list((site_folder / "tasks").glob("*.html"))) == 7


@pytest.mark.parametrize("kind", KINDS)
def test_phone(kind: str, folder_address: str, visit: Callable) -> None:
    page = visit(folder_address, width=390, height=844, is_mobile=True, has_touch=True, device_scale_factor=2).go(
        KINDS[kind]
    )
    assert page.evaluate("document.documentElement.scrollWidth - innerWidth") <= 0
    # Text of tables and drawings can be read without a magnifying glass.
    small = page.evaluate(
        """() => [...document.querySelectorAll("svg.mbl-plot text")].filter((text) => {
            const matrix = text.getScreenCTM();
            const scale = Math.hypot(matrix.a, matrix.b); // turned text, too
            return text.checkVisibility() && parseFloat(getComputedStyle(text).fontSize) * scale < 7.5;
        }).length"""
    )
    assert small == 0
