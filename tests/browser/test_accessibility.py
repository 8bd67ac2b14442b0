"""No serious accessibility fault, in light and dark, on each kind of page."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from .axe import serious_faults

PAGES = [
    "index.html",
    "tasks/mini_gap.html",
    "tasks/mini_is_stable.html",
    "entries/wicked.html",  # has all that a usual entry has
    "entries.html",
    "compare.html",
    "statistics.html",
    "downloads.html",
    "guide/statistics.html",
    "guide/rules/index.html",
    "guide/rules/MBL101.html",
    "reference/review.html",
]
SECTIONS = ["mini_gap", "mini_is_stable"]
"""Of the page of an entry: its sections differ by the kind of task alone, and axe takes a second for each."""


@pytest.mark.parametrize("name", PAGES)
def test_axe_finds_no_serious_fault(name: str, folder_address: str, visit: Callable) -> None:
    page = visit(folder_address).go(name)
    page.evaluate(
        """kept => document.querySelectorAll(".mbl-section").forEach((section) => {
            if (!kept.includes(section.previousElementSibling.id)) section.remove();
        })""",
        SECTIONS,
    )
    assert page.locator(".mbl-section").count() == (len(SECTIONS) if name.startswith("entries/") else 0)
    assert serious_faults(page) == []
