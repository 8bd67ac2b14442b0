"""Real git repositories with small real entries, and snapshots of the reports on them."""

from __future__ import annotations

import hashlib
import json
import os
import re
import shutil
import subprocess
from collections.abc import Callable, Sequence
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from matbench_lite import Submission, load_benchmark
from matbench_lite.review import Report, render_markdown, report_json

SNAPSHOTS = Path(__file__).parent.parent / "snapshots"
UPDATE = "MATBENCH_LITE_UPDATE_SNAPSHOTS"
"""Set it to 1 to write the snapshots anew; look at what changed before you commit them."""

MODEL = "def get_estimator(task):\n    return None\n"
PROVENANCE = {
    "matbench_lite": "0.1.0",
    "python": "3.11.9",
    "platform": "Linux x86_64",
    "packages": {"numpy": "2.1.0", "scikit-learn": "1.5.2"},
    "git": {"commit": "0123456789abcdef0123456789abcdef01234567", "changed": True},
    "hardware": {"cpu": "A processor", "cores": 8, "memory_gb": 16.0, "gpus": []},
}
_WHO = {
    f"GIT_{role}_{part}": value
    for role in ("AUTHOR", "COMMITTER")
    for part, value in (("NAME", "A. Name"), ("EMAIL", "a@example.org"), ("DATE", "2024-01-01T00:00:00Z"))
}


@cache
def bell(seed: str, row: str) -> float:
    """A number from about a normal distribution that follows from its arguments, with every version of everything."""
    digest = hashlib.sha256(f"{seed} {row}".encode()).digest()
    parts = np.frombuffer(digest, dtype=">u4").astype(np.float64) / 2**32
    return float((parts - 0.5).sum()) * (12 / 8) ** 0.5


def make_entry(
    algorithm: str, noise: float, *, tasks: Sequence[str] | None = None, seed: str | None = None, **arguments: Any
) -> Submission:
    """An entry on `mini` that is off by `noise` mean deviations, or so often wrong."""
    bench = load_benchmark("mini")
    about = {
        "authors": ["A. Name"],
        "description": "A model of a test.",
        "single_configuration": True,
        "external_data": False,
    }
    entry = Submission(bench, algorithm=algorithm, **{**about, **arguments})
    for task in bench.select(names=tasks):
        for fold in task.folds:
            ids, truth = task.test_ids(fold), task.target_values[task.test_rows(fold)]
            # Some rows are hard for every model.
            off = np.array([bell(seed or algorithm, row) * np.exp(0.8 * bell("hard", row) - 0.3) for row in ids])
            if task.kind == "classification":
                certainty = 0.5 + (truth - 0.5) * 0.6 + off * noise
                entry.record(task.name, fold, certainty.clip(0.01, 0.99), params={"noise": noise}, seconds=1.5)
            else:
                values = truth + off * noise * task.mean_absolute_deviation
                entry.record(task.name, fold, values, params={"noise": noise}, seconds=1.5)
    entry.provenance = PROVENANCE
    entry.created = "2024-01-01T00:00:00+00:00"
    return entry


class Clone:
    """A git repository in a folder of the test."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def git(self, *arguments: str, stdin: bytes | None = None) -> str:
        """Run git; anything that goes wrong fails the test."""
        command = ["git", "-C", str(self.folder), "-c", "protocol.file.allow=always", *arguments]
        result = subprocess.run(command, input=stdin, capture_output=True, env={**os.environ, **_WHO}, check=False)
        assert result.returncode == 0, result.stderr.decode()
        return result.stdout.decode(errors="replace").strip()

    def branch(self, name: str, start: str = "main") -> None:
        """Start a branch and check it out."""
        self.git("switch", "--quiet", "-c", name, start)

    def commit(self, message: str = "change") -> str:
        """Commit all that is there."""
        self.git("add", "--all")
        self.git("commit", "--quiet", "-m", message)
        return self.git("rev-parse", "HEAD")

    def entry(self, slug: str, entry: Submission) -> Path:
        """Save an entry in its place."""
        code = self.folder.parent / "model.py"
        code.write_text(MODEL)
        return entry.save(self.folder / "submissions" / slug, code=code, overwrite=True)

    def put(self, path: bytes, content: bytes, mode: str = "100644") -> None:
        """Put a file into the index alone: under names, and of kinds, that would be a nuisance on disk."""
        oid = self.git("hash-object", "-w", "--stdin", stdin=content)
        self.git("update-index", "--add", "-z", "--index-info", stdin=f"{mode} {oid} 0\t".encode() + path + b"\0")

    def commit_index(self) -> str:
        """Commit what is in the index, whatever is on disk."""
        self.git("commit", "--quiet", "-m", "change")
        return self.git("rev-parse", "HEAD")


def init(folder: Path) -> Clone:
    folder.mkdir(parents=True)
    clone = Clone(folder)
    clone.git("init", "--quiet", "--template=", "-b", "main")
    for key, value in (("user.name", "A. Name"), ("user.email", "a@example.org"), ("commit.gpgsign", "false")):
        clone.git("config", key, value)
    return clone


@pytest.fixture(scope="session")
def base_repository(once: Callable[..., Path]) -> Path:
    """A repository with code and four entries: three general-purpose ones, one of a single task."""
    return once("reviewed-repository", build_repository) / "boards"


def build_repository(folder: Path) -> None:
    clone = init(folder / "boards")
    (clone.folder / "README.md").write_text("# Boards\n")
    (clone.folder / "code.py").write_text("print('code')\n")
    clone.entry("careful", make_entry("Careful", 0.4))
    clone.entry("rough", make_entry("Rough", 0.8))
    clone.entry("steady", make_entry("Steady", 0.7))
    clone.entry("gap-only", make_entry("Gap only", 0.3, tasks=["mini_gap"]))
    clone.commit("base")
    clone.git("gc", "--quiet")  # fewer files to copy


@pytest.fixture(autouse=True)
def shared_results(base_repository: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The results of the entries that are the same in every test are computed once."""
    monkeypatch.setenv("MATBENCH_LITE_DATA", str(base_repository.parent / "data"))


@pytest.fixture
def clone(base_repository: Path, tmp_path: Path) -> Clone:
    """A copy of the repository, to change as a test likes."""
    return Clone(Path(shutil.copytree(base_repository, tmp_path / "boards")))


@pytest.fixture(scope="session")
def entry() -> Callable[..., Submission]:
    """Make an entry; see `make_entry`."""
    return make_entry


@pytest.fixture(scope="session")
def new_repository() -> Callable[[Path], Clone]:
    """Make an empty repository in a folder."""
    return init


@pytest.fixture
def same_as_before() -> Callable[[str, Report], None]:
    """Compare a report, as Markdown and as JSON, with its snapshots."""

    def compare(name: str, report: Report) -> None:
        pieces = {
            "md": _steady_text(render_markdown(report), report),
            "json": json.dumps(_steady(json.loads(report_json(report))), indent=2, ensure_ascii=False) + "\n",
        }
        for suffix, now in pieces.items():
            file = SNAPSHOTS / f"{name}.{suffix}"
            if os.environ.get(UPDATE) == "1":
                file.parent.mkdir(exist_ok=True)
                file.write_text(now, encoding="utf-8")
            assert file.is_file(), f"no snapshot {file.name}: run the test with {UPDATE}=1, and look at it"
            assert now == file.read_text(encoding="utf-8"), f"another {file.name}; if it is meant so: {UPDATE}=1"

    return compare


def _steady_text(text: str, report: Report) -> str:
    """Without commits, versions and sizes, which hang on the version of pyarrow."""
    for sha, name in ((report.head, "HEAD"), (report.base, "BASE")):
        text = text.replace(sha[:12], name)
    text = re.sub(r"\d+(\.\d+)? (MB|kB|bytes)\b", "SIZE", text)
    return text.replace(f"`{report.rules}`", "`VERSION`")


def _steady(value: Any, key: str = "") -> Any:
    if key in ("base", "head", "rules", "size") and value is not None:
        return key.upper()
    if isinstance(value, dict):
        return {name: _steady(item, name) for name, item in value.items()}
    if isinstance(value, list):
        return [_steady(item) for item in value]
    # The last digits hang on the processor.
    return float(f"{value:.8g}") if isinstance(value, float) else value
