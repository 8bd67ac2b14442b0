"""Models on a user's own table: what they get, which take it, and what is held out when they are tried."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from matbench_lite import load_benchmark
from matbench_lite.cli.app import run as mbl
from matbench_lite.errors import ModelError, RunError
from matbench_lite.submission import Submission
from matbench_lite.tasks import Task
from matbench_lite.train import (
    BASELINES,
    Plan,
    RowPredictions,
    bag,
    blend_runs,
    checked_predictions,
    fit_predict,
    inner_folds,
    load_model,
    rescore,
    run_model,
    try_model,
)
from matbench_lite.train.bagging import from_npz, to_npz

ROWS = 120
TOML = """
name = "ours"
[folds]
splits = 4
{folds}
[[tasks]]
name = "phase"
input = "table"
kind = "classification"
target = "phase"
[tasks.data]
path = "data.csv"
id = "id"
target = "phase"
columns = ["x", "z"]
{data}
"""
CLASSES = ("bcc", "fcc", "hcp")
Make = Callable[..., Task]
MODEL = """
from sklearn.linear_model import LogisticRegression

input = "table"


def get_estimator(task):
    assert task.classes == ("bcc", "fcc", "hcp")
    return LogisticRegression()
"""


@pytest.fixture
def make(tmp_path: Path) -> Make:
    """Write a table and its benchmark; gives its task."""

    def make(*, folds: str = "", data: str = "") -> Task:
        rows, random = np.arange(ROWS), np.random.default_rng(0)
        pd.DataFrame(
            {
                "id": [f"r{row}" for row in rows],
                "x": random.normal(rows % 3),
                "z": random.normal(size=ROWS),
                "phase": np.array(CLASSES)[rows % 3],
                "lab": random.integers(0, 11, ROWS),
                "year": random.integers(1900, 2000, ROWS),
                "fold": random.integers(0, 6, ROWS),
                "part": np.where(rows % 5, "train", "test"),
                "r0": np.where(rows % 7, "train", "test"),
                "r1": np.where(rows % 6, "train", "test"),
            }
        ).to_csv(tmp_path / "data.csv", index=False)
        (tmp_path / "ours.toml").write_text(TOML.format(folds=folds, data=data))
        return load_benchmark(tmp_path / "ours.toml").tasks[0]

    return make


def columns(tmp_path: Path) -> pd.DataFrame:
    return pd.read_csv(tmp_path / "data.csv")


def model(tmp_path: Path, source: str = MODEL) -> Path:
    (tmp_path / "model.py").write_text(source)
    return tmp_path / "model.py"


def test_of_the_baselines_two_take_tables_and_the_others_say_what_they_take(make: Make, tmp_path: Path) -> None:
    task = make()
    assert [name for name in BASELINES if load_model(name).takes(task)] == ["dummy", "rf-table"]
    for name in set(BASELINES) - {"dummy", "rf-table"}:
        with pytest.raises(ModelError, match=f"'{name}' takes (compositions|structures), phase has columns of a table"):
            try_model(load_model(name), task, tmp_path / "out")
    plan = Plan(model=load_model("rf-magpie"), benchmark=str(tmp_path / "ours.toml"), output=tmp_path / "run")
    with pytest.raises(RunError, match="'rf-magpie' takes compositions, phase has columns of a table"):
        run_model(plan)


def test_a_model_of_tables_does_not_take_materials(tmp_path: Path) -> None:
    with pytest.raises(ModelError, match="takes columns of a table, mini_gap has compositions"):
        try_model(load_model(model(tmp_path)), load_benchmark("mini")["mini_gap"], tmp_path)


@pytest.mark.parametrize("declared", ['"tables"', "[]", '("table", "structure")', '("composition", "table", "x")', "5"])
def test_an_input_that_does_not_exist_is_refused(tmp_path: Path, declared: str) -> None:
    with pytest.raises(ModelError, match="declares input = "):
        load_model(model(tmp_path, MODEL.replace('"table"', declared, 1)))


def test_a_run_records_the_probabilities_of_scikit_learn(make: Make, tmp_path: Path) -> None:
    task = make()
    plan = Plan(model=load_model(model(tmp_path)), benchmark=str(tmp_path / "ours.toml"), output=tmp_path / "run")
    result = run_model(plan)
    assert result.failed == ()
    from sklearn.linear_model import LogisticRegression

    entry = Submission.load(tmp_path / "run", load_benchmark(tmp_path / "ours.toml"))
    for fold in task.folds:
        expected = LogisticRegression().fit(*task.train_data(fold)).predict_proba(task.test_inputs(fold))
        np.testing.assert_array_equal(entry.recorded("phase")[fold].predictions.probabilities, expected)


def test_what_is_said_of_a_table_is_not_said_of_published_data(
    make: Make, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    make()
    about = ["--benchmark", str(tmp_path / "ours.toml")]
    for name in ("ours", "phase"):  # a file with one task is often called like it
        file = tmp_path / "ours.toml"
        file.write_text(file.read_text().replace('name = "ours"', f'name = "{name}"'))
        assert mbl(["try", str(model(tmp_path)), *about, "--inner-folds", "2", "--output", str(tmp_path / name)]) == 0
    said = capsys.readouterr().out
    assert ("Testing ours: phase, phase" in said, "Testing phase, phase" in said) == (True, True)
    assert mbl(["run", str(model(tmp_path)), *about, "--output", str(tmp_path / "entries" / "mine")]) == 0
    mbl(["check", str(tmp_path / "entries" / "mine"), *about])
    said = capsys.readouterr().out
    assert "scores recomputed from the targets of its table" in said
    assert "published" not in said


def test_classes_that_a_training_part_lacks_get_no_probability(make: Make) -> None:
    task = make()
    X, y = task.inputs, task.targets["target"]
    known = (y != "fcc").to_numpy()
    from sklearn.naive_bayes import GaussianNB

    (predicted,) = fit_predict(GaussianNB(), task, X[known], y[known], [X])
    assert set(predicted.values[:, 1]) == {0.0}
    np.testing.assert_allclose(predicted.values.sum(axis=1), 1)


@pytest.mark.parametrize(
    ("values", "message"),
    [
        (np.full((2, 4), 0.25), r"shape \(2, 4\)"),
        (np.full((3, 3), 1 / 3), r"shape \(3, 3\), there are 2 rows"),
        (np.full((2, 3), 0.5), "sums of probabilities of 2 of 2 rows are of probabilities not 1 in sum"),
        (np.array([[0.5, 0.5, 0], [np.nan, 0.5, 0.5]]), "1 of 2 rows are NaN or infinite"),
        (["bcc", "bc"], r"1 of 2 predictions are no class \(r1: 'bc'\)"),
        ([0, 1], "2 of 2 predictions are no class"),
        ([[0.5, 0.5, 0.0], [1.0]], "cannot be made an array"),
        (None, "are no class|shape"),
    ],
)
def test_what_is_no_class_and_no_probability_is_refused(make: Make, values: object, message: str) -> None:
    task = make()
    with pytest.raises(ModelError, match=message):
        checked_predictions(values, None, task.inputs.iloc[:2], task, "phase")


def test_probabilities_may_be_off_by_rounding(make: Make) -> None:
    task = make()
    given = np.array([[1 + 1e-12, -1e-12, 0.0], [1 / 3, 1 / 3, 1 / 3]], dtype=np.float64)
    values = checked_predictions(given, None, task.inputs.iloc[:2], task, "phase").values
    assert (values.min(), values.max()) == (0.0, 1.0)
    single = given.astype(np.float32)
    assert checked_predictions(single, None, task.inputs.iloc[:2], task, "phase").values.dtype == np.float64


def test_an_average_of_labels_is_a_share_of_votes_and_one_with_probabilities_a_probability() -> None:
    rows = np.arange(2)
    first = RowPredictions(rows=rows, prediction=np.eye(3)[[0, 1]], type="label")
    second = RowPredictions(rows=rows, prediction=np.eye(3)[[0, 2]], type="label")
    sure = RowPredictions(rows=rows, prediction=np.array([[0.5, 0.5, 0.0], [0.0, 0.0, 1.0]]), type="probability")
    votes = bag([first, second, second])
    assert votes.type == "label"
    assert votes.scorable().prediction.tolist() == [0.0, 2.0]
    mixed = bag([first, sure])
    assert mixed.type == "probability"
    np.testing.assert_allclose(mixed.prediction, [[0.75, 0.25, 0.0], [0.0, 0.5, 0.5]], atol=1e-12)
    back = from_npz(to_npz({"valid": mixed}))["valid"]
    np.testing.assert_array_equal(back.prediction, mixed.prediction)


def test_averages_are_those_of_the_ramp_program() -> None:
    """The figure of the oracle: [1, 0, 0] and [0, 0, 0], which is no distribution until it is made one."""
    rows = np.array([4])
    models = [
        RowPredictions(rows=rows, prediction=np.array([values], dtype=float), type="probability")
        for values in ([1, 0, 0], [0, 0, 0])
    ]
    np.testing.assert_allclose(bag(models).prediction, [[2 / 3, 1 / 6, 1 / 6]], rtol=1e-12)


def test_a_blend_of_classes_is_better_than_its_parts(make: Make) -> None:
    task, rows = make(), np.arange(60)
    truth = np.eye(3)[task.target_values[:60]]

    def run(wrong: int) -> dict[str, RowPredictions]:
        values = 0.9 * truth + 0.1 / 3
        values[rows % 2 == wrong] = np.roll(values, 1, axis=1)[rows % 2 == wrong] * 0.1 + 0.3
        predicted = RowPredictions(rows=rows, prediction=values / values.sum(axis=1, keepdims=True), type="probability")
        return {"valid": predicted, "test": predicted}

    blended = blend_runs(task, {"even": run(0), "odd": run(1)})
    assert blended.contributions == {"even": 0.5, "odd": 0.5}
    assert blended.scores["valid"]["balanced_accuracy"] == 1.0


def test_groups_stay_together_when_a_model_is_tried(make: Make, tmp_path: Path) -> None:
    folds = inner_folds(make(data='group = "lab"'), 1)
    labs = columns(tmp_path)["lab"].to_numpy()
    for inner in folds:
        parts = [set(labs[rows]) for rows in (inner.train, inner.valid, inner.test)]
        assert all(first.isdisjoint(second) for place, first in enumerate(parts) for second in parts[:place])
    assert len(folds) == len(set(labs[np.concatenate([folds[0].train, folds[0].valid])])) <= 8


def test_what_is_held_out_comes_later_when_a_model_is_tried(make: Make, tmp_path: Path) -> None:
    task = make(data='time = "year"')
    years = columns(tmp_path)["year"].to_numpy()
    for inner in inner_folds(task, 3, n_folds=3):
        assert years[inner.train].max() < years[inner.valid].min()
        assert years[inner.valid].max() < years[inner.test].min()


def test_a_column_of_folds_says_what_is_held_out_where_parts_say_what_is_tested(make: Make, tmp_path: Path) -> None:
    task = make(data='part = "part"\nfold = "fold"')
    numbers = columns(tmp_path)["fold"].to_numpy()
    folds = inner_folds(task, 0)
    assert len(folds) == 6
    for inner in folds:
        assert set(numbers[inner.valid]) == {inner.number}
        assert set(inner.train) | set(inner.valid) == set(task.train_rows(0))
        np.testing.assert_array_equal(inner.test, task.test_rows(0))
    with pytest.raises(RunError, match="4 inner folds cannot be made; use 6 inner folds"):
        inner_folds(task, 0, n_folds=4)


def test_columns_of_repeats_say_what_is_held_out_where_parts_say_what_is_tested(make: Make) -> None:
    task = make(data='part = "part"\nrepeats = ["r0", "r1"]')
    first, second = inner_folds(task, 0)
    assert set(first.valid) == {row for row in range(ROWS) if row % 5 and row % 7 == 0}
    assert set(second.valid) == {row for row in range(ROWS) if row % 5 and row % 6 == 0}
    assert set(first.valid) & set(second.valid)


@pytest.mark.parametrize("data", ['group = "lab"', 'fold = "fold"', 'repeats = ["r0", "r1"]', 'time = "year"', ""])
@pytest.mark.parametrize("share", ["", "test_share = 0.3"])
def test_no_row_is_trained_on_and_held_out_whatever_the_folds_are(make: Make, data: str, share: str) -> None:
    task = make(data=data, folds=share)
    for fold in task.folds[-2:]:
        for inner in inner_folds(task, fold, n_folds=3):
            parts = [set(inner.train), set(inner.valid), set(inner.test)]
            assert sum(map(len, parts)) == len(set.union(*parts))
            assert set.union(*parts) <= set(task.train_rows(fold))
        official = inner_folds(task, fold, n_folds=3, official_test=True)
        np.testing.assert_array_equal(official[0].test, task.test_rows(fold))


def test_too_few_groups_are_said_to_be_too_few(make: Make) -> None:
    with pytest.raises(RunError, match=r"20 inner folds cannot be made: \d groups are too few for 20 folds"):
        inner_folds(make(data='group = "lab"'), 0, n_folds=20)


def test_a_table_too_small_for_a_test_slice_needs_rows_not_fewer_folds(make: Make, tmp_path: Path) -> None:
    make()
    columns(tmp_path).iloc[:12].to_csv(tmp_path / "data.csv", index=False)
    task = load_benchmark(tmp_path / "ours.toml").tasks[0]
    problem = "phase fold 0: a fifth cannot be set aside of 3 rows of its rarer class; use a task with more rows"
    with pytest.raises(RunError, match=problem):
        inner_folds(task, 0, n_folds=2)


def test_a_local_test_keeps_probabilities_and_scores_them(make: Make, tmp_path: Path) -> None:
    task = make()
    trial = try_model(load_model(model(tmp_path)), task, tmp_path / "out", n_folds=3)
    assert trial.ok
    assert trial.scores is not None
    names = {"balanced_accuracy", "accuracy", "macro_f1", "rocauc_ovr", "log_loss"}
    assert names == set(trial.scores.bagged["valid"][-1]) == set(trial.scores.mean["test"])
    assert rescore(task, tmp_path / "out").scores == trial.scores
