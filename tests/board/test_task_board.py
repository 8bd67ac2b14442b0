"""The task leaderboard: order, ties, intervals, unseen formulas, and what is missing."""

from __future__ import annotations

import math

import numpy as np
import pytest

from matbench_lite import Submission
from matbench_lite.board import Results, task_board
from matbench_lite.board.task_boards import hardware
from matbench_lite.stats import Interval


def test_entries_are_ordered_by_score_and_told_apart_where_they_differ(mini, noisy) -> None:
    task = mini["mini_gap"]
    entries = {"bad": noisy(mini, 2.0, tasks=[task.name]), "good": noisy(mini, 0.1, tasks=[task.name])}
    board = task_board(Results(mini, entries), task)
    first, second = board.rows
    assert [(row.slug, row.rank, row.tie_group) for row in board.rows] == [("good", 1, "a"), ("bad", 2, "b")]
    assert board.headline == "Noise 0.1 is first, and statistically ahead of all others."
    assert (board.metric, board.unit) == ("mae", "eV")
    assert first.score == entries["good"].scores[task.name].mae
    assert first.scaled_error == first.score.mean / task.mean_absolute_deviation
    assert first.verified
    assert first.interval.low < first.score.mean < first.interval.high
    assert second.difference_interval.low < second.difference < second.difference_interval.high
    assert second.p < 0.05
    assert (first.p, first.difference, first.difference_interval) == (None, 0, None)


def test_of_classification_the_highest_score_is_first_and_labels_have_no_rocauc(mini, noisy) -> None:
    task = mini["mini_is_stable"]
    entries = {"good": noisy(mini, 0.05, tasks=[task.name]), "bad": noisy(mini, 0.4, tasks=[task.name])}
    board = task_board(Results(mini, entries), task)
    assert [row.slug for row in board.rows] == ["good", "bad"]
    assert board.rows[0].labels_only
    assert set(board.rows[0].metrics) == {"accuracy", "f1"}
    assert board.rows[1].difference_interval.high < 0


def test_one_entry(mini, noisy) -> None:
    board = task_board(Results(mini, {"only": noisy(mini, 0.1, tasks=["mini_n"])}), mini["mini_n"])
    assert [(row.rank, row.tie_group, row.p) for row in board.rows] == [(1, "a", None)]
    assert board.headline == "Noise 0.1 is the only entry so far."


def test_no_entry(mini) -> None:
    board = task_board(Results(mini, {}), mini["mini_n"])
    assert (board.rows, board.headline, board.unseen_share) == ((), "No entry yet.", None)


def test_all_tied(mini, noisy) -> None:
    entries = {f"e{seed}": noisy(mini, 0.3, tasks=["mini_gap"], seed=seed) for seed in range(4)}
    board = task_board(Results(mini, entries), mini["mini_gap"])
    assert {row.tie_group for row in board.rows} == {"a"}
    assert [row.rank for row in board.rows] == [1, 2, 3, 4]
    assert board.headline == "All 4 entries are statistically tied."


def test_identical_predictions_share_a_rank_and_do_not_differ(mini, noisy) -> None:
    entries = {slug: noisy(mini, 0.3, tasks=["mini_gap"]) for slug in ("b", "a")}
    first, second = task_board(Results(mini, entries), mini["mini_gap"]).rows
    assert (first.slug, second.slug) == ("a", "b")
    assert (first.rank, second.rank, second.tie_group, second.p) == (1, 1, "a", 1.0)
    assert second.difference_interval == Interval(0, 0)


def test_an_entry_with_a_fold_missing_is_not_listed_and_that_is_said(mini) -> None:
    entry = Submission(mini, algorithm="Half")
    entry.record("mini_gap", 0, [1.0] * 100)
    board = task_board(Results(mini, {"half": entry}), mini["mini_gap"])
    assert board.rows == ()
    assert board.left_out == {"half": "1 of 5 folds recorded"}


def test_the_score_on_unseen_formulas_is_that_of_those_rows(mini, noisy) -> None:
    task = mini["mini_log_gvrh"]
    entry = noisy(mini, 0.1, tasks=[task.name])
    board = task_board(Results(mini, {"e": entry}), task)
    formulas = task.targets["formula"]
    means, rows = [], 0
    for fold in task.folds:
        seen = set(formulas.iloc[task.train_rows(fold)])
        unseen = [formula not in seen for formula in formulas.iloc[task.test_rows(fold)]]
        errors = entry.recorded(task.name)[fold].predictions.prediction - task.test_targets(fold).to_numpy()
        means.append(np.abs(errors[unseen]).mean())
        rows += sum(unseen)
    assert 0 < board.unseen_share == rows / task.rows < 1
    assert board.rows[0].unseen.mean == pytest.approx(np.mean(means), rel=1e-12)


def test_where_all_formulas_are_unseen_the_column_is_left_out(mini, noisy) -> None:
    board = task_board(Results(mini, {"e": noisy(mini, 0.1, tasks=["mini_gap"])}), mini["mini_gap"])
    assert board.unseen_share == 1
    assert board.rows[0].unseen is None


def test_a_task_whose_test_rows_are_all_seen_formulas(own_benchmark, noisy) -> None:
    bench = own_benchmark(["NaCl"] * 30, np.arange(30.0))
    (row,) = (board := task_board(Results(bench, {"e": noisy(bench, 1.0)}), bench["own_zero"])).rows
    assert board.unseen_share == 0
    assert row.unseen is None


def test_no_row_left_for_mape(own_benchmark, noisy) -> None:
    bench = own_benchmark([f"Fe{row}O" for row in range(1, 31)], [0.0] * 30)
    (row,) = task_board(Results(bench, {"e": noisy(bench, 1.0)}), bench["own_zero"]).rows
    assert math.isnan(row.metrics["mape"].mean)
    assert row.mape_share == 0
    assert math.isnan(row.scaled_error), "targets that are all equal have no deviation to scale by"


def test_uncertainty_time_and_hardware_are_shown_where_recorded(mini, noisy) -> None:
    task = mini["mini_gap"]
    entry = Submission(mini, algorithm="Sure")
    for fold in task.folds:
        with entry.measure(task.name, fold):
            entry.record(task.name, fold, task.target_values[task.test_rows(fold)] + 0.1, std=[0.2] * 100)
    (row,) = task_board(Results(mini, {"sure": entry}), task).rows
    assert row.metrics["coverage"].mean == 1
    assert list(row.metrics) == ["rmse", "mape", "max_error", "r2", "coverage", "sharpness", "nll"]
    assert row.seconds >= 0
    assert "cores" in row.hardware
    (plain,) = task_board(Results(mini, {"e": noisy(mini, 0.1, tasks=["mini_gap"])}), task).rows
    assert plain.seconds is None


@pytest.mark.parametrize(
    ("provenance", "text"),
    [
        ({}, None),
        ({"hardware": "a big one"}, None),
        ({"hardware": {"cpu": "", "gpus": []}}, None),
        ({"hardware": {"cpu": "EPYC", "cores": 8, "gpus": ["A100"]}}, "A100; EPYC, 8 cores"),
        ({"hardware": {"cpu": "EPYC", "gpus": "A100"}}, "EPYC"),
    ],
)
def test_hardware_in_words_whatever_a_stranger_wrote_there(provenance, text) -> None:
    assert hardware(provenance) == text


def test_a_board_is_a_frame_too(mini, noisy) -> None:
    entries = {f"e{seed}": noisy(mini, 0.3, tasks=["mini_gap"], seed=seed) for seed in range(3)}
    frame = task_board(Results(mini, entries), mini["mini_gap"]).to_frame()
    assert len(frame) == 3
    assert {"rank", "tie_group", "slug", "score_mean", "interval_low", "metrics_rmse_mean"} <= set(frame.columns)
