"""A site of `mini`, published once, and rendered once, for all tests that only look at it."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from matbench_lite import Benchmark, load_benchmark
from matbench_lite.review import Finding
from matbench_lite.site.build import Built, build_site, make_site
from matbench_lite.site.site import Site

from .entries import ATTACKS, checked, hostile, record

DOCS = Path(__file__).parents[2] / "leaderboard_docs"


@pytest.fixture(scope="session")
def mini() -> Benchmark:
    return load_benchmark("mini")


@pytest.fixture(scope="session", autouse=True)
def shared_data(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """What is computed for one of these fixtures is there for the others."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("MATBENCH_LITE_DATA", str(tmp_path_factory.mktemp("data")))
        patch.setenv("MATBENCH_LITE_AUTOFETCH", "0")
        yield


@pytest.fixture(scope="session")
def submissions(mini: Benchmark, tmp_path_factory: pytest.TempPathFactory, shared_data: None) -> Path:
    """Four good entries of different kinds, and one that was changed after it was saved."""
    folder = tmp_path_factory.mktemp("submissions")
    code = folder / "model.py"
    code.write_text("def get_estimator():\n    ...\n")
    structure = [task.name for task in mini.select(input="structure")]
    record(mini, 0.2, uncertain=True, references=["@misc{best, title={The best}}"]).save(folder / "best", code=code)
    record(mini, 0.25, seed=1, tasks=structure, algorithm="Structures").save(folder / "structures", code=code)
    record(mini, 0.9, seed=2, algorithm="Poor", created="2023-01-01T00:00:00+00:00").save(folder / "poor", code=code)
    record(mini, 0.4, seed=3, tasks=["mini_gap"], algorithm="Gaps", authors=["A. Name"]).save(
        folder / "gaps", code=code
    )
    record(mini, 0.5, seed=4, algorithm="Broken").save(folder / "broken", code=code)
    predictions = folder / "broken" / "predictions.parquet"
    predictions.write_bytes(predictions.read_bytes()[:-20])
    code.unlink()
    return folder


@pytest.fixture(scope="session")
def built(mini: Benchmark, submissions: Path, tmp_path_factory: pytest.TempPathFactory) -> Built:
    """The site, with hand-written pages, rendered."""
    return build_site(submissions, tmp_path_factory.mktemp("built"), mini, docs=DOCS)


@pytest.fixture(scope="session")
def hostile_site(mini: Benchmark, tmp_path_factory: pytest.TempPathFactory, shared_data: None) -> Site:
    """Two entries, one of which attacks; with findings that quote it."""
    folder = tmp_path_factory.mktemp("hostile")
    code = folder / "run.py"
    code.write_text("print('</script>')\n")
    entries = {"attack": hostile(mini), "good": record(mini, 0.5, algorithm="Good")}
    for slug, entry in entries.items():
        entry.save(folder / slug, code=code)
    (folder / "attack" / "README.md").write_text("\n".join(ATTACKS) + "\n# Heading\n\n<script>x</script>\n")
    findings = [
        Finding(code="MBL101", severity="warning", message=attack, fix=attack, file=attack) for attack in ATTACKS
    ]
    errors = [Finding(code="MBL101", severity="error", message=attack, fix=attack) for attack in ATTACKS]
    return make_site(
        {
            "attack": checked("attack", folder / "attack", entries["attack"], *findings),
            "good": checked("good", folder / "good", entries["good"]),
            "<b>off</b>": checked("<b>off</b>", folder / "off", entries["good"], *errors),
        },
        mini,
    )


@pytest.fixture
def published(mini: Benchmark, submissions: Path, tmp_path: Path) -> Path:
    """The good entries in a folder of their own, to change, and the folder of their pages."""
    for slug in ("best", "gaps"):
        shutil.copytree(submissions / slug, tmp_path / "submissions" / slug)
    build_site(tmp_path / "submissions", tmp_path / "build", mini, render=False)
    return tmp_path


def leave_out_reference(build: Path) -> None:
    """Empty the API reference of a site before it is rendered: it takes most of the time, and is always the same."""
    for path in (build / "docs" / "reference").glob("*.md"):
        path.write_text("# Left out\n")


def republish(folder: Path, benchmark: Benchmark) -> None:
    """Build the pages of `published` again."""
    build_site(folder / "submissions", folder / "build", benchmark, render=False)
