"""The rendered site: strict, whole, without anything from elsewhere, and by another renderer too."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest

from matbench_lite.errors import MatbenchLiteError
from matbench_lite.site.build import make_site, publish, render_site

from .conftest import leave_out_reference
from .html_page import read

pytestmark = pytest.mark.slow

LOADED = {"script": "src", "link": "href", "img": "src", "iframe": "src", "source": "src", "use": "href"}


def test_every_link_leads_somewhere(html, contents) -> None:
    anchors: dict[Path, set[str]] = {}
    links: list[tuple[Path, str]] = []
    for path, content in contents.items():
        attributes = [element.attributes for element in content.find("*")]
        anchors[path] = {found["id"] for found in attributes if "id" in found}
        links += [(path, found[name] or "") for found in attributes for name in ("href", "src") if name in found]
    broken = []
    for path, link in links:
        address = urlsplit(link)
        if address.scheme or address.netloc or not (address.path or address.fragment):
            continue
        # The page for what is not found is shown anywhere: its addresses begin at the root.
        start = html if address.path.startswith("/") else path.parent
        target = (start / unquote(address.path).lstrip("/")).resolve() if address.path else path
        target = target / "index.html" if target.is_dir() else target
        state = "=" in address.fragment  # what a table shows, not a place
        found = target.is_file() and (
            not address.fragment or state or unquote(address.fragment) in anchors.get(target, {address.fragment})
        )
        if not found:
            broken.append((path.relative_to(html).as_posix(), link))
    assert broken == []


def test_every_page_has_one_heading_and_a_title(html, contents) -> None:
    for path, content in contents.items():
        assert len(content.find("h1")) == 1, path
        assert content.find("title")[0].text.strip(), path


def test_nothing_is_loaded_from_elsewhere(html, contents) -> None:
    for path, content in contents.items():
        for tag, attribute in LOADED.items():
            for element in content.find(tag):
                address = element.attributes.get(attribute) or ""
                assert not urlsplit(address).netloc, (path, address)
    for style in html.rglob("*.css"):
        assert "@import" not in style.read_text()
        assert "url(http" not in style.read_text()


def test_a_page_of_a_task_is_small(html, mini) -> None:
    for task in mini:
        assert (html / "tasks" / f"{task.name}.html").stat().st_size < 150_000


def test_pages_of_entries_are_not_in_the_navigation(html) -> None:
    links = [link.attributes.get("href") for nav in read(html / "index.html").find("nav") for link in nav.find("a")]
    assert "compare.html" in links
    assert not [link for link in links if link and link.startswith("entries/")]


@pytest.mark.parametrize("program", ["mkdocs", "properdocs"])
def test_the_same_pages_render_with(program, published) -> None:
    folder = published / "build"
    leave_out_reference(folder)
    done = subprocess.run(
        [sys.executable, "-m", program, "build", "--strict", "-f", "mkdocs.yml"],
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-2000:]
    pages = {path.relative_to(folder / "docs").with_suffix(".html") for path in folder.rglob("docs/**/*.md")}
    html = {path.relative_to(folder / "site") for path in (folder / "site").rglob("*.html")}
    assert html == pages | {Path("404.html")}
    assert (folder / "site" / "search" / "search_index.js").is_file()


def test_a_broken_link_stops_the_build_with_its_place(mini, tmp_path) -> None:
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "index.md").write_text("# Guide\n\n[nowhere](missing.md)\n")
    publish(make_site({}, mini, docs=tmp_path / "docs"), tmp_path / "build")
    leave_out_reference(tmp_path / "build")
    with pytest.raises(MatbenchLiteError, match=r"missing\.md"):
        render_site(tmp_path / "build")
