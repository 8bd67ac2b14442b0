"""The task leaderboard: order, leading group, intervals, and what is missing."""

from __future__ import annotations

import math

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
    assert [(row.slug, row.rank, row.first_place, row.last_place) for row in board.rows] == [
        ("good", 1, 1, 1), ("bad", 2, 2, 2),
    ]  # fmt: skip
    assert [(row.leading, row.wide, row.word) for row in board.rows] == [(True, False, None), (False, False, "worse")]
    assert board.headline == "Noise 0.1 leads, and is told apart from all others."
    assert (board.metric, board.unit) == ("mae", "eV")
    assert first.score == entries["good"].scores[task.name].mae
    assert first.scaled_error == first.score.mean / task.mean_absolute_deviation
    assert first.verified
    assert first.interval.low < first.score.mean < first.interval.high
    assert second.difference_interval.low < second.difference < second.difference_interval.high
    assert second.p < 0.01
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
    assert [(row.rank, row.leading, row.p) for row in board.rows] == [(1, True, None)]
    assert board.headline == "Noise 0.1 is the only entry so far."


def test_no_entry(mini) -> None:
    board = task_board(Results(mini, {}), mini["mini_n"])
    assert (board.rows, board.headline, board.remarks) == ((), "No entry yet.", [])


def test_a_long_group_is_counted_and_some_of_it_named(mini, noisy) -> None:
    entries = {f"e{seed}": noisy(mini, 0.3, tasks=["mini_gap"], seed=seed, algorithm=f"E{seed}") for seed in range(6)}
    board = task_board(Results(mini, entries), mini["mini_gap"])
    assert all(row.leading and (row.first_place, row.last_place) == (1, 6) for row in board.rows)
    assert [row.rank for row in board.rows] == [1, 2, 3, 4, 5, 6]
    first, *others = [row.algorithm for row in board.rows]
    assert board.headline == f"{first} leads; 5 others ({', '.join(others[:3])}, …) cannot be told apart from it."


def constant(mini, task, value: float) -> Submission:
    entry = Submission(mini, algorithm=f"Always {value}")
    for fold in task.folds:
        entry.record(task.name, fold, [value] * len(task.test_rows(fold)))
    return entry


def test_a_constant_guess_has_a_rank_and_never_leads(mini, noisy) -> None:
    task = mini["mini_gap"]
    results = Results(mini, {"guess": constant(mini, task, 2.0), "bad": noisy(mini, 4.0, tasks=[task.name])})
    assert results.references == {"guess"}
    board = task_board(results, task)
    assert [(row.slug, row.rank, row.reference, row.leading) for row in board.rows] == [
        ("guess", 1, True, False), ("bad", 2, False, True),
    ]  # fmt: skip
    assert [row.word for row in board.rows] == ["better", None]
    assert board.headline == "Noise 4.0 leads; Always 2.0, a constant guess, is better."
    assert [row.last_place for row in board.rows] == [1, 2]


def test_where_there_are_only_constant_guesses_the_best_of_them_leads(mini) -> None:
    task = mini["mini_gap"]
    board = task_board(Results(mini, {"a": constant(mini, task, 2.0), "b": constant(mini, task, 9.0)}), task)
    assert [row.leading for row in board.rows] == [True, False]


def test_labels_that_are_all_the_same_are_a_constant_guess_only_where_there_is_no_regression(mini, noisy) -> None:
    task = mini["mini_is_stable"]
    guess = constant(mini, task, True)
    assert Results(mini, {"e": guess}).references == {"e"}
    gap = mini["mini_gap"]
    for fold in gap.folds:
        guess.record(gap.name, fold, gap.target_values[gap.test_rows(fold)] + 0.1)
    assert Results(mini, {"e": guess}).references == frozenset()


def test_identical_predictions_share_a_rank_and_do_not_differ(mini, noisy) -> None:
    entries = {slug: noisy(mini, 0.3, tasks=["mini_gap"]) for slug in ("b", "a")}
    first, second = task_board(Results(mini, entries), mini["mini_gap"]).rows
    assert (first.slug, second.slug) == ("a", "b")
    assert (first.rank, second.rank, second.word, second.p) == (1, 1, "equivalent", 1.0)
    assert second.difference_interval == Interval(0, 0)


def test_an_entry_with_a_fold_missing_is_not_listed_and_that_is_said(mini) -> None:
    entry = Submission(mini, algorithm="Half")
    entry.record("mini_gap", 0, [1.0] * 100)
    board = task_board(Results(mini, {"half": entry}), mini["mini_gap"])
    assert board.rows == ()
    assert board.left_out == {"half": "1 of 5 folds recorded"}


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
    assert list(row.metrics) == ["rmse", "mape", "max_error", "r2", "crps", "conformal_width", "coverage"]
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
    assert {"rank", "first_place", "leading", "word", "slug", "score_mean", "interval_low", "metrics_rmse_mean"} <= set(
        frame.columns
    )
