"""Take the pictures of the site that the README and the guide show: home, a task, an entry, compare.

Run it with `python scripts/make_pictures.py` when the looks of the site change. It builds the site of the entries in
`submissions/`, and for the page of an entry, which shows single rows, that of `mini`; it opens them in Chromium: light,
dark, and as wide as a phone. It needs the targets (`mbl data fetch --targets-only`): without them there are no plots;
and the entries of `mbl demo` in `mbl-demo`.
"""

from __future__ import annotations

import io
import os
import shutil
import tempfile
from pathlib import Path

from PIL import Image
from playwright.sync_api import Browser, sync_playwright

from matbench_lite import load_benchmark
from matbench_lite.site import build_site

ROOT = Path(__file__).resolve().parent.parent
PICTURES = ROOT / "leaderboard_docs" / "pictures"
PAGES = {
    "matbench_v0.1": {"home": "index.html", "task": "tasks/matbench_log_gvrh.html", "compare": "compare.html"},
    "mini": {"entry": "entries/rf-magpie.html"},
}
ENTRIES = {"matbench_v0.1": ROOT / "submissions", "mini": ROOT / "mbl-demo" / "submissions"}
LOOKS = {"light": (1280, 800, "light"), "dark": (1280, 800, "dark"), "phone": (390, 780, "light")}
COLOURS = 96


def take(browser: Browser, page_file: Path, look: str) -> bytes:
    """A picture of the first screen of a page, as WebP."""
    width, height, scheme = LOOKS[look]
    page = browser.new_page(viewport={"width": width, "height": height}, color_scheme=scheme)
    page.goto(page_file.as_uri(), wait_until="load")
    page.wait_for_timeout(500)  # the theme fades its tabs in
    picture = Image.open(io.BytesIO(page.screenshot()))
    page.close()
    file = io.BytesIO()
    # Few colours, and every letter sharp: half of what a lossy picture of text takes.
    picture.convert("RGB").quantize(COLOURS).convert("RGB").save(file, "WEBP", lossless=True, method=6)
    return file.getvalue()


def main() -> None:
    """Take all pictures."""
    program = os.environ.get("CHROMIUM") or shutil.which("chromium") or shutil.which("google-chrome")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=program, args=["--no-sandbox", "--disable-gpu"])
        PICTURES.mkdir(exist_ok=True)
        for benchmark, pages in PAGES.items():
            with tempfile.TemporaryDirectory() as folder:
                html = build_site(ENTRIES[benchmark], Path(folder), load_benchmark(benchmark)).html
                assert html is not None
                for name, address in pages.items():
                    for look in LOOKS:
                        (PICTURES / f"{name}-{look}.webp").write_bytes(take(browser, html / address, look))
        browser.close()


if __name__ == "__main__":
    main()
