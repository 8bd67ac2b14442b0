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

PACKAGE = Path(__file__).parent.parent / "matbench_lite"
NEW = '''
    Metric(
        name="median_error",
        label="median error",
        description="median of the absolute errors",
        function=lambda sample: float(np.median(sample.error)),
        kinds=("regression",),
        unit="target",
        shown=("board", "entry", "overview"),
    ),
)
"""The metrics of regression'''

pytestmark = pytest.mark.slow


class Copy:
    """A copy of the package, a repository with entries, and a store of its own."""

    def __init__(self, folder: Path) -> None:
        self.package = folder / "code" / "matbench_lite"
        self.repository = folder / "repository"
        self.store = folder / "store"
        self.environment = {
            **{name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"},
            "PYTHONPATH": str(self.package.parent),
            "PYTHONPYCACHEPREFIX": str(folder / "bytecode"),  # compiled once for all commands
            "MATBENCH_LITE_DATA": str(self.store),
        }
        shutil.copytree(PACKAGE, self.package, ignore=shutil.ignore_patterns("__pycache__"))
        self.source = self.package / "metrics" / "regression.py"
        self.original = self.source.read_text()
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
        assert self.original.count(old) == 1
        self.source.write_text(self.original.replace(old, new))

    def mbl(self, *arguments: str, code: int = 0) -> str:
        """Give a command to the copy."""
        done = subprocess.run(
            [sys.executable, "-m", "matbench_lite", *arguments],
            cwd=self.repository,
            env=self.environment,
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == code, done.stdout + done.stderr
        return done.stdout

    def asked(self, *arguments: str, code: int = 0) -> Any:
        return json.loads(self.mbl(*arguments, "--json", code=code))

    def mean_errors(self) -> dict[str, float]:
        """The MAE of the second entry on mini_gap, as each command says it."""
        scores = self.asked("score", "submissions/second")[0]["scores"]
        board = self.asked("leaderboard", "--benchmark", "mini", "--task", "mini_gap")
        standings = self.asked("review", "--base", "main")["entries"][0]["standings"]
        return {
            "score": scores["mini_gap"]["mae"]["mean"],
            "leaderboard": _of(board["rows"], "slug", "second")["score"]["mean"],
            "review": _of(standings, "task", "mini_gap")["score"]["mean"],
            "site": float(_of(self.published(), "slug", "second")["score_mean"]),
        }

    def published(self) -> list[dict[str, str]]:
        """The board of mini_gap as the site has it for download."""
        self.mbl("site", "build", "--benchmark", "mini", "--output", "pages", "--no-render")
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
def copy(tmp_path: Path) -> Copy:
    return Copy(tmp_path)


def test_a_new_metric_is_a_record_and_no_entry_notices(copy: Copy) -> None:
    before = {entry["slug"]: entry["ok"] for entry in copy.asked("check", "submissions")}
    assert before == {"first": True, "second": True}
    copy.asked("leaderboard", "--benchmark", "mini", "--task", "mini_gap")
    copy.change(')\n"""The metrics of regression', NEW.lstrip("\n"))

    assert {entry["slug"]: entry["ok"] for entry in copy.asked("check", "submissions")} == before
    rows = copy.asked("leaderboard", "--benchmark", "mini", "--task", "mini_gap")["rows"]
    assert _of(rows, "slug", "second")["metrics"]["median_error"]["mean"] == pytest.approx(0.25)
    assert "median error" in copy.mbl("leaderboard", "--benchmark", "mini", "--task", "mini_gap")
    assert float(_of(copy.published(), "slug", "second")["metrics_median_error_mean"]) == pytest.approx(0.25)
    assert "median error" in (copy.repository / "pages" / "docs" / "tasks" / "mini_gap.md").read_text()


def test_a_changed_formula_shows_everywhere_at_once(copy: Copy) -> None:
    assert copy.mean_errors() == pytest.approx(dict.fromkeys(("score", "leaderboard", "review", "site"), 0.25))
    copy.change(
        "def _mae(sample: Sample) -> float:\n    return ", "def _mae(sample: Sample) -> float:\n    return 2 * "
    )
    assert copy.mean_errors() == pytest.approx(dict.fromkeys(("score", "leaderboard", "review", "site"), 0.5))
