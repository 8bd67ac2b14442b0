"""`mbl site build` and `mbl site serve`."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import urllib.request
from pathlib import Path

import pytest

import matbench_lite
from matbench_lite.cli.app import run
from matbench_lite.errors import MatbenchLiteError
from matbench_lite.site import site_server

ROOT = Path(matbench_lite.__file__).parents[1]


def build(submissions: Path, output: Path, *more: str) -> int:
    return run(["site", "build", "-s", str(submissions), "-o", str(output), "-b", "mini", "--no-render", *more])


def test_an_entry_with_errors_is_left_out_named_and_the_rest_is_built(submissions, computed, tmp_path, capsys) -> None:
    assert build(submissions, tmp_path / "build") == 1
    printed = capsys.readouterr()
    assert "broken is left out" in printed.err
    assert "4 entries" in printed.out
    assert (tmp_path / "build" / "docs" / "entries" / "best.md").is_file()


def test_without_errors_the_code_is_zero(submissions, computed, tmp_path, capsys) -> None:
    shutil.copytree(submissions / "gaps", tmp_path / "submissions" / "gaps")
    assert build(tmp_path / "submissions", tmp_path / "build") == 0
    assert "1 entry" in capsys.readouterr().out


def test_entries_of_other_benchmarks_are_passed_over(submissions, computed, tmp_path, capsys) -> None:
    shutil.copytree(submissions / "gaps", tmp_path / "submissions" / "gaps")
    code = run(["site", "build", "-s", str(tmp_path / "submissions"), "-o", str(tmp_path / "build"), "--no-render"])
    assert code == 0
    assert "0 entries" in capsys.readouterr().out


def test_a_folder_that_is_not_there_is_an_error_with_a_fix(tmp_path, capsys) -> None:
    assert build(tmp_path / "missing", tmp_path / "build") == 1
    assert "there is no folder" in capsys.readouterr().err


def test_it_works_without_hand_written_pages(submissions, computed, tmp_path, monkeypatch) -> None:
    monkeypatch.chdir(tmp_path)
    shutil.copytree(submissions / "gaps", tmp_path / "submissions" / "gaps")
    assert build(tmp_path / "submissions", tmp_path / "build") == 0
    assert not (tmp_path / "build" / "docs" / "guide" / "statistics.md").exists()
    assert (tmp_path / "build" / "docs" / "guide" / "rules" / "index.md").is_file()


def test_serving_what_was_not_built_says_what_to_do(tmp_path) -> None:
    with pytest.raises(MatbenchLiteError, match="mbl site build"):
        site_server(tmp_path, 0)


def test_the_server_gives_the_pages_to_this_machine(tmp_path) -> None:
    (tmp_path / "site").mkdir()
    (tmp_path / "site" / "index.html").write_text("<h1>Here</h1>")
    command = [sys.executable, "-c", "from matbench_lite.cli import main; main()"]
    server = subprocess.Popen(
        [*command, "site", "serve", "-o", str(tmp_path), "--port", "0"],
        env={**os.environ, "PYTHONPATH": str(ROOT), "PYTHONUNBUFFERED": "1"},
        stdout=subprocess.PIPE,
        text=True,
    )
    try:
        address = server.stdout.readline().split()[0]
        assert address.startswith("http://127.0.0.1:")
        with urllib.request.urlopen(address, timeout=300) as page:
            assert page.read() == b"<h1>Here</h1>"
    finally:
        server.terminate()
        server.wait(timeout=300)
        server.stdout.close()
