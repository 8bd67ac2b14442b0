"""A metric that is added, or whose formula changes, in a copy of the package: entries stay as they are, numbers follow.

The copy is used by its commands, as a developer would, on entries and derived values that the package made before.
"""

from __future__ import annotations

import csv
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from matbench_lite import Submission, load_benchmark

from .whole_site import Once

PACKAGE = Path(__file__).parent.parent / "matbench_lite"
LAST = "max_error, r2)"
NEW = '''
@metric("median error", in_target_unit=True, shown=("board", "entry", "overview"))
def median_error(sample: Sample) -> float:
    """Median of the absolute errors."""
    return float(np.median(sample.error))


REGRESSION_METRICS = ('''

pytestmark = pytest.mark.slow


PROGRAM = """
import contextlib, io, json, sys
from matbench_lite.cli.app import run
answers = []
for arguments in json.load(sys.stdin):
    with contextlib.redirect_stdout(io.StringIO()) as said:
        code = run(arguments)
    answers.append([code, said.getvalue()])
json.dump(answers, sys.stdout)
"""
"""Gives commands to the package one after the other: it is imported once."""
BOARD = ("leaderboard", "--benchmark", "mini", "--task", "mini_gap")
CHECK = ("check", "submissions", "--json")
ERRORS = (
    ("score", "submissions/second", "--json"),
    (*BOARD, "--json"),
    ("review", "--base", "main", "--json"),
    ("site", "build", "--benchmark", "mini", "--output", "pages", "--no-render"),
)
"""Commands that say the MAE of the second entry on mini_gap."""


class Copy:
    """A copy of the package, a repository with entries, and a store of its own."""

    def __init__(self, folder: Path) -> None:
        self.package = folder / "code" / "matbench_lite"
        self.repository = folder / "repository"
        self.store = folder / "store"

    def fill(self) -> None:
        """Copy the package, with what was compiled of it, and save two entries, the second on a branch."""
        shutil.copytree(PACKAGE, self.package, ignore=shutil.ignore_patterns("*.pyc.*"))
        self.repository.mkdir()
        self._git("init", "--initial-branch", "main")
        _save(self.repository / "submissions" / "first", 0.5)
        self._git("add", ".")
        self._git("commit", "-m", "first")
        self._git("checkout", "-b", "branch")
        _save(self.repository / "submissions" / "second", 0.25)
        self._git("add", ".")
        self._git("commit", "-m", "second")

    def change(self, old: str, new: str) -> None:
        """Change the source of the metrics."""
        source = self.package / "metrics" / "regression.py"
        original = source.read_text()
        assert original.count(old) == 1
        source.write_text(original.replace(old, new))

    def mbl(self, *commands: tuple[str, ...]) -> list[str]:
        """Give commands to the copy, in a new process."""
        done = subprocess.run(
            [sys.executable, "-c", PROGRAM],
            input=json.dumps(commands),
            cwd=self.repository,
            env={**os.environ, "PYTHONPATH": str(self.package.parent), "MATBENCH_LITE_DATA": str(self.store)},
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stderr
        answers = json.loads(done.stdout)
        assert [code for code, _ in answers] == [0] * len(commands), answers
        return [said for _, said in answers]

    def mean_errors(self, answers: list[str]) -> dict[str, float]:
        """The MAE of the second entry on mini_gap, as each command says it."""
        score, board, review = map(json.loads, answers[:3])
        (standings,) = (entry["standings"] for entry in review["entries"])
        return {
            "score": score[0]["scores"]["mini_gap"]["mae"]["mean"],
            "leaderboard": _of(board["rows"], "slug", "second")["score"]["mean"],
            "review": _of(standings, "task", "mini_gap")["score"]["mean"],
            "site": float(_of(self.published(), "slug", "second")["score_mean"]),
        }

    def published(self) -> list[dict[str, str]]:
        """The board of mini_gap as the site has it for download."""
        with (self.repository / "pages" / "docs" / "data" / "mini_gap.csv").open() as stream:
            return list(csv.DictReader(stream))

    def _git(self, *arguments: str) -> None:
        who = ["-c", "user.name=A", "-c", "user.email=a@example.org"]
        subprocess.run(["git", *who, *arguments], cwd=self.repository, check=True, capture_output=True)


def _save(folder: Path, off: float) -> None:
    benchmark = load_benchmark("mini")
    about = {"description": "The truth, and a little more.", "external_data": False, "single_configuration": True}
    entry = Submission(benchmark, algorithm=f"Off by {off}", authors=["A. Name"], **about)
    for task in benchmark:
        for fold in task.folds:
            truth = task.target_values[task.test_rows(fold)]
            entry.record(task.name, fold, truth if task.kind == "classification" else truth + off)
    code = folder.parent / "model.py"
    folder.parent.mkdir(exist_ok=True)
    code.write_text("print('the truth')\n")
    entry.save(folder, code=code)
    code.unlink()


def _of(rows: list[dict[str, Any]], key: str, value: str) -> dict[str, Any]:
    (found,) = (row for row in rows if row[key] == value)
    return found


@pytest.fixture
def copy(once: Once, tmp_path: Path) -> Copy:
    """A copy whose entries have been checked, scored, ranked, reviewed and published before anything was changed."""

    def build(folder: Path) -> None:
        made = Copy(folder)
        made.fill()
        checked, *answers = made.mbl(CHECK, *ERRORS)
        assert _passed(checked) == {"first": True, "second": True}
        assert made.mean_errors(answers) == pytest.approx(dict.fromkeys(SAID, 0.25))

    return Copy(shutil.copytree(once("changed-metrics", build), tmp_path / "copy"))


SAID = ("score", "leaderboard", "review", "site")


def _passed(answer: str) -> dict[str, bool]:
    return {entry["slug"]: entry["ok"] for entry in json.loads(answer)}


def test_a_new_metric_is_a_function_and_no_entry_notices(copy: Copy) -> None:
    copy.change("REGRESSION_METRICS = (", NEW.lstrip("\n"))
    copy.change(LAST, LAST.replace(")", ", median_error)"))
    checked, board, shown, _ = copy.mbl(CHECK, (*BOARD, "--json"), BOARD, ERRORS[-1])
    assert _passed(checked) == {"first": True, "second": True}
    row = _of(json.loads(board)["rows"], "slug", "second")
    assert row["metrics"]["median_error"]["mean"] == pytest.approx(0.25)
    assert "median" in shown  # the header is broken where the table is narrow
    assert float(_of(copy.published(), "slug", "second")["metrics_median_error_mean"]) == pytest.approx(0.25)
    assert "median error" in (copy.repository / "pages" / "docs" / "tasks" / "mini_gap.md").read_text()


def test_a_changed_formula_shows_everywhere_at_once(copy: Copy) -> None:
    copy.change("return float(sample.error.mean())", "return 2 * float(sample.error.mean())")
    assert copy.mean_errors(copy.mbl(*ERRORS)) == pytest.approx(dict.fromkeys(SAID, 0.5))
