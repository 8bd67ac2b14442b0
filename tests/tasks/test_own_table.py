"""A user's own table: columns as inputs, classes with names, and folds as columns say."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from matbench_lite import Submission, load_benchmark
from matbench_lite.board import Results
from matbench_lite.errors import BenchmarkFileError, DataFormatError, MetricError
from matbench_lite.tasks import Task, share_groups
from matbench_lite.tasks.splits import time_blocks

TOML = """
name = "ours"
[folds]
splits = 3
{folds}
[[tasks]]
name = "phase"
input = "table"
kind = "{kind}"
target = "phase"
{more}
[tasks.data]
path = "data{suffix}"
id = "id"
target = "{target}"
columns = {columns}
{data}
"""
ROWS = 60
Write = Callable[..., Path]


def frame() -> pd.DataFrame:
    rows = np.arange(ROWS)
    return pd.DataFrame(
        {
            "id": [f"{row:03d}" for row in rows],
            "x": np.where(rows % 7, rows / 3, np.nan),
            "whole": rows,
            "kind": np.array(["a", "NA", "None"])[rows % 3],
            "hot": rows % 2 == 0,
            "phase": np.array(["fcc", "bcc", "hcp"])[rows % 3],
            "energy": rows * 0.1,
            "lab": np.array(["MIT", "EPFL", "KIT", "ETH"])[(rows * rows) % 7 % 4],
            "year": 1990 + rows // 4,
            "fold": np.array(["2", "10", "1"])[rows % 3],
            "part": np.where(rows < 45, "train", "test"),
            "r0": np.where(rows % 4, "train", "test"),
            "r1": np.array(["test", "train", "train", ""])[rows % 4],
        }
    )


@pytest.fixture
def write(tmp_path: Path) -> Write:
    """Write a table and its benchmark file; gives the path of the latter."""

    def write(table: pd.DataFrame | None = None, *, suffix: str = ".csv", **texts: str) -> Path:
        path = tmp_path / f"data{suffix}"
        table = frame() if table is None else table
        table.to_csv(path, index=False) if suffix == ".csv" else table.to_parquet(path)
        given = {"kind": "classification", "folds": "", "more": "", "data": "", "target": "phase"}
        given["columns"] = '["x", "whole", "kind", "hot"]'
        (tmp_path / "ours.toml").write_text(TOML.format(suffix=suffix, **given | texts))
        return tmp_path / "ours.toml"

    return write


def task_of(path: Path) -> Task:
    return load_benchmark(path).tasks[0]


@pytest.mark.parametrize("suffix", [".csv", ".parquet"])
def test_a_model_gets_the_columns_as_they_are(write: Write, suffix: str) -> None:
    task = task_of(write(suffix=suffix))
    pd.testing.assert_frame_equal(
        task.inputs, frame().set_index("id")[["x", "whole", "kind", "hot"]], check_names=False
    )
    X, y = task.train_data(1)
    assert X.index.tolist() == y.index.tolist() == task.train_ids(1).tolist()
    assert task.test_inputs(1).index.tolist() == task.test_ids(1).tolist()
    assert task.targets.columns.tolist() == ["target"]
    task.inputs["x"] = 0.0
    assert task.inputs["x"].isna().any(), "what a user does to a frame changes nothing in the next"


def test_csv_and_parquet_of_the_same_table_have_the_same_digests(write: Write) -> None:
    first, second = (task_of(write(suffix=suffix)) for suffix in (".csv", ".parquet"))
    assert (first.inputs_sha256, first.targets_sha256) == (second.inputs_sha256, second.targets_sha256)


def test_a_changed_input_is_another_digest(write: Write) -> None:
    before = task_of(write()).inputs_sha256
    changed = frame()
    changed.loc[5, "kind"] = "NB"
    assert task_of(write(changed)).inputs_sha256 != before
    with pytest.raises(BenchmarkFileError, match=f"inputs_sha256: '{before}', but the data has"):
        load_benchmark(write(changed, more=f'inputs_sha256 = "{before}"'))


def test_every_kind_of_missing_and_endless_number_has_a_digest_of_its_own(write: Write) -> None:
    digests = set()
    for value in (None, np.inf, -np.inf, 0.0):
        table = frame()
        table.loc[3, "x"] = value
        digests.add(task_of(write(table, suffix=".parquet")).inputs_sha256)
    whole = frame().assign(whole=pd.array([None, *range(1, ROWS)], dtype="Int64"))
    digests.add(task_of(write(whole, suffix=".parquet")).inputs_sha256)
    assert len(digests) == 5


def test_classes_are_found_in_order_and_given_by_name(write: Write) -> None:
    task = task_of(write())
    assert task.classes == ("bcc", "fcc", "hcp")
    assert task.scored_as == "multiclass"
    assert task.targets["target"].tolist() == frame()["phase"].tolist()
    assert task.target_values[:3].tolist() == [1, 0, 2]
    named = task_of(write(more='classes = ["hcp", "fcc", "bcc", "amorphous"]'))
    assert named.target_values[:3].tolist() == [1, 2, 0]
    assert named.targets_sha256 != task.targets_sha256, "the numbers mean other classes"


def test_whole_numbers_are_classes_in_their_own_order(write: Write) -> None:
    task = task_of(write(frame().assign(phase=np.array([10, 9, -1])[np.arange(ROWS) % 3])))
    assert task.classes == (-1, 9, 10)
    assert task.targets["target"].iloc[:3].tolist() == [10, 9, -1]


@pytest.mark.parametrize("pair", [("no", "yes"), (1, 2)])
def test_of_two_classes_the_second_is_true(write: Write, pair: tuple[Any, Any]) -> None:
    task = task_of(write(frame().assign(phase=np.array(pair, dtype=object)[np.arange(ROWS) % 2])))
    assert (task.classes, task.scored_as, task.fraction_true) == (pair, "classification", None)
    assert task.target_values.dtype == bool
    assert task.target_values[:2].tolist() == [False, True]
    assert task.targets["target"].iloc[:2].tolist() == list(pair)


def test_true_and_false_need_no_names(write: Write) -> None:
    task = task_of(write(frame().assign(phase=np.arange(ROWS) % 2 == 0)))
    assert (task.classes, task.fraction_true) == ((), 0.5)
    with pytest.raises(BenchmarkFileError, match="true and false need none"):
        load_benchmark(write(more="classes = [true, false]"))


@pytest.mark.parametrize(
    ("label", "message"),
    [
        ("true", "'phase' in row 0 is 'fcc', not true or false"),
        (" fcc", "'phase' in row 5 is ' fcc', no label: it begins or ends with a space"),
        ("7", "'phase' in row 0 is 'fcc', and other labels are whole numbers"),
        ("f\u202ecc", "cannot be shown"),
        (None, "'phase' in row 5 is empty"),
        ("Fcc", "1 rows of the rarer class are too few for 3 folds"),
    ],
)
def test_a_label_that_does_not_fit_is_named(write: Write, label: str | None, message: str) -> None:
    table = frame()
    table.loc[5, "phase"] = label
    with pytest.raises(BenchmarkFileError) as caught:
        load_benchmark(write(table))
    assert message in str(caught.value)


def test_a_label_that_is_not_among_the_named_classes_is_named(write: Write) -> None:
    with pytest.raises(BenchmarkFileError, match="'phase' in row 2 is 'hcp', not one of the classes fcc, bcc"):
        load_benchmark(write(more='classes = ["fcc", "bcc"]'))


@pytest.mark.parametrize(
    ("texts", "message"),
    [
        ({"columns": "[]"}, "columns: is missing; name the columns that a model gets"),
        ({"columns": '["x", "y"]'}, "has no column 'y'"),
        ({"columns": '["x", "phase"]'}, "'phase' is no input: it has another part to play"),
        ({"columns": '["x", "x"]'}, "'x' is named twice"),
        ({"data": 'input = "x"'}, "tasks[0].data.input"),
        ({"data": 'fold = "fold"\ngroup = "lab"'}, "the folds follow from fold already"),
        ({"data": 'group = "nowhere"'}, "has no column 'nowhere'"),
        ({"data": 'time = "kind"'}, "'kind' in row 0 is 'a', no time"),
        ({"data": 'time = "hot"', "kind": "regression", "target": "energy", "more": 'unit = "eV"'}, "different times"),
        ({"data": 'repeats = ["r0", "lab"]'}, "'lab' in row 0 is 'MIT', not train or test"),
        ({"folds": "test_share = 1.5"}, "folds.test_share: 1.5 is not between 0 and 1"),
        ({"more": 'classes = ["a"]'}, "tasks[0].classes"),
        ({"kind": "regression", "more": 'unit = "eV"'}, "'phase' in row 0 is 'fcc', not a finite number"),
        ({"target": "energy"}, "'energy' in row 1 is '0.1', and other labels are whole numbers"),
    ],
)
def test_a_mistake_is_named_with_its_place(write: Write, texts: dict[str, str], message: str) -> None:
    with pytest.raises(BenchmarkFileError) as caught:
        load_benchmark(write(**texts))
    assert message in str(caught.value)


@pytest.mark.parametrize("name", ["group", "time"])
def test_an_empty_cell_is_named_whatever_its_column_is_for(write: Write, name: str) -> None:
    table = frame()
    table.loc[3, "lab"] = None
    with pytest.raises(BenchmarkFileError, match="'lab' in row 3 is empty; fill it in or remove the row"):
        load_benchmark(write(table, data=f'{name} = "lab"'))


def test_bytes_are_no_labels(write: Write) -> None:
    with pytest.raises(BenchmarkFileError, match="the column 'phase' has binary in its cells"):
        load_benchmark(write(frame().assign(phase=[b"a", b"b", b"c"] * 20), suffix=".parquet"))


def test_dates_are_no_inputs(write: Write) -> None:
    table = frame().assign(x=pd.Timestamp("2024-01-01"))
    with pytest.raises(BenchmarkFileError, match=r"'x' in row 0 is .*not a number, a text or a truth value"):
        load_benchmark(write(table, suffix=".parquet"))


def test_a_column_says_which_fold_tests_a_row(write: Write) -> None:
    table = frame()
    table.loc[:5, "fold"] = ""
    task = task_of(write(table, data='fold = "fold"'))
    assert task.n_folds == 3
    assert task.test_ids(0).tolist() == frame()["id"][6:][frame()["fold"] == "1"].tolist(), "1, 2, 10: as numbers"
    assert task.fold_of_rows[:6].tolist() == [255] * 6
    assert set(range(6)) < set(task.train_rows(0))


def test_groups_stay_together(write: Write) -> None:
    labs = frame()["lab"].to_numpy()
    task = task_of(write(data='group = "lab"'))
    for fold in task.folds:
        assert set(labs[task.test_rows(fold)]).isdisjoint(labs[task.train_rows(fold)])
    shuffled = task_of(write(frame().sample(frac=1, random_state=0), data='group = "lab"'))
    assert set(shuffled.test_ids(0)) == set(task.test_ids(0)), "the order of the rows does not matter"


@given(groups=st.lists(st.integers(0, 12), min_size=20, max_size=80), folds=st.integers(2, 4))
def test_shared_groups_are_whole_and_their_folds_of_about_one_size(groups: list[int], folds: int) -> None:
    numbers = np.array(groups)
    if len(set(groups)) < folds:
        with pytest.raises(DataFormatError, match="groups are too few"):
            share_groups(numbers, folds)
        return
    assignment = share_groups(numbers, folds)
    assert all(len(set(assignment[numbers == group])) == 1 for group in set(groups))
    sizes = np.bincount(assignment, minlength=folds)
    assert sizes.min() > 0
    assert sizes.max() - sizes.min() <= np.bincount(numbers).max()


@given(times=st.lists(st.integers(0, 30), min_size=1, max_size=80), blocks=st.integers(2, 6))
def test_blocks_of_time_are_in_order_and_no_time_is_in_two(times: list[int], blocks: int) -> None:
    numbers = np.array(times)
    try:
        cut = time_blocks(numbers, blocks)
    except DataFormatError:
        return
    assert set(cut) == set(range(blocks))
    for earlier in range(blocks - 1):
        assert numbers[cut == earlier].max() < numbers[cut == earlier + 1].min()


@pytest.mark.parametrize("kind", ["numbers", "dates"])
def test_a_fold_is_tested_on_what_comes_after_all_that_it_is_trained_on(write: Write, kind: str) -> None:
    table = frame().sample(frac=1, random_state=0)
    if kind == "dates":
        table["year"] = [f"{year}-05-31" for year in table["year"]]
    task = task_of(write(table, data='time = "year"'))
    years = frame().set_index("id")["year"].loc[task.ids].to_numpy()
    seen = 0
    for fold in task.folds:
        assert years[task.train_rows(fold)].max() < years[task.test_rows(fold)].min()
        assert len(task.train_rows(fold)) > seen
        seen = len(task.train_rows(fold))
    assert not task.is_partition


def test_columns_of_repeats_may_overlap_and_leave_rows_out(write: Write) -> None:
    task = task_of(write(data='repeats = ["r0", "r1"]'))
    assert task.n_folds == 2
    assert task.test_rows(0).tolist() == task.test_rows(1).tolist() == list(range(0, ROWS, 4))
    assert set(task.train_rows(1)) == {row for row in range(ROWS) if row % 4 in (1, 2)}
    with pytest.raises(DataFormatError, match="in the test parts of several folds"):
        _ = task.fold_of_rows


def test_repeated_draws_are_those_of_scikit_learn(write: Write) -> None:
    from sklearn.model_selection import StratifiedShuffleSplit

    task = task_of(write(folds="seed = 5\ntest_share = 0.25"))
    drawn = StratifiedShuffleSplit(3, test_size=0.25, random_state=5).split(np.zeros(ROWS), task.target_values)
    for fold, (train, test) in enumerate(drawn):
        assert task.train_rows(fold).tolist() == sorted(train)
        assert task.test_rows(fold).tolist() == sorted(test)


def test_the_digest_of_folds_notices_every_change(write: Write) -> None:
    digests = {task_of(write(data=data)).folds_sha256 for data in ("", 'time = "year"', 'repeats = ["r0", "r1"]')}
    assert len(digests) == 3
    before = task_of(write(data='repeats = ["r0", "r1"]')).folds_sha256
    moved = frame()
    moved.loc[3, "r1"] = "train"
    assert task_of(write(moved, data='repeats = ["r0", "r1"]')).folds_sha256 != before


@pytest.mark.parametrize(
    ("texts", "why"),
    [
        ({}, "phase has 3 classes"),
        ({"data": 'part = "part"'}, "phase has one fold"),
        ({"target": "energy", "kind": "regression", "more": 'unit = "eV"', "data": 'time = "year"'}, "every row once"),
        (
            {"target": "energy", "kind": "regression", "more": 'unit = "eV"', "folds": "test_share = 0.3"},
            "every row once",
        ),
    ],
)
def test_a_leaderboard_says_why_there_is_none(write: Write, texts: dict[str, str], why: str) -> None:
    bench = load_benchmark(write(**texts))
    with pytest.raises(MetricError, match=why):
        Results(bench, {})


def test_a_table_of_numbers_has_a_leaderboard(write: Write) -> None:
    bench = load_benchmark(write(target="energy", kind="regression", more='unit = "eV"'))
    entries = {}
    for name, shift in (("a", 0.1), ("b", 0.2)):
        entries[name] = Submission(bench, algorithm=name)
        for fold in bench.tasks[0].folds:
            entries[name].record("phase", fold, bench.tasks[0].test_targets(fold) + shift)
    results = Results(bench, entries)
    assert [place.slug for place in results.places(bench.tasks[0])] == ["a", "b"]
    assert results.anatomy("a", bench.tasks[0]) is not None
