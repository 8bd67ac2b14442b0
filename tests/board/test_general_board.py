"""The general-purpose leaderboard: best per task, scaled errors, ranks for those that are complete."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest

from matbench_lite import Submission
from matbench_lite.board import GeneralRow, Results, general_board, general_boards, scaled_error, select_tasks
from matbench_lite.board.headlines import over_tasks_words
from matbench_lite.errors import UnknownNameError
from matbench_lite.view import matrix_columns


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


def constant(benchmark, **about) -> Submission:
    """An entry that says the same of every row."""
    guess = Submission(benchmark, single_configuration=True, **about)
    for task in benchmark:
        for fold in task.folds:
            count = len(task.test_rows(fold))
            guess.record(task.name, fold, [0.0] * count if task.kind == "regression" else [False] * count)
    return guess


def test_only_general_purpose_entries_are_listed(results) -> None:
    board = general_board(results)
    assert {row.slug for row in board.rows} == {"good", "bad", "numbers"}
    assert {row.slug for row in board.best} == {"good"}


def test_every_task_has_its_best_entry(results, mini) -> None:
    best = general_board(results).best
    assert [row.task for row in best] == list(mini.names)
    gap = best[mini.names.index("mini_gap")]
    assert gap.score == results.entries["good"].scores["mini_gap"].mae
    assert (gap.unit, gap.samples, gap.leading, gap.verified) == ("eV", 500, 1, True)


def test_cells_have_scaled_errors_and_the_leading_group_marked(results, mini) -> None:
    rows = {row.slug: row for row in general_board(results).rows}
    cell = rows["good"].tasks["mini_is_stable"]
    accuracy = results.entries["good"].scores["mini_is_stable"].balanced_accuracy
    assert cell.scaled_error == pytest.approx(2 * (1 - accuracy.mean))
    assert cell.scaled_std == pytest.approx(2 * accuracy.std)
    bad = rows["bad"].tasks["mini_is_stable"]
    assert (cell.best, cell.leading, bad.best, bad.leading) == (True, True, False, False)
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
    assert (best.mean_rank, best.led) == (1, 5)
    assert (last.mean_rank, last.led) == (3, 0)
    assert numbers.friedman.p < 0.05
    assert numbers.critical_difference > 0
    unranked = everything.rows[2]
    assert (unranked.geometric_mean, unranked.mean_rank, unranked.led) == (None, None, None)


def test_entries_are_ranked_by_the_geometric_mean_of_their_scaled_errors(results) -> None:
    board = general_board(results, "all")
    for row in board.ranked:
        errors = [row.tasks[name].scaled_error for name in board.ranked_tasks]
        assert row.geometric_mean == pytest.approx(math.prod(errors) ** (1 / len(errors)))
        assert row.interval.low < row.geometric_mean < row.interval.high
    assert board.rows[0].geometric_mean < board.rows[1].geometric_mean


def test_with_few_tasks_there_are_no_places_and_the_headline_says_that_they_are_few(results) -> None:
    board = general_board(results, "regression")
    assert {(row.first_place, row.last_place) for row in board.rows} == {(None, None)}
    assert board.headline.startswith("Noise 0.1 is first over 5 tasks: geometric mean of scaled errors 0.")
    assert "best on 5 of them. 5 tasks are few: nothing is said of the order on others." in board.headline
    assert "1 to 1" not in board.headline


def test_with_ten_tasks_it_is_said_who_could_be_first_on_others() -> None:
    row = GeneralRow(slug="a", algorithm="A", category="", rank=1, geometric_mean=0.1, first_place=1, last_place=1)
    others = [replace(row, slug=slug, rank=rank, first_place=first) for slug, rank, first in (("b", 2, 1), ("c", 3, 2))]
    could = over_tasks_words([row, replace(others[0], algorithm="B"), others[1]], 10)
    assert could.endswith("On other tasks like these, B could be first as well (95 %).")
    certain = over_tasks_words([row, others[1]], 10)
    assert certain.endswith("On other tasks like these, no other would be first (95 %).")


def test_copies_of_another_entry_move_no_number_and_no_order(results, mini, noisy) -> None:
    copies = {f"copy-{number}": noisy(mini, 0.2, seed=number) for number in range(5)}
    before = {row.slug: row for row in general_board(results).ranked}
    after = general_board(Results(mini, {**results.entries, **copies})).ranked
    assert [row.slug for row in after if row.slug in before] == list(before)
    for row in after:
        if row.slug in before:
            was = before[row.slug]
            assert row.geometric_mean == was.geometric_mean
            assert (row.interval.low, row.interval.high) == pytest.approx((was.interval.low, was.interval.high))


def test_a_constant_guess_is_listed_last_without_a_rank(mini, noisy) -> None:
    guess = constant(mini, algorithm="A guess")
    alone = Results(mini, {"good": noisy(mini, 0.1), "wild": noisy(mini, 5.0, seed=1)})
    before = general_board(alone)
    after = general_board(Results(mini, {**alone.entries, "guess": guess}))
    assert [(row.slug, row.rank) for row in after.rows] == [("good", 1), ("wild", 2), ("guess", None)]
    assert after.rows[-1].reference
    assert after.rows[-1].geometric_mean < after.rows[1].geometric_mean
    assert not any(cell.best or cell.leading for cell in after.rows[-1].tasks.values())
    assert (after.friedman, after.headline) == (before.friedman, before.headline)
    assert [replace(row, interval=None, tasks={}) for row in after.ranked] == [
        replace(row, interval=None, tasks={}) for row in before.ranked
    ]
    for column in matrix_columns(after, mini):
        assert column.cells[-1].heat is None
        assert column.cells[0].heat is not None


def test_a_constant_guess_alone_is_not_ranked(mini) -> None:
    board = general_board(Results(mini, {"guess": constant(mini, algorithm="A guess")}))
    assert [(row.slug, row.rank) for row in board.rows] == [("guess", None)]
    assert board.headline == "A constant guess is all that there is yet: none is ranked."


def test_task_specific_entries_with_every_task_are_named_with_the_reason(results) -> None:
    assert general_board(results, "all").left_out == {
        "tuned": "task-specific: all 7 tasks, but configured by hand for each task"
    }


def test_a_task_without_a_scale_does_not_count(mini, noisy, monkeypatch) -> None:
    results = Results(mini, {"good": noisy(mini, 0.1), "bad": noisy(mini, 0.4)})
    known = general_boards.scaled_error
    unknown = "mini_gap"
    monkeypatch.setattr(
        general_boards, "scaled_error", lambda task, score: math.nan if task.name == unknown else known(task, score)
    )
    board = general_board(results, "all")
    assert board.unscaled == (unknown,)
    assert unknown not in board.ranked_tasks
    assert [row.slug for row in board.ranked] == ["good", "bad"]
    assert board.headline.endswith(f"Not counted, for want of a scale: {unknown}.")


def test_by_default_every_general_purpose_entry_is_ranked(results) -> None:
    board = general_board(results)
    assert board.task_set == "common"
    assert board.ranked == board.rows


def test_one_entry(mini, noisy) -> None:
    board = general_board(Results(mini, {"only": noisy(mini, 0.1)}))
    assert [(row.rank, row.led) for row in board.rows] == [(1, 3)]
    assert (board.friedman, board.critical_difference) == (None, None)
    assert board.headline.startswith("Noise 0.1 alone is ranked over 3 tasks: geometric mean of scaled errors 0.")


def test_an_entry_with_one_task_leaves_the_board_empty(mini, noisy) -> None:
    board = general_board(Results(mini, {"one": noisy(mini, 0.1, tasks=["mini_gap"])}))
    assert board.headline == "No general-purpose entry yet."
    assert [row.slug for row in board.best] == [None] * len(mini)
    assert board.to_frame().empty


def test_identical_entries_share_every_rank(mini, noisy) -> None:
    board = general_board(Results(mini, {slug: noisy(mini, 0.1) for slug in ("a", "b")}))
    assert [(row.rank, row.mean_rank, row.led) for row in board.rows] == [(1, 1.5, 3), (1, 1.5, 3)]
    assert board.friedman.p == 1
    assert "share the first place over 3 tasks" in board.headline


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
