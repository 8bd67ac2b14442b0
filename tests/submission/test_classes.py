"""Predictions of classes with names: labels and probabilities, recorded, saved, read back and refused."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from sklearn import metrics as sk

from matbench_lite import Submission, load_benchmark
from matbench_lite.errors import EntryError, RecordError
from matbench_lite.submission.entry_document import canonical_bytes, digest
from matbench_lite.tasks import Benchmark

ROWS = 90
TOML = """
name = "phases"
[folds]
splits = 3
{folds}
[[tasks]]
name = "phase"
input = "table"
kind = "classification"
target = "phase"
[tasks.data]
path = "phases.csv"
id = "id"
target = "phase"
columns = ["x"]
[[tasks]]
name = "magnetic"
input = "table"
kind = "classification"
target = "magnetic"
[tasks.data]
path = "phases.csv"
id = "id"
target = "magnetic"
columns = ["x"]
[[tasks]]
name = "energy"
input = "table"
kind = "regression"
target = "x"
unit = "eV"
[tasks.data]
path = "phases.csv"
id = "id"
target = "x"
columns = ["phase"]
"""
CLASSES = ("bcc", "fcc", "hcp")


def write(folder: Path, folds: str = "") -> Benchmark:
    rows = np.arange(ROWS)
    names = {"phase": np.array(CLASSES)[rows % 3], "magnetic": np.array(["no", "yes"])[rows % 2]}
    pd.DataFrame({"id": [f"r{row}" for row in rows], "x": rows / 7, **names}).to_csv(folder / "phases.csv", index=False)
    (folder / "phases.toml").write_text(TOML.format(folds=folds))
    return load_benchmark(folder / "phases.toml")


@pytest.fixture
def bench(tmp_path: Path) -> Benchmark:
    return write(tmp_path)


def matrix(bench: Benchmark, fold: int) -> np.ndarray:
    """Probabilities of every class, drawn anew for each fold, with certain rows and ties."""
    rows = len(bench["phase"].test_rows(fold))
    drawn = np.random.default_rng(fold).dirichlet([1, 1, 1], size=rows)
    drawn[0], drawn[1] = [0, 1, 0], [1 / 3, 1 / 3, 1 / 3]
    return drawn


def entry_of(bench: Benchmark, folder: Path, *, labels: bool = False) -> Path:
    entry = Submission(bench, algorithm="Dice", authors=["A"], single_configuration=True, external_data=False)
    for fold in bench["phase"].folds:
        values = matrix(bench, fold)
        entry.record("phase", fold, np.array(CLASSES)[values.argmax(axis=1)] if labels else values)
        entry.record("magnetic", fold, ["yes"] * len(bench["magnetic"].test_rows(fold)))
        entry.record("energy", fold, bench["energy"].test_targets(fold) + 1)
    (folder / "dice.py").write_text("")
    return entry.save(folder / "dice", code=folder / "dice.py")


def test_scores_are_those_of_scikit_learn(bench: Benchmark, tmp_path: Path) -> None:
    entry = Submission.load(entry_of(bench, tmp_path), bench)
    for fold in bench["phase"].folds:
        truth, values = bench["phase"].test_targets(fold), matrix(bench, fold)
        said = np.array(CLASSES)[values.argmax(axis=1)]
        assert entry.scores["phase"].folds[fold] == pytest.approx(
            {
                "balanced_accuracy": sk.balanced_accuracy_score(truth, said),
                "accuracy": sk.accuracy_score(truth, said),
                "macro_f1": sk.f1_score(truth, said, average="macro"),
                "rocauc_ovr": sk.roc_auc_score(truth, values, multi_class="ovr"),
                "log_loss": sk.log_loss(truth, values),
            }
        )
    assert entry.scores["magnetic"].balanced_accuracy.mean == 0.5
    assert "balanced_accuracy" in repr(entry)


@pytest.mark.parametrize("labels", [False, True])
def test_an_entry_comes_back_as_it_was_saved(bench: Benchmark, tmp_path: Path, labels: bool) -> None:
    folder = entry_of(bench, tmp_path, labels=labels)
    entry = Submission.load(folder, bench)
    columns = pq.read_schema(folder / "predictions.parquet").names
    assert [name for name in columns if name.startswith("probability")] == (
        [] if labels else ["probability_0", "probability_1", "probability_2"]
    )
    for fold, held in entry.recorded("phase").items():
        assert held.predictions.type == ("label" if labels else "probability")
        assert held.predictions.prediction.tolist() == matrix(bench, fold).argmax(axis=1).tolist()
        if not labels:
            np.testing.assert_array_equal(held.predictions.probabilities, matrix(bench, fold))
    again = Submission.from_dict(entry.as_dict() | {"benchmark": bench})
    assert again.recorded("phase")[1].predictions.sha256 == entry.recorded("phase")[1].predictions.sha256


def test_a_checkpoint_keeps_probabilities(bench: Benchmark, tmp_path: Path) -> None:
    entry = Submission(bench, algorithm="Dice", checkpoint=tmp_path / "kept")
    entry.record("phase", 0, matrix(bench, 0))
    resumed = Submission.resume(tmp_path / "kept", bench)
    assert resumed.recorded("phase")[0].predictions.sha256 == entry.recorded("phase")[0].predictions.sha256


def test_a_frame_may_have_rows_and_classes_in_any_order(bench: Benchmark) -> None:
    values = pd.DataFrame(matrix(bench, 0), index=bench["phase"].test_ids(0), columns=CLASSES)
    entry = Submission(bench, algorithm="Dice")
    entry.record("phase", 0, values.iloc[::-1, ::-1])
    np.testing.assert_array_equal(entry.recorded("phase")[0].predictions.probabilities, matrix(bench, 0))


def test_of_two_classes_names_and_probabilities_of_the_second_are_taken(bench: Benchmark) -> None:
    rows = len(bench["magnetic"].test_rows(0))
    entry = Submission(bench, algorithm="Two")
    for values in (np.tile([0.25, 0.75], (rows, 1)), np.full(rows, 0.75)):
        entry.record("magnetic", 0, values, overwrite=True)
        assert entry.recorded("magnetic")[0].predictions.type == "probability"
        assert set(entry.recorded("magnetic")[0].predictions.prediction) == {0.75}
    for labels in (["yes"] * rows, np.full(rows, True)):
        entry.record("magnetic", 0, labels, overwrite=True)
        assert entry.recorded("magnetic")[0].predictions.type == "label"
        assert set(entry.recorded("magnetic")[0].predictions.prediction) == {1.0}


@pytest.mark.parametrize(
    ("spoil", "message"),
    [
        (lambda values: values[:-1], r"shape \(29,\), the fold has 30 test rows"),
        (lambda values: values[:, :2], "2 columns, there are 3 classes"),
        (lambda values: values * 0.9, "30 sums of probabilities are not 1 in sum"),
        (lambda values: values - [[0.5, -0.25, -0.25]], r"sums of probabilities are outside \[0, 1\]"),
        (lambda values: np.where(np.eye(30, 3), np.nan, values), "3 predictions are NaN or infinite"),
        (lambda values: values.argmax(axis=1), r"predictions are no class .*'1'.*give one of bcc, fcc, hcp"),
        (lambda values: ["bcc"] * 29 + ["bc"], r"1 predictions are no class \(.*: 'bc'\)"),
        (lambda values: pd.DataFrame(values, columns=["bcc", "fcc", "fc"]), "3 columns, there are 3 classes"),
        (lambda values: values.astype(str), "predictions are <U"),
        (lambda values: [[0.5, 0.5, 0.0]] * 29 + [[1.0]], "cannot be made an array"),
        (lambda values: np.full((30, 3, 1), 1 / 3), r"shape \(30, 3, 1\)"),
    ],
)
def test_what_is_no_class_and_no_probability_is_refused(
    bench: Benchmark, spoil: Callable[[np.ndarray], Any], message: str
) -> None:
    entry = Submission(bench, algorithm="Dice")
    with pytest.raises(RecordError, match=message):
        entry.record("phase", 0, spoil(matrix(bench, 0)))
    assert not entry.is_recorded("phase", 0)


def test_labels_and_probabilities_are_not_mixed_in_a_task(bench: Benchmark) -> None:
    entry = Submission(bench, algorithm="Dice")
    entry.record("phase", 0, matrix(bench, 0))
    with pytest.raises(RecordError, match="fold 1 has label predictions, the folds before have probability"):
        entry.record("phase", 1, ["bcc"] * 30)


def resealed(folder: Path, change: Callable[[dict[str, pa.Array]], dict[str, pa.Array]]) -> None:
    """Change the columns of predictions.parquet as somebody would who also corrects the file's own digests."""
    table = pq.read_table(folder / "predictions.parquet")
    columns = change({name: table[name].combine_chunks() for name in table.column_names})
    pq.write_table(pa.table(columns), folder / "predictions.parquet", store_schema=False)
    document = json.loads((folder / "submission.json").read_bytes())
    document["predictions_sha256"] = hashlib.sha256((folder / "predictions.parquet").read_bytes()).hexdigest()
    document["digest"] = digest(document)
    (folder / "submission.json").write_bytes(canonical_bytes(document))


def column(name: str, change: Callable[[np.ndarray], Any]) -> Callable[[dict[str, pa.Array]], dict[str, pa.Array]]:
    def changed(columns: dict[str, pa.Array]) -> dict[str, pa.Array]:
        values = columns[name].to_numpy(zero_copy_only=False).copy()
        return columns | {name: pa.array(change(values), pa.float64(), from_pandas=True)}

    return changed


def put(row: int, value: float) -> Callable[[np.ndarray], np.ndarray]:
    def changed(values: np.ndarray) -> np.ndarray:
        values[row] = value
        return values

    return changed


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (column("prediction", put(0, 2.0)), "has predictions that are not its most probable class"),
        (column("prediction", put(0, 3.0)), "has numbers of classes other than 0 to 2"),
        (column("prediction", put(0, 0.5)), "has numbers of classes other than 0 to 2"),
        (column("probability_0", put(3, 1.5)), r"has probabilities outside \[0, 1\]"),
        (column("probability_0", put(1, 0.9)), "has probabilities not 1 in sum"),
        (column("probability_0", put(3, np.inf)), "has NaN or infinity in probability_0"),
        (column("probability_1", put(3, np.nan)), "has probability_1 for some rows only"),
        (column("probability_1", put(80 + 15, 0.5)), "has probability_1 for some rows only"),
        (lambda c: {n: v for n, v in c.items() if n != "probability_2"}, "has not the probabilities of 3 classes"),
        (lambda c: {n: v for n, v in c.items() if "prob" not in n}, "has not the probabilities of 3 classes"),
        (lambda c: c | {"probability_3": pa.array(np.zeros(len(c["fold"])))}, "has not the probabilities of 3 classes"),
        (lambda c: c | {"probability_100": pa.array(np.zeros(len(c["fold"])))}, "has a column 'probability_100'"),
    ],
)
def test_a_file_that_was_tampered_with_is_refused(
    bench: Benchmark, tmp_path: Path, change: Callable[[dict[str, pa.Array]], dict[str, pa.Array]], message: str
) -> None:
    folder = entry_of(bench, tmp_path)
    resealed(folder, change)
    with pytest.raises(EntryError, match=message):
        Submission.load(folder, bench)


def test_a_small_change_of_a_probability_is_another_entry(bench: Benchmark, tmp_path: Path) -> None:
    folder = entry_of(bench, tmp_path)
    resealed(folder, column("probability_0", lambda values: np.nextafter(values, 1)))
    with pytest.raises(EntryError, match="values_sha256 is not that of its predictions"):
        Submission.load(folder, bench)


def test_probabilities_in_place_of_labels_are_refused(bench: Benchmark, tmp_path: Path) -> None:
    folder = entry_of(bench, tmp_path, labels=True)
    size = sum(len(task.test_rows(fold)) for task in bench for fold in task.folds)
    resealed(folder, lambda c: c | {f"probability_{n}": pa.array(np.full(size, 1 / 3)) for n in range(3)})
    with pytest.raises(EntryError, match="probabilities of"):
        Submission.load(folder, bench)


def test_an_entry_of_overlapping_test_parts_has_more_rows_than_the_task(tmp_path: Path) -> None:
    bench = write(tmp_path, "test_share = 0.6")
    task = bench["phase"]
    assert sum(len(task.test_rows(fold)) for fold in task.folds) > task.rows
    entry = Submission.load(entry_of(bench, tmp_path), bench)
    assert entry.complete_tasks == bench.names
    assert entry.recorded("phase")[2].predictions.probabilities.shape == (54, 3)
