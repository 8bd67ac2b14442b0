"""A real browser on a real site: one browser and one window per process, the site opened from a folder and a server."""

from __future__ import annotations

import os
import shutil
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, Request, sync_playwright

from matbench_lite.site import site_server

from ..whole_site import Once, pages_of_whole_site, whole_site

FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--renderer-process-limit=1",
]
PATIENCE = 300_000
"""Milliseconds after which something has been waited for in vain: a busy machine is no failure."""


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """All tests here need the site, which takes some seconds to build."""
    for item in items:
        if Path(__file__).parent in item.path.parents:
            item.add_marker(pytest.mark.slow)


@pytest.fixture(scope="session")
def submissions(once: Once) -> Path:
    """The folder of the entries of the site."""
    return pages_of_whole_site(once) / "submissions"


@pytest.fixture(scope="session")
def site_folder(once: Once) -> Path:
    """The HTML pages of the site."""
    return whole_site(once)


@contextmanager
def serve(folder: Path) -> Iterator[str]:
    """The address of a server of a folder of pages on this machine."""
    with site_server(folder, 0) as listening:
        thread = threading.Thread(target=listening.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True)
        thread.start()
        yield f"http://127.0.0.1:{listening.server_port}"
        listening.shutdown()
        thread.join()


@pytest.fixture(scope="session")
def server(site_folder: Path) -> Iterator[str]:
    """The address of a server of the site."""
    with serve(site_folder) as address:
        yield address


@pytest.fixture(params=["file", "server"])
def address(request: pytest.FixtureRequest, site_folder: Path) -> str:
    """Where the site is opened: from a folder, and from a server."""
    return site_folder.as_uri() if request.param == "file" else request.getfixturevalue("server")


@pytest.fixture
def folder_address(site_folder: Path) -> str:
    """The site opened from a folder: what works there, works from a server too, but not the other way round."""
    return site_folder.as_uri()


@pytest.fixture(scope="session")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    """Chromium without a window; a machine that has none fails these tests, and does not skip them."""
    names = ("chromium", "chromium-browser", "google-chrome")
    path = os.environ.get("CHROMIUM") or next((found for name in names if (found := shutil.which(name))), None)
    if path is None:
        pytest.fail("the browser tests need Chromium: `make browser` installs it, or say where it is: CHROMIUM=path")
    folder = tmp_path_factory.mktemp("b")  # a short name: the paths of sockets are short
    with pytest.MonkeyPatch.context() as patch:
        # What the browser and its driver write, profiles and downloads, goes where pytest clears up.
        for variable in ("TMPDIR", "HOME"):
            patch.setenv(variable, str(folder))
        for variable in ("XDG_CONFIG_HOME", "XDG_CACHE_HOME", "XDG_DATA_HOME", "XDG_RUNTIME_DIR"):
            patch.delenv(variable, raising=False)
        playwright = sync_playwright().start()
        started = playwright.chromium.launch(executable_path=path, args=FLAGS, timeout=PATIENCE)
    yield started
    started.close()
    playwright.stop()


@dataclass
class Visit:
    """A page that is open, and what went wrong on it."""

    page: Page
    allowed: str = "about:"
    problems: list[str] = field(default_factory=list)

    def go(self, address: str) -> Page:
        """Open a page of the site and wait until all of it is there."""
        target = f"{self.allowed}/{address}"
        if self.page.url.partition("#")[0] == target.partition("#")[0]:
            self.page.goto("about:blank")  # else the browser might stay on the page, and only scroll
        self.page.goto(target, wait_until="load")
        return self.page

    def listen(self) -> None:
        page = self.page
        page.on("console", lambda message: message.type == "error" and self.problems.append(f"console: {message.text}"))
        page.on("pageerror", lambda error: self.problems.append(f"script: {error}"))
        page.on("request", self._request)
        page.on("requestfailed", self._failed)
        page.on("dialog", self._dialog)
        page.on(
            "response", lambda answer: answer.status >= 400 and self.problems.append(f"{answer.status}: {answer.url}")
        )

    def _request(self, request: Request) -> None:
        if not request.url.startswith((self.allowed, "data:", "blob:", "about:")):
            self.problems.append(f"request that leaves the site: {request.url}")

    def _failed(self, request: Request) -> None:
        if request.failure != "net::ERR_ABORTED":  # the next page was opened, or a file is saved, not shown
            self.problems.append(f"failed: {request.url}: {request.failure}")

    def _dialog(self, dialog: Any) -> None:
        self.problems.append(f"dialog: {dialog.message}")
        dialog.dismiss()


def _new_window(browser: Browser, **options: Any) -> Visit:
    # Where motion is not wanted, the theme's colours do not fade: they are there at once.
    context = browser.new_context(**{"reduced_motion": "reduce", **options})
    context.set_default_timeout(PATIENCE)
    window = Visit(context.new_page())
    window.listen()
    return window


@pytest.fixture(scope="session")
def first_window(browser: Browser) -> Visit:
    """The window that tests have one after the other: a new one takes three times as long as a page in an old one."""
    return _new_window(browser)


@pytest.fixture
def visit(browser: Browser, first_window: Visit) -> Iterator[Callable[..., Visit]]:
    """Open a browser window on a site; at the end of the test nothing may have gone wrong in it.

    The first of a test is the one that the test before had, emptied; any other knows nothing of what was done before,
    and so does one with options. These are those of Playwright's `new_context`, e.g. `java_script_enabled=False`.
    """
    windows: list[Visit] = []

    def open_window(
        address: str, *, width: int = 1280, height: int = 900, color_scheme: str = "light", **options: Any
    ) -> Visit:
        window = first_window if not windows and not options else _new_window(browser, **options)
        windows.append(window)
        window.allowed = address
        window.page.set_viewport_size({"width": width, "height": height})
        window.page.emulate_media(media="screen", color_scheme=color_scheme, reduced_motion="reduce")
        return window

    yield open_window
    for window in windows:
        if window is first_window:
            window.page.evaluate("location.protocol !== 'about:' && localStorage.clear()")
            window.page.goto("about:blank")
            window.page.context.clear_permissions()
        else:
            window.page.context.close()
    problems = [problem for window in windows for problem in window.problems]
    first_window.problems.clear()
    assert not problems
