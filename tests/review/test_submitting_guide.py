"""The guide names commands that exist, with options that they take."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest
import typer

from matbench_lite.cli.app import app

GUIDE = Path(__file__).parents[2] / "leaderboard_docs" / "submitting.md"
COMMANDS = sorted(set(re.findall(r"\bmbl [a-z][^`\n]*", GUIDE.read_text()))) if GUIDE.is_file() else []


@pytest.mark.parametrize("line", COMMANDS)
def test_a_command_of_the_guide_is_one(line: str) -> None:
    command = typer.main.get_command(app)
    words = shlex.split(line)[1:]
    context = typer.Context(command)
    while hasattr(command, "commands"):
        command = command.get_command(context, words.pop(0))
        assert command is not None, line
    known = {option for parameter in command.params for option in parameter.opts}
    assert {word for word in words if word.startswith("-")} <= known


def test_the_guide_names_all_steps() -> None:
    named = {line.split()[1] for line in COMMANDS}
    assert {"new", "try", "run", "check", "seal", "review", "submit"} <= named
