"""Adding files: the checksum decides what is taken, and what is said of it afterwards."""

from __future__ import annotations

import gzip
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from matbench_lite import Benchmark, Task, load_benchmark
from matbench_lite.data import add, export_targets, status, verify
from matbench_lite.data.chemistry import reduced_formulas_of_strings
from matbench_lite.data.local_files import Added, add_original
from matbench_lite.data.store import holdings
from matbench_lite.errors import (
    DataError,
    DataFormatError,
    DataMissingError,
    UnknownNameError,
    UnverifiedDataError,
    UnverifiedDataWarning,
)

NAMES = {
    "composition": "matbench_steels",
    "structure": "matbench_jdft2d",
    "labels": "matbench_glass",
    "structures and labels": "matbench_mp_is_metal",
}
ROWS = 60


@pytest.fixture(params=NAMES.values(), ids=NAMES)
def published(request, synthetic, tmp_path) -> tuple[Task, Path]:
    """A task of each kind, with its published file."""
    return synthetic.publish(tmp_path, request.param, rows=ROWS)


def one(paths: list[Path], bench: Benchmark, **options: Any) -> Added:
    (added,) = add(paths, bench, **options)
    return added


def states(added: Added) -> dict[str, bool]:
    if added.error is not None:
        raise added.error
    return {part: not held.accepted for part, held in added.parts.items()}


def recompressed(path: Path) -> Path:
    """The same content in another file: what many people have."""
    path.write_bytes(gzip.compress(gzip.decompress(path.read_bytes()), mtime=1))
    return path


def test_the_published_file_is_verified_and_comes_back_as_it_is(published, synthetic):
    task, path = published
    added = one([path], synthetic.benchmark(task))
    assert states(added) == {"targets": True, "inputs": True}
    assert (added.path, added.task) == (path, task.name)
    targets = task.targets
    assert list(targets.index) == list(task.ids)
    assert targets["target"].tolist() == [synthetic.target(task, row) for row in range(ROWS)]
    assert targets["target"].dtype == (bool if task.kind == "classification" else float)
    assert [problem for _, problem in verify(synthetic.benchmark(task))] == [None, None]
    for row, value in enumerate(task.inputs):
        if task.input == "composition":
            assert value == synthetic.composition(row)
        else:
            assert value.lattice.a == 3.5 + 0.001 * row
            assert value.site_properties == {"magmom": [0.5, 0.5]}


def test_a_file_may_be_unpacked_and_have_more_than_the_tasks_name_in_its_own(synthetic, tmp_path):
    task, path = synthetic.publish(tmp_path, "matbench_steels", rows=ROWS)
    for name in ("matbench_steels.from-a-friend.json", "matbench_steels.json"):
        (tmp_path / name).write_bytes(gzip.decompress(path.read_bytes()))
        assert states(one([tmp_path / name], synthetic.benchmark(task), allow_unverified=True))


@pytest.mark.parametrize("name", ["matbench_jdft2d", "matbench_mp_is_metal"])
def test_another_file_with_the_published_targets_is_refused_with_the_reason(synthetic, tmp_path, name):
    task, path = synthetic.publish(tmp_path, name, rows=ROWS)
    added = one([recompressed(path)], synthetic.benchmark(task))
    assert isinstance(added.error, UnverifiedDataError)
    assert added.parts == holdings(task) == {}
    assert path.name in added.error.message
    assert "its targets are the published ones, but the sha256 is" in added.error.message
    assert f"not {task.original.sha256[:12]}" in added.error.message
    assert "--allow-unverified" in added.error.fix


def test_another_file_with_the_published_targets_has_verified_targets_and_unverified_structures(synthetic, tmp_path):
    task, path = synthetic.publish(tmp_path, "matbench_jdft2d", rows=ROWS)
    added = one([recompressed(path)], synthetic.benchmark(task), allow_unverified=True)
    assert states(added) == {"targets": True, "inputs": False}
    assert len(task.targets) == ROWS
    for _ in range(2):
        with pytest.warns(UnverifiedDataWarning, match="the inputs of matbench_jdft2d are unverified"):
            assert len(task.inputs) == ROWS
    assert {(item.part, item.state) for item in status(synthetic.benchmark(task))} == {
        ("targets", "verified"),
        ("inputs", "unverified"),
    }


def test_compositions_prove_themselves_whatever_file_they_come_in(synthetic, tmp_path):
    task, path = synthetic.publish(tmp_path, "matbench_steels", rows=ROWS)
    assert states(one([recompressed(path)], synthetic.benchmark(task))) == {"targets": True, "inputs": True}


@pytest.mark.parametrize("kind", NAMES)
def test_other_targets_are_refused_and_if_taken_every_use_says_so(synthetic, tmp_path, kind):
    task, path = synthetic.publish(tmp_path, NAMES[kind], rows=ROWS)
    rows = synthetic.rows_of(task)
    rows[7][1] = (not rows[7][1]) if task.kind == "classification" else rows[7][1] + 1e-6
    synthetic.write_split(path, [task.input, task.target], rows)
    added = one([path], synthetic.benchmark(task))
    assert isinstance(added.error, UnverifiedDataError)
    assert "its targets differ too" in added.error.message
    assert holdings(task) == {}
    added = one([path], synthetic.benchmark(task), allow_unverified=True)
    assert states(added) == {"targets": False, "inputs": task.input == "composition"}
    for use in (lambda: task.targets, lambda: task.target_values, lambda: task.targets):
        with pytest.warns(UnverifiedDataWarning, match=rf"targets of {task.name} are unverified: {path.name} is not"):
            use()


def test_verified_data_stays_when_unverified_data_is_added(synthetic, tmp_path):
    task, path = synthetic.publish(tmp_path, "matbench_jdft2d", rows=ROWS)
    bench = synthetic.benchmark(task)
    states(one([path], bench))
    before = holdings(task)
    rows = [[structure, value + 1] for structure, value in synthetic.rows_of(task)]
    synthetic.write_split(path, ["structure", task.target], rows)
    assert states(one([path], bench, allow_unverified=True)) == {"targets": True, "inputs": True}
    assert holdings(task) == before


def changed(rows: list[list[Any]], at: int, column: int, value: Any) -> list[list[Any]]:
    return [[value if (row, i) == (at, column) else cell for i, cell in enumerate(r)] for row, r in enumerate(rows)]


STEELS = ["composition", "yield strength"]
MISFITS = {
    "one row too few": (STEELS, lambda rows: rows[:-1], "has 59 rows, matbench_steels has 60"),
    "one row too many": (STEELS, lambda rows: [*rows, rows[0]], "has 61 rows"),
    "no rows": (STEELS, lambda rows: [], "has 0 rows"),
    "labels": (STEELS, lambda rows: [[text, True] for text, _ in rows], "targets are bool.*a regression"),
    "a text": (STEELS, lambda rows: changed(rows, 3, 1, "12"), "target 'yield strength' of row 3 is '12'"),
    "nothing": (STEELS, lambda rows: changed(rows, 3, 1, None), "target 'yield strength' of row 3 is None"),
    "another target": (["composition", "gap expt"], lambda rows: rows, "expected the columns .*'yield strength'"),
    "another input": (["structure", "yield strength"], lambda rows: rows, "expected the columns 'composition'"),
    "not a formula": (STEELS, lambda rows: changed(rows, 3, 0, "Steel"), "row 3.*'Steel'.*not a chemical formula"),
    "a structure": (STEELS, lambda rows: changed(rows, 3, 0, {"sites": []}), "row 3"),
}


@pytest.mark.parametrize(("columns", "change", "message"), MISFITS.values(), ids=MISFITS)
def test_a_file_that_is_not_like_the_registry_is_refused_even_unverified(synthetic, tmp_path, columns, change, message):
    task, path = synthetic.publish(tmp_path, "matbench_steels", rows=ROWS)
    synthetic.write_split(path, columns, change(synthetic.rows_of(task)))
    added = one([path], synthetic.benchmark(task), allow_unverified=True)
    assert isinstance(added.error, DataFormatError)
    with pytest.raises(DataFormatError, match=message):
        raise added.error
    assert holdings(task) == {}


@pytest.mark.parametrize("content", [b"", b"{}", b"not JSON", b"\x1f\x8bnot gzip", b"\x89PNG\r\n"])
def test_a_file_of_something_else_is_refused(synthetic, tmp_path, content):
    for name in ("matbench_steels.json.gz", "matbench_steels.parquet"):
        (tmp_path / name).write_bytes(content)
        added = one([tmp_path / name], synthetic.PUBLISHED, allow_unverified=True)
        assert isinstance(added.error, DataFormatError)
        assert name in added.error.message


def test_a_cut_file_is_refused(synthetic, tmp_path):
    task, path = synthetic.publish(tmp_path, "matbench_jdft2d", rows=ROWS)
    path.write_bytes(path.read_bytes()[:-200])
    assert "cut off" in str(one([path], synthetic.benchmark(task), allow_unverified=True).error)


def test_numbers_are_no_labels(synthetic, tmp_path):
    task, path = synthetic.publish(tmp_path, "matbench_glass", rows=ROWS)
    rows = [[text, float(label)] for text, label in synthetic.rows_of(task)]
    synthetic.write_split(path, ["composition", "gfa"], rows)
    error = one([path], synthetic.benchmark(task), allow_unverified=True).error
    assert "the targets are float64, matbench_glass is a classification" in str(error)


def test_targets_only_keeps_no_inputs(published):
    task, path = published
    assert set(add_original(path, task, targets_only=True)) == {"targets"}
    assert len(task.targets) == ROWS
    with pytest.raises(DataMissingError, match="its targets are, so entries can be scored"):
        _ = task.inputs


def write_targets(folder: Path, frame: pd.DataFrame, name: str = "anything.parquet") -> Path:
    frame.to_parquet(folder / name)
    return folder / name


def test_targets_with_the_published_digest_are_verified(published, synthetic, tmp_path):
    task, _ = published
    path = write_targets(tmp_path, synthetic.targets_frame(task))
    expected = {"targets": True} if task.input == "structure" else {"targets": True, "inputs": True}
    assert states(one([path], synthetic.benchmark(task))) == expected
    assert task.targets["target"].tolist() == [synthetic.target(task, row) for row in range(ROWS)]
    assert "spacegroup" not in task.targets
    assert task.targets.columns.tolist() == ["target", "formula"]


def test_space_groups_are_taken_where_the_file_has_them(synthetic, tmp_path):
    numbers = [None, *range(1, ROWS)]
    task, original = synthetic.publish(tmp_path, "matbench_jdft2d", rows=ROWS, spacegroups=numbers)
    path = write_targets(tmp_path, synthetic.targets_frame(task).assign(spg_num=numbers))
    states(one([path], synthetic.benchmark(task)))
    expected = pd.Series(numbers, index=task.ids, dtype="Int16", name="spacegroup")
    pd.testing.assert_series_equal(task.targets["spacegroup"], expected)
    # The original file, added later, brings the structures and leaves the space groups.
    assert states(one([original], synthetic.benchmark(task))) == {"targets": True, "inputs": True}
    pd.testing.assert_series_equal(task.targets["spacegroup"], expected)


@pytest.mark.parametrize("name", ["matbench_jdft2d", "matbench_steels"])
def test_other_space_groups_than_the_published_ones_are_refused(synthetic, tmp_path, name):
    numbers = [None, *range(1, ROWS)] if name == "matbench_jdft2d" else None
    task, _ = synthetic.publish(tmp_path, name, rows=ROWS, spacegroups=numbers)
    path = write_targets(tmp_path, synthetic.targets_frame(task).assign(spg_num=[2, *range(1, ROWS)]))
    added = one([path], synthetic.benchmark(task))
    assert isinstance(added.error, UnverifiedDataError)
    assert f"the space groups of {name} are not the published ones" in added.error.message
    assert holdings(task) == {}


def test_an_empty_column_of_space_groups_is_none(synthetic, tmp_path):
    task, _ = synthetic.publish(tmp_path, "matbench_jdft2d", rows=ROWS)
    path = write_targets(tmp_path, synthetic.targets_frame(task).assign(spg_num=np.nan))
    states(one([path], synthetic.benchmark(task)))
    assert "spacegroup" not in task.targets


def test_targets_rounded_to_ten_decimals_are_the_published_ones(synthetic, tmp_path):
    task, _ = synthetic.publish(tmp_path, "matbench_jdft2d", rows=ROWS)
    frame = synthetic.targets_frame(task)
    path = write_targets(tmp_path, frame.assign(target=frame["target"] + 3e-12))
    assert states(one([path], synthetic.benchmark(task))) == {"targets": True}
    path = write_targets(tmp_path, frame.assign(target=frame["target"] + 3e-9))
    assert isinstance(one([path], synthetic.benchmark(task)).error, UnverifiedDataError)


def test_other_targets_as_parquet_are_refused_or_marked(synthetic, tmp_path):
    task, _ = synthetic.publish(tmp_path, "matbench_jdft2d", rows=ROWS)
    frame = synthetic.targets_frame(task)
    path = write_targets(tmp_path, frame.assign(target=frame["target"] * 2))
    added = one([path], synthetic.benchmark(task))
    assert isinstance(added.error, UnverifiedDataError)
    assert "the targets of matbench_jdft2d are not the published ones" in added.error.message
    assert states(one([path], synthetic.benchmark(task), allow_unverified=True)) == {"targets": False}
    with pytest.warns(UnverifiedDataWarning, match=r"anything\.parquet is not the published data"):
        _ = task.targets


def test_compositions_of_a_targets_file_are_inputs_only_if_they_are_the_published_ones(synthetic, tmp_path):
    task, _ = synthetic.publish(tmp_path, "matbench_steels", rows=ROWS)
    frame = synthetic.targets_frame(task)
    path = write_targets(tmp_path, frame.assign(composition=reduced_formulas_of_strings(list(frame["composition"]))))
    assert states(one([path], synthetic.benchmark(task))) == {"targets": True}
    assert states(one([path], synthetic.benchmark(task), allow_unverified=True)) == {"targets": True, "inputs": False}


def test_other_formulas_than_the_published_ones_are_refused(synthetic, tmp_path):
    task, _ = synthetic.publish(tmp_path, "matbench_steels", rows=ROWS)
    path = write_targets(tmp_path, synthetic.targets_frame(task).assign(composition="Fe"))
    added = one([path], synthetic.benchmark(task))
    assert isinstance(added.error, UnverifiedDataError)
    assert "the formulas of matbench_steels are not the published ones" in added.error.message
    assert states(one([path], synthetic.benchmark(task), allow_unverified=True)) == {"targets": False, "inputs": False}


FRAMES = {
    "a column less": (lambda f: f.drop(columns="target"), "lacks the columns target; a targets file has mbid"),
    "no rows": (lambda f: f.iloc[:0], "has no rows"),
    "a row less": (lambda f: f.iloc[1:], "the ids are not the 60 of matbench_jdft2d, in order"),
    "another order": (lambda f: f.iloc[::-1], "the ids are not the 60"),
    "ids of nobody": (lambda f: f.assign(mbid="mat-1"), "'mat-1' is not a row id of matbench_v0.1; name the task"),
    "a text": (lambda f: f.assign(target="12"), "the targets are object, matbench_jdft2d is a regression"),
    "a hole": (lambda f: f.assign(target=f["target"].where(f.index > 3)), "a target is NaN or infinite"),
    "infinity": (lambda f: f.assign(target=np.inf), "a target is NaN or infinite"),
    "labels": (lambda f: f.assign(target=True), "the targets are bool, matbench_jdft2d is a regression"),
    "no formula": (lambda f: f.assign(composition="Steel"), "row 0: 'Steel' is not a chemical formula"),
    "no space group": (lambda f: f.assign(spg_num=231), "'spg_num' in row 0 is '231', not a space-group number"),
    "half a space group": (lambda f: f.assign(spg_num=1.5), "'spg_num' in row 0 is '1.5'"),
    "a symbol": (lambda f: f.assign(spg_num="Fm-3m"), "'spg_num' in row 0 is 'Fm-3m'"),
}


@pytest.mark.parametrize(("change", "message"), FRAMES.values(), ids=FRAMES)
def test_targets_that_are_not_like_the_registry_are_refused_even_unverified(synthetic, tmp_path, change, message):
    task, _ = synthetic.publish(tmp_path, "matbench_jdft2d", rows=ROWS)
    path = write_targets(tmp_path, change(synthetic.targets_frame(task)))
    added = one([path], synthetic.benchmark(task), allow_unverified=True)
    assert isinstance(added.error, DataFormatError)
    assert message in str(added.error)
    assert path.name in str(added.error)
    assert holdings(task) == {}


def test_labels_may_be_written_as_0_and_1_and_as_nothing_else(synthetic, tmp_path):
    task, _ = synthetic.publish(tmp_path, "matbench_glass", rows=ROWS)
    frame = synthetic.targets_frame(task)
    for kind in (int, float, "uint8"):
        path = write_targets(tmp_path, frame.assign(target=frame["target"].astype(kind)))
        assert states(one([path], synthetic.benchmark(task)))["targets"]
    path = write_targets(tmp_path, frame.assign(target=frame["target"] * 0.9))
    error = one([path], synthetic.benchmark(task), allow_unverified=True).error
    assert "the targets are float64, matbench_glass is a classification" in str(error)


@pytest.fixture
def many(synthetic, tmp_path) -> Benchmark:
    """A benchmark of every kind of task, all of it in the store."""
    (tmp_path / "original").mkdir()
    tasks = [synthetic.publish(tmp_path / "original", name, rows=ROWS)[0] for name in NAMES.values()]
    bench = synthetic.benchmark(*tasks)
    results = list(add([tmp_path / "original"], bench))
    assert {result.task for result in results if result.error is None} == set(NAMES.values())
    return bench


def test_exported_targets_are_one_file_that_add_reads_back(many, tmp_path, monkeypatch):
    path = tmp_path / "out" / "targets.parquet"
    assert export_targets(many, path) == list(NAMES.values())
    before = {task.name: task.targets for task in many}
    monkeypatch.setenv("MATBENCH_LITE_DATA", str(tmp_path / "elsewhere"))
    results = list(add([path], many))
    assert [result.task for result in results] == list(NAMES.values())
    for task, result in zip(many, results, strict=True):
        assert states(result)["targets"]
        assert ("inputs" in result.parts) == (task.input == "composition")
        pd.testing.assert_frame_equal(task.targets, before[task.name])


def test_one_task_of_an_exported_file_can_be_added(many, tmp_path, monkeypatch):
    export_targets(many, tmp_path / "targets.parquet")
    monkeypatch.setenv("MATBENCH_LITE_DATA", str(tmp_path / "elsewhere"))
    added = one([tmp_path / "targets.parquet"], many, task="matbench_jdft2d")
    assert (added.task, states(added)) == ("matbench_jdft2d", {"targets": True})
    assert holdings(many["matbench_glass"]) == {}


def test_space_groups_survive_the_export(synthetic, tmp_path, monkeypatch):
    numbers = [None, *range(1, ROWS)]
    with_groups, _ = synthetic.publish(tmp_path, "matbench_jdft2d", rows=ROWS, spacegroups=numbers)
    without, original = synthetic.publish(tmp_path, "matbench_steels", rows=ROWS)
    bench = synthetic.benchmark(with_groups, without)
    frame = synthetic.targets_frame(with_groups).assign(spg_num=numbers)
    assert all(result.error is None for result in add([original, write_targets(tmp_path, frame)], bench))
    before = with_groups.targets
    export_targets(bench, tmp_path / "all.parquet")
    monkeypatch.setenv("MATBENCH_LITE_DATA", str(tmp_path / "elsewhere"))
    assert all(result.error is None for result in add([tmp_path / "all.parquet"], bench))
    pd.testing.assert_frame_equal(with_groups.targets, before)
    assert "spacegroup" not in without.targets


def test_targets_without_inputs_can_be_exported(synthetic, tmp_path, monkeypatch):
    task, path = synthetic.publish(tmp_path, "matbench_steels", rows=ROWS)
    add_original(path, task, targets_only=True)
    assert export_targets(synthetic.benchmark(task), tmp_path / "all.parquet") == [task.name]
    monkeypatch.setenv("MATBENCH_LITE_DATA", str(tmp_path / "elsewhere"))
    assert states(one([tmp_path / "all.parquet"], synthetic.benchmark(task))) == {"targets": True}


def test_there_is_nothing_to_export_from_an_empty_store(synthetic, tmp_path):
    with pytest.raises(
        DataMissingError, match=r"no targets of matbench_v0\.1 are on this machine; run `mbl data fetch`"
    ):
        export_targets(synthetic.PUBLISHED, tmp_path / "all.parquet")
    assert list(tmp_path.iterdir()) == []


def test_a_place_that_cannot_be_written_is_an_error_of_the_user(many):
    with pytest.raises(DataError, match=r"/proc/targets\.parquet cannot be written"):
        export_targets(many, Path("/proc/targets.parquet"))


def test_a_file_of_an_unknown_task_does_not_stop_the_others(many, synthetic, tmp_path):
    export_targets(many, tmp_path / "all.parquet")
    bench = synthetic.benchmark(many["matbench_steels"])
    results = list(add([tmp_path / "all.parquet", tmp_path / "original"], bench))
    refused = {result.path.name: str(result.error) for result in results if result.error is not None}
    assert set(refused) == {"all.parquet", "matbench_glass.json.gz", "matbench_jdft2d.json.gz"} | {
        "matbench_mp_is_metal.json.gz"
    }
    assert "matbench_jdft2d" in refused["all.parquet"]
    assert "is not named after a task of matbench_v0.1" in refused["matbench_glass.json.gz"]
    assert [result.task for result in results if result.error is None] == ["matbench_steels", "matbench_steels"]


def test_of_a_folder_only_files_that_may_be_data_are_read(synthetic, tmp_path):
    task, _ = synthetic.publish(tmp_path, "matbench_steels", rows=ROWS)
    (tmp_path / "README.md").write_text("data")
    (tmp_path / "matbench_jdft2d.json.gz").mkdir()
    assert states(one([tmp_path], synthetic.benchmark(task)))


@pytest.mark.parametrize("given", ["empty", "nowhere", "nowhere.json.gz"])
def test_a_path_without_data_is_named_and_does_not_stop_the_others(synthetic, tmp_path, given):
    (tmp_path / "empty").mkdir()
    (tmp_path / "empty" / "notes.txt").touch()
    task, path = synthetic.publish(tmp_path, "matbench_steels", rows=ROWS)
    first, second = add([tmp_path / given, path], synthetic.benchmark(task))
    assert isinstance(first.error, DataMissingError)
    assert str(tmp_path / given) in first.error.message
    assert states(second)


def test_a_file_with_any_name_is_taken_for_the_task_that_is_named(synthetic, tmp_path):
    task, path = synthetic.publish(tmp_path, "matbench_steels", rows=ROWS)
    other = replace(task, name="matbench_expt_gap", id_prefix="mb-expt-gap")
    bench = synthetic.benchmark(other, task)
    path = path.rename(tmp_path / "x.json.gz")
    assert "is not named after a task" in str(one([path], bench).error)
    assert one([path], bench, task="matbench_steels").task == "matbench_steels"
    table = write_targets(tmp_path, synthetic.targets_frame(task))
    assert one([table], bench).task == "matbench_steels"
    error = one([table], bench, task="matbench_expt_gap").error
    assert "the ids are not the 60 of matbench_expt_gap" in str(error)
    with pytest.raises(UnknownNameError, match="use one of matbench_expt_gap, matbench_steels"):
        one([table], bench, task="nothing")


def test_a_structure_with_a_fault_is_named(synthetic, tmp_path):
    task, path = synthetic.publish(tmp_path, "matbench_jdft2d", rows=ROWS)
    rows = synthetic.rows_of(task)
    rows[5][0] = {**rows[5][0], "lattice": {}}
    synthetic.write_split(path, ["structure", task.target], rows)
    error = one([path], synthetic.benchmark(task), allow_unverified=True).error
    assert "structure 5 is malformed" in str(error)
    assert path.name in str(error)


def test_verify_finds_what_was_changed_or_lost(many):
    assert all(problem is None for _, problem in verify(many))
    changed_file = holdings(many["matbench_steels"])["targets"].path
    changed_file.write_bytes(changed_file.read_bytes() + b"x")
    holdings(many["matbench_jdft2d"])["inputs"].path.unlink()
    found = {(item.task, item.part): problem for item, problem in verify(many) if problem}
    assert found == {
        ("matbench_steels", "targets"): f"the targets of matbench_steels were changed on this disk: {changed_file} "
        "does not have its noted sha256",
        ("matbench_jdft2d", "inputs"): "the file is gone",
    }


def test_nothing_can_be_added_to_mini(synthetic, tmp_path):
    mini = load_benchmark("mini")
    task = mini["mini_gap"]
    path = write_targets(tmp_path, synthetic.targets_frame(task))
    for options in ({}, {"allow_unverified": True}):
        assert one([path], mini, **options).error is not None
    assert "its data comes with matbench_lite" in str(one([path], mini, allow_unverified=True).error)
