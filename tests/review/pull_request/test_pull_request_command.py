"""`mbl review`: what it prints and writes, and its exit code."""

from __future__ import annotations

import json

import pytest

from matbench_lite.cli.app import run as mbl


@pytest.fixture
def branch(clone, entry, monkeypatch: pytest.MonkeyPatch):
    clone.branch("new")
    clone.entry("mine", entry("Mine", 0.5))
    clone.commit()
    monkeypatch.chdir(clone.folder)
    return clone


def test_the_report_is_printed_and_written(branch, capsys) -> None:
    assert mbl(["review", "--base", "main", "--head", "new"]) == 0
    said = capsys.readouterr()
    assert "Review: accept" in said.out
    assert "mini_is_ductile" in said.out
    assert "<details>" not in said.out
    assert "build/review/report.md" in said.err
    report = json.loads((branch.folder / "build/review/report.json").read_text())
    assert report["verdict"] == "accept"
    assert report["entries"][0]["standings"][0]["verified"] is True
    assert (branch.folder / "build/review/report.md").read_text().startswith("## Review: accept\n")


def test_errors_are_exit_code_one(branch, tmp_path, capsys) -> None:
    (branch.folder / "code.py").write_text("more\n")
    branch.commit()
    arguments = ["review", "--base", "main", "--head", "new", "--output", str(tmp_path / "out")]
    assert mbl(arguments) == 1
    assert "MBL701" in capsys.readouterr().out
    assert (tmp_path / "out" / "report.md").is_file()


def test_json_is_the_file(branch, tmp_path, capsys) -> None:
    assert mbl(["review", "--base", "main", "--json", "--output", str(tmp_path)]) == 0
    assert json.loads(capsys.readouterr().out) == json.loads((tmp_path / "report.json").read_text())


def test_a_base_that_is_not_there_is_a_message(branch, capsys) -> None:
    assert mbl(["review", "--base", "elsewhere"]) == 1
    assert "there is no commit 'elsewhere'" in capsys.readouterr().err
