"""The general-purpose leaderboard: best per task, scaled errors, ranks for those that are complete."""

from __future__ import annotations

import pytest

from matbench_lite.board import Results, general_board, scaled_error, select_tasks
from matbench_lite.errors import UnknownNameError
from matbench_lite.stats import Interval


def names(tasks) -> list[str]:
    return [task.name for task in tasks]


@pytest.fixture
def results(mini, noisy) -> Results:
    """All tasks, well and badly; all regression tasks; one task, better than anybody else."""
    return Results(
        mini,
        {
            "good": noisy(mini, 0.1),
            "bad": noisy(mini, 0.45),
            "numbers": noisy(mini, 0.2, tasks=names(mini.select(kind="regression"))),
            "specialist": noisy(mini, 0.001, tasks=["mini_gap"]),
            "tuned": noisy(mini, 0.001, single_configuration=False),
        },
    )


def test_only_general_purpose_entries_are_listed(results) -> None:
    board = general_board(results)
    assert {row.slug for row in board.rows} == {"good", "bad", "numbers"}
    assert {row.slug for row in board.best} == {"good"}


def test_every_task_has_its_best_entry(results, mini) -> None:
    best = general_board(results).best
    assert [row.task for row in best] == list(mini.names)
    gap = best[mini.names.index("mini_gap")]
    assert gap.score == results.entries["good"].scores["mini_gap"].mae
    assert (gap.unit, gap.samples, gap.tied, gap.verified) == ("eV", 500, 0, True)


def test_cells_have_scaled_errors_ties_and_the_best_marked(results, mini) -> None:
    rows = {row.slug: row for row in general_board(results).rows}
    cell = rows["good"].tasks["mini_is_stable"]
    accuracy = results.entries["good"].scores["mini_is_stable"].balanced_accuracy
    assert cell.scaled_error == pytest.approx(2 * (1 - accuracy.mean))
    assert cell.scaled_std == pytest.approx(2 * accuracy.std)
    assert (cell.best, cell.tie_group, rows["bad"].tasks["mini_is_stable"].best) == (True, "a", False)
    gap = mini["mini_gap"]
    mae = results.entries["bad"].scores["mini_gap"].mae.mean
    assert rows["bad"].tasks["mini_gap"].scaled_error == mae / gap.mean_absolute_deviation


def test_a_missing_task_is_missing(results) -> None:
    rows = {row.slug: row for row in general_board(results).rows}
    assert "mini_is_stable" not in rows["numbers"].tasks
    assert general_board(results).to_frame()["tasks_mini_is_stable_scaled_error"].isna().sum() == 1


def test_only_entries_complete_on_the_set_are_ranked(results) -> None:
    everything, numbers = general_board(results, "all"), general_board(results, "regression")
    assert [(row.slug, row.rank) for row in everything.rows] == [("good", 1), ("bad", 2), ("numbers", None)]
    assert [(row.slug, row.rank) for row in numbers.rows] == [("good", 1), ("numbers", 2), ("bad", 3)]
    best, _, last = numbers.rows
    assert (best.mean_rank, best.rank_interval, best.led) == (1, Interval(1, 1), 5)
    assert (last.mean_rank, last.led) == (3, 0)
    assert numbers.friedman.p < 0.05
    assert numbers.critical_difference > 0
    unranked = everything.rows[2]
    assert (unranked.mean_rank, unranked.rank_interval, unranked.led) == (None, None, None)


def test_by_default_every_general_purpose_entry_is_ranked(results) -> None:
    board = general_board(results)
    assert board.task_set == "common"
    assert board.ranked == board.rows


def test_one_entry(mini, noisy) -> None:
    board = general_board(Results(mini, {"only": noisy(mini, 0.1)}))
    assert [(row.rank, row.led) for row in board.rows] == [(1, 3)]
    assert (board.friedman, board.critical_difference) == (None, None)
    assert board.headline == "1 of 1 general-purpose entries is ranked: it alone has all of the 3 tasks."


def test_an_entry_with_one_task_leaves_the_board_empty(mini, noisy) -> None:
    board = general_board(Results(mini, {"one": noisy(mini, 0.1, tasks=["mini_gap"])}))
    assert board.headline == "No general-purpose entry yet."
    assert [row.slug for row in board.best] == [None] * len(mini)
    assert board.to_frame().empty


def test_identical_entries_share_every_rank(mini, noisy) -> None:
    board = general_board(Results(mini, {slug: noisy(mini, 0.1) for slug in ("a", "b")}))
    assert [(row.rank, row.mean_rank, row.led) for row in board.rows] == [(1, 1.5, 3), (1, 1.5, 3)]
    assert board.friedman.p == 1
    assert "cannot be told apart over the tasks" in board.headline


def test_a_set_without_a_complete_entry_ranks_nobody(mini, noisy) -> None:
    structure = names(mini.select(input="structure"))
    board = general_board(Results(mini, {"e": noisy(mini, 0.1, tasks=structure)}), "all")
    assert board.ranked == ()
    assert "none is ranked" in board.headline


def test_a_set_that_does_not_exist_or_is_empty_is_an_error(mini, own_benchmark) -> None:
    with pytest.raises(UnknownNameError, match="did you mean 'regression'"):
        select_tasks(mini, "regresion")
    bench = own_benchmark(["NaCl"] * 10, range(10))
    with pytest.raises(UnknownNameError, match="no task in the set 'structure'"):
        select_tasks(bench, "structure")
    assert general_board(Results(bench, {})).task_set == "all"


def test_the_scale_of_a_users_own_task_comes_from_its_targets(own_benchmark) -> None:
    bench = own_benchmark(["NaCl"] * 10, [0.0, 2.0] * 5)
    assert scaled_error(bench["own_zero"], 0.5) == 0.5
