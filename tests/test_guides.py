"""The guides tell the truth: their commands exist, and what can be run in a moment runs as it is written.

The guides to `mbl evaluate` and `mbl judge` have tests of their own beside those of their packages.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from pathlib import Path

import pytest
import typer

from matbench_lite import Submission, load_benchmark
from matbench_lite.cli.app import app
from matbench_lite.cli.app import run as mbl
from matbench_lite.review import check_entry

ROOT = Path(__file__).parents[1]
DOCS = ROOT / "leaderboard_docs"
PAGES = {path.relative_to(DOCS).as_posix(): path.read_text() for path in sorted(DOCS.rglob("*.md"))}
PAGES |= {
    f"../{name}": (ROOT / name).read_text() for name in ("README.md", "CONTRIBUTING.md") if (ROOT / name).is_file()
}


def blocks(page: str, language: str = "") -> list[str]:
    """The blocks of one language, in order; those without one hold commands, or what is printed."""
    found = re.findall(r"^```(\w*)\n(.*?)^```$", PAGES[page], re.DOTALL | re.MULTILINE)
    return [text for kind, text in found if kind == language]


def commands(page: str) -> Iterator[str]:
    """The commands of ours in a page: in blocks of their own, and in the text."""
    text = PAGES[page].replace("\\\n", " ")
    for line in re.findall(r"^(?:\$ )?mbl ([a-z].*)$", text, re.MULTILINE):
        yield line.partition(" #")[0]
    yield from re.findall(r"`mbl ([a-z][^`\n]*)`", text)


def run_commands(text: str) -> list[int]:
    """The exit codes of the commands in a block."""
    return [mbl(shlex.split(line, comments=True)[1:]) for line in text.splitlines() if line.startswith("mbl ")]


def test_commands_exist_and_take_the_options_that_are_named() -> None:
    group = typer.main.get_command(app)
    context = typer.Context(group)
    for page in PAGES:
        for line in commands(page):
            words = [word.strip("[]") for word in shlex.split(line)]
            command = group
            while words and hasattr(command, "commands"):
                command = command.get_command(context, words.pop(0))
                assert command is not None, f"{page}: mbl {line}"
            known = {option for parameter in command.params for option in parameter.opts}
            assert {word for word in words if word.startswith("-")} <= known, f"{page}: mbl {line}"


def test_the_guide_to_submitting_names_all_steps() -> None:
    named = {line.split()[0] for line in commands("submitting.md")}
    assert {"new", "try", "run", "check", "seal", "review", "submit"} <= named


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where the reader is."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_recording_checking_and_scoring(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    names: dict = {}
    begin, look = blocks("submission.md", "python")
    exec(begin, names)
    task = names["bench"]["mini_gap"]
    for fold in task.folds:
        names["sub"].record(task.name, fold, task.test_targets(fold) * 0.9 + 0.1)
    exec(look, names)
    (folder / "my_forest.py").write_text("x = 1\n")
    exec('sub.save("submissions/my-forest", code="my_forest.py")', names)
    assert run_commands("".join(blocks("checks.md"))) == [0]
    capsys.readouterr()
    exec(blocks("checks.md", "python")[0], {})
    assert capsys.readouterr().out.startswith("True task-specific\n")
    assert mbl(["score", "submissions/my-forest"]) == 0


def test_benchmarks_and_data(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    exec(blocks("data.md", "python")[0], {"load_benchmark": load_benchmark})
    assert mbl(["tasks"]) == mbl(["data", "status"]) == mbl(["data", "verify"]) == 0


def test_a_benchmark_of_ones_own(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    whole, fixed = blocks("own_benchmark.md", "toml")
    (folder / "our_alloys.toml").write_text(whole)
    rows = "".join(f"s{row},Fe{row + 1}Ni,{row / 10}\n" for row in range(1200))
    (folder / "alloys.csv").write_text("sample,formula,hardness\n" + rows)
    names: dict = {}
    exec(blocks("own_benchmark.md", "python")[0], names)
    assert names["sub"].benchmark["hardness"].rows == 1200
    assert mbl(["tasks", "--benchmark", "our_alloys.toml"]) == 0
    capsys.readouterr()
    assert mbl(["tasks", "hardness", "--benchmark", "our_alloys.toml", "--json"]) == 0
    digests = dict(re.findall(r'"(folds_sha256|targets_sha256)": "([0-9a-f]{64})"', capsys.readouterr().out))
    for name, digest in digests.items():
        fixed = fixed.replace(f'{name} = "…"', f'{name} = "{digest}"')
    (folder / "our_alloys.toml").write_text(whole.replace("\n[tasks.data]", f"{fixed}\n[tasks.data]"))
    assert mbl(["tasks", "--benchmark", "our_alloys.toml"]) == 0
    (folder / "alloys.csv").write_text("sample,formula,hardness\n" + rows.replace("s7,Fe8Ni,0.7", "s7,Fe8Ni,0.8"))
    assert mbl(["tasks", "--benchmark", "our_alloys.toml"]) == 1


@pytest.mark.slow
def test_running_a_model(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """As it is written, but with fewer trees, on one task, with two inner folds."""
    copy, trial, *_ = (text for text in blocks("running.md") if text.startswith("mbl "))
    shown, forests, features = blocks("running.md", "python")
    assert run_commands(copy) == [0]
    model = folder / "submissions" / "my-forest" / "model.py"
    assert shown in model.read_text()
    old = re.search(r"    if task.kind.*?(?=    return)", shown, re.DOTALL)
    assert old is not None
    new = "".join(f"    {line}\n" for line in forests.replace("=200", "=20").splitlines())
    model.write_text(model.read_text().replace(old[0], new))
    (model.parent / "about.toml").write_text(blocks("running.md", "toml")[0])
    trial = trial.replace("--tasks mini_gap", "--tasks mini_gap --inner-folds 2")
    assert run_commands(trial.replace("--jobs 2", "--jobs 2 --tasks mini_gap")) == [0, 0, 0]
    assert "my-forest: passes" in capsys.readouterr().out
    entry = Submission.load(model.parent)
    assert (entry.algorithm, entry.authors) == ("A wide forest", ["A. Name"])
    assert entry.scores["mini_gap"].mae.mean < 0.75, "better than a forest on element fractions"
    assert {finding.severity for finding in check_entry(model.parent, others={}).findings} <= {"note"}
    names: dict = {}
    exec(features.replace("magpie_array([", "shape = magpie_array(["), names)
    assert names["shape"] == (2, 132)
