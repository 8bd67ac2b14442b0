"""`mbl tasks`, and what holds for every command: help, version, wrong use, a reader that goes away."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from typing import Any

import pytest

from matbench_lite import __version__, load_benchmark
from matbench_lite.cli.app import commands
from matbench_lite.cli.output import out


def words(command: Any, *path: str) -> Iterator[tuple[str, ...]]:
    """The words of every command."""
    inner = getattr(command, "commands", None)
    if inner is None:
        yield path
    else:
        for name, one in inner.items():
            yield from words(one, *path, name)


COMMANDS = sorted(words(commands()))


def test_the_table_has_every_task(mbl):
    code, out, err = mbl("tasks")
    assert (code, err) == (0, "")
    for task in load_benchmark("matbench_v0.1"):
        (line,) = [line for line in out.splitlines() if line.startswith(f"{task.name} ")]
        assert line.split() == [
            *(task.name, task.input, task.kind, *task.target.split(), *(task.unit or "true/false").split()),
            f"{task.rows:,}",
        ]
    assert "13 tasks: 10 regression, 3 classification, 9 structure, 4 composition" in out


@pytest.mark.parametrize(
    ("arguments", "columns"),
    [
        (["tasks"], 95),
        (["tasks", "matbench_perovskites"], 80),
        (["tasks", "--benchmark", "mini"], 80),
        (["data", "status"], 80),
    ],
)
def test_no_word_is_cut_and_no_cell_wrapped(mbl, arguments, columns, monkeypatch):
    monkeypatch.setattr(out, "width", columns)
    check_table(mbl(*arguments), arguments, columns)


def test_a_narrow_terminal_is_made_use_of(process):
    check_table(process("tasks", COLUMNS="80"), ["tasks"], 80)


def check_table(ended, arguments, columns):
    code, printed, _ = ended
    assert code == 0
    table = printed.partition("\n\n")[0].splitlines()
    assert len(table) >= 9
    assert max(map(len, table)) <= columns
    # A word that is cut ends in an ellipsis; a cell that is wrapped leaves the first column of its second line empty.
    assert not any("…" in line.replace(" … ", "") or line.startswith(" ") for line in table)
    if arguments == ["tasks"]:
        # Where there is no room for the kind, the unit tells it.
        assert ("classification" in "".join(table)) == (columns > 80)
        assert "".join(table).count("true/false") == 3


def test_one_task_is_shown_with_all_that_is_known(mbl):
    task = load_benchmark("matbench_v0.1")["matbench_glass"]
    code, out, _ = mbl("tasks", "matbench_glass")
    assert code == 0
    for fact in (task.folds_sha256, task.targets_sha256, task.original.sha256, "mb-glass-0001", "5,680", "71.", "@"):
        assert fact in out


def test_json_is_what_the_registry_holds(mbl):
    listed = mbl("tasks", "--json").json
    assert [task["name"] for task in listed] == list(load_benchmark("matbench_v0.1").names)
    one = mbl("tasks", "matbench_steels", "--json").json
    assert one == listed[0]
    assert one["folds"] == [0, 1, 2, 3, 4]
    assert one["original"]["sha256"] == load_benchmark("matbench_v0.1")["matbench_steels"].original.sha256


def test_another_benchmark_may_be_named(mbl):
    assert [task["name"] for task in mbl("tasks", "--benchmark", "mini", "--json").json] == list(
        load_benchmark("mini").names
    )


def test_an_unknown_task_is_wrong_use_and_lists_the_names(mbl):
    code, out, err = mbl("tasks", "matbench_steel")
    assert (code, out) == (2, "")
    assert "error: there is no task 'matbench_steel' in matbench_v0.1" in err
    assert "did you mean 'matbench_steels'?" in err
    assert all(name in err for name in load_benchmark("matbench_v0.1").names)


def test_an_unknown_benchmark_is_wrong_use(mbl):
    code, _, err = mbl("tasks", "-b", "nothing")
    assert code == 2
    assert "matbench_v0.1, mini" in err


TOML = """
name = "own"
title = "[bold]Ours[/]"
[[tasks]]
name = "y"
input = "composition"
kind = "regression"
target = "[y]"
unit = "[eV]"
[tasks.data]
path = "own.csv"
id = "id"
input = "formula"
target = "y"
"""


@pytest.fixture
def own(tmp_path):
    rows = "".join(f"{row},Fe{row + 1}O,{row}\n" for row in range(10))
    (tmp_path / "own.csv").write_text(f"id,formula,y\n{rows}")
    path = tmp_path / "own.toml"
    path.write_text(TOML)
    return path


def test_the_words_of_a_users_benchmark_are_shown_as_they_are(mbl, own):
    """Brackets are rich's markup."""
    code, out, _ = mbl("tasks", "-b", own)
    assert code == 0
    for text in ("[bold]Ours[/]", "[y]", "[eV]"):
        assert text in out
    code, out, _ = mbl("tasks", "y", "-b", own)
    assert code == 0
    for text in ("[y]", "[eV]", "own.csv"):
        assert text in out
    assert mbl("tasks", "y", "-b", own, "--json").json["table"]["path"] == str(own.with_name("own.csv"))


def test_a_mistake_in_a_users_file_is_a_message(mbl, own):
    own.write_text(TOML.replace("regression", "ranking").replace("title", "titel"))
    code, out, err = mbl("tasks", "-b", own)
    assert (code, out) == (1, "")
    assert "has 2 mistakes:" in err
    assert "Traceback" not in err


def test_the_version_is_said(mbl):
    assert mbl("--version") == (0, f"matbench_lite {__version__}\n", "")


@pytest.mark.parametrize("command", COMMANDS, ids=" ".join)
def test_help_has_an_example(mbl, command):
    code, out, _ = mbl(*command, "--help")
    assert code == 0
    assert "Examples:" in out
    assert f"mbl {' '.join(command)}" in out.partition("Examples:")[2].partition("─")[0]
    assert f"Usage: mbl {' '.join(command)}" in out


def test_help_lists_every_command(mbl):
    for option in ("--help", "-h"):
        code, out, _ = mbl(option)
        assert code == 0
        assert all(command[0] in out for command in COMMANDS)


@pytest.mark.parametrize(
    "arguments",
    [[], ["data"], ["nothing"], ["tasks", "--nothing"], ["tasks", "a", "b"], ["data", "add"]],
    ids=lambda arguments: " ".join(arguments) or "nothing at all",
)
def test_wrong_use_ends_with_2_and_says_how_it_is_meant(mbl, arguments):
    code, out, err = mbl(*arguments)
    assert code == 2
    assert "Usage: mbl" in out + err
    assert "Traceback" not in err


@pytest.mark.parametrize("arguments", [["tasks"], ["tasks", "--json"], ["--help"]], ids=" ".join)
def test_a_reader_that_went_away_is_no_error(process, arguments):
    reader, writer = os.pipe()
    os.close(reader)
    try:
        code, _, err = process(*arguments, stdout=writer)
    finally:
        os.close(writer)
    assert (code, err) == (0, "")


def test_output_for_another_program_is_not_made_to_fit_a_screen(process):
    code, out, err = process("tasks")
    assert (code, err) == (0, "")
    (line,) = [line for line in out.splitlines() if line.startswith("matbench_expt_is_metal")]
    assert "classification" in line
    assert "\x1b" not in out


def test_an_interrupted_command_ends_quietly():
    program = """
import os, signal, sys
from matbench_lite.cli.app import run
signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell that runs the tests in the background ignores it
def interrupt(event, arguments):
    if event == "open" and str(arguments[0]).endswith("mini.toml"):
        os.kill(os.getpid(), signal.SIGINT)
sys.addaudithook(interrupt)
sys.exit(run(["tasks", "-b", "mini"]))
"""
    ended = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert ended.returncode == 130
    assert "Traceback" not in ended.stderr


HOSTILE = "\x1b]0;x\x07\u202e[bold]"
OWN = f"""
name = "ours"
title = "{HOSTILE}"
[[tasks]]
name = "gap"
input = "composition"
kind = "regression"
target = "{HOSTILE}"
unit = "{HOSTILE}"
description = "{HOSTILE}"
references = ["{HOSTILE}"]
[tasks.data]
path = "gap.csv"
id = "id"
input = "formula"
target = "gap"
"""


@pytest.mark.parametrize("command", [("tasks", "gap"), ("try", "dummy", "--inner-folds", "2", "--output", "out")])
def test_the_text_of_an_own_benchmark_does_not_reach_the_terminal(mbl, tmp_path, monkeypatch, command):
    escapes = {ord(char): f"\\u{ord(char):04x}" for char in "\x1b\x07\u202e"}
    (tmp_path / "ours.toml").write_text(OWN.translate(escapes))
    rows = "".join(f"{row},{formula},{row}.5\n" for row, formula in enumerate(["NaCl", "GaAs", "Fe2O3"] * 10))
    (tmp_path / "gap.csv").write_text(f"id,formula,gap\n{rows}")
    monkeypatch.chdir(tmp_path)
    ended = mbl(*command, "--benchmark", "ours.toml")
    assert ended.code == 0, ended.err
    assert r"\x1b]0;x\x07\u202e[bold]" in ended.out
    assert not {"\x1b", "\x07", "\u202e"} & set(ended.out + ended.err)
