"""The recipe for a column, followed in a copy of the package: one line in one file, and all six outputs have it."""

from __future__ import annotations

import csv
import io
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from matbench_lite import Submission, load_benchmark

PACKAGE = Path(__file__).parent.parent.parent / "matbench_lite"
BEFORE = "        places_column(rows),\n"
"""A column of the board of a task."""
COLUMN = '        Column("worst", "worst", [Cell(text=f"{r.score.max:.3g} %", value=r.score.max) for r in rows]),\n'
PROGRAM = """
import contextlib, io, json, sys
from matbench_lite.cli.app import run
answers = []
for arguments in json.load(sys.stdin):
    with contextlib.redirect_stdout(io.StringIO()) as said:
        assert run(arguments) == 0
    answers.append(said.getvalue())
json.dump(answers, sys.stdout)
"""
BOARD = ("leaderboard", "--benchmark", "mini", "--task", "mini_gap")
COMMANDS = (
    BOARD,
    *((*BOARD, f"--{output}") for output in ("csv", "json", "markdown", "latex")),
    ("site", "build", "--benchmark", "mini", "--output", "pages", "--no-render"),
)

pytestmark = pytest.mark.slow


@pytest.fixture
def answers(tmp_path: Path) -> list[str]:
    """What a copy of the package with one more column prints, and the source of the page that it makes."""
    package = shutil.copytree(PACKAGE, tmp_path / "code" / "matbench_lite", ignore=shutil.ignore_patterns("*.pyc.*"))
    source = package / "view" / "board_columns.py"
    text = source.read_text(encoding="utf-8")
    assert text.count(BEFORE) == 1
    source.write_text(text.replace(BEFORE, BEFORE + COLUMN), encoding="utf-8")
    save(tmp_path)
    environment = {"PYTHONPATH": str(package.parent), "MATBENCH_LITE_DATA": str(tmp_path / "store"), "COLUMNS": "200"}
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM],
        input=json.dumps(COMMANDS),
        cwd=tmp_path,
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    page = tmp_path / "pages" / "docs" / "tasks" / "mini_gap.md"
    return [*json.loads(done.stdout)[:-1], page.read_text(encoding="utf-8")]


def save(folder: Path) -> None:
    """An entry that is wrong by one half, and in the last fold by one."""
    benchmark = load_benchmark("mini")
    about = {"description": "The truth, and a little more.", "external_data": False, "single_configuration": True}
    entry = Submission(benchmark, algorithm="Off", authors=["A. Name"], **about)
    task = benchmark["mini_gap"]
    for fold in task.folds:
        entry.record(task.name, fold, task.target_values[task.test_rows(fold)] + (1.0 if fold == 4 else 0.5))
    code = folder / "model.py"
    code.write_text("print('the truth')\n")
    entry.save(folder / "submissions" / "off", code=code)


def test_a_column_is_one_line_and_every_output_shows_it(answers: list[str]) -> None:
    terminal, table, document, markdown, latex, page = answers
    assert " worst " in terminal
    assert "1 %" in terminal
    (row,) = csv.DictReader(io.StringIO(table))
    assert float(row["worst"]) == pytest.approx(1.0)
    assert json.loads(document)["rows"][0]["worst"] == float(row["worst"])
    assert "| worst |" in markdown
    assert "| 1 % |" in markdown
    assert r"& worst &" in latex
    assert r"& 1 \% &" in latex
    assert '<th scope="col" data-key="worst"><span>worst</span></th>' in page
    assert ">1 %</td>" in page
