"""A site of `mini`, published once per run for all tests that only look at it; `whole_site` is the one in HTML."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from matbench_lite import Benchmark, load_benchmark
from matbench_lite.check import check_entries
from matbench_lite.site.build import Built, build_site, make_site, publish
from matbench_lite.site.site import Site

from ..whole_site import GUIDES, Once, pages_of_whole_site, whole_site
from .entries import record
from .html_page import Element, read


@pytest.fixture(scope="session")
def mini() -> Benchmark:
    return load_benchmark("mini")


@pytest.fixture(scope="session")
def submissions(mini: Benchmark, once: Once) -> Path:
    """Four good entries of different kinds, and one that was changed after it was saved."""

    def save(folder: Path) -> None:
        code = folder / "model.py"
        code.write_text("def get_estimator():\n    ...\n")
        structure = [task.name for task in mini.select(input="structure")]
        record(mini, 0.2, uncertain=True, references=["@misc{best, title={The best}}"]).save(folder / "best", code=code)
        record(mini, 0.25, seed=1, tasks=structure, algorithm="Structures").save(folder / "structures", code=code)
        record(mini, 0.9, seed=2, algorithm="Poor", created="2023-01-01T00:00:00+00:00").save(
            folder / "poor", code=code
        )
        record(mini, 0.4, seed=3, tasks=["mini_gap"], algorithm="Gaps", authors=["A. Name"]).save(
            folder / "gaps", code=code
        )
        record(mini, 0.5, seed=4, algorithm="Broken").save(folder / "broken", code=code)
        predictions = folder / "broken" / "predictions.parquet"
        predictions.write_bytes(predictions.read_bytes()[:-20])
        code.unlink()

    return once("site-submissions", save)


@pytest.fixture(scope="session")
def site(mini: Benchmark, submissions: Path) -> Site:
    """What the pages of these entries are made from."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("MATBENCH_LITE_DATA", str(submissions.parent / "data"))
        made = make_site(check_entries(submissions), mini, docs=GUIDES)
        assert made.boards
        assert made.general
    return made


@pytest.fixture(scope="session")
def docs(site: Site, once: Once) -> Path:
    """Their pages, as Markdown, with hand-written ones."""
    return once("site-docs", lambda folder: publish(site, folder)) / "docs"


@pytest.fixture(scope="session")
def wicked_build(once: Once) -> Path:
    """What mkdocs renders of the whole site, one of whose entries is an attack."""
    return pages_of_whole_site(once) / "build"


@pytest.fixture(scope="session")
def html(once: Once) -> Path:
    """The HTML pages of the whole site."""
    return whole_site(once)


@pytest.fixture(scope="session")
def contents(html: Path) -> dict[Path, Element]:
    """Every page of it, read once: that takes most of the time."""
    return {path: read(path) for path in sorted(html.rglob("*.html"))}


@pytest.fixture
def computed(submissions: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What was computed of the entries for one test is there for the others."""
    monkeypatch.setenv("MATBENCH_LITE_DATA", str(submissions.parent / "data"))


@pytest.fixture
def published(mini: Benchmark, submissions: Path, tmp_path: Path, once: Once, computed: None) -> Path:
    """Two good entries in a folder of their own, to change, and the folder of their pages."""

    def build(folder: Path) -> None:
        for slug in ("best", "gaps"):
            shutil.copytree(submissions / slug, folder / "submissions" / slug)
        build_site(folder / "submissions", folder / "build", mini, render=False)

    shutil.copytree(once("site-of-two", build), tmp_path, dirs_exist_ok=True)
    return tmp_path


def leave_out_reference(build: Path) -> None:
    """Empty the API reference of a site before it is rendered: it takes most of the time, and is always the same."""
    for path in (build / "docs" / "reference").glob("*.md"):
        path.write_text("# Left out\n")


def republish(folder: Path, benchmark: Benchmark) -> Built:
    """Build the pages of `published` again."""
    return build_site(folder / "submissions", folder / "build", benchmark, render=False)
