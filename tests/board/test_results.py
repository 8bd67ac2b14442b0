"""Results are computed once, kept beside the data, and never from the wrong predictions or targets."""

from __future__ import annotations

import warnings
from collections.abc import Iterable
from pathlib import Path

import numpy as np
import pytest
from sklearn.metrics import balanced_accuracy_score

from matbench_lite import Submission, load_benchmark
from matbench_lite.board import Results, compare, entry_board, general_board, task_board
from matbench_lite.board.rows import Rows, ordered_predictions, read_rows
from matbench_lite.data import add
from matbench_lite.stats import moments

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
    assert kinds(after.keys() - before.keys(), data_directory) == ["products", "scores"]


def test_entries_that_predict_the_same_are_compared_once_and_kept(mini, noisy, data_directory) -> None:
    entries = {slug: noisy(mini, 0.3, tasks=["mini_gap"]) for slug in "ab"} | {
        "c": noisy(mini, 0.5, tasks=["mini_gap"])
    }
    first = task_board(Results(mini, entries), mini["mini_gap"])
    files = kept_files(data_directory)
    assert task_board(Results(mini, entries), mini["mini_gap"]) == first
    assert kept_files(data_directory) == files
    assert [row.word for row in first.rows] == [None, "equivalent", "worse"]


def test_products_that_are_added_are_those_of_all_at_once(mini, noisy, data_directory, monkeypatch) -> None:
    task = mini["mini_is_stable"]
    entries = {f"e{n}": noisy(mini, 0.1 + 0.1 * n, tasks=[task.name], seed=n) for n in range(4)}
    Results(mini, {slug: entries[slug] for slug in ("e0", "e2")}).all_pairs(task)
    grown = Results(mini, entries).all_pairs(task).moments
    monkeypatch.setenv("MATBENCH_LITE_DATA", str(data_directory / "other"))
    monkeypatch.setattr("matbench_lite.board.products._ROOM", 100)  # a few rows at a time
    fresh = Results(mini, entries).all_pairs(task).moments
    assert grown.rows == pytest.approx(fresh.rows, rel=1e-12)
    assert grown.clusters == pytest.approx(fresh.clusters, rel=1e-12)
    rows = read_rows(task, "")
    losses = [rows.score_losses(ordered_predictions(entry.recorded(task.name))) for entry in entries.values()]
    expected = moments(losses, rows.design)
    assert fresh.rows == pytest.approx(expected.rows, rel=1e-12)
    assert fresh.clusters == pytest.approx(expected.clusters, rel=1e-12)


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
    assert (row.score.mean, row.verified, row.interval, row.without_relatives) == (102, False, None, None)
    assert (row.rank, row.first_place, row.leading, row.word, row.difference_interval, row.p) == (
        1, None, False, None, None, None,
    )  # fmt: skip
    assert board.headline == "Stated has the best score of 2 entries; without targets, nothing says how sure that is."
    assert row.mape_share == 300 / 312
    assert board.remarks == []
    assert board.left_out == {"silent": "no targets on this machine, and the entry states no scores"}
    assert entry_board(results, "stated").rows[0].anatomy is None
    both = compare(results, ["stated", "again"])
    (pair,) = both.rows
    assert (pair.word, pair.interval, pair.first_wins, pair.p, pair.winner) == (None, None, None, None, None)
    assert both.headline == "1 task in common; without targets, nothing says who is better."


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


def test_what_three_classes_cost_is_one_less_the_balanced_accuracy() -> None:
    rng = np.random.default_rng(0)
    targets, folds = rng.integers(0, 3, 60), (np.arange(60) % 3).astype(np.uint8)
    rows = Rows(
        targets=targets.astype(np.intp),
        formulas=np.array([""] * 60, dtype=object),
        folds=folds,
        spacegroups=None,
        clusters=np.arange(60),
        scatter=2.0,
    )
    predicted = rng.integers(0, 3, 60)[rows.by_fold].astype(float)
    losses = rows.score_losses(predicted)
    for fold, (own, said) in enumerate(zip(rows.split(rows.ordered_targets), rows.split(predicted), strict=True)):
        assert losses[rows.design.folds == fold].mean() == pytest.approx(1 - balanced_accuracy_score(own, said))
