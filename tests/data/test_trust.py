"""The root of trust: data on this machine is what the registry says, or it is refused; no manifest is believed."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import orjson
import pandas as pd
import pytest

from matbench_lite import Benchmark, Task, load_benchmark
from matbench_lite.data import (
    add,
    derived_directory,
    load_formulas,
    load_target_values,
    load_targets,
    status,
    targets_here,
    verification,
    verify,
)
from matbench_lite.data.parquet import write_targets
from matbench_lite.data.store import file_sha256, holdings
from matbench_lite.derived import Shelf, key
from matbench_lite.errors import DataFormatError, DataMissingError, MatbenchLiteError, UnverifiedDataWarning
from matbench_lite.tasks import quick_targets_digest

from ..conftest import LONG
from ..flips import copy_of_folds, copy_of_mini, flips, forget_folds

FLIPS = 1000 if LONG else 150
"""Of each kind of store."""


@dataclass(frozen=True)
class Stored:
    """Data that may be damaged, and the files that it is read from."""

    benchmark: Benchmark
    files: list[Path]


@pytest.fixture(autouse=True)
def _as_shipped() -> Iterator[None]:
    """No other test sees what was read from a copy."""
    yield
    forget_folds()


@pytest.fixture
def task(synthetic, tmp_path) -> Task:
    """A task whose targets, with space groups, are in the store."""
    numbers = [None, *(1 + row % 230 for row in range(1, 636))]
    made, _ = synthetic.publish(tmp_path, "matbench_jdft2d", spacegroups=numbers)
    synthetic.targets_frame(made).assign(spg_num=numbers).to_parquet(tmp_path / "targets.parquet")
    (added,) = add([tmp_path / "targets.parquet"], synthetic.benchmark(made))
    assert added.error is None
    return made


@pytest.fixture
def synthetic_store(task, synthetic, data_directory, tmp_path, monkeypatch) -> Stored:
    shipped = copy_of_folds(tmp_path, monkeypatch, "matbench_v0.1", task.name)
    return Stored(synthetic.benchmark(task), [*stored_files(data_directory), shipped])


@pytest.fixture
def mini_store(tmp_path, monkeypatch) -> Stored:
    names = ("mini_n", "mini_is_stable")
    files = copy_of_mini(tmp_path, monkeypatch, *names)
    mini = load_benchmark("mini")
    return Stored(replace(mini, tasks=tuple(mini[name] for name in names)), files)


@pytest.fixture
def real_store(real_data, data_directory, tmp_path, monkeypatch) -> Stored:
    bench, names = load_benchmark("matbench_v0.1"), ("matbench_steels", "matbench_jdft2d")
    truth = [real_data / "matbench_v0.1" / "truth" / f"{name}.parquet" for name in names]
    assert [added.error for added in add(truth, bench)] == [None, None]
    shipped = copy_of_folds(tmp_path, monkeypatch, bench.name, *names)
    return Stored(replace(bench, tasks=tuple(bench[name] for name in names)), [*stored_files(data_directory), shipped])


def stored_files(folder: Path) -> list[Path]:
    """Targets and manifests."""
    home = folder / "matbench_v0.1"
    return sorted([*home.glob("*.json"), *home.glob("*.targets.*.parquet")])


def facts(task: Task) -> tuple[object, ...]:
    """All that is known of a task, and whether that is said to be as published."""
    again = replace(task)  # without what was read before
    targets, here = load_targets(again), targets_here(again)
    assert here is not None
    columns = {name: targets[name].tolist() for name in targets}
    return repr(columns), again.fold_of_rows.tolist(), load_formulas(again), here.verified


@pytest.mark.parametrize("kind", ["synthetic_store", "mini_store", "real_store"])
def test_a_bit_that_flips_is_noticed_or_changes_nothing(request, kind):
    stored: Stored = request.getfixturevalue(kind)
    before = {task.name: facts(task) for task in stored.benchmark}
    noticed = 0
    for where in flips(stored.files, FLIPS, seed=7):
        refusals = []
        for task in stored.benchmark:
            try:
                assert facts(task) == before[task.name], where
            except MatbenchLiteError as error:
                refusals.append(error)
        assert all(error.fix for error in refusals), where
        noticed += bool(refusals)
    assert noticed > FLIPS / 2
    assert {task.name: facts(task) for task in stored.benchmark} == before


COLUMNS = {"targets": "target", "formulas": "formula", "space groups": "spacegroup"}


def forge(task: Task, column: str, *, schema: int = 1, accepted: bool = False) -> Path:
    """Permute a column of the targets in the store, with a manifest that vouches for them."""
    frame = load_targets(task)
    frame[column] = pd.array(np.roll(frame[column].array, 1), dtype=frame[column].dtype)
    held = holdings(task)["targets"]
    numbers = [None if pd.isna(number) else int(number) for number in frame["spacegroup"]]
    write_targets(held.path, frame["target"].to_numpy(), frame["formula"].tolist(), numbers)
    manifest = held.path.parent / f"{task.name}.json"
    content = orjson.loads(manifest.read_bytes())
    fields = content["parts"]["targets"]
    sha256 = file_sha256(held.path)
    path = held.path.rename(held.path.with_name(f"{task.name}.targets.{sha256[:16]}.parquet"))
    fields |= {"sha256": sha256, "path": path.name}
    if schema == 1:
        del fields["accepted"]
        fields["verified"] = not accepted
    else:
        fields["accepted"] = accepted
    manifest.write_bytes(orjson.dumps({**content, "schema": schema}))
    return path


READERS = (load_targets, load_target_values, load_formulas, targets_here)


@pytest.mark.parametrize("schema", [1, 2])
@pytest.mark.parametrize("column", COLUMNS.values(), ids=COLUMNS)
def test_forged_data_is_refused_whatever_its_manifest_says(task, synthetic, column, schema):
    path = forge(task, column, schema=schema)
    for read in READERS:
        with pytest.raises(
            DataFormatError, match=r"the targets of matbench_jdft2d .* are not the published ones"
        ) as no:
            read(task)
        assert str(path) in no.value.message
        assert "mbl data fetch matbench_jdft2d" in no.value.fix
    bench = synthetic.benchmark(task)
    assert [item.state for item in status(bench) if item.part == "targets"] == ["damaged"]
    assert ["not the published ones" in str(problem) for _, problem in verify(bench)] == [True]


def test_derived_data_that_vouches_for_forged_targets_is_not_believed(task):
    published = {name: getattr(task, f"{name}_sha256") for name in ("targets", "formulas", "spacegroups")}
    path = forge(task, "target", schema=2)
    shelf = Shelf(derived_directory(), "data-digests", verification.__name__)
    shelf.put({key(task.name, "targets", file_sha256(path)): published})
    verification._shelf.cache_clear()
    for read in READERS:
        with pytest.raises(DataFormatError, match="are not the published ones"):
            read(task)


def test_where_the_quick_digest_does_not_fit_the_other_decides(task):
    values = load_target_values(task)
    for quick in (quick_targets_digest(values), "0" * 64):
        again = replace(task, targets_quick_sha256=quick)
        assert load_target_values(again).tolist() == values.tolist()
        assert targets_here(again).verified


@pytest.mark.parametrize("make", [os.mkfifo, lambda path: path.symlink_to("/dev/zero"), Path.mkdir])
def test_what_is_no_regular_file_is_not_read(task, synthetic, make):
    path = holdings(task)["targets"].path
    path.unlink()
    make(path)
    for read in READERS:
        with pytest.raises(DataFormatError, match="is not a regular file") as caught:
            read(task)
        assert "mbl data fetch matbench_jdft2d" in caught.value.fix
    assert [item.state for item in status(synthetic.benchmark(task)) if item.part == "targets"] == ["damaged"]


@pytest.mark.parametrize("name", ["..", "", "a\\u0000.parquet", "sub/x.parquet"])
def test_a_manifest_that_names_no_file_of_the_store_is_damaged(task, name):
    path = holdings(task)["targets"].path
    manifest = path.parent / f"{task.name}.json"
    manifest.write_bytes(manifest.read_bytes().replace(path.name.encode(), name.encode()))
    for read in READERS:
        with pytest.raises(DataFormatError, match="is not a file of the store"):
            read(task)


@pytest.mark.parametrize("schema", [1, 2])
@pytest.mark.parametrize("column", COLUMNS.values(), ids=COLUMNS)
def test_data_that_was_accepted_is_used_and_never_called_verified(task, synthetic, column, schema):
    forge(task, column, schema=schema, accepted=True)
    for read in READERS[:-1]:
        with pytest.warns(UnverifiedDataWarning, match="the targets of matbench_jdft2d are unverified"):
            read(task)
    assert not targets_here(task).verified
    assert [item.state for item in status(synthetic.benchmark(task)) if item.part == "targets"] == ["unverified"]


def test_the_data_as_added_is_verified(task, synthetic):
    """Else the tests above would say nothing."""
    assert targets_here(task).verified
    assert [item.state for item in status(synthetic.benchmark(task)) if item.part == "targets"] == ["verified"]


def test_a_change_is_noticed_after_the_file_was_read(task):
    assert load_target_values(task)[0] == 1.5
    path = holdings(task)["targets"].path
    path.write_bytes(path.read_bytes().replace(b"PAR1", b"PAR2"))
    for read in READERS:
        with pytest.raises(DataFormatError, match="were changed on this disk"):
            read(task)


def test_what_is_damaged_is_replaced_by_adding_it_again(task, synthetic, tmp_path):
    before = facts(task)
    forge(task, "target")
    (added,) = add([tmp_path / "targets.parquet"], synthetic.benchmark(task))
    assert added.error is None
    assert facts(task) == before


def test_a_manifest_that_names_another_file_is_noticed(task):
    manifest = holdings(task)["targets"].path.parent / f"{task.name}.json"
    manifest.write_bytes(manifest.read_bytes().replace(b".targets.", b".targetz."))
    for read in READERS:
        with pytest.raises(DataMissingError, match=r"the targets of matbench_jdft2d were added, but .* is gone"):
            read(task)


def test_a_manifest_that_names_another_part_is_damaged(task):
    manifest = holdings(task)["targets"].path.parent / f"{task.name}.json"
    manifest.write_bytes(manifest.read_bytes().replace(b'"targets"', b'"tarfets"'))
    for read in READERS:
        with pytest.raises(DataFormatError, match="is damaged: 'tarfets' is no part of a task's data"):
            read(task)


def test_targets_of_another_task_are_refused(synthetic, tmp_path, data_directory):
    """Two tasks with the same formulas: their files are alike."""
    task, path = synthetic.publish(tmp_path, "matbench_jdft2d", rows=60)
    (added,) = add([path], synthetic.benchmark(task))
    assert added.error is None
    other = replace(task, name="matbench_phonons", id_prefix="mb-phonons")
    manifest = data_directory / "matbench_v0.1" / "matbench_jdft2d.json"
    manifest.with_name("matbench_phonons.json").write_bytes(manifest.read_bytes())
    with pytest.raises(DataFormatError, match="the targets of matbench_phonons on this machine are not the published"):
        load_targets(other)


SHIPPED = {
    "cut": lambda content: content[:-40],
    "empty": lambda _: b"",
    "something else": lambda _: b"PK\3\4 no zip",
    "a pickle": lambda _: b"\x80\x04N.",
}


@pytest.mark.parametrize("damage", SHIPPED.values(), ids=SHIPPED)
def test_damaged_folds_are_refused(mini_store, damage):
    path = mini_store.files[-1]
    path.write_bytes(damage(path.read_bytes()))
    forget_folds()
    with pytest.raises(DataFormatError, match=r"the folds of mini_n were changed.*install matbench_lite again"):
        _ = replace(mini_store.benchmark["mini_n"]).fold_of_rows


@pytest.mark.parametrize("kind", ["other numbers", "another order", "signed", "another shape"])
def test_forged_folds_are_refused(mini_store, kind):
    task = replace(mini_store.benchmark["mini_n"])
    shipped = task.fold_of_rows
    forged = {
        "other numbers": (shipped + 1) % 5,
        "another order": np.roll(shipped, 1),
        "signed": shipped.astype(np.int8),
        "another shape": shipped.reshape(2, -1),
    }[kind]
    np.savez_compressed(mini_store.files[-1], mini_n=forged)
    forget_folds()
    with pytest.raises(DataFormatError, match="the folds of mini_n were changed"):
        _ = replace(task).fold_of_rows


def test_packaged_data_without_its_checksums_is_refused(mini_store):
    sums = next(path for path in mini_store.files if path.name == "SHA256SUMS")
    sums.write_text(sums.read_text().replace("mini_n.targets", "mini_m.targets"))
    with pytest.raises(DataFormatError, match=r"the checksums of mini are damaged.*install matbench_lite again"):
        load_targets(mini_store.benchmark["mini_n"])
