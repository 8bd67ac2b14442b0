"""What stands beside a score: the pooled value, where ten rows make half of mape*, and a std that is constant."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from sklearn.metrics import r2_score, root_mean_squared_error

from matbench_lite import Benchmark, Submission
from matbench_lite.board import Results, TaskBoard, entry_board, task_board
from matbench_lite.view import Cell, task_columns, uncertainty_words

TASK = "mini_gap"


def entry(mini: Benchmark, offset: Any, **uncertainty: Any) -> Submission:
    """One whose predictions are off by what a function of the targets and the fold says."""
    made = Submission(mini, algorithm="Off", single_configuration=True)
    for fold in mini[TASK].folds:
        truth = mini[TASK].target_values[mini[TASK].test_rows(fold)]
        more = {name: value(fold, len(truth)) for name, value in uncertainty.items()}
        made.record(TASK, fold, truth + offset(truth, fold), **more)
    return made


def cell(board: TaskBoard, key: str) -> Cell:
    (column,) = (column for column in task_columns(board) if column.key == key)
    return column.cells[0]


def board_of(mini: Benchmark, made: Submission) -> TaskBoard:
    return task_board(Results(mini, {"e": made}), mini[TASK])


def test_pooled_scores_are_those_of_all_rows_and_written_where_they_differ(mini: Benchmark) -> None:
    made = entry(mini, lambda truth, fold: np.full(len(truth), 3.0 if fold == 4 else 0.1))
    board = board_of(mini, made)
    truth = np.concatenate([mini[TASK].target_values[mini[TASK].test_rows(fold)] for fold in range(5)])
    predicted = np.concatenate([made.recorded(TASK)[fold].predictions.prediction for fold in range(5)])
    (row,) = board.rows
    assert row.pooled["rmse"] == pytest.approx(root_mean_squared_error(truth, predicted), rel=1e-12)
    assert row.pooled["r2"] == pytest.approx(r2_score(truth, predicted), rel=1e-12)
    assert cell(board, "rmse").small == f"pooled {row.pooled['rmse']:.1f}"
    assert cell(board, "r2").small.startswith("pooled ")
    even = board_of(mini, entry(mini, lambda truth, fold: np.full(len(truth), 0.1)))
    assert cell(even, "rmse").small == cell(even, "r2").small == ""


def test_mape_that_a_few_rows_make_says_so(mini: Benchmark) -> None:
    def at_small_targets(truth: np.ndarray, fold: int) -> np.ndarray:
        smallest = np.argsort(np.where(truth > 1e-5, truth, np.inf))[:1]
        off = np.where(truth > 1e-5, 0.01 * truth, 0.0)
        off[smallest] = 50 * truth[smallest]
        return off

    assert cell(board_of(mini, entry(mini, at_small_targets)), "mape").small == "half from 3 rows"
    even = board_of(mini, entry(mini, lambda truth, fold: 0.1 * truth))
    assert cell(even, "mape").small == ""


@pytest.mark.parametrize(("step", "words"), [(0.0, "all rows"), (0.1, "all rows of a fold")])
def test_a_constant_std_is_marked(mini: Benchmark, step: float, words: str) -> None:
    made = entry(mini, lambda truth, fold: 0.1, std=lambda fold, rows: [0.2 + step * fold] * rows)
    board = board_of(mini, made)
    assert board.rows[0].constant_std == words
    assert cell(board, "crps").small == "constant std"
    (row,) = entry_board(Results(mini, {"e": made}), "e").rows
    assert f"constant, the same for {words}:" in uncertainty_words(row)


def test_a_std_of_its_own_for_every_row_is_not_marked(mini: Benchmark) -> None:
    made = entry(mini, lambda truth, fold: 0.1, std=lambda fold, rows: np.linspace(0.1, 0.2, rows))
    board = board_of(mini, made)
    assert board.rows[0].constant_std is None
    assert cell(board, "crps").small == ""
    (row,) = entry_board(Results(mini, {"e": made}), "e").rows
    assert "CRPS" in uncertainty_words(row)
    assert "constant" not in uncertainty_words(row)


def test_the_width_is_the_one_that_the_other_folds_ask_for(mini: Benchmark) -> None:
    made = entry(mini, lambda truth, fold: 0.1 * (fold + 1), std=lambda fold, rows: [0.2] * rows)
    widths = [scores["conformal_width"] for scores in made.scores[TASK].folds.values()]
    assert widths == pytest.approx([1.0, 1.0, 1.0, 1.0, 0.8]), "the largest error of the other folds, to both sides"
    assert board_of(mini, made).rows[0].metrics["conformal_width"].mean == pytest.approx(0.96)


def test_an_entry_without_uncertainty_has_no_words_of_it(mini: Benchmark) -> None:
    (row,) = entry_board(Results(mini, {"e": entry(mini, lambda truth, fold: 0.1)}), "e").rows
    assert uncertainty_words(row) == ""
