"""The boards of an event in the browser: real submissions, one of them with something wicked in every text."""

from __future__ import annotations

import json
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path

import numpy as np
import pytest

from matbench_lite import load_benchmark
from matbench_lite.event import (
    Event,
    benchmark_source,
    build_board,
    clock,
    create_event,
    open_kit,
    private_board,
    public_board,
    receive,
    score_submissions,
    waiting,
)
from matbench_lite.event.event_data import read_inputs
from matbench_lite.event.submission_files import event_folds, write_predictions
from matbench_lite.train import RowPredictions

from ..whole_site import Once
from .axe import serious_faults

WICKED = "<script>window.hacked=1</script> {{ 7 * 7 }} [x](javascript:window.hacked=1)"
PARTICIPANTS = {"Anna": (0.4, 0.6), "Ben": (0.5, 0.5), "=cmd|' /C calc'!A0": (0.6, 0.9), WICKED: (0.9, 0.8)}
PAGES = ["index.html", "final.html", "submissions.html"]


@pytest.fixture(scope="module")
def event_address(once: Once) -> str:
    return (once("event-board", _make_board) / "pages").as_uri()


def _make_board(folder: Path) -> None:
    bench, now = load_benchmark("mini"), clock()
    event = create_event(
        Event(
            folder=folder / "gaps",
            name="gaps",
            title="Band gaps",
            mode="predictions",
            opening=now - timedelta(days=2),
            public_opening=now - timedelta(days=2),
            closing=now + timedelta(days=1),
            metric="mae",
            inner_folds=3,
        ),
        benchmark_source(bench, bench["mini_gap"]),
        split_seed=0,
    )
    for number, (name, noises) in enumerate(PARTICIPANTS.items()):
        submission = folder / str(number)
        submission.mkdir()
        title = WICKED + " and a title that goes on " * 4 if name == WICKED else f"Model {number}"
        (submission / "submission.toml").write_text(f"participant = {json.dumps(name)}\ntitle = {json.dumps(title)}\n")
        _write(event, submission / "predictions.csv", *noises)
        receive(event, submission)
    empty = folder / "empty"
    empty.mkdir()
    (empty / "submission.toml").write_text('participant = "Nobody"\n')
    receive(event, empty)
    score_submissions(event, waiting(event))
    public = public_board(event)
    later = event.closing + timedelta(hours=1)
    index = build_board(event, public, private_board(event, public), folder / "board", now=later)
    (folder / "pages").symlink_to(index.parent)


def _write(event: Event, path: Path, *noises: float) -> None:
    """Predictions that are off by so much, on what ranks in public and on the rows that decide."""
    kit, rng = open_kit(event.kit), np.random.default_rng(len(str(noises)))
    private, ids = event.private_task, {"valid": kit.task.ids, "test": read_inputs(event.kit, kit.task).index}
    asked = private.ids.get_indexer(ids["test"])
    truths = {"valid": kit.task.target_values, "test": private.target_values[asked]}
    noise = {"valid": noises[0], "test": np.where(np.isin(asked, private.test_rows(0)), noises[1], noises[0])}

    def predicted(part: str, rows: np.ndarray) -> RowPredictions:
        values = truths[part][rows] + np.broadcast_to(noise[part], len(truths[part]))[rows] * rng.normal(size=len(rows))
        return RowPredictions(rows=rows, prediction=values, type="value")

    folds = [
        {"valid": predicted("valid", fold.valid), "test": predicted("test", np.arange(len(asked)))}
        for fold in event_folds(kit.event, kit.task)
    ]
    write_predictions(path, ids, folds)


def test_nothing_runs_and_the_layout_holds(event_address: str, visit: Callable) -> None:
    window = visit(event_address)
    for name in PAGES:
        page = window.go(name)
        text = page.locator("main").evaluate("main => main.textContent")
        assert "{{ 7 * 7 }}" in text
        assert "<script>window.hacked=1</script>" in text
        for width in (390, 1280):
            page.set_viewport_size({"width": width, "height": 844})
            assert page.evaluate("window.hacked") is None
            assert page.evaluate("document.documentElement.scrollWidth - innerWidth") <= 0
            assert page.locator(".mbl-table tbody tr").first.is_visible()


def test_axe_finds_no_serious_fault(event_address: str, visit: Callable) -> None:
    window = visit(event_address)
    for name in PAGES:
        assert serious_faults(window.go(name)) == [], name


def test_the_final_ranking_says_who_has_won_and_who_has_moved(event_address: str, visit: Callable) -> None:
    page = visit(event_address).go("final.html")
    assert page.locator(".mbl-headline").text_content().startswith("Ben wins with a test MAE of")
    rows = page.locator("#final tbody tr")
    assert rows.first.locator("th").text_content() == "Ben"
    assert "+1" in rows.first.text_content()
    page.locator("#final thead th", has_text="public rank").click()
    assert page.locator("#final tbody tr").first.locator("th").text_content() == "Anna"
    assert "sort" in page.url


def test_submissions_filter_by_state_and_download_safely(event_address: str, visit: Callable) -> None:
    window = visit(event_address)
    page = window.go("submissions.html")
    page.locator(".mbl-chip", has_text="error").first.click()
    shown = [row.text_content() for row in page.locator("#submissions tbody tr:visible").all()]
    assert len(shown) == 1
    assert "its predictions cannot be used" in shown[0]
    page = window.go("index.html")
    page.locator("#public .mbl-menu summary", has_text="Copy or download").click()
    with page.expect_download() as download:
        page.locator("[data-do=download-csv]").click()
    text = Path(download.value.path()).read_text()
    assert "\n3,'=cmd" in text.replace('"', "")
