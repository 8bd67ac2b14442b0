"""`mbl from-matbench` and `mbl to-matbench`."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from matbench_lite import Submission
from matbench_lite.cli.app import run
from matbench_lite.matbench import read_results, write_results

pytestmark = pytest.mark.filterwarnings("ignore::matbench_lite.errors.UnverifiedDataWarning")


@pytest.fixture
def true(document, write, targets, tmp_path) -> Path:
    """A result whose scores are those of its predictions."""
    return write_results(read_results(write(document)), tmp_path / "true.json")


def test_a_result_becomes_an_entry_and_goes_back(true, tmp_path, capsys) -> None:
    (tmp_path / "about.json").write_text(json.dumps({"algorithm": "[bold]Mine[/bold]", "authors": "A. Name"}))
    entry = tmp_path / "entry"
    arguments = ["from-matbench", str(true), "--info", str(tmp_path / "about.json"), "--output", str(entry)]
    assert run([*arguments, "--url", "https://example.org"]) == 0
    printed = capsys.readouterr().out
    assert "[bold]Mine[/bold]: 3 tasks, task-specific; 55 of 60 published scores reproduced" in printed
    assert "matbench_expt_is_metal rocauc, 5 folds: published 0." in printed
    assert "computed it on labels" in printed
    assert Submission.load(entry).imported["url"] == "https://example.org"
    assert run(["score", str(entry)]) == 0, "what is saved are recomputed scores"
    assert run(["to-matbench", str(entry), "--output", str(tmp_path / "back.json")]) == 0
    back, sent = json.loads((tmp_path / "back.json").read_bytes()), json.loads(true.read_bytes())
    # Matbench's hash depends on the order of keys in objects inside lists, which an entry on disk does not keep.
    assert read_results(tmp_path / "back.json").imported["hash"] == back.pop("hash")
    assert back == {key: value for key, value in sent.items() if key != "hash"}


def test_a_score_that_nobody_can_explain_fails_but_comes_in(document, write, targets, tmp_path, capsys) -> None:
    assert run(["from-matbench", str(write(document)), "-o", str(tmp_path / "entry"), "--json"]) == 1
    (report,) = json.loads(capsys.readouterr().out)
    assert report["published"] == 60
    assert {item["reason"] for item in report["differences"] if item["metric"] == "mae"} == {None}
    assert (tmp_path / "entry" / "submission.json").is_file()


def test_a_wrong_hash_needs_a_flag_and_is_said(true, tmp_path, capsys) -> None:
    changed = json.loads(true.read_bytes())
    changed["user_metadata"] = {}
    true.write_text(json.dumps(changed))
    assert run(["from-matbench", str(true), "-o", str(tmp_path / "entry")]) == 1
    assert "--allow-hash-mismatch" in capsys.readouterr().err
    assert not (tmp_path / "entry").exists()
    assert run(["from-matbench", str(true), "-o", str(tmp_path / "entry"), "--allow-hash-mismatch"]) == 0
    assert "its hash is wrong" in capsys.readouterr().out


def test_a_checkout_comes_in_as_a_whole_and_one_bad_result_does_not_stop_it(true, tmp_path, capsys) -> None:
    benchmarks = tmp_path / "benchmarks"
    for name in ("matbench_v0.1_My_Forest v2", "matbench_v0.1_Bad", "matbench_v0.1_empty"):
        (benchmarks / name).mkdir(parents=True)
    (benchmarks / "README.md").touch()
    (benchmarks / "matbench_v0.1_My_Forest v2" / "results.json.gz").write_bytes(true.read_bytes())
    (benchmarks / "matbench_v0.1_Bad" / "results.json.gz").write_bytes(b"{}")
    assert run(["from-matbench", "--all", str(benchmarks), "--output", str(tmp_path / "entries")]) == 1
    printed = capsys.readouterr()
    assert "matbench_v0.1_Bad/results.json.gz: not imported" in printed.err
    assert sorted(path.name for path in (tmp_path / "entries").iterdir()) == ["my-forest-v2"]
    entry = Submission.load(tmp_path / "entries" / "my-forest-v2")
    assert entry.algorithm == "matbench_v0.1_My_Forest v2"
    assert entry.imported["url"].endswith("/benchmarks/matbench_v0.1_My_Forest v2")


@pytest.fixture
def checkout(true, tmp_path) -> Path:
    """Two entries in a checkout of Matbench: dummy and forest."""
    for name in ("dummy", "forest"):
        (tmp_path / "benchmarks" / f"matbench_v0.1_{name}").mkdir(parents=True)
        (tmp_path / "benchmarks" / f"matbench_v0.1_{name}" / "results.json.gz").write_bytes(true.read_bytes())
    return tmp_path / "benchmarks"


def our_dummy(folder: Path, **about) -> Path:
    """An entry of ours under the name that an imported one would get."""
    submission = Submission("matbench_v0.1", **{"algorithm": "matbench_v0.1_dummy"} | about)
    submission.record("matbench_steels", 0, [0.0] * 63)
    (folder.parent / "dummy.py").parent.mkdir(parents=True, exist_ok=True)
    (folder.parent / "dummy.py").write_text("x = 1\n")
    submission.save(folder, code=folder.parent / "dummy.py")
    (folder.parent / "dummy.py").unlink()
    return folder


def content(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir()}


def test_entries_that_are_there_are_left_alone_and_named(checkout, tmp_path, capsys) -> None:
    ours = our_dummy(tmp_path / "entries" / "dummy")
    before = content(ours)
    arguments = ["from-matbench", "--all", str(checkout), "-o", str(tmp_path / "entries")]
    assert run(arguments) == 0
    printed = capsys.readouterr().out
    assert f"dummy: left alone, {ours} already exists" in printed
    assert "forest: left alone" not in printed
    assert content(ours) == before
    assert Submission.load(tmp_path / "entries" / "forest").imported
    assert run([*arguments, "--json"]) == 0
    reports = json.loads(capsys.readouterr().out)
    assert [(Path(report["entry"]).name, report["left_alone"]) for report in reports] == [
        ("dummy", True), ("forest", True),
    ]  # fmt: skip


def test_a_folder_that_somebody_works_in_is_left_alone_but_not_what_a_killed_import_left(
    checkout, tmp_path, capsys
) -> None:
    (tmp_path / "entries" / "dummy").mkdir(parents=True)
    (tmp_path / "entries" / "dummy" / "model.py").write_text("x = 1\n")
    (tmp_path / "entries" / "forest" / ".saving").mkdir(parents=True)
    assert run(["from-matbench", "--all", str(checkout), "-o", str(tmp_path / "entries"), "--json"]) == 0
    assert [report.get("left_alone", False) for report in json.loads(capsys.readouterr().out)] == [True, False]
    assert content(tmp_path / "entries" / "dummy") == {"model.py": b"x = 1\n"}
    assert content(tmp_path / "entries" / "forest").keys() == {"submission.json", "predictions.parquet"}


@pytest.mark.parametrize(
    ("about", "reason"),
    [
        ({"algorithm": "Mine"}, "holds the entry of 'Mine'"),
        ({"authors": ["A. Name"]}, "holds the entry of A. Name"),
        ({}, "was not imported, unlike this one"),
    ],
)
def test_one_result_never_replaces_somebody_elses_entry(checkout, tmp_path, capsys, about, reason) -> None:
    ours = our_dummy(tmp_path / "dummy", **about)
    before = content(ours)
    result = checkout / "matbench_v0.1_dummy" / "results.json.gz"
    assert run(["from-matbench", str(result), "-o", str(ours)]) == 1
    assert reason in capsys.readouterr().err
    assert content(ours) == before


def test_an_imported_entry_may_be_imported_again(checkout, tmp_path) -> None:
    result = checkout / "matbench_v0.1_dummy" / "results.json.gz"
    for _ in range(2):
        assert run(["from-matbench", str(result), "-o", str(tmp_path / "dummy")]) == 0


def test_a_folder_without_results_and_two_of_one_name_are_refused(tmp_path, capsys) -> None:
    assert run(["from-matbench", "--all", str(tmp_path), "-o", str(tmp_path / "entries")]) == 1
    assert "checkout of Matbench" in capsys.readouterr().err
    for name in ("a-b", "a_b"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "results.json").write_text("{}")
    assert run(["from-matbench", "--all", str(tmp_path), "-o", str(tmp_path / "entries")]) == 1
    assert "would both become a-b" in capsys.readouterr().err


@pytest.mark.parametrize(
    "arguments", [[], ["a.json", "--all", "b"], ["--all", "b", "--info", "c"], ["--all", "b", "--url", "c"]]
)
def test_wrong_use_is_said(arguments, tmp_path, capsys) -> None:
    assert run(["from-matbench", *arguments, "--output", str(tmp_path)]) == 2


def test_without_targets_nothing_is_written(document, write, tmp_path, capsys) -> None:
    assert run(["from-matbench", str(write(document)), "-o", str(tmp_path / "entry")]) == 1
    assert "mbl data fetch matbench_" in capsys.readouterr().err
    assert not (tmp_path / "entry").exists()
