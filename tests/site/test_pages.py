"""The set of pages: none is missing, none is made twice, none is left over."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from matbench_lite.review import RULES
from matbench_lite.site import addresses
from matbench_lite.site.build import make_site
from matbench_lite.site.guide_pages import packages

from ..whole_site import GUIDES
from .conftest import republish
from .entries import record

SLUGS = ("best", "gaps", "poor", "structures")


def files(folder: Path) -> set[str]:
    return {path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()}


def test_every_page_and_file_is_there(docs, mini) -> None:
    found = files(docs)
    expected = {"index.md", "entries.md", "compare.md", "statistics.md", "downloads.md"}
    expected |= {f"tasks/{task.name}.md" for task in mini}
    expected |= {f"entries/{slug}.md" for slug in SLUGS}
    made = ("submission.json", "predictions.parquet", "model.py", "badge.svg")
    expected |= {f"entries/{slug}/{name}" for slug in SLUGS for name in made}
    expected |= {"entries/best/references.bib"}
    expected |= {f"guide/{name}" for name in make_site({}, mini, docs=GUIDES).guides}
    assert {f"guide/{path.relative_to(GUIDES).as_posix()}" for path in GUIDES.rglob("*.md")} <= expected
    expected |= {f"guide/rules/{code}.md" for code in RULES} | {"guide/rules/index.md"}
    expected |= {addresses.source(package.address) for package in packages()}
    expected |= {f"data/{task.name}.csv" for task in mini}
    expected |= {f"data/leaderboard.{ending}" for ending in ("json", "csv", "parquet")}
    expected |= {"data/folds.csv", "data/folds.parquet", "data/general.csv", "data/references.bib"}
    expected |= {"data/submission.schema.json"}
    assets = {path for path in found if path.startswith("assets/")}
    assert found - assets - {path for path in found if path.endswith(".schema.json")} == expected - {
        "data/submission.schema.json"
    }
    assert expected <= found
    assert sorted(path.split(".")[0] for path in assets) == [
        "assets/bibtex",
        "assets/comparison",
        "assets/early",
        "assets/logo",
        "assets/site",
        "assets/site",
    ]


@pytest.mark.slow
def test_every_page_is_rendered(wicked_build, html) -> None:
    pages = {path.removesuffix(".md") for path in files(wicked_build / "docs") if path.endswith(".md")}
    assert {path.removesuffix(".html") for path in files(html) if path.endswith(".html")} == pages | {"404"}


def test_what_has_not_changed_is_not_made_again(published, mini) -> None:
    docs = published / "build" / "docs"
    before = {path: path.stat().st_mtime_ns for path in docs.rglob("*") if path.is_file()}
    republish(published, mini)
    assert {path: path.stat().st_mtime_ns for path in docs.rglob("*") if path.is_file()} == before


def test_the_page_of_an_unchanged_entry_is_not_even_computed(published, mini) -> None:
    page = published / "build" / "docs" / "entries" / "gaps.md"
    # A page that was made from the same entry is taken as it is; its first lines say what it was made from.
    page.write_text(page.read_text().replace("<h1>", "<h1>Kept: "))
    republish(published, mini)
    assert "<h1>Kept: " in page.read_text()


def test_a_changed_entry_changes_its_page_and_the_boards(published, mini) -> None:
    docs = published / "build" / "docs"
    before = {path: (docs / path).read_text() for path in ("entries/gaps.md", "tasks/mini_gap.md", "tasks/mini_n.md")}
    record(mini, 0.1, tasks=["mini_gap"], algorithm="Gaps").save(published / "submissions" / "gaps")
    republish(published, mini)
    after = {path: (docs / path).read_text() for path in before}
    assert [path for path in before if before[path] != after[path]] == ["entries/gaps.md", "tasks/mini_gap.md"]


def test_a_removed_entry_leaves_nothing_behind(published, mini) -> None:
    shutil.rmtree(published / "submissions" / "gaps")
    built = republish(published, mini)
    left = files(published / "build" / "docs")
    assert not [path for path in left if "gaps" in path]
    assert built.pages == len(left)


def test_names_of_pages_are_safe_whatever_the_slug() -> None:
    slugs = ["rf", "RF", "../up", "a b", "<b>", "index", "README", "é", "x" * 200, "a.md", "con/trol", "", "."]
    names = [addresses.file_name(slug) for slug in slugs]
    assert len(set(names)) == len(names)
    assert names[:2] == ["rf", "RF"]
    assert all(addresses.file_name(name) == name for name in names)
