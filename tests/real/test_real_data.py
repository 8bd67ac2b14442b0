"""The real Matbench data: what is verified, what is refused, and what comes out."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pandas as pd
import pytest

from matbench_lite import load_benchmark
from matbench_lite.data import add, export_targets, fetch, status, verify
from matbench_lite.data.store import holdings
from matbench_lite.errors import UnverifiedDataError, UnverifiedDataWarning
from matbench_lite.tasks import quick_targets_digest

from ..conftest import LONG
from .conftest import parts_of

pytestmark = pytest.mark.real

BENCH = load_benchmark("matbench_v0.1")
ORIGINAL = {
    "matbench_expt_gap",
    "matbench_expt_is_metal",
    "matbench_glass",
    "matbench_log_gvrh",
    "matbench_log_kvrh",
    "matbench_steels",
}
REBUILT = {"matbench_jdft2d", "matbench_phonons"} | ({"matbench_perovskites"} if LONG else set())


@pytest.fixture
def filled(real_store: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("MATBENCH_LITE_DATA", str(real_store))
    return real_store


@pytest.mark.slow
def test_the_targets_of_all_tasks_are_verified(targets_added):
    results = parts_of(targets_added / "said.json")
    assert set(results) == set(BENCH.names)
    for task in BENCH:
        parts = {"targets": True, "inputs": True} if task.input == "composition" else {"targets": True}
        assert results[task.name] == parts


@pytest.mark.slow
def test_the_targets_of_a_task_are_those_of_the_file(filled, real_data):
    for task in BENCH:
        truth = pd.read_parquet(real_data / "matbench_v0.1" / "truth" / f"{task.name}.parquet")
        targets = task.targets
        assert list(targets.index) == list(truth["mbid"]) == list(task.ids)
        assert targets["target"].tolist() == truth["target"].tolist()
        assert quick_targets_digest(task.target_values) == task.targets_quick_sha256
        assert targets["target"].dtype == (bool if task.kind == "classification" else float)
        assert targets["formula"].str.len().min() > 0
        if task.input == "composition":
            assert task.inputs.tolist() == truth["composition"].tolist()
        if truth["spg_num"].notna().any():
            assert targets["spacegroup"].tolist() == truth["spg_num"].tolist()


@pytest.mark.slow
def test_a_store_of_targets_is_small_and_passes_verification(filled):
    assert sum(item.bytes for item in status(BENCH) if item.part == "targets") < 8e6
    assert [(item.task, problem) for item, problem in verify(BENCH) if problem] == []


@pytest.mark.slow
def test_exported_targets_fill_another_store(filled, tmp_path, monkeypatch):
    path = tmp_path / "targets.parquet"
    assert export_targets(BENCH, path) == list(BENCH.names)
    assert path.stat().st_size < 8e6
    before = BENCH["matbench_dielectric"].targets
    monkeypatch.setenv("MATBENCH_LITE_DATA", str(tmp_path / "other"))
    (added,) = add([path], BENCH, task="matbench_dielectric")
    assert added.error is None
    assert not added.parts["targets"].accepted
    pd.testing.assert_frame_equal(BENCH["matbench_dielectric"].targets, before)


@pytest.mark.slow
def test_original_files_are_verified_without_the_targets(mbl, originals_added):
    assert parts_of(originals_added / "said.json") == {name: {"targets": True, "inputs": True} for name in ORIGINAL}
    code, out, _ = mbl("data", "verify", "--json", data=originals_added / "store")
    assert code == 0
    assert {item["problem"] for item in json.loads(out)} == {None}


@pytest.mark.slow
def test_original_files_are_verified_after_the_targets(real_store, real_data, tmp_path, monkeypatch):
    monkeypatch.setenv("MATBENCH_LITE_DATA", str(shutil.copytree(real_store, tmp_path / "store")))
    names = ("matbench_steels", "matbench_glass", "matbench_log_kvrh")
    results = list(add([real_data / "matbench_v0.1" / "original" / f"{name}.json.gz" for name in names], BENCH))
    for added in results:
        assert {part: not item.accepted for part, item in added.parts.items()} == {"targets": True, "inputs": True}
    assert [added.task for added in results] == list(names)
    assert [(item.task, problem) for item, problem in verify(BENCH) if problem] == []


@pytest.mark.slow
def test_a_model_has_structures_and_targets(original_store, monkeypatch):
    monkeypatch.setenv("MATBENCH_LITE_DATA", str(original_store))
    task = BENCH["matbench_log_kvrh"]
    X, y = task.train_data(0)
    assert len(X) == len(y) == 8789
    assert X.index.equals(y.index)
    assert X.index.equals(task.train_ids(0))
    formulas = task.targets["formula"]
    for row_id in X.index[:: len(X) // 50]:
        assert X[row_id].composition.reduced_formula == formulas[row_id]


def test_a_file_fetched_from_a_folder_is_verified(real_data, data_directory):
    task = BENCH["matbench_steels"]
    held = fetch(task, mirrors=[str(real_data / "matbench_v0.1" / "original")])
    assert {part: not item.accepted for part, item in held.items()} == {"targets": True, "inputs": True}
    assert [path.name for path in (data_directory / "downloads").iterdir() if path.suffix != ".lock"] == []


def test_rebuilt_files_are_refused_with_the_reason(real_data):
    path = real_data / "matbench_v0.1" / "rebuilt" / "matbench_jdft2d.rebuilt.json.gz"
    (added,) = add([path], BENCH)
    assert isinstance(added.error, UnverifiedDataError)
    assert "its targets are the published ones, but the sha256 is" in added.error.message
    assert holdings(BENCH["matbench_jdft2d"]) == {}


@pytest.mark.slow
def test_rebuilt_files_have_verified_targets_and_unverified_inputs(mbl, real_data, data_directory):
    files = [real_data / "matbench_v0.1" / "rebuilt" / f"{name}.rebuilt.json.gz" for name in REBUILT]
    code, out, err = mbl("data", "add", *files, data=data_directory)
    assert (code, out) == (1, "")
    assert err.count(": refused\n") == err.count("its targets are the published ones") == len(REBUILT)
    code, out, err = mbl("data", "add", *files, "--allow-unverified", "--json", data=data_directory)
    assert (code, err) == (0, "")
    results = {result["task"]: result["parts"] for result in json.loads(out)}
    assert results == {name: {"targets": True, "inputs": False} for name in REBUILT}
    for name in REBUILT:
        task = BENCH[name]
        assert len(task.targets) == task.rows
        with pytest.warns(UnverifiedDataWarning, match=rf"the inputs of {name} are unverified: {name}\.rebuilt\.json"):
            assert len(task.inputs) == task.rows
