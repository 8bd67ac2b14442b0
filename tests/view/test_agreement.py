"""Every output says the same of two entries: word, p, interval, places and leading group fit one another."""

from __future__ import annotations

from itertools import permutations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from matbench_lite import Benchmark, Submission, load_benchmark
from matbench_lite.board import CompareRow, Results, compare, general_board, task_board
from matbench_lite.view import all_columns, records

MINI = load_benchmark("mini")
TASKS = ("mini_gap", "mini_is_stable")
TURNED = {"better": "worse", "worse": "better", "equivalent": "equivalent", "not told apart": "not told apart"}


def some_entries(seed: int) -> dict[str, Submission]:
    """Entries of which some are nearly the same, some better, and one is a constant guess."""
    rng = np.random.default_rng(seed)
    levels = rng.choice([0.1, 0.12, 0.2, 0.4], size=5)
    entries = {}
    for number, level in enumerate([*levels, None]):
        entry = Submission(MINI, algorithm=f"Entry {number}", single_configuration=True)
        for task in map(MINI.__getitem__, TASKS):
            for fold in task.folds:
                truth = task.target_values[task.test_rows(fold)]
                if level is None:
                    entry.record(task.name, fold, np.full(len(truth), truth.dtype.type(1)))
                elif task.kind == "classification":
                    entry.record(task.name, fold, truth ^ (rng.random(len(truth)) < level))
                else:
                    # Half of the errors are the same for all: entries that share them can be equivalent.
                    shared = np.random.default_rng(fold).normal(size=len(truth))
                    entry.record(task.name, fold, truth + shared + 0.2 * level * rng.normal(size=len(truth)))
        entries[f"e{number}"] = entry
    return entries


def check_pair(row: CompareRow, higher: bool) -> None:
    apart = row.p < 0.01
    assert apart == (not row.interval.low <= 0 <= row.interval.high)
    if row.word == "equivalent":
        assert row.winner is None
    else:
        assert apart == (row.word != "not told apart")
    if row.word in ("better", "worse"):
        assert (row.word == "better") == ((row.difference > 0) == higher)
        assert row.winner == (row.first if row.word == "better" else row.second)


@settings(max_examples=8)
@given(st.integers(0, 1000))
def test_word_p_interval_places_and_group_agree_on_every_board(seed: int) -> None:
    results = Results(MINI, some_entries(seed))
    said = {(row.task, row.first, row.second): row for row in compare(results, list(results.entries)).rows}
    for task in map(MINI.__getitem__, TASKS):
        board = task_board(results, task)
        for one, other in permutations([row.slug for row in board.rows], 2):
            if (task.name, one, other) in said:
                row = said[task.name, one, other]
                check_pair(row, task.kind == "classification")
                (turned,) = (each for each in compare(results, [other, one]).rows if each.task == task.name)
                assert (turned.difference, turned.p, turned.word) == (-row.difference, row.p, TURNED[row.word])
                assert (turned.interval.low, turned.interval.high) == (-row.interval.high, -row.interval.low)
                assert turned.winner == row.winner
        check_board(task.name, board, results)


def check_board(task: str, board, results: Results) -> None:
    best = next(row for row in board.rows if row.word is None)
    words = {}
    for one, other in permutations([row.slug for row in board.rows], 2):
        (words[one, other],) = (row.word for row in compare(results, [one, other]).rows if row.task == task)
    for place, row in enumerate(board.rows):
        others = [other.slug for other in board.rows if other is not row]
        worse = [other for other in others if words[row.slug, other] == "worse"]
        better = [other for other in others if words[row.slug, other] == "better"]
        assert (row.first_place, row.last_place) == (1 + len(worse), len(board.rows) - len(better))
        assert row.first_place <= row.rank <= row.last_place
        if row is not best:
            assert row.word == words[row.slug, best.slug]
        assert row.leading == (row.word != "worse" and not row.reference)
        above = [other for other in board.rows[:place] if other.word == "worse"]
        assert row.wide == (row.leading and bool(above))
        assert row.reference == (row.slug == "e5")


def test_what_machines_read_is_what_the_boards_say() -> None:
    results = Results(MINI, some_entries(3))
    for task in map(MINI.__getitem__, TASKS):
        board = task_board(results, task)
        for row, record in zip(board.rows, records(all_columns(board, MINI)), strict=True):
            assert (record["rank"], record["first_place"], record["last_place"]) == (
                row.rank, row.first_place, row.last_place,
            )  # fmt: skip
            assert (record["leading"], record["wide"], record["word"], record["p"]) == (
                row.leading, row.wide, row.word, row.p,
            )  # fmt: skip
            assert record["difference_interval"] == row.difference_interval


@pytest.mark.parametrize("others", [["e2"], ["e2", "e3", "e4", "e5"]])
def test_who_else_is_there_changes_nothing_about_two_entries(others: list[str]) -> None:
    entries = some_entries(5)
    two = Results(MINI, {slug: entries[slug] for slug in ("e0", "e1")})
    more = Results(MINI, {slug: entries[slug] for slug in ("e0", "e1", *others)})
    assert compare(two, ["e0", "e1"]) == compare(more, ["e0", "e1"])


def test_the_general_board_has_the_leading_groups_of_its_entries(mini: Benchmark) -> None:
    rng = np.random.default_rng(0)
    entries = {}
    for slug, level, kind in (("a", 0.1, None), ("b", 0.11, None), ("c", 0.9, None), ("d", 0.01, False)):
        entry = Submission(mini, algorithm=slug, single_configuration=kind is None)
        for task in mini:
            for fold in task.folds:
                truth = task.target_values[task.test_rows(fold)]
                noisy = truth ^ (rng.random(len(truth)) < level / 3) if truth.dtype == bool else None
                entry.record(task.name, fold, truth + level * rng.normal(size=len(truth)) if noisy is None else noisy)
        entries[slug] = entry
    without = {slug: entry for slug, entry in entries.items() if slug != "d"}
    board, alone = general_board(Results(mini, entries)), Results(mini, without)
    for task in mini:
        cells = {row.slug: row.tasks[task.name] for row in board.rows}
        expected = {row.slug: (row.leading, row.wide) for row in task_board(alone, task).rows}
        assert {slug: (cell.leading, cell.wide) for slug, cell in cells.items()} == expected, "d is task-specific"
