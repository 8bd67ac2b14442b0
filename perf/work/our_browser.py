"""A page with many entries in a real browser: when the first table is there, and how long a filter takes.

Arguments: the page.
"""

from __future__ import annotations

import json
import os
import shutil
import sys
from pathlib import Path
from statistics import median

from playwright.sync_api import sync_playwright

ROUNDS = 7
# From the click to the next frame that the browser has drawn.
FILTER = """async () => {
  const chip = document.querySelector('#board button.mbl-chip');
  const began = performance.now();
  chip.click();
  await new Promise((done) => requestAnimationFrame(() => setTimeout(done)));
  return performance.now() - began;
}"""
FIRST = (
    """() => performance.getEntriesByType('paint').find((paint) => paint.name === 'first-contentful-paint').startTime"""
)


def main() -> None:
    page_file = Path(sys.argv[1]).resolve()
    program = os.environ.get("CHROMIUM") or shutil.which("chromium") or shutil.which("google-chrome")
    first, shown, filtered = [], [], []
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=program, args=["--no-sandbox", "--disable-gpu"])
        for _ in range(ROUNDS):
            page = browser.new_page(viewport={"width": 1280, "height": 900})
            page.goto(page_file.as_uri(), wait_until="load")
            first.append(page.evaluate(FIRST))
            shown.append(page.evaluate("performance.getEntriesByType('navigation')[0].loadEventEnd"))
            filtered.append(max(page.evaluate(FILTER) for _ in range(2)))
            rows = page.evaluate("document.querySelectorAll('#board tbody tr').length")
            page.close()
        browser.close()
    print(json.dumps({"rows": rows, "first": median(first), "loaded": median(shown), "filter": median(filtered)}))


main()
