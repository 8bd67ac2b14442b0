"""`mbl check`: what it prints for people, machines and GitHub, and its exit code."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import pytest
from entries import add_file, forge

from matbench_lite.check import check_entry
from matbench_lite.cli import output
from matbench_lite.cli.app import run
from matbench_lite.cli.check import annotation
from matbench_lite.review import RULES


class Done(NamedTuple):
    """What came of a command."""

    code: int
    out: str
    err: str


@pytest.fixture
def entry(sound: Path, tmp_path: Path) -> Path:
    return shutil.copytree(sound, tmp_path / "my-forest")


@pytest.fixture
def mbl(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Callable[..., Done]:
    """Runs `mbl check` in a terminal of some width."""

    def call(*arguments: str | Path, columns: int = 80) -> Done:
        monkeypatch.setattr(output.out, "_width", columns)
        code = run(["check", *map(str, arguments)])
        return Done(code, *capsys.readouterr())

    return call


def hostile(entry: Path) -> None:
    """Text that would like to be a command of the terminal, of rich, or of GitHub."""
    forge(entry, algorithm="[bold]x[/bold] \x1b[2J ::error::y %0A", authors=[])
    add_file(entry, "a,b:c.py", b"x = 1\n")


def test_a_sound_entry_ends_with_0_and_says_why_it_is_what_it_is(entry, mbl) -> None:
    done = mbl(entry)
    assert done.code == 0
    assert "my-forest: passes" in done.out
    assert "Test forest: all 7 tasks: general-purpose" in done.out
    assert "7 of 7 tasks" in done.out
    needed = "MBL117, MBL120, MBL505, MBL508, MBL509, MBL510, MBL511"
    assert f"{needed}: needs the other entries: not run here, CI will" in done.out


def test_an_error_ends_with_1_and_every_finding_has_its_fix_within_80_columns(entry, mbl) -> None:
    forge(entry, external_data=None, description="")
    (entry / "model.py").write_text("x = 2\n")
    done = mbl(entry)
    assert done.code == 1
    table = done.out.partition("finding")[2]
    assert max(map(len, done.out.partition("  MBL117")[0].splitlines())) <= 80
    for code, severity in (("MBL404", "error"), ("MBL602", "error"), ("MBL604", "warning")):
        assert re.search(rf"{code}.*\n{severity}", table), table
    assert "my-forest: does not pass (2 errors, 1 warning)" in done.out
    for code in ("MBL404", "MBL602", "MBL604"):
        assert all(word in table for word in RULES[code].fix.split())


def test_a_warning_alone_ends_with_0(entry, mbl) -> None:
    forge(entry, description="")
    assert mbl(entry).code == 0


def test_json_has_the_whole_verdict(entry, mbl) -> None:
    forge(entry, authors=[])
    done = mbl(entry, "--json")
    (verdict,) = json.loads(done.out)
    assert done.code == 1
    assert verdict["slug"] == "my-forest"
    assert verdict["ok"] is False
    assert verdict["category"] == {"name": "general-purpose", "reason": "all 7 tasks"}
    assert [finding["code"] for finding in verdict["findings"]] == ["MBL603"]
    assert set(verdict["findings"][0]) == {"code", "severity", "message", "fix", "file"}
    assert set(verdict["not_run"]) == {"MBL117", "MBL120", "MBL505", "MBL508", "MBL509", "MBL510", "MBL511"}
    assert verdict["verified"]["mini_gap"] is True


def test_several_entries_and_folders_of_entries(entry, mbl) -> None:
    shutil.copytree(entry, entry.parent / "all" / "one")
    shutil.copytree(entry, entry.parent / "all" / "two")
    forge(entry.parent / "all" / "two", authors=[])
    done = mbl(entry, entry.parent / "all", columns=200)
    assert done.code == 1
    assert "2 of 3 entries pass" in done.out
    assert [verdict["slug"] for verdict in json.loads(mbl(entry, entry.parent / "all", "--json").out)] == [
        "my-forest", "one", "two",
    ]  # fmt: skip


def test_annotations_are_one_line_each_and_nothing_in_them_is_a_command(entry) -> None:
    hostile(entry)
    # A process of its own, as a workflow starts it.
    code = "from matbench_lite.cli import main; main()"
    command = [sys.executable, "-c", code, "check", entry.name, "--format", "github"]
    done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=entry.parent)
    lines = done.stdout.splitlines()
    assert done.returncode == 1
    assert {line.split(" ")[0] for line in lines} == {"::error"}
    for line in lines:
        properties, _, message = line.removeprefix("::error ").partition("::")
        assert re.fullmatch(r"file=[^,:]*,title=MBL\d{3} my-forest", properties), properties
        assert "\x1b" not in message
        assert message.isprintable()
    assert any("file=my-forest/a%2Cb%3Ac.py," in line for line in lines)
    assert any("%250A" in line for line in lines), "a percent sign is written out"


@pytest.mark.parametrize(("severity", "command"), [("error", "error"), ("warning", "warning"), ("note", "notice")])
def test_each_severity_has_its_command(entry, severity, command) -> None:
    changes = {"error": {"authors": []}, "warning": {"description": ""}, "note": {}}[severity]
    forge(entry, **changes)
    if severity == "note":
        forge(entry, single_configuration=False)
    checked = check_entry(entry)
    assert annotation(checked, checked.findings[0]).startswith(f"::{command} file=")


def test_what_a_stranger_wrote_does_not_reach_the_terminal(entry, mbl) -> None:
    hostile(entry)
    done = mbl(entry, columns=200)
    assert "\x1b" not in done.out
    assert r"[bold]x[/bold] \x1b[2J ::error::y %0A" in done.out


def test_a_file_name_with_a_line_break_is_written_on_one_line(entry, mbl) -> None:
    (entry / "b\n::warning::forged").write_bytes(b"\x7fELF\x02")
    named = [finding for finding in check_entry(entry).findings if "forged" in finding.message]
    assert {finding.code for finding in named} == {"MBL107", "MBL109", "MBL406"}
    assert {finding.file for finding in named} == {"b ::warning::forged"}
    assert all(finding.message.isprintable() for finding in named)
    lines = [line.strip(" │┃") for line in mbl(entry, columns=200).out.splitlines()]
    assert any("b ::warning::forged is a program" in line for line in lines)
    assert not any(line.startswith("::warning::") for line in lines)


def test_a_folder_that_is_not_there_is_a_clear_error(tmp_path, mbl) -> None:
    done = mbl(tmp_path / "nowhere")
    assert done.code == 1
    assert "there is no folder" in done.err


def test_the_help_has_examples(mbl, monkeypatch) -> None:
    monkeypatch.setenv("COLUMNS", "120")
    assert "mbl check submissions/my-forest --format github" in mbl("--help").out
