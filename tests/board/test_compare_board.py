"""A or B: difference, interval, word, and the rows that each wins."""

from __future__ import annotations

import numpy as np
import pytest

from matbench_lite.board import Results, compare
from matbench_lite.errors import EntryError, MatbenchLiteError, UnknownNameError
from matbench_lite.stats import Interval


@pytest.fixture
def results(mini, noisy) -> Results:
    return Results(
        mini,
        {
            "good": noisy(mini, 0.1, seed=1),
            "bad": noisy(mini, 0.4, seed=2),
            "gap": noisy(mini, 0.1, tasks=["mini_gap"], seed=3),
        },
    )


def test_two_entries_task_by_task(results, mini) -> None:
    board = compare(results, ["good", "bad"])
    assert [row.task for row in board.rows] == list(mini.names)
    row = next(row for row in board.rows if row.task == "mini_gap")
    scores = [results.entries[slug].scores["mini_gap"] for slug in ("good", "bad")]
    assert row.difference == pytest.approx(scores[0].mae.mean - scores[1].mae.mean)
    assert row.interval.low < row.difference < row.interval.high < 0
    assert row.p < 0.01
    assert (row.word, row.ahead, row.winner, row.verified) == ("better", "good", "good", True)
    errors = [
        np.concatenate(
            [
                np.abs(held.predictions.prediction - mini["mini_gap"].test_targets(fold).to_numpy())
                for fold, held in results.entries[slug].recorded("mini_gap").items()
            ]
        )
        for slug in ("good", "bad")
    ]
    assert row.first_wins == np.mean(errors[0] < errors[1])
    assert row.first_wins + row.second_wins == pytest.approx(1)
    assert board.headline == "7 tasks in common: good is better on 7, bad is better on 0."


def test_who_comes_first_changes_only_the_sign(results) -> None:
    one, other = compare(results, ["good", "bad"]).rows[0], compare(results, ["bad", "good"]).rows[0]
    assert one.difference == -other.difference
    assert (one.interval.low, one.interval.high, one.p) == (-other.interval.high, -other.interval.low, other.p)
    assert (one.word, other.word) == ("better", "worse")
    assert one.winner == other.winner == "good"
    assert (one.first_wins, one.second_wins) == (other.second_wins, other.first_wins)


def test_classification_is_won_by_the_higher_score(results) -> None:
    row = next(row for row in compare(results, ["bad", "good"]).rows if row.task == "mini_is_stable")
    assert row.difference < 0
    assert row.interval.high < 0
    assert (row.word, row.winner) == ("worse", "good")


def test_what_is_said_of_two_entries_does_not_hang_on_the_others(results) -> None:
    board = compare(results, ["good", "bad", "gap"])
    rows = [row for row in board.rows if row.task == "mini_gap"]
    assert [(row.first, row.second) for row in rows] == [("good", "bad"), ("good", "gap"), ("bad", "gap")]
    for row in rows:
        (alone,) = (each for each in compare(results, [row.first, row.second]).rows if each.task == "mini_gap")
        assert alone == row
    assert board.headline == "7 tasks, 9 comparisons: one is better in 8, 1 not told apart."


def test_identical_predictions_have_no_winner_and_win_no_row(mini, noisy) -> None:
    (row,) = compare(Results(mini, {s: noisy(mini, 0.1, tasks=["mini_gap"]) for s in "ab"}), ["a", "b"]).rows
    assert (row.difference, row.interval, row.p) == (0, Interval(0, 0), 1)
    assert (row.first_wins, row.second_wins, row.ahead, row.winner) == (0, 0, None, None)


def test_entries_without_a_task_in_common(mini, noisy) -> None:
    results = Results(mini, {task: noisy(mini, 0.1, tasks=[task]) for task in ("mini_gap", "mini_n")})
    board = compare(results, ["mini_gap", "mini_n"])
    assert board.rows == ()
    assert board.headline == "There is no task that these entries have in common."
    assert board.to_frame().empty


def test_wrong_names_are_errors(results) -> None:
    with pytest.raises(UnknownNameError, match="did you mean 'good'"):
        compare(results, ["goood", "bad"])
    for slugs in (["good"], ["good", "good"]):
        with pytest.raises(MatbenchLiteError, match="two or more different entries"):
            compare(results, slugs)


def test_entries_of_another_benchmark_are_refused(mini, noisy, own_benchmark) -> None:
    bench = own_benchmark(["NaCl"] * 10, range(10))
    with pytest.raises(EntryError, match="is an entry of own, not of mini"):
        Results(mini, {"e": noisy(bench, 0.1)})
