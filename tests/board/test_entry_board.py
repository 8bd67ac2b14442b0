"""One entry: what is known of it, and where it fails."""

from __future__ import annotations

import numpy as np
import pytest

from matbench_lite import Submission
from matbench_lite.board import EntryTask, Results, entry_board


def row_of(board, task: str) -> EntryTask:
    return next(row for row in board.rows if row.task == task)


@pytest.fixture
def board(mini, noisy):
    entry = noisy(mini, 0.2, authors=["A. Name"], description="Noise.", external_data=False)
    entry.record("mini_gap", 0, entry.recorded("mini_gap")[0].predictions.prediction, params={"k": 3}, overwrite=True)
    return entry_board(Results(mini, {"noise": entry}), "noise")


def test_all_that_is_known_is_there(board, mini) -> None:
    entry = board.entry
    assert (board.slug, entry.authors, entry.description, entry.external_data) == (
        "noise",
        ["A. Name"],
        "Noise.",
        False,
    )
    assert (str(board.category), board.category.reason) == ("general-purpose", "all 7 tasks")
    assert [row.task for row in board.rows] == list(mini.names)
    gap = row_of(board, "mini_gap")
    assert gap.complete
    assert gap.verified
    assert gap.score == gap.metrics["mae"]
    assert [fold.fold for fold in gap.folds] == [0, 1, 2, 3, 4]
    assert gap.folds[0].params == {"k": 3}
    assert np.mean([fold.metrics["mae"] for fold in gap.folds]) == pytest.approx(gap.score.mean)
    assert "folds" not in board.to_frame()


def test_groups_of_each_kind_hold_every_row_and_average_to_the_error(board, mini) -> None:
    task = mini["mini_log_gvrh"]
    groups = row_of(board, task.name).anatomy.groups
    folds = row_of(board, task.name).folds
    sizes = [len(task.test_rows(fold)) for fold in task.folds]
    mean = np.average([fold.metrics["mae"] for fold in folds], weights=sizes)
    kinds = {group.by for group in groups}
    assert kinds == {"target", "number of elements", "element", "crystal system", "space group"}
    for kind in kinds - {"element"}:
        held = [group for group in groups if group.by == kind]
        assert sum(group.rows for group in held) == task.rows, kind
        assert np.average([g.error for g in held], weights=[g.rows for g in held]) == pytest.approx(mean), kind


def test_an_elements_group_is_the_rows_that_contain_it(board, mini) -> None:
    from pymatgen.core import Composition

    formulas = mini["mini_gap"].targets["formula"]
    groups = {g.label: g.rows for g in row_of(board, "mini_gap").anatomy.groups if g.by == "element"}
    for symbol in ("O", "Si", "S"):
        assert groups[symbol] == sum(symbol in Composition(formula) for formula in formulas)


def test_targets_come_in_tenths(board) -> None:
    tenths = [g for g in row_of(board, "mini_log_kvrh").anatomy.groups if g.by == "target"]
    assert len(tenths) == 10
    assert all(45 <= group.rows <= 55 for group in tenths)


def test_the_groups_of_a_classification_are_its_classes_and_the_error_is_the_share_of_wrong_rows(board, mini) -> None:
    groups = [g for g in row_of(board, "mini_is_ductile").anatomy.groups if g.by == "target"]
    assert [group.label for group in groups] == ["false", "true"]
    accuracy = row_of(board, "mini_is_ductile").metrics["accuracy"].mean
    total = sum(group.rows * group.error for group in groups) / mini["mini_is_ductile"].rows
    assert total == pytest.approx(1 - accuracy)


def test_the_worst_rows_come_worst_first(board, mini) -> None:
    worst = row_of(board, "mini_gap").anatomy.worst
    errors = [row.error for row in worst]
    assert len(worst) == 20
    assert errors == sorted(errors, reverse=True)
    largest = row_of(board, "mini_gap").metrics["max_error"].max
    assert worst[0].error == pytest.approx(largest)
    truth = mini["mini_gap"].targets.loc[worst[0].id]
    assert (worst[0].target, worst[0].formula) == (truth["target"], truth["formula"])
    assert worst[0].id in mini["mini_gap"].test_ids(worst[0].fold)


def test_a_perfect_entry_has_no_worst_rows(mini, noisy) -> None:
    board = entry_board(Results(mini, {"e": noisy(mini, 0.0, tasks=["mini_is_stable"])}), "e")
    assert board.rows[0].anatomy.worst == ()


def test_equal_targets_are_one_group(own_benchmark, noisy) -> None:
    bench = own_benchmark(["NaCl"] * 20, [1.5] * 20)
    board = entry_board(Results(bench, {"e": noisy(bench, 1.0)}), "e")
    groups = [(g.by, g.label, g.rows) for g in board.rows[0].anatomy.groups]
    assert groups == [
        ("target", "1.5", 20),
        ("number of elements", "2", 20),
        ("element", "Cl", 20),
        ("element", "Na", 20),
    ]


def test_an_unfinished_task_has_folds_but_no_score(mini) -> None:
    entry = Submission(mini, algorithm="Half")
    entry.record("mini_gap", 3, [1.0] * 100, params={"k": 1})
    (row,) = entry_board(Results(mini, {"half": entry}), "half").rows
    assert (row.complete, row.score, row.anatomy, row.verified) == (False, None, None, False)
    assert [(fold.fold, fold.params, fold.metrics) for fold in row.folds] == [(3, {"k": 1}, {})]
