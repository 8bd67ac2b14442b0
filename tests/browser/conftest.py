"""A real browser on a real site: built once per test session, opened from a folder and from a server."""

from __future__ import annotations

import importlib.util
import os
import shutil
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
from filelock import FileLock
from playwright.sync_api import Browser, BrowserContext, Page, Request, sync_playwright

from matbench_lite import load_benchmark
from matbench_lite.review import check_entries
from matbench_lite.site.build import make_site, publish
from matbench_lite.site.rendering import render_site

FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
GUIDES = Path(__file__).parent.parent.parent / "leaderboard_docs"


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """All tests here need the site, which takes some seconds to build."""
    for item in items:
        if Path(__file__).parent in item.path.parents:
            item.add_marker(pytest.mark.slow)


@pytest.fixture(scope="session")
def submissions(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of the entries; see `entries.py`."""
    return _built(tmp_path_factory) / "submissions"


@pytest.fixture(scope="session")
def site_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The HTML pages of the site."""
    return _built(tmp_path_factory) / "build" / "site"


def _built(factory: pytest.TempPathFactory) -> Path:
    """Build the site, once for all processes of the test session."""
    root = factory.getbasetemp()
    if "PYTEST_XDIST_WORKER" in os.environ:
        root = root.parent  # each process has a folder of its own in it
    folder = root / "browser-site"
    with FileLock(root / "browser-site.lock"):
        if not (folder / "done").is_file():
            with pytest.MonkeyPatch.context() as patch:
                patch.setenv("MATBENCH_LITE_DATA", str(folder / "data"))
                patch.setenv("MATBENCH_LITE_AUTOFETCH", "0")
                _build(folder)
            (folder / "done").touch()
    return folder


def _build(folder: Path) -> None:
    submissions = folder / "submissions"
    submissions.mkdir(parents=True)
    mini = load_benchmark("mini")
    _entries_module().write_entries(mini, submissions)
    checked = check_entries(submissions, benchmark=mini)
    # The checks refuse the wicked entry. The pages must hold even if they did not.
    assert not checked["wicked"].ok
    checked["wicked"] = replace(checked["wicked"], findings=())
    publish(make_site(checked, mini, docs=GUIDES), folder / "build")
    render_site(folder / "build")


def _entries_module() -> Any:
    """`entries.py`, which is no test and in no package."""
    spec = importlib.util.spec_from_file_location("browser_entries", Path(__file__).parent / "entries.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="session")
def wicked() -> Any:
    """The wicked texts; see `entries.py`."""
    return _entries_module()


class _Quiet(SimpleHTTPRequestHandler):
    def log_message(self, format: str, *args: Any) -> None:
        pass


@pytest.fixture(scope="session")
def server(site_folder: Path) -> Iterator[str]:
    """The address of a server of the site on this machine."""
    with ThreadingHTTPServer(("127.0.0.1", 0), partial(_Quiet, directory=str(site_folder))) as listening:
        thread = threading.Thread(target=listening.serve_forever, daemon=True)
        thread.start()
        yield f"http://127.0.0.1:{listening.server_port}"
        listening.shutdown()
        thread.join()


@pytest.fixture(params=["file", "server"])
def address(request: pytest.FixtureRequest, site_folder: Path) -> str:
    """Where the site is opened: from a folder, and from a server."""
    return site_folder.as_uri() if request.param == "file" else request.getfixturevalue("server")


@pytest.fixture
def folder_address(site_folder: Path) -> str:
    """The site opened from a folder: what works there, works from a server too, but not the other way round."""
    return site_folder.as_uri()


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    """Chromium without a window; a machine that has none fails these tests, and does not skip them."""
    names = ("chromium", "chromium-browser", "google-chrome")
    path = os.environ.get("CHROMIUM") or next((found for name in names if (found := shutil.which(name))), None)
    if path is None:
        pytest.fail("the browser tests need Chromium: `make browser` installs it, or say where it is: CHROMIUM=path")
    with sync_playwright() as playwright:
        started = playwright.chromium.launch(executable_path=path, args=FLAGS)
        yield started
        started.close()


@dataclass
class Visit:
    """A page that is open, and what went wrong on it."""

    page: Page
    allowed: str
    problems: list[str] = field(default_factory=list)

    def go(self, address: str) -> Page:
        """Open a page of the site and wait until all of it is there."""
        self.page.goto(f"{self.allowed}/{address}", wait_until="load")
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


@pytest.fixture
def visit(browser: Browser) -> Iterator[Callable[..., Visit]]:
    """Open a browser window on a site; at the end of the test nothing may have gone wrong in it.

    Options are those of Playwright's `new_context`, e.g. `color_scheme="dark"`.
    """
    contexts: list[BrowserContext] = []
    visits: list[Visit] = []

    def open_window(address: str, *, width: int = 1280, height: int = 900, **options: Any) -> Visit:
        context = browser.new_context(viewport={"width": width, "height": height}, **options)
        context.set_default_timeout(120_000)  # a busy machine is no failure
        contexts.append(context)
        visits.append(Visit(context.new_page(), address))
        visits[-1].listen()
        return visits[-1]

    yield open_window
    problems = [problem for window in visits for problem in window.problems]
    for context in contexts:
        context.close()
    assert not problems
