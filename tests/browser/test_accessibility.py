"""No serious accessibility fault, in light and dark, on each kind of page."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from axe_playwright_python.sync_playwright import Axe

PAGES = [
    "index.html",
    "tasks/mini_gap.html",
    "tasks/mini_is_stable.html",
    "entries/noise-1.html",
    "entries/wicked.html",
    "entries.html",
    "compare.html",
    "statistics.html",
    "downloads.html",
    "guide/statistics.html",
    "guide/rules/index.html",
    "guide/rules/MBL101.html",
    "reference/board.html",
]


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("name", PAGES)
def test_axe_finds_no_serious_fault(name: str, scheme: str, folder_address: str, visit: Callable) -> None:
    page = visit(folder_address, color_scheme=scheme).go(name)
    page.evaluate("document.querySelectorAll('details').forEach((part) => (part.open = true))")
    # It would load the stylesheets a second time, as data, which a page of a folder may not.
    found = Axe().run(page, options={"resultTypes": ["violations"], "preload": False}).response["violations"]
    serious = [
        (fault["id"], [node["html"][:200] for node in fault["nodes"][:3]], fault["nodes"][0].get("failureSummary"))
        for fault in found
        if fault["impact"] in ("serious", "critical")
    ]
    assert not serious
