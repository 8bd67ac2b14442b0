"""Without the targets there is still a site: of the scores that entries of version 1 state, each marked so."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import orjson
import pytest

from matbench_lite import Submission, load_benchmark
from matbench_lite.site.build import make_site, publish

from ..review.version_1 import to_version_1
from .entries import checked
from .html_page import read, table

TASK = "matbench_steels"


@pytest.fixture
def docs(tmp_path: Path) -> Path:
    """Pages of one entry of Matbench, whose targets are not here."""
    bench = load_benchmark("matbench_v0.1")
    entry = Submission(bench, algorithm="Stated", single_configuration=True)
    for fold in bench[TASK].folds:
        entry.record(TASK, fold, np.full(len(bench[TASK].test_rows(fold)), 1000.0 + fold))
    entry.save(tmp_path / "stated")
    to_version_1(tmp_path / "stated", lambda fold: {"mae": 100.0 + fold, "rmse": 150.0})
    stated = Submission.load(tmp_path / "stated")
    publish(make_site({"stated": checked("stated", tmp_path / "stated", stated)}, bench), tmp_path / "build")
    return tmp_path / "build" / "docs"


def test_each_number_is_marked_as_stated(docs) -> None:
    page = read(docs / "tasks" / f"{TASK}.md")
    row = table(page, "board")[0]
    assert row["score"].text == "102.0 ± 1.4†"
    assert "interval" not in row
    assert page.find("p", class_="mbl-state")[0].text.startswith("Unverified:")


def test_the_page_of_the_entry_says_so_first(docs) -> None:
    page = read(docs / "entries" / "stated.md")
    assert page.find("dd")[0].text.strip().startswith("No.")
    assert "No plots" in (docs / "entries" / "stated.md").read_text()


def test_the_downloads_say_so_in_every_row(docs) -> None:
    board = orjson.loads((docs / "data" / "leaderboard.json").read_bytes())["tasks"][TASK]
    assert [row["verified"] for row in board["rows"]] == [False]
    assert (docs / "data" / "folds.csv").read_text().splitlines()[1].endswith(",False")


def test_the_data_card_says_how_to_get_the_targets(docs) -> None:
    assert "mbl data fetch --targets-only" in (docs / "tasks" / f"{TASK}.md").read_text()
