"""A user's own benchmark: a TOML file that says where its data lies, and a clear error for every mistake in it."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from pymatgen.core import Lattice, Structure
from sklearn.model_selection import KFold, StratifiedKFold

from matbench_lite import Benchmark, load_benchmark
from matbench_lite.data import export_targets, fetch, status, verify
from matbench_lite.errors import BenchmarkFileError, DataError, DataFormatError, DataMissingError
from matbench_lite.tasks import folds_digest, inputs_digest, targets_digest

TOML = """
name = "ours"
title = "Our gaps"

[folds]
splits = 4
seed = 7

[[tasks]]
name = "gap"
input = "composition"
kind = "regression"
target = "band gap"
unit = "eV"
description = "Measured by us."
references = ["@misc{ours}"]
[tasks.data]
path = "data/gap.csv"
id = "id"
input = "formula"
target = "gap"

[[tasks]]
name = "is_metal"
input = "composition"
kind = "classification"
target = "is_metal"
[tasks.data]
path = "data/gap.csv"
id = "id"
input = "formula"
target = "metal"
"""
ROWS = 24


def frame() -> pd.DataFrame:
    return pd.DataFrame(
        {
            # Texts that look like numbers, and a formula that looks like a missing value.
            "id": [f"{row:03d}" for row in range(ROWS)],
            "formula": ["NaN", *(f"Fe{row}O2" for row in range(1, ROWS))],
            "gap": [0.1 * row for row in range(ROWS)],
            "metal": [row % 3 == 0 for row in range(ROWS)],
        }
    )


@pytest.fixture
def write(tmp_path) -> Callable[..., Path]:
    """Write the files of a benchmark; gives the path of its TOML file."""
    (tmp_path / "data").mkdir()

    def write(toml: str = TOML, table: pd.DataFrame | str | None = None) -> Path:
        csv = tmp_path / "data" / "gap.csv"
        if isinstance(table, str):
            csv.write_text(table)
        else:
            (frame() if table is None else table).to_csv(csv, index=False)
        path = tmp_path / "ours.toml"
        path.write_text(toml)
        return path

    return write


def test_a_composition_benchmark_is_read_from_csv(write):
    bench = load_benchmark(write())
    assert (bench.name, bench.title, bench.names) == ("ours", "Our gaps", ("gap", "is_metal"))
    task = bench["gap"]
    assert (task.rows, task.n_folds, task.unit, task.references) == (ROWS, 4, "eV", ("@misc{ours}",))
    assert list(task.ids) == [f"{row:03d}" for row in range(ROWS)]
    assert task.targets.columns.tolist() == ["target", "formula"]
    assert task.targets["target"].tolist() == frame()["gap"].tolist()
    assert task.targets["formula"].iloc[:3].tolist() == ["NaN", "FeO2", "FeO"]
    assert task.inputs.tolist() == frame()["formula"].tolist()
    assert task.mean_absolute_deviation == pytest.approx(0.6)


def test_a_path_may_be_text(write):
    assert load_benchmark(str(write())).name == "ours"


def test_folds_are_those_of_scikit_learn_with_the_files_seed(write):
    bench = load_benchmark(write())
    labels = frame()["metal"].to_numpy()
    splitters = {
        "gap": KFold(4, shuffle=True, random_state=7).split(labels),
        "is_metal": StratifiedKFold(4, shuffle=True, random_state=7).split(labels, labels),
    }
    for name, splits in splitters.items():
        task = bench[name]
        for fold, (train, test) in enumerate(splits):
            assert list(task.train_ids(fold)) == [f"{row:03d}" for row in train]
            assert list(task.test_ids(fold)) == [f"{row:03d}" for row in test]
            X, y = task.train_data(fold)
            assert list(X.index) == list(y.index) == list(task.train_ids(fold))
            assert y.tolist() == task.target_values[train].tolist()
            assert list(task.test_inputs(fold).index) == list(task.test_ids(fold))


def test_without_folds_there_are_five_with_matbenchs_seed(write):
    task = load_benchmark(write(TOML.replace("[folds]\nsplits = 4\nseed = 7", "")))["gap"]
    assert (task.n_folds, task.seed) == (5, 18012019)


def test_a_classification_task_has_labels(write):
    task = load_benchmark(write())["is_metal"]
    assert task.target_values.dtype == bool
    assert task.target_values.tolist() == frame()["metal"].tolist()
    assert task.fraction_true == pytest.approx(1 / 3)
    assert task.unit == ""


@pytest.mark.parametrize(
    "spelling", [("true", "false"), ("True", "False"), ("TRUE", "FALSE"), ("1", "0"), ("1.0", "0.0")]
)
def test_labels_may_be_written_in_several_ways(write, spelling):
    table = frame().assign(metal=[spelling[0] if metal else spelling[1] for metal in frame()["metal"]])
    assert load_benchmark(write(table=table))["is_metal"].target_values.tolist() == frame()["metal"].tolist()


def test_digests_bind_the_data(write):
    task = load_benchmark(write())["gap"]
    assert task.targets_sha256 == targets_digest(task.ids, frame()["gap"].to_numpy())
    assert task.inputs_sha256 == inputs_digest(task.ids, frame()["formula"])
    assert task.folds_sha256 == folds_digest(task.fold_of_rows)


def test_claims_that_hold_are_accepted(write):
    task = load_benchmark(write())["gap"]
    claims = f'rows = {ROWS}\nfolds_sha256 = "{task.folds_sha256}"\ntargets_sha256 = "{task.targets_sha256}"\n'
    claims += f'inputs_sha256 = "{task.inputs_sha256}"\n'
    assert load_benchmark(write(TOML.replace('unit = "eV"\n', f'unit = "eV"\n{claims}')))["gap"] == task


def test_parquet_is_read_like_csv(write, tmp_path):
    expected = load_benchmark(write())["gap"].targets
    frame().to_parquet(tmp_path / "data" / "gap.parquet")
    bench = load_benchmark(write(TOML.replace("gap.csv", "gap.parquet")))
    pd.testing.assert_frame_equal(bench["gap"].targets, expected)
    assert bench["is_metal"].target_values.dtype == bool


def test_numbers_come_back_exactly(write):
    values = np.random.default_rng(0).normal(size=ROWS) * 10.0 ** np.arange(-12, 12)
    task = load_benchmark(write(table=frame().assign(gap=values)))["gap"]
    assert task.target_values.tolist() == values.tolist()


def test_targets_cannot_be_changed_by_accident(write):
    task = load_benchmark(write())["gap"]
    with pytest.raises(ValueError, match="read-only"):
        task.target_values[0] = 5
    targets = task.targets
    targets.loc[:, "target"] = 5.0
    assert task.targets["target"].iloc[0] == 0.0


STRUCTURES = [
    Structure(Lattice.cubic(4.2 + row / 100), ["Na", "Cl"], [[0, 0, 0], [0.5, 0.5, 0.5]]) for row in range(12)
]
STRUCTURE_TOML = """
name = "crystals"
[folds]
splits = 3
[[tasks]]
name = "density"
input = "structure"
kind = "regression"
target = "density"
unit = "g/cm^3"
[tasks.data]
path = "crystals.{suffix}"
structure_format = "{format}"
id = "id"
input = "crystal"
target = "density"
"""


def write_structures(
    folder: Path, fmt: str, suffix: str, change: Callable[[list[str]], Any] = lambda texts: None
) -> Path:
    texts = [structure.to(fmt=fmt) for structure in STRUCTURES]
    change(texts)
    table = pd.DataFrame(
        {
            "id": [f"c{row}" for row in range(len(texts))],
            "crystal": texts,
            "density": [structure.density for structure in STRUCTURES],
            "number": 221,
        }
    )
    if suffix == "csv":
        table.to_csv(folder / "crystals.csv", index=False)
    else:
        table.to_parquet(folder / "crystals.parquet")
    path = folder / "crystals.toml"
    path.write_text(STRUCTURE_TOML.format(format=fmt, suffix=suffix))
    return path


@pytest.mark.parametrize("suffix", ["csv", "parquet"])
@pytest.mark.parametrize("fmt", ["json", "cif", "poscar"])
def test_structures_are_read_from_json_cif_and_poscar(tmp_path, fmt, suffix):
    bench = load_benchmark(write_structures(tmp_path, fmt, suffix))
    task = bench["density"]
    assert task.targets["formula"].tolist() == ["NaCl"] * 12
    X, y = task.train_data(0)
    assert X.dtype.name == "structure"
    for row_id, structure in X.items():
        expected = STRUCTURES[int(row_id.removeprefix("c"))]
        assert structure.matches(expected)
        assert structure.density == pytest.approx(y[row_id])
        if fmt == "json":
            assert structure == expected
    assert [problem for _, problem in verify(bench)] == [None, None]


def test_structures_may_come_with_their_space_groups(tmp_path):
    path = write_structures(tmp_path, "json", "csv")
    path.write_text(path.read_text() + 'spacegroup = "number"\n')
    spacegroups = load_benchmark(path)["density"].targets["spacegroup"]
    assert spacegroups.dtype == "Int16"
    assert set(spacegroups) == {221}


def test_a_structure_that_cannot_be_read_is_named_when_it_is_needed(tmp_path):
    def cut(texts: list[str]) -> None:
        texts[5] = texts[5][:40]

    for fmt in ("json", "cif", "poscar"):
        bench = load_benchmark(write_structures(tmp_path, fmt, "csv", cut))
        task = bench["density"]
        assert len(task.target_values) == 12
        for use in (lambda: task.inputs, lambda: task.targets, lambda: task.train_data(0)):  # noqa: B023
            with pytest.raises(DataFormatError, match=rf"crystals\.csv: 'crystal' in row 5 is not {fmt}") as caught:
                use()
            assert "data.structure_format" in caught.value.fix
        problems = [problem for item, problem in verify(bench) if item.part == "inputs"]
        assert "in row 5" in problems[0]


def test_json_that_is_no_structure_is_named(tmp_path):
    def spoil(texts: list[str]) -> None:
        texts[3] = '{"lattice": 5}'

    task = load_benchmark(write_structures(tmp_path, "json", "parquet", spoil))["density"]
    with pytest.raises(DataFormatError, match=r"crystals\.parquet: structure 3 is malformed"):
        _ = task.inputs


def without(line: str) -> Callable[[str], str]:
    def change(toml: str) -> str:
        assert line in toml
        return toml.replace(line, "", 1)

    return change


def instead(old: str, new: str) -> Callable[[str], str]:
    def change(toml: str) -> str:
        assert old in toml
        return toml.replace(old, new, 1)

    return change


DATA = '[tasks.data]\npath = "data/gap.csv"\nid = "id"\ninput = "formula"\ntarget = "gap"\n'
MISTAKES: dict[str, tuple[Callable[[str], str], str]] = {
    "no name": (without('name = "ours"'), "name: is missing"),
    "empty name": (instead('name = "ours"', 'name = ""'), "name: is empty"),
    "name with a slash": (instead('"ours"', '"our/s"'), "name: 'our/s' is not a name"),
    "name that is a folder": (instead('"ours"', '".."'), "name: '..' is not a name"),
    "name that is a number": (instead('"ours"', "5"), "name: 5 is not a string"),
    "name of a built-in benchmark": (instead('"ours"', '"mini"'), "name: 'mini' is the name of a built-in benchmark"),
    "title of the wrong type": (instead('"Our gaps"', "true"), "title: true is not a string"),
    "unknown key": (instead("title =", "titel ="), "titel: is not a known key; did you mean 'title'? use one of name"),
    "no tasks": (lambda toml: toml.partition("[[tasks]]")[0], "tasks: there are none; add a [[tasks]] section"),
    "tasks that are a table": (lambda toml: 'name = "ours"\n[tasks]\nname = "gap"\n', "is not a list"),
    "tasks that are numbers": (lambda toml: 'name = "ours"\ntasks = [5]\n', "tasks[0]: is not a table"),
    "folds that are a number": (instead("[folds]\nsplits = 4\nseed = 7", "folds = 4"), "folds: 4 is not a table"),
    "one split": (instead("splits = 4", "splits = 1"), "folds.splits: 1 is not between 2 and 255"),
    "too many splits": (instead("splits = 4", "splits = 256"), "folds.splits: 256 is not between 2 and 255"),
    "splits as text": (instead("splits = 4", 'splits = "4"'), "folds.splits: '4' is not a whole number"),
    "splits that are true": (instead("splits = 4", "splits = true"), "folds.splits: true is not a whole number"),
    "negative seed": (instead("seed = 7", "seed = -7"), "folds.seed: -7 is not between 0 and 4294967295"),
    "unknown key of the folds": (instead("seed = 7", "sed = 7"), "folds.sed: is not a known key"),
    "no name of a task": (without('name = "gap"\n'), "tasks[0].name: is missing"),
    "task name with a space": (instead('name = "gap"', 'name = "the gap"'), "tasks[0].name: 'the gap' is not a name"),
    "task name twice": (instead('name = "is_metal"', 'name = "gap"'), "tasks[1].name: 'gap' is used more than once"),
    "no kind": (without('kind = "regression"\n'), "tasks[0].kind: is missing; give one of regression, classification"),
    "bad kind": (instead('"regression"', '"ranking"'), "tasks[0].kind: 'ranking' is not one of regression, class"),
    "kind of the wrong type": (instead('"regression"', "5"), "tasks[0].kind: 5 is not one of regression"),
    "bad input": (instead('input = "composition"', 'input = "text"'), "tasks[0].input: 'text' is not one of structure"),
    "no target": (without('target = "band gap"\n'), "tasks[0].target: is missing"),
    "no unit": (without('unit = "eV"\n'), "tasks[0].unit: is missing; give a string"),
    "unknown key of a task": (instead("unit =", "units = 1\nunit ="), "tasks[0].units: is not a known key"),
    "id prefix": (instead("unit =", 'id_prefix = "x"\nunit ='), "tasks[0].id_prefix: is not a known key"),
    "references that are text": (instead('["@misc{ours}"]', '"x"'), "tasks[0].references: 'x' is not a list"),
    "references that are numbers": (instead('["@misc{ours}"]', "[1]"), "tasks[0].references: is not a list of strings"),
    "no data": (without(DATA), "tasks[0].data: is missing; say where the data lies: path, id, input, target"),
    "data that is text": (instead(DATA, 'data = "gap.csv"\n'), "tasks[0].data: is not a table"),
    "no path": (without('path = "data/gap.csv"\n'), "tasks[0].data.path: is missing"),
    "no column of ids": (without('id = "id"\n'), "tasks[0].data.id: is missing"),
    "unknown key of the data": (instead('id = "id"\n', 'id = "id"\nids = "x"\n'), "tasks[0].data.ids: is not a known"),
    "bad format": (
        instead('id = "id"\n', 'id = "id"\nstructure_format = "xyz"\n'),
        "tasks[0].data.structure_format: 'xyz' is not one of json, cif, poscar",
    ),
    "no such file": (instead("gap.csv", "gaps.csv"), "data/gaps.csv cannot be opened: No such file or directory"),
    "a folder": (instead("data/gap.csv", "data"), "/data cannot be read"),
    "no such column": (
        instead('target = "gap"\n', 'target = "gaps"\n'),
        "gap.csv has no column 'gaps'; use one of id, formula, gap, metal",
    ),
    "no such input column": (instead('"formula"', '"composition"'), "gap.csv has no column 'composition'"),
    "no such id column": (instead('id = "id"', 'id = "ID"'), "gap.csv has no column 'ID'"),
    "no such column of space groups": (
        instead('id = "id"\n', 'id = "id"\nspacegroup = "number"\n'),
        "gap.csv has no column 'number'",
    ),
    "a column of something else": (
        instead('id = "id"\n', 'id = "id"\nspacegroup = "formula"\n'),
        "'formula' in row 0 is 'NaN', not a space-group number; give a whole number from 1 to 230",
    ),
    "labels for numbers": (
        instead('target = "gap"\n', 'target = "metal"\n'),
        "'metal' in row 0 is 'True', not a finite",
    ),
    "numbers for labels": (
        instead('target = "metal"', 'target = "gap"'),
        "'gap' in row 1 is '0.1', and other labels are",
    ),
    "texts for numbers": (
        instead('target = "gap"\n', 'target = "formula"\n'),
        "'formula' in row 0 is 'NaN', not a finite number",
    ),
    "wrong number of rows": (instead("unit =", "rows = 23\nunit ="), "tasks[0].rows: 23, but the data has 24"),
    "wrong rows": (instead("unit =", "rows = true\nunit ="), "tasks[0].rows: true is not a whole number"),
    "wrong folds": (instead("unit =", 'folds_sha256 = "ab"\nunit ='), "tasks[0].folds_sha256: 'ab', but the data has"),
    "wrong targets": (instead("unit =", 'targets_sha256 = "ab"\nunit ='), "tasks[0].targets_sha256: 'ab', but the"),
    "wrong inputs": (instead("unit =", 'inputs_sha256 = "ab"\nunit ='), "tasks[0].inputs_sha256: 'ab', but the data"),
    "more folds than rows": (
        instead("splits = 4", "splits = 20"),
        "8 rows of the rarer class are too few for 20 folds",
    ),
}


@pytest.mark.parametrize(("change", "message"), MISTAKES.values(), ids=MISTAKES)
def test_a_mistake_in_the_file_is_named_with_its_place_and_nothing_else_is(write, change, message):
    path = write(change(TOML))
    with pytest.raises(BenchmarkFileError) as caught:
        load_benchmark(path)
    first, *rest = str(caught.value).splitlines()
    assert first == f"{path} has 1 mistake:"
    assert len(rest) == 1
    assert message in rest[0]


def cells(column: str, row: int, value: Any) -> pd.DataFrame:
    table = frame().astype(object)
    table.loc[row, column] = value
    return table


TABLES: dict[str, tuple[pd.DataFrame | str, str]] = {
    "empty file": ("", "gap.csv cannot be read: No columns to parse"),
    "header alone": ("id,formula,gap,metal\n", "0 rows are too few for 4 folds; add rows or lower folds.splits"),
    "too few rows": (frame().iloc[:3], "3 rows are too few for 4 folds"),
    "id twice": (cells("id", 5, "001"), "the id '001' occurs more than once; give every row its own id"),
    "id missing": (cells("id", 5, ""), "'id' in row 5 is empty; fill it in or remove the row"),
    "target missing": (cells("gap", 5, None), "'gap' in row 5 is empty"),
    "target NaN": (cells("gap", 5, "NaN"), "'gap' in row 5 is 'NaN', not a finite number"),
    "target infinite": (cells("gap", 5, "inf"), "'gap' in row 5 is 'inf', not a finite number"),
    "target text": (cells("gap", 5, "1.2 eV"), "'gap' in row 5 is '1.2 eV', not a finite number"),
    "formula missing": (cells("formula", 5, None), "'formula' in row 5 is empty"),
    "bad formula": (cells("formula", 5, "Steel"), "'formula' in row 5: 'Steel' is not a chemical formula"),
    "row too long": ("id,formula,gap,metal\n" + "1,Fe,0.5,0,extra\n" * 5, "gap.csv cannot be read"),
    "some rows too long": (
        frame().to_csv(index=False) + "x,Fe,0.5,True,extra\n",
        "gap.csv cannot be read: Error tokenizing data",
    ),
    "semicolons": (frame().to_csv(index=False, sep=";"), "has no column 'id'; use one of id;formula;gap;metal"),
}


@pytest.mark.parametrize(("table", "message"), TABLES.values(), ids=TABLES)
def test_a_mistake_in_the_data_is_named_with_its_place(write, table, message):
    path = write(table=table)
    with pytest.raises(BenchmarkFileError) as caught:
        load_benchmark(path)
    problems = str(caught.value).splitlines()[1:]
    assert any(line.startswith("  tasks[0].data: gap: ") and message in line for line in problems)


@pytest.mark.parametrize(
    ("value", "message"),
    [
        (
            "yes",
            "'metal' in row 5 is 'yes', and other labels are whole numbers; correct the value, or name all classes",
        ),
        (2, "1 rows of the rarer class are too few"),
        (0.5, "'metal' in row 5 is '0.5', and other labels are whole numbers"),
        (None, "'metal' in row 5 is empty"),
    ],
)
def test_a_wrong_label_is_named(write, value, message):
    labels = [value if row == 5 else int(metal) for row, metal in enumerate(frame()["metal"])]
    with pytest.raises(BenchmarkFileError) as caught:
        load_benchmark(write(table=frame().assign(metal=labels)))
    assert message in str(caught.value)


def test_too_few_of_a_class_are_named(write):
    with pytest.raises(
        BenchmarkFileError, match=r"tasks\[1\].data: is_metal: 3 rows of the rarer class are too few for 4"
    ):
        load_benchmark(write(table=frame().assign(metal=[row < 3 for row in range(ROWS)])))


def test_a_bad_parquet_file_is_named(write, tmp_path):
    (tmp_path / "data" / "gap.parquet").write_bytes(b"PAR1 and no more")
    with pytest.raises(BenchmarkFileError, match=r"gap\.parquet cannot be read"):
        load_benchmark(write(TOML.replace("gap.csv", "gap.parquet")))


def test_dates_are_no_numbers(write, tmp_path):
    frame().assign(gap=pd.Timestamp("2019-01-18")).to_parquet(tmp_path / "data" / "gap.parquet")
    with pytest.raises(BenchmarkFileError, match="'gap' in row 0 is '2019-01-18 00:00:00', not a finite number"):
        load_benchmark(write(TOML.replace("gap.csv", "gap.parquet")))


@pytest.mark.parametrize("toml", ["name = ours", "[[tasks]\n", 'name = "a"\nname = "b"\n', "name = 'é\n"])
def test_bad_toml_is_named_with_its_line(write, toml):
    with pytest.raises(
        BenchmarkFileError, match=r"ours\.toml is not a TOML file: .*(line \d|end of document)"
    ) as caught:
        load_benchmark(write(toml))
    assert caught.value.fix == "correct it there"


def test_bytes_that_are_no_text_are_named(write):
    path = write()
    path.write_bytes(b'name = "\xff"')
    with pytest.raises(BenchmarkFileError, match="is not a TOML file"):
        load_benchmark(path)


def test_a_missing_file_is_named(tmp_path):
    with pytest.raises(BenchmarkFileError, match=r"there is no file .*nowhere\.toml; give the path of an existing"):
        load_benchmark(tmp_path / "nowhere.toml")


def test_all_mistakes_are_named_at_once(write):
    toml = TOML.replace('"ours"', '"our/s"').replace("splits = 4", "splits = 1").replace("unit =", "units =")
    toml = toml.replace('kind = "classification"', 'kind = "labels"\nunit = "-"').replace("seed", "sed")
    with pytest.raises(BenchmarkFileError, match="has 6 mistakes") as caught:
        load_benchmark(write(toml))
    for place in ("name", "folds.splits", "folds.sed", "tasks[0].unit", "tasks[0].units", "tasks[1].kind"):
        assert f"\n  {place}: " in str(caught.value)


def test_mistakes_in_the_data_of_all_tasks_are_named_at_once(write):
    table = frame().assign(gap="x", metal="y")
    with pytest.raises(BenchmarkFileError, match="has 2 mistakes") as caught:
        load_benchmark(write(table=table))
    assert "'gap' in row 0 is 'x'" in str(caught.value)
    assert "'metal' has the label 'y' alone" in str(caught.value)


def test_an_edited_file_is_read_again(write):
    first = load_benchmark(write())
    again = load_benchmark(write(table=frame().assign(gap=5.0)))
    assert set(again["gap"].target_values) == {5.0}
    assert again["gap"].targets_sha256 != first["gap"].targets_sha256
    longer = pd.concat([frame(), frame().assign(id=lambda f: "x" + f["id"])])
    assert load_benchmark(write(table=longer))["gap"].rows == 2 * ROWS


def test_a_task_whose_file_was_edited_after_it_was_loaded_says_so(write):
    """Its folds are those of the old rows: they must not be used with new ones."""
    task = load_benchmark(write())["gap"]
    assert len(task.test_ids(0)) == 6
    write(table=frame().iloc[1:])
    for use in (
        lambda: task.targets,
        lambda: task.target_values,
        lambda: task.train_data(0),
        lambda: task.test_inputs(0),
    ):
        with pytest.raises(
            DataFormatError, match="were changed after the benchmark was loaded; load the benchmark again"
        ):
            use()
    write()
    assert len(task.targets) == ROWS


def test_a_task_whose_file_was_deleted_says_so(write, tmp_path):
    task = load_benchmark(write())["gap"]
    (tmp_path / "data" / "gap.csv").unlink()
    with pytest.raises(DataMissingError, match=r"gap\.csv cannot be opened"):
        _ = task.targets


def test_a_file_that_only_got_a_new_date_is_the_same(write, tmp_path):
    task = load_benchmark(write())["gap"]
    os.utime(tmp_path / "data" / "gap.csv", (1, 1))
    assert len(task.targets) == ROWS


@pytest.fixture
def own(write) -> Benchmark:
    return load_benchmark(write())


def test_its_data_is_where_the_file_says_and_needs_no_store(own, tmp_path, data_directory):
    assert {(item.task, item.part, item.state, item.path) for item in status(own)} == {
        (name, part, "verified", tmp_path / "data" / "gap.csv")
        for name in ("gap", "is_metal")
        for part in ("targets", "inputs")
    }
    assert [problem for _, problem in verify(own)] == [None] * 4
    assert set(fetch(own["gap"])) == {"targets", "inputs"}
    assert list(data_directory.iterdir()) == []


def test_its_targets_can_be_exported(own, tmp_path):
    assert export_targets(own, tmp_path / "all.parquet") == ["gap", "is_metal"]
    exported = pd.read_parquet(tmp_path / "all.parquet")
    assert exported["composition"].tolist() == frame()["formula"].tolist() * 2
    assert exported["target"].tolist() == [*frame()["gap"], *frame()["metal"].astype(float)]


def test_nothing_can_be_added_to_it(own, tmp_path):
    from matbench_lite.data import add

    table = pd.DataFrame({"mbid": own["gap"].ids, "target": frame()["gap"], "composition": frame()["formula"]})
    table.to_parquet(tmp_path / "gap.parquet")
    (added,) = add([tmp_path / "gap.parquet"], own, task="gap")
    assert isinstance(added.error, DataError)
    assert "its data is" in str(added.error)
    assert "gap.csv" in str(added.error)


def test_rows_are_clusters_of_their_own_unless_a_column_says_which_belong_together(write, tmp_path):
    gap = load_benchmark(write())["gap"]
    assert gap.clusters.tolist() == list(range(ROWS))
    assert gap.fold_scatter == 2
    batches = [f"00{row % 3}" for row in range(ROWS)]
    frame().assign(batch=batches).to_csv(tmp_path / "data" / "gap.csv", index=False)
    toml = TOML.replace('unit = "eV"', 'unit = "eV"\nfold_scatter = 1.25').replace(
        'target = "gap"\n', 'target = "gap"\ncluster = "batch"\n', 1
    )
    (tmp_path / "clusters.toml").write_text(toml)
    clustered = load_benchmark(tmp_path / "clusters.toml")["gap"]
    assert clustered.clusters.tolist() == [row % 3 for row in range(ROWS)]
    assert clustered.fold_scatter == 1.25
    assert clustered.own_data.digest != gap.own_data.digest, "other clusters, other statistics"


@pytest.mark.parametrize("value", ["0.99", "nan", "inf", '"2"', "true"])
def test_scatter_of_folds_is_a_number_of_1_or_more(write, value):
    with pytest.raises(BenchmarkFileError, match="fold_scatter"):
        load_benchmark(write(TOML.replace('unit = "eV"', f'unit = "eV"\nfold_scatter = {value}')))


def test_a_column_of_clusters_that_is_not_there_is_named(write):
    with pytest.raises(BenchmarkFileError, match="has no column 'batch'"):
        load_benchmark(write(TOML.replace('target = "gap"\n', 'target = "gap"\ncluster = "batch"\n', 1)))
