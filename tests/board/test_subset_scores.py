"""Scores on rows without relatives and of unseen chemical systems, and errors by distance."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from sklearn.metrics import balanced_accuracy_score

from matbench_lite import Benchmark, Submission, Task, load_benchmark
from matbench_lite.board import Results, entry_board, read_relatives, targets_state, task_board
from matbench_lite.board.subset_scores import SubsetScore, easier_words
from matbench_lite.data import SYMBOLS
from matbench_lite.view import csv, entry_columns, shown_in, task_columns

SUBSETS = {"without_relatives": "without", "unseen_systems": "new_system"}


def rows_of(entry: Submission, task: Task, subset: str) -> tuple[np.ndarray, np.ndarray]:
    """Targets and predictions of the rows of a subset, looked up row by row."""
    found = read_relatives(task, targets_state(task).digest)
    predictions = np.full(task.rows, np.nan)
    for fold, recorded in entry.recorded(task.name).items():
        predictions[task.test_rows(fold)] = recorded.predictions.prediction
    rows = found.rows[getattr(found, SUBSETS[subset])]
    return task.target_values[rows], predictions[rows]


@pytest.mark.parametrize("subset", SUBSETS)
def test_an_error_is_that_of_those_rows_over_their_own_deviation(mini: Benchmark, noisy, subset: str) -> None:
    task = mini["mini_log_gvrh"]
    entry = noisy(mini, 0.1, tasks=[task.name])
    (row,) = task_board(Results(mini, {"e": entry}), task).rows
    truth, predictions = rows_of(entry, task, subset)
    held: SubsetScore = getattr(row, subset)
    assert 0 < held.share == len(truth) / task.rows < 1
    assert held.rows == len(truth)
    assert held.score == pytest.approx(np.abs(truth - predictions).mean(), rel=1e-12)
    assert held.scaled_error == pytest.approx(held.score / np.abs(truth - truth.mean()).mean(), rel=1e-12)


@pytest.mark.parametrize("subset", SUBSETS)
def test_of_classes_it_follows_from_their_balanced_accuracy(mini: Benchmark, noisy, subset: str) -> None:
    task = mini["mini_is_ductile"]
    entry = noisy(mini, 0.2, tasks=[task.name])
    (row,) = task_board(Results(mini, {"e": entry}), task).rows
    truth, predictions = rows_of(entry, task, subset)
    held: SubsetScore = getattr(row, subset)
    assert held.score == pytest.approx(balanced_accuracy_score(truth, predictions > 0.5), rel=1e-12)
    assert held.scaled_error == pytest.approx(2 * (1 - held.score), rel=1e-12)


def alloys(count: int) -> list[str]:
    """Compositions of two kinds: so near each other that all have relatives, and so far that none has."""
    near = [f"Fe{0.5 + row / 10_000:.4f}Ni{0.5 - row / 10_000:.4f}" for row in range(60)]
    elements = SYMBOLS[28:58]
    far = [f"{first}{second}" for place, first in enumerate(elements) for second in elements[:place]]
    return near + far[:count]


@pytest.mark.parametrize(("count", "known"), [(29, False), (30, True)])
def test_fewer_than_30_rows_have_no_score(own_benchmark, noisy, count: int, known: bool) -> None:
    formulas = alloys(count)
    bench = own_benchmark(formulas, np.arange(len(formulas)) / 7)
    (row,) = task_board(Results(bench, {"e": noisy(bench, 1.0)}), bench["own_zero"]).rows
    assert row.without_relatives.rows == count
    assert (row.without_relatives.scaled_error is not None, row.without_relatives.score is not None) == (known, known)


def test_targets_that_are_all_one_have_no_scaled_error(own_benchmark, noisy) -> None:
    formulas = alloys(40)
    bench = own_benchmark(formulas, [*np.arange(60.0), *[5.0] * 40])
    (row,) = task_board(Results(bench, {"e": noisy(bench, 1.0)}), bench["own_zero"]).rows
    assert row.without_relatives.score > 0
    assert row.without_relatives.scaled_error is None


def test_where_no_row_has_a_relative_there_is_no_column_for_people(mini: Benchmark, noisy) -> None:
    board = task_board(Results(mini, {"e": noisy(mini, 0.1, tasks=["mini_gap"])}), mini["mini_gap"])
    assert board.rows[0].without_relatives.share == 1
    columns = task_columns(board)
    assert "without_relatives" not in {column.key for column in shown_in("html", columns)}
    assert "without_relatives_scaled_error" in csv(columns).splitlines()[0]


def test_a_table_without_formulas_goes_without(tmp_path: Path, noisy) -> None:
    frame = pd.DataFrame({"id": range(40), "x": range(40), "y": np.arange(40) / 3})
    frame.to_csv(tmp_path / "own.csv", index=False)
    (tmp_path / "own.toml").write_text(
        'name = "own"\n[[tasks]]\nname = "own_y"\ninput = "table"\nkind = "regression"\ntarget = "y"\nunit = "GPa"\n'
        '[tasks.data]\npath = "own.csv"\nid = "id"\ntarget = "y"\ncolumns = ["x"]\n'
    )
    bench = load_benchmark(tmp_path / "own.toml")
    results = Results(bench, {"e": noisy(bench, 1.0)})
    (row,) = (board := task_board(results, bench["own_y"])).rows
    assert (row.without_relatives, row.unseen_systems, board.remarks) == (None, None, [])
    assert results.anatomy("e", bench["own_y"]).distances == ()


def test_rows_that_are_easier_are_said_to_be(own_benchmark) -> None:
    formulas = alloys(60)
    targets = np.concatenate([np.arange(60) / 60, np.arange(60.0)])
    bench = own_benchmark(formulas, targets)
    task = bench["own_zero"]

    def entry(near: float, far: float) -> Submission:
        made = Submission(bench, algorithm=f"{near} {far}")
        for fold in task.folds:
            rows = task.test_rows(fold)
            made.record(task.name, fold, targets[rows] + np.where(rows < 60, near, far))
        return made

    results = Results(bench, {"far": entry(0.1, 9.0), "near": entry(9.0, 0.1)})
    board = task_board(results, task)
    said = {row.slug: row.without_relatives.is_easier(row.scaled_error) for row in board.rows}
    assert said == {"near": True, "far": False}
    assert board.remarks[0].startswith("Without relatives, 1 of 2 entries has a lower scaled error than on all rows")
    column = next(column for column in task_columns(board) if column.key == "without_relatives")
    texts = {row.slug: cell.full_text for row, cell in zip(board.rows, column.cells, strict=True)}
    assert texts["near"].endswith("(easier)")
    assert "easier" not in texts["far"]
    assert column.heading == "without relatives (scaled, 50 % of rows)"
    boards = {task.name: board}
    of_entry = next(
        column for column in entry_columns(entry_board(results, "near"), boards) if column.key == "without_relatives"
    )
    assert of_entry.cells[0].full_text.endswith("(easier, 50 % of rows)")


def test_nothing_is_said_of_rows_that_are_not_easier() -> None:
    hard = SubsetScore(rows=40, share=0.4, score=0.2, scaled_error=0.3)
    everything = SubsetScore(rows=40, share=1.0, score=0.2, scaled_error=0.3)
    none = SubsetScore(rows=4, share=0.1, score=None, scaled_error=None)
    assert easier_words("There", [(hard, 0.2), (none, 0.2), (None, 0.2)]) is None
    assert easier_words("There", [(everything, 0.31)]) is None


def test_errors_by_distance_are_those_of_the_rows_and_of_clusters_that_are_independent(mini, noisy) -> None:
    task = mini["mini_log_gvrh"]
    entry = noisy(mini, 0.1, tasks=[task.name])
    bins = Results(mini, {"e": entry}).anatomy("e", task).distances
    found = read_relatives(task, targets_state(task).digest)
    predictions = np.concatenate([held.predictions.prediction for held in entry.recorded(task.name).values()])
    errors = pd.Series(np.abs(task.target_values[found.rows] - predictions))
    assert [(each.low, each.high) for each in bins] == [
        (0, 0), (0, 0.02), (0.02, 0.05), (0.05, 0.1), (0.1, 0.25), (0.25, math.inf),
    ]  # fmt: skip
    assert sum(each.rows for each in bins) == task.rows
    for each in bins:
        inside = (found.distances > each.low) & (found.distances <= each.high) if each.high else found.distances == 0
        assert each.rows == inside.sum()
        if each.rows:
            assert each.error == pytest.approx(errors[inside].mean(), rel=1e-12)
    # Rows alone would say less: with every row its own cluster, the half-width is Student's.
    last = bins[-1]
    inside = np.isinf(found.distances)
    sums = (errors[inside] - last.error).groupby(task.clusters[found.rows][inside]).sum() / last.rows
    clusters = len(sums)
    expected = 1.96 * math.sqrt(clusters / (clusters - 1) * (sums**2).sum())
    assert last.half_width == pytest.approx(expected, rel=0.05)
