"""Results are computed once, kept beside the data, and never from the wrong predictions or targets."""

from __future__ import annotations

import warnings
from collections.abc import Iterable
from pathlib import Path

import numpy as np
import pytest

from matbench_lite import Submission, load_benchmark
from matbench_lite.board import Results, compare, entry_board, general_board, task_board
from matbench_lite.board.rows import unseen_formulas
from matbench_lite.data import add

from ..review.version_1 import to_version_1


def kept_files(folder: Path) -> dict[Path, int]:
    return {path: path.stat().st_mtime_ns for path in (folder / "derived").rglob("*.parquet")}


def kinds(files: Iterable[Path], folder: Path) -> list[str]:
    return sorted(path.relative_to(folder / "derived" / "mini").parts[0] for path in files)


def all_boards(results: Results) -> list[object]:
    return [
        *(task_board(results, task) for task in results.benchmark),
        general_board(results),
        *(entry_board(results, slug) for slug in results.entries),
        compare(results, list(results.entries)),
    ]


def test_the_second_time_nothing_is_computed_and_all_is_the_same(mini, noisy, data_directory) -> None:
    entries = {"a": noisy(mini, 0.1), "b": noisy(mini, 0.2)}
    for entry in entries.values():
        _ = entry.provenance
    first = all_boards(Results(mini, entries))
    files = kept_files(data_directory)
    assert files
    assert repr(all_boards(Results(mini, entries))) == repr(first)
    assert kept_files(data_directory) == files


def test_one_new_entry_computes_only_its_own(mini, noisy, data_directory) -> None:
    entries = {"a": noisy(mini, 0.1, tasks=["mini_gap"])}
    task_board(Results(mini, entries), mini["mini_gap"])
    before = kept_files(data_directory)
    task_board(Results(mini, {**entries, "b": noisy(mini, 0.5, tasks=["mini_gap"])}), mini["mini_gap"])
    after = kept_files(data_directory)
    assert before.items() <= after.items()
    assert kinds(after.keys() - before.keys(), data_directory) == ["pairs", "scores"]


def test_a_changed_prediction_is_another_result(mini, noisy) -> None:
    entry = noisy(mini, 0.1, tasks=["mini_gap"])
    old = Results(mini, {"e": entry}).of("e", mini["mini_gap"])
    predictions = entry.recorded("mini_gap")[2].predictions.prediction.copy()
    predictions[7] += 100
    entry.record("mini_gap", 2, predictions, overwrite=True)
    new = Results(mini, {"e": entry}).of("e", mini["mini_gap"])
    assert new.ranking.mean > old.ranking.mean + 0.1


def test_labels_and_probabilities_of_the_same_numbers_are_two_results(mini) -> None:
    task = mini["mini_is_stable"]
    kinds = {}
    for kind in (bool, float):
        entry = kinds[kind] = Submission(mini, algorithm=kind.__name__)
        for fold in task.folds:
            entry.record(task.name, fold, task.target_values[task.test_rows(fold)].astype(kind))
    board = task_board(Results(mini, {kind.__name__: entry for kind, entry in kinds.items()}), task)
    assert {row.slug: "rocauc" in row.metrics for row in board.rows} == {"bool": False, "float": True}


def test_other_targets_are_another_result(own_benchmark, noisy) -> None:
    formulas = [f"Fe{row}O" for row in range(1, 31)]
    bench = own_benchmark(formulas, np.arange(30.0))
    entry = noisy(bench, 1.0)
    old = Results(bench, {"e": entry}).of("e", bench["own_zero"])
    changed = own_benchmark(formulas, np.arange(30.0) * 2)
    new = Results(changed, {"e": entry}).of("e", changed["own_zero"])
    assert new.ranking.mean > 2 * old.ranking.mean


@pytest.mark.parametrize("damage", [b"", b'{"folds": ', b"\0" * 200])
def test_a_damaged_file_is_made_again(mini, noisy, data_directory, damage) -> None:
    entries = {"e": noisy(mini, 0.1, tasks=["mini_gap"])}
    good = Results(mini, entries).of("e", mini["mini_gap"])
    (path,) = kept_files(data_directory)
    path.write_bytes(damage)
    assert Results(mini, entries).of("e", mini["mini_gap"]) == good
    assert path.read_bytes() != damage
    assert Results(mini, entries).of("e", mini["mini_gap"]) == good


def test_a_data_directory_that_cannot_be_written_costs_only_time(mini, noisy, tmp_path, monkeypatch) -> None:
    (tmp_path / "file").write_text("not a folder")
    monkeypatch.setenv("MATBENCH_LITE_DATA", str(tmp_path / "file"))
    assert Results(mini, {"e": noisy(mini, 0.1, tasks=["mini_gap"])}).of("e", mini["mini_gap"]).verified


def test_nan_is_the_same_from_the_cache(mini) -> None:
    task = mini["mini_gap"]
    entry = Submission(mini, algorithm="Sure")
    for fold in task.folds:
        entry.record(task.name, fold, [1.0] * 100, interval=([0.0] * 100, [1.5] * 100))
    fresh, cached = (Results(mini, {"e": entry}).of("e", task).scores.metrics for _ in range(2))
    assert repr(fresh) == repr(cached)


STATED = {"mae": 100.0, "rmse": 150.0, "mape": None, "mape_rows": 60}


def saved_without_targets(tmp_path: Path, **stated: float) -> Submission:
    """An entry of Matbench with stated scores, as it is read on a machine without targets."""
    bench = load_benchmark("matbench_v0.1")
    task = bench["matbench_steels"]
    entry = Submission(bench, algorithm="Stated")
    for fold in task.folds:
        entry.record(task.name, fold, np.zeros(len(task.test_rows(fold))))
    entry.save(tmp_path / "stated")
    folder = to_version_1(tmp_path / "stated", lambda fold: {**STATED, "mae": STATED["mae"] + fold, **stated})
    return Submission.load(folder)


def test_without_targets_the_stated_scores_are_shown_as_unverified(tmp_path) -> None:
    entry = saved_without_targets(tmp_path)
    silent = Submission(entry.benchmark, algorithm="Silent")
    task = entry.benchmark["matbench_steels"]
    for fold in task.folds:
        silent.record(task.name, fold, np.zeros(len(task.test_rows(fold))))
    results = Results(entry.benchmark, {"stated": entry, "again": entry, "silent": silent})
    board = task_board(results, task)
    assert [row.slug for row in board.rows] == ["again", "stated"]
    row = board.rows[0]
    assert (row.score.mean, row.verified, row.interval, row.unseen, row.difference_interval) == (
        102, False, None, None, None,
    )  # fmt: skip
    assert row.mape_share == 300 / 312
    assert board.unseen_share is None
    assert board.left_out == {"silent": "no targets on this machine, and the entry states no scores"}
    assert entry_board(results, "stated").rows[0].anatomy is None
    (pair,) = compare(results, ["stated", "again"]).rows
    assert (pair.interval, pair.first_wins, pair.p, pair.verified) == (None, None, 1.0, False)


def test_what_an_entry_states_is_shown_only_if_it_makes_sense(tmp_path) -> None:
    strange = saved_without_targets(tmp_path / "strange", speed=3.0)
    absurd = saved_without_targets(tmp_path / "absurd", mae=1e300)
    board = task_board(
        Results(strange.benchmark, {"strange": strange, "absurd": absurd}), strange.benchmark["matbench_steels"]
    )
    assert [set(row.metrics) for row in board.rows] == [{"rmse", "mape"}]
    assert list(board.left_out) == ["absurd"]


def test_unverified_targets_give_unverified_scores(tmp_path) -> None:
    import pandas as pd

    bench = load_benchmark("matbench_v0.1")
    task = bench["matbench_steels"]
    entry = saved_without_targets(tmp_path)
    made_up = pd.DataFrame({"mbid": task.ids, "target": 1000.0, "composition": "FeNi"})
    made_up.to_parquet(tmp_path / "matbench_steels.parquet")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        (added,) = add([tmp_path / "matbench_steels.parquet"], bench, allow_unverified=True)
        assert added.error is None
        (row,) = task_board(Results(bench, {"e": entry}), task).rows
    assert (row.score.mean, row.verified) == (1000, False)


def test_formulas_of_the_same_fold_alone_are_unseen() -> None:
    formulas = np.array(["A", "A", "B", "B", "C"], dtype=object)
    assert unseen_formulas(formulas, np.array([0, 0, 0, 1, 1], np.uint8)).tolist() == [True, True, False, False, True]
