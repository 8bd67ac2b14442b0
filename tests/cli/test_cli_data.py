"""`mbl data`: exit codes, what is said, and JSON for machines."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import pandas as pd
import pytest

from matbench_lite import load_benchmark
from matbench_lite.text import file_size

STEELS = load_benchmark("matbench_v0.1")["matbench_steels"]
TOML = """
name = "own"
[[tasks]]
name = "y"
input = "composition"
kind = "regression"
target = "y"
unit = "eV"
[tasks.data]
path = "own.csv"
id = "id"
input = "formula"
target = "y"
"""


@pytest.fixture
def steels(tmp_path) -> Path:
    """A file like that of the steels, with other numbers."""
    rows = [[f"Fe{row + 1}C", float(row)] for row in range(STEELS.rows)]
    content = {"index": list(range(len(rows))), "columns": ["composition", "yield strength"], "data": rows}
    path = tmp_path / "matbench_steels.json.gz"
    path.write_bytes(gzip.compress(json.dumps(content).encode()))
    return path


@pytest.fixture
def own(tmp_path) -> Path:
    rows = "".join(f"{row},Fe{row + 1}O,{row}\n" for row in range(10))
    (tmp_path / "own.csv").write_text(f"id,formula,y\n{rows}")
    (tmp_path / "own.toml").write_text(TOML)
    return tmp_path / "own.toml"


def test_an_empty_store_is_said_to_be_empty(mbl, data_directory):
    code, out, err = mbl("data", "status")
    assert (code, err) == (0, "")
    assert out.count("missing") == 2 * 13 + 1
    assert f"data directory: {data_directory}" in out
    assert "mbl data fetch" in out
    found = mbl("data", "status", "--json").json
    assert found["directory"] == str(data_directory)
    assert {part["state"] for part in found["parts"]} == {"missing"}
    assert mbl("data", "verify") == (0, "", "there is nothing to verify: no data on this machine yet\n")
    assert mbl("data", "verify", "--json").json == []


def test_a_refused_file_ends_with_1_and_says_why(mbl, steels, data_directory):
    code, out, err = mbl("data", "add", steels)
    assert (code, out) == (1, "")
    assert err.startswith(f"{steels}: refused\n")
    assert "is not the published file of matbench_steels: its targets and formulas differ too" in err
    assert "--allow-unverified" in err
    (result,) = mbl("data", "add", steels, "--json").json
    assert result["parts"] == {}
    assert result["file"] == str(steels)
    assert "not the published file" in result["error"]
    assert list(data_directory.iterdir()) == []


def test_unverified_data_is_taken_if_told_to_and_marked_everywhere(process, mbl, steels, tmp_path):
    code, out, err = mbl("data", "add", steels, "--allow-unverified")
    assert (code, out, err) == (0, "matbench_steels: targets unverified, inputs unverified\n", "")
    status = mbl("data", "status").out
    assert "matbench_steels         unverified  unverified" in status
    assert "matbench_steels.json.gz" in status
    parts = mbl("data", "status", "--json").json["parts"]
    assert {part["state"] for part in parts if part["task"] == "matbench_steels"} == {"unverified"}
    assert mbl("data", "verify").out == "matbench_steels targets: unverified\nmatbench_steels inputs: unverified\n"
    code, out, err = process("data", "export-targets", "-o", tmp_path / "all.parquet")
    assert (code, out.partition(", ")[0]) == (0, f"{tmp_path}/all.parquet: targets of 1 task")
    assert "warning: the targets of matbench_steels are unverified: matbench_steels.json.gz is not" in err
    assert len(pd.read_parquet(tmp_path / "all.parquet")) == STEELS.rows


def test_a_changed_file_is_found_by_verify(mbl, steels, data_directory):
    mbl("data", "add", steels, "--allow-unverified")
    (path,) = (data_directory / "matbench_v0.1").glob("*.targets.*")
    path.write_bytes(b"changed")
    code, out, _ = mbl("data", "verify")
    assert code == 1
    assert "matbench_steels targets: the targets of matbench_steels were changed on this disk" in out
    code, out, _ = mbl("data", "verify", "--json")
    assert code == 1
    assert [bool(item["problem"]) for item in json.loads(out)] == [True, False]


def test_files_that_are_refused_do_not_stop_the_others(mbl, steels, tmp_path):
    code, out, _ = mbl("data", "add", tmp_path / "nowhere", steels, tmp_path / "[red]", "--json")
    assert code == 1
    errors = [result["error"] for result in json.loads(out)]
    assert "no such file or folder" in errors[0]
    assert "not the published file" in errors[1]
    assert "no such file or folder" in errors[2]
    assert f"{tmp_path}/[red]: refused" in mbl("data", "add", tmp_path / "[red]").err


def test_a_damaged_manifest_is_a_message(mbl, steels, data_directory):
    mbl("data", "add", steels, "--allow-unverified")
    (data_directory / "matbench_v0.1" / "matbench_steels.json").write_text("{")
    for command in ("status", "verify"):
        code, _, err = mbl("data", command)
        assert code == 1
        assert "matbench_steels.json is damaged" in err
        assert "fix: delete it and add the data of matbench_steels again" in err


def test_a_data_directory_that_cannot_be_written_is_a_message(mbl, steels, monkeypatch):
    monkeypatch.setenv("MATBENCH_LITE_DATA", "/proc/nowhere")
    code, _, err = mbl("data", "add", steels, "--allow-unverified")
    assert code == 1
    assert "the data directory /proc/nowhere cannot be written" in err
    assert "Traceback" not in err


@pytest.mark.parametrize(
    "arguments",
    [["fetch", "nothing"], ["add", ".", "--task", "nothing"], ["status", "-b", "nothing"], ["fetch", "--mirror"]],
    ids=" ".join,
)
def test_wrong_use_ends_with_2(mbl, arguments):
    code, out, err = mbl("data", *arguments)
    assert (code, out) == (2, "")
    assert "Traceback" not in err


def test_what_cannot_be_fetched_ends_with_1(mbl):
    code, out, err = mbl("data", "fetch", "matbench_steels", "--mirror", "ftp://host/folder")
    assert (code, out) == (1, "")
    assert err.startswith("matbench_steels: not fetched\n  ftp://host/folder/")
    assert "has the scheme 'ftp'" in err
    code, out, _ = mbl("data", "fetch", "matbench_steels", "--mirror", "ftp://host/folder", "--json")
    assert code == 1
    assert "scheme" in json.loads(out)[0]["error"]


def test_there_is_nothing_to_export_from_an_empty_store(mbl, tmp_path):
    code, _, err = mbl("data", "export-targets", "-o", tmp_path / "x.parquet")
    assert code == 1
    assert "no targets of matbench_v0.1 are on this machine" in err
    assert "fix: run `mbl data fetch` first" in err


def test_mini_needs_no_data_directory(mbl, monkeypatch):
    monkeypatch.setenv("MATBENCH_LITE_DATA", "/proc/nowhere")
    for command in ("status", "verify", "fetch"):
        code, out, err = mbl("data", command, "-b", "mini")
        assert (code, err) == (0, "")
        assert out.count("verified") == 14
        assert "missing" not in out


def test_a_users_own_benchmark_has_its_data_where_it_says(mbl, own, tmp_path):
    (line,) = [line for line in mbl("data", "status", "-b", own).out.splitlines() if line.startswith("y ")]
    size = (tmp_path / "own.csv").stat().st_size
    assert line.split() == ["y", "verified", "verified", *file_size(size).split(), "own.csv"]
    assert mbl("data", "verify", "-b", own) == (0, "y targets: verified\ny inputs: verified\n", "")
    exported = mbl("data", "export-targets", "-b", own, "-o", tmp_path / "all.parquet", "--json").json
    assert exported == {
        "file": str(tmp_path / "all.parquet"),
        "tasks": ["y"],
        "bytes": (tmp_path / "all.parquet").stat().st_size,
    }
