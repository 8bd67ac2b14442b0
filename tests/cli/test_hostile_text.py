"""Entries and a benchmark with something hostile in every text, through commands and outputs: none of it is obeyed."""

from __future__ import annotations

import csv
import io
import re
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from matbench_lite import Submission

from ..hostile_titles import NAME, hostile_benchmark

HOSTILE = "=cmd() <script>hacked()</script> \u202e\x07\x1b[31mevil \\input{x} | `a` $x$ @you fixes #1"
BOARDS = (
    ("leaderboard",),
    ("leaderboard", "--task", NAME),
    ("leaderboard", "--task", "metal"),
    ("compare", "submissions/one", "submissions/two"),
)
OTHERS = (
    ("score", "submissions/one"),
    ("check", "submissions"),
    ("tasks",),
    ("tasks", NAME),
    ("data", "status"),
    ("data", "verify"),
)
WRONG = (
    ("leaderboard", "--task", HOSTILE),
    ("check", HOSTILE),
    ("run", HOSTILE),
    ("try", HOSTILE),
    ("seal", HOSTILE),
    ("tasks", HOSTILE),
    ("data", "fetch", HOSTILE),
    ("data", "add", HOSTILE),
    ("compare", HOSTILE, "submissions/one"),
)
"""Commands that name nothing there is: what they were given is in their message."""

Mbl = Callable[..., Any]


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with a benchmark, two entries on it, and one that is broken."""
    monkeypatch.chdir(tmp_path)
    benchmark = hostile_benchmark(tmp_path)
    (tmp_path / "model.py").write_text(f"def get_estimator(task):\n    raise RuntimeError({HOSTILE!r})\n")
    for number, slug in enumerate(("one", "two"), start=1):
        entry = Submission(
            benchmark,
            algorithm=f"{HOSTILE} {number}",
            authors=[HOSTILE],
            description=HOSTILE,
            references=[HOSTILE],
            requirements=[HOSTILE],
            single_configuration=True,
            external_data=HOSTILE,
            metadata={HOSTILE: HOSTILE},
        )
        entry.provenance = {"python": HOSTILE, "hardware": {"cpu": HOSTILE, "cores": HOSTILE, "gpus": [HOSTILE]}}
        rng = np.random.default_rng(number)
        for task, fold in [(each, fold) for each in benchmark for fold in each.folds]:
            truth = task.target_values[task.test_rows(fold)]
            predicted = rng.random(len(truth)) > 0.4 if task.kind == "classification" else truth + rng.normal()
            entry.record(task.name, fold, predicted, params={HOSTILE: HOSTILE})
        entry.save(tmp_path / "submissions" / slug, code=tmp_path / "model.py")
    broken = tmp_path / "submissions" / "broken"
    broken.mkdir()
    (broken / "submission.json").write_text("{}")
    (broken / f"a{HOSTILE.replace('/', '')}.py").write_text("")
    return tmp_path


def assert_harmless(ended: Any) -> None:
    assert all(char.isprintable() or char == "\n" for char in ended.out + ended.err)
    assert "Traceback" not in ended.err


@pytest.mark.parametrize("command", BOARDS, ids=" ".join)
def test_boards_in_every_output(mbl: Mbl, place: Path, command: tuple[str, ...]) -> None:
    command = (*command, "--benchmark", "benchmark.toml")
    for output in ((), ("--json",), ("--csv",), ("--markdown",), ("--latex",)):
        ended = mbl(*command, *output)
        if output == ("--csv",):
            # A reader of CSV wants the text; what no terminal may see is gone all the same.
            cells = [cell for row in csv.reader(io.StringIO(ended.out)) for cell in row]
            assert not [cell for cell in cells if cell.startswith(("=", "@", "\t", "\r"))]
            assert not [cell for cell in cells if cell.startswith(("+", "-")) and not re.fullmatch(r"-[\d.e-]+", cell)]
        elif output == ("--markdown",):
            assert not re.search(r"<(?!span>\$</span>|/span>)", ended.out)
        elif output == ("--latex",):
            assert "\\input" not in ended.out
        assert_harmless(ended)
        assert "evil" in ended.out or command[0] == "compare", "it is to be read"


@pytest.mark.parametrize("command", OTHERS, ids=" ".join)
def test_what_an_entry_and_a_benchmark_say(mbl: Mbl, place: Path, command: tuple[str, ...]) -> None:
    for output in ((), ("--json",)):
        assert_harmless(mbl(*command, "--benchmark", "benchmark.toml", *output))


@pytest.mark.parametrize("command", WRONG, ids=lambda command: " ".join(command[:2]).replace(HOSTILE, ""))
def test_what_a_command_was_given(mbl: Mbl, place: Path, command: tuple[str, ...]) -> None:
    ended = mbl(*command, "--benchmark", "benchmark.toml")
    assert ended.code in (1, 2)
    assert_harmless(ended)
    assert "evil" in ended.out + ended.err


@pytest.mark.slow
def test_what_a_model_raises(mbl: Mbl, place: Path) -> None:
    ended = mbl("run", "model.py", "--benchmark", "benchmark.toml", "--tasks", NAME, "--output", "run")
    assert ended.code == 1
    assert "RuntimeError" in ended.out + ended.err
    assert_harmless(ended)


def test_names_that_git_knows(mbl: Mbl, place: Path) -> None:
    def git(*arguments: str) -> None:
        who = ("-c", f"user.name={name}", "-c", "user.email=a@example.org", "-c", "commit.gpgsign=false")
        subprocess.run(["git", *who, *arguments], cwd=place, check=True, capture_output=True)

    name = re.sub("[<>]", "", HOSTILE)
    git("init", "--quiet", "--template=", "--initial-branch", "main")
    (place / ".gitignore").write_text("*.csv\n")
    git("add", ".gitignore")
    git("commit", "--quiet", "-m", HOSTILE)
    git("switch", "--quiet", "-c", "turned\u202e$(x)`y`")
    git("add", "submissions/one")
    git("commit", "--quiet", "-m", HOSTILE)
    git("config", "user.name", name)
    commands = (
        ("new", "mine"),
        ("seal", "submissions/one", "--benchmark", "benchmark.toml"),
        ("submit", "submissions/one"),
        ("review", "--base", "main"),
        ("review", "--base", "main", "--json"),
        ("review", "--base", HOSTILE),
    )
    for command in commands:
        assert_harmless(mbl(*command))
    report = (place / "build" / "review" / "report.md").read_text(encoding="utf-8")
    assert all(char.isprintable() or char == "\n" or char == "\xa0" for char in report)
