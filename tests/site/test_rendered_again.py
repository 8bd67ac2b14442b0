"""A page that has not changed is not rendered again, and nobody can tell: the site is that of a full build."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from mkdocs.structure.pages import Page

from matbench_lite.errors import MatbenchLiteError
from matbench_lite.site import common_configuration, rendering
from matbench_lite.site.build import build_site, write_pages
from matbench_lite.site.page_files import File
from matbench_lite.site.rendering import render_site

from ..whole_site import GUIDES
from .entries import record

PAGES = {
    "index.md": "# Home\n\n[To b](b.md#part), [to the reference](reference.md), [to what is above](#home)\n",
    "b.md": "# B\n\n## Part\n\nWords of b.\n\n```python\nprint(1)\n```\n",
    "c.md": "# C\n\n[To b](b.md)\n",
    "reference.md": "# Reference\n\n::: small.public\n",
    "other.md": "# Other\n\n::: small.other\n",
}
SOURCE = '''"""A module."""

def public() -> None:
    """See [other][small.other]."""

def other() -> None:
    """Says {}."""
'''


@pytest.fixture
def rendered(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The pages that mkdocs renders from here on."""
    pages: list[str] = []
    render = Page.render

    def count(page: Page, *arguments: object) -> None:
        pages.append(page.file.src_uri)
        render(page, *arguments)

    monkeypatch.setattr(Page, "render", count)
    return pages


@pytest.fixture
def build(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., dict[str, bytes]]:
    """Renders the small site with some of its pages changed, and gives its files."""
    source = tmp_path / "sources" / "small.py"
    source.parent.mkdir()
    monkeypatch.syspath_prepend(source.parent)
    monkeypatch.setattr(rendering, "_PACKAGE", source.parent)

    def make(*, title: str = "A site", says: str = "something", fresh: str = "", **changed: str | None) -> dict:
        source.write_text(SOURCE.format(says))
        if fresh:
            monkeypatch.setenv("MATBENCH_LITE_DATA", str(tmp_path / fresh))
        pages = {**PAGES, **{f"{name}.md": text for name, text in changed.items()}}
        files = [File(name, text) for name, text in pages.items() if text is not None]
        settings = common_configuration(title, [file.path for file in files if file.path != "d.md"])
        settings["not_in_nav"] = "/d.md"
        settings["plugins"].append({"mkdocstrings": {}})
        folder = tmp_path / "build"
        write_pages(folder, files, settings, by="a test")
        return content(render_site(folder))

    return make


def content(folder: Path) -> dict[str, bytes]:
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def test_what_has_not_changed_is_not_rendered_again(build, rendered) -> None:
    first = build()
    assert sorted(rendered) == sorted(PAGES)
    assert "objects.inv" in first
    assert b'href="other.html#small.other"' in first["reference.html"]
    rendered.clear()
    assert build() == first
    assert rendered == []


def test_only_what_has_changed_is_rendered_and_the_site_is_that_of_a_full_build(build, rendered) -> None:
    before = build()
    rendered.clear()
    changed = build(b="# B\n\n## Part\n\nOther words.\n", d="# D\n\n[To c](c.md)\n", c="# A new title\n")
    assert sorted(rendered) == ["b.md", "c.md", "d.md"]
    assert b"A new title" in changed["index.html"], "it is in the navigation of every page"
    assert b"Other words." in changed["search/search_index.json"]
    assert b"Words of b" not in changed["search/search_index.json"]
    assert changed == build(
        b="# B\n\n## Part\n\nOther words.\n", d="# D\n\n[To c](c.md)\n", c="# A new title\n", fresh="x"
    )
    assert build() == before, "there and back"


def test_a_title_makes_every_page_another(build, rendered) -> None:
    build()
    rendered.clear()
    build(title="A site!")  # of the same shelf
    assert sorted(rendered) == sorted(PAGES)


def test_the_reference_follows_its_sources(build, rendered) -> None:
    build()
    rendered.clear()
    changed = build(says="something else")
    assert sorted(rendered) == ["other.md", "reference.md"]
    assert b"something else" in changed["other.html"]
    assert changed == build(says="something else", fresh="x")


def test_the_reference_is_one(build, rendered) -> None:
    build()
    rendered.clear()
    moved = build(other="# Other\n", d="# D\n\n::: small.other\n")
    assert sorted(rendered) == ["d.md", "other.md", "reference.md"]
    assert b'href="d.html#small.other"' in moved["reference.html"]
    assert moved == build(other="# Other\n", d="# D\n\n::: small.other\n", fresh="x")
    with pytest.raises(MatbenchLiteError, match="Could not find cross-reference target"):
        build(other="# Other\n")


def test_a_link_that_breaks_is_found_on_a_page_that_has_not_changed(build, rendered) -> None:
    before = build()
    with pytest.raises(MatbenchLiteError, match=r"'c.md' contains a link 'b.md'"):
        build(b=None)
    with pytest.raises(MatbenchLiteError, match=r"'index.md' contains a link 'b.md#part'"):
        build(b="# B\n")
    rendered.clear()
    with pytest.raises(MatbenchLiteError, match=r"'b.md' contains a link 'nowhere.md'"):
        build(b="# B\n\n## Part\n\n[Nowhere](nowhere.md)\n")
    with pytest.raises(MatbenchLiteError, match=r"'b.md' contains a link 'nowhere.md'"):
        build(b="# B\n\n## Part\n\n[Nowhere](nowhere.md)\n")
    assert rendered == ["b.md", "b.md"], "what is warned of is not kept"
    assert build() == before


def test_a_damaged_file_is_not_believed(build, rendered, data_directory) -> None:
    before = build()
    (path,) = data_directory.rglob("pages-*/*/*.parquet")
    path.write_bytes(path.read_bytes().replace(b"PAR1", b"PAR2"))
    rendered.clear()
    assert build() == before
    assert sorted(rendered) == sorted(PAGES)


def test_what_no_page_is_made_of_any_more_is_forgotten(build, data_directory) -> None:
    sizes = []
    for number in range(8):
        build(b=f"# B\n\n## Part\n\n{number}{'x' * 20000}\n", c=f"# C\n\n{number}\n", index=f"# Home\n\n{number}\n")
        shelf = rendering.Shelf(data_directory / "derived", "pages-a-site", rendering.__name__)
        sizes.append(len(shelf._loaded()))
    assert max(sizes) <= 2 * sizes[0]


@pytest.mark.slow
def test_one_entry_changes_few_pages(mini, submissions, rendered, monkeypatch, tmp_path) -> None:
    entries = tmp_path / "entries"
    shutil.copytree(submissions, entries)

    def build() -> dict[str, bytes]:
        built = build_site(entries, tmp_path / "build", mini, docs=GUIDES)
        return content(built.html)

    cold = build()
    everything = set(rendered)
    rendered.clear()
    assert build() == cold
    assert rendered == []
    entry = record(mini, 0.4, seed=3, tasks=["mini_gap"], algorithm="Gaps", authors=["Somebody Else"])
    shutil.rmtree(entries / "gaps")
    entry.save(entries / "gaps", code=entries / "best" / "model.py")
    warm = build()
    assert "entries/gaps.md" in rendered
    assert not {name for name in rendered if name.startswith(("guide/", "reference/", "entries/best", "entries/poor"))}
    assert len(rendered) < len(everything) / 5, rendered
    monkeypatch.setenv("MATBENCH_LITE_DATA", str(tmp_path / "fresh"))
    shutil.rmtree(tmp_path / "build")
    rendered.clear()
    assert build() == warm
    assert set(rendered) == everything
