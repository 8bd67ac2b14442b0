"""An entry with something wicked in every text: it is shown, as text. `test_pages.py` sees that nothing runs."""

from __future__ import annotations

import csv
import re
from collections.abc import Callable
from pathlib import Path

from ..whole_site import IMAGE, SCRIPT


def test_everything_on_its_page_is_the_entry_s_own_text(folder_address: str, visit: Callable) -> None:
    page = visit(folder_address).go("entries/wicked.html")
    text = page.locator("main").evaluate("main => main.textContent")
    for part in (SCRIPT, IMAGE, "</pre></div></body>", "[click](javascript:window.hacked=1)"):
        assert part in text, part
    assert "In its authors" in text
    assert page.locator("h2", has_text="Files").count() == 1, "the page goes on to its end"


def test_the_entry_with_errors_is_listed_with_its_findings(folder_address: str, visit: Callable) -> None:
    window = visit(folder_address)
    page = window.go("entries.html")
    text = page.locator("main").evaluate("main => main.textContent")
    assert "broken" in text
    assert "MBL404" in text
    assert "{% raw %}" in text
    board = window.go("tasks/mini_gap.html")
    assert "Broken" not in board.locator(".mbl-table").first.inner_text()


def test_no_file_of_the_entry_can_run(site_folder: Path) -> None:
    published = {path.name for path in (site_folder / "entries" / "wicked").iterdir()}
    assert "submission.json" in published
    assert not [name for name in published if name.endswith((".html", ".htm", ".svgz", ".xhtml", ".js"))]
    badge = (site_folder / "entries" / "wicked" / "badge.svg").read_text()
    assert 'onerror="' not in badge
    assert "<script" not in badge


def test_no_cell_of_a_table_is_a_formula(site_folder: Path, folder_address: str, visit: Callable) -> None:
    files = list((site_folder / "data").glob("*.csv"))
    assert len(files) >= 9
    texts = {path.name: path.read_text(encoding="utf-8") for path in files}
    page = visit(folder_address).go("tasks/mini_gap.html")
    with page.expect_download() as expected:
        menu = page.locator(".mbl-board").first.locator("details.mbl-menu").filter(has_text="download")
        menu.locator("summary").click()
        menu.locator('[data-do="download-csv"]').click()
    texts["downloaded"] = Path(expected.value.path()).read_text(encoding="utf-8")
    assert any("HYPERLINK" in text or "onerror" in text for text in texts.values()), "the entry is in them"
    for name, text in texts.items():
        for row in csv.reader(text.splitlines(keepends=True)):
            for cell in row:
                assert not cell.startswith(("=", "@", "\t", "\r")), (name, cell[:80])
                assert not cell.startswith(("+", "-")) or _is_number(cell), (name, cell[:80])


def _is_number(cell: str) -> bool:
    try:
        float(cell)
    except ValueError:
        return bool(re.fullmatch(r"[-+\d.e]+ to [-+\d.e]+", cell))
    return True
