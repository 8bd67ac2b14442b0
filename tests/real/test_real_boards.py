"""Boards of the ten real entries: Matbench's published numbers and order, and what they do not say: ties."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

from matbench_lite import Submission, load_benchmark
from matbench_lite.board import Results, general_board, task_board

pytestmark = [pytest.mark.real, pytest.mark.slow]

BENCHMARK = load_benchmark("matbench_v0.1")
PUBLISHED_METRIC = {"regression": "mae", "classification": "rocauc"}
"""What Matbench ranks by; its "rocauc" is of labels, and so the balanced accuracy."""


@pytest.fixture(scope="module")
def entries(real_entries: Path) -> dict[str, Submission]:
    return {folder.name: Submission.load(folder) for folder in sorted(real_entries.iterdir())}


@pytest.fixture(scope="module")
def published(entries: dict[str, Submission]) -> dict[str, dict[str, float]]:
    """By task and entry, the mean over folds of the scores stored in the files."""
    means: dict[str, dict[str, float]] = {task.name: {} for task in BENCHMARK}
    for slug, entry in entries.items():
        for name, scores in entry.imported["scores"].items():
            means[name][slug] = np.mean(scores[PUBLISHED_METRIC[BENCHMARK[name].kind]])
    return means


@pytest.fixture
def results(entries: dict[str, Submission], real_store: Path, monkeypatch: pytest.MonkeyPatch) -> Results:
    monkeypatch.setenv("MATBENCH_LITE_DATA", str(real_store))
    return Results(BENCHMARK, entries)


@pytest.mark.parametrize("task", BENCHMARK, ids=lambda task: task.name)
def test_means_and_order_are_the_published_ones(results, published, task) -> None:
    board = task_board(results, task)
    stated = published[task.name]
    assert {row.slug: row.score.mean for row in board.rows} == pytest.approx(stated, rel=1e-9)
    order = sorted(stated, key=stated.__getitem__, reverse=task.kind == "classification")
    assert [row.slug for row in board.rows] == order
    assert all(row.verified for row in board.rows)
    assert all(row.interval.low < row.score.mean < row.interval.high for row in board.rows)


@pytest.mark.parametrize("name", ["matbench_steels", "matbench_jdft2d", "matbench_dielectric"])
def test_on_small_tasks_most_neighbours_are_tied(results, name) -> None:
    groups = [row.tie_group for row in task_board(results, BENCHMARK[name]).rows]
    tied = sum(first == second for first, second in pairwise(groups))
    assert tied > (len(groups) - 1) / 2


def test_a_probability_has_its_true_rocauc_and_a_label_has_none(results) -> None:
    rows = {row.slug: row for row in task_board(results, BENCHMARK["matbench_mp_is_metal"]).rows}
    assert rows["congn"].metrics["rocauc"].mean == pytest.approx(0.954047, abs=1e-6)
    assert rows["rf"].labels_only
    assert "rocauc" not in rows["rf"].metrics


def test_all_general_purpose_entries_are_ranked_on_the_common_tasks(results) -> None:
    board = general_board(results, "common")
    assert {row.slug for row in board.ranked} == {
        "congn", "alignn", "automatminer-expressv2020", "crabnet", "rf", "dummy",
    }  # fmt: skip
    assert (board.rows[0].slug, board.rows[-1].slug) == ("congn", "dummy")
    assert [row.slug for row in general_board(results, "all").ranked] == ["automatminer-expressv2020", "rf", "dummy"]
