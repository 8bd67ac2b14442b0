"""Side by side with matbench 0.6 itself: it opens what we write, and its scripts give the same scores here.

Its import takes seconds: one process of it does everything, and one of ours, before the tests look at what came out.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from matbench_lite import Submission, load_benchmark
from matbench_lite.matbench import MatbenchBenchmark, compare_published, read_results, write_results

from .conftest import slug_of

pytestmark = [pytest.mark.real, pytest.mark.slow]

ROOT = Path(__file__).parents[2]
SOURCES = ROOT / "tests" / "matbench" / "scripts"
SCRIPTS = ("run", "parameters", "metadata", "presets", "probabilities")
ENTRIES = ("RFLR", "TPOT", "darwin")

# Runs the scripts in the folders that are given, each in its folder and with its own `model`.
RUN = """
import json, os, runpy, sys
for folder in sys.argv[1:]:
    os.chdir(folder)
    sys.path[0] = folder
    sys.modules.pop("model", None)
    scores = runpy.run_path("script.py")["mb"].scores
    with open("scores.json", "w") as stream:
        json.dump(scores, stream)
"""
OPEN = """
import json, sys
from matbench.bench import MatbenchBenchmark
for path in json.loads(sys.stdin.read()):
    mb = MatbenchBenchmark.from_file(path)
    folds = {name: task.results for name, task in mb.tasks_map.items()}
    found = {"valid": mb.is_valid, "scores": mb.scores, "folds": folds, "user_metadata": mb.user_metadata}
    with open(path + ".opened", "w") as stream:
        json.dump(found, stream)
"""
# An interval about zero is the only kind it finds symmetric.
UNCERTAIN = """
from matbench.bench import MatbenchBenchmark
mb = MatbenchBenchmark(subset=["matbench_steels"], autoload=True)
for fold in mb.matbench_steels.folds:
    n = len(mb.matbench_steels.validation["fold_%d" % fold].test)
    mb.matbench_steels.record(fold, [0.0] * n, ci=[(-2.0, 2.0)] * n)
mb.is_valid
mb.to_file("result.json")
"""


@dataclass(frozen=True)
class Made:
    """What both sides have made.

    Args:
        folder: Has a folder `theirs` and a folder `ours`, with a folder per script in each, and `ours/*.json`, entries
            that we wrote.
    """

    folder: Path

    def scores(self, side: str, script: str) -> dict[str, Any]:
        """The scores that a script got."""
        return json.loads((self.folder / side / script / "scores.json").read_bytes())

    def opened(self, name: str) -> dict[str, Any]:
        """What matbench 0.6 says of a file of ours."""
        return json.loads((self.folder / "ours" / f"{name}.opened").read_bytes())


@pytest.fixture(scope="module")
def made(
    peers: Path,
    real_data: Path,
    real_entries: Path,
    original_store: Path,
    real_store: Path,
    once: Callable[[str, Callable[[Path], None]], Path],
) -> Made:
    def build(folder: Path) -> None:
        scripts = {name: (SOURCES / f"{name}.py").read_text() for name in SCRIPTS}
        ours = {
            name: code.replace("from matbench.bench", "from matbench_lite.matbench") for name, code in scripts.items()
        }
        folders = write_scripts(folder / "ours", ours)
        run(RUN, *folders, PYTHONPATH=ROOT, MATBENCH_LITE_DATA=original_store)
        files = [each / "result.json.gz" for each in folders]
        with pytest.MonkeyPatch.context() as patch:
            patch.setenv("MATBENCH_LITE_DATA", str(real_store))
            for name in ENTRIES:
                entry = Submission.load(real_entries / slug_of(name))
                files.append(write_results(entry, folder / "ours" / f"{name}.json"))
        folders = write_scripts(folder / "theirs", {**scripts, "uncertain": UNCERTAIN})
        originals = real_data / "matbench_v0.1" / "original"
        run(RUN + OPEN, *folders, said=list(map(str, files)), PYTHONPATH=peers, MATMINER_DATA=originals)

    return Made(once("real-peer", build))


def write_scripts(folder: Path, scripts: dict[str, str]) -> list[Path]:
    """A folder per script, with the model beside it."""
    for name, code in scripts.items():
        (folder / name).mkdir(parents=True)
        (folder / name / "script.py").write_text(code)
        (folder / name / "model.py").write_text((SOURCES / "model.py").read_text())
    return [folder / name for name in scripts]


def run(code: str, *folders: Path, said: Any = None, **environment: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-c", code, *map(str, folders)],
        input=json.dumps(said),
        env=os.environ | {name: str(path) for name, path in environment.items()},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-3000:]


@pytest.fixture(autouse=True)
def data(original_store: Path, data_directory: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MATBENCH_LITE_DATA", str(original_store))


def assert_same_scores(
    ours: dict[str, Any], theirs: dict[str, Any], *, leaving_out: frozenset[str] = frozenset()
) -> None:
    assert ours.keys() == theirs.keys()
    for task, metrics in theirs.items():
        assert ours[task].keys() == metrics.keys()
        for metric in metrics.keys() - leaving_out:
            assert ours[task][metric] == pytest.approx(metrics[metric], rel=1e-9, abs=1e-12), (task, metric)


@pytest.mark.parametrize("name", SCRIPTS)
def test_a_script_gives_the_same_scores_after_changing_its_import(made, name) -> None:
    theirs, ours = made.scores("theirs", name), made.scores("ours", name)
    # The one score that ours computes otherwise, because theirs is wrong.
    assert_same_scores(ours, theirs, leaving_out=frozenset({"rocauc"} if name == "probabilities" else ()))

    file = made.folder / "theirs" / name / "result.json.gz"
    back = MatbenchBenchmark.from_file(file)
    assert back.is_valid
    assert_same_scores(back.scores, ours)
    assert all(item.metric == "rocauc" and item.reason for item in compare_published(read_results(file)))

    opened = made.opened(f"{name}/result.json.gz")
    assert opened["valid"]
    assert_same_scores(opened["scores"], theirs)


@pytest.mark.parametrize("name", ENTRIES)
def test_matbench_opens_what_we_write_and_finds_it_valid(real_entries, made, name) -> None:
    submission = Submission.load(real_entries / slug_of(name))
    opened = made.opened(f"{name}.json")
    assert opened["valid"]
    assert opened["user_metadata"] == submission.metadata
    published = submission.imported["scores"]
    for task, folds in opened["folds"].items():
        for fold, held in submission.recorded(task).items():
            content = folds[f"fold_{fold}"]
            ids = load_benchmark("matbench_v0.1")[task].test_ids(fold)
            assert [content["data"][row] for row in ids] == held.predictions.prediction.tolist()
            for metric, value in content["scores"].items():
                assert value == pytest.approx(published[task][metric][fold], rel=1e-9)


def test_what_matbench_does_to_uncertainty_comes_in(made) -> None:
    """An interval about zero, and what validation leaves in the file."""
    file = made.folder / "theirs" / "uncertain" / "result.json"
    stored = json.loads(file.read_bytes())["tasks"]["matbench_steels"]["results"]["fold_0"]
    assert {"std", "ci"} < stored["uncertainty"].keys()
    held = read_results(file).recorded("matbench_steels")[0].predictions
    assert held.std.tolist() == pytest.approx([2 / 1.959964] * 63)
    assert held.lower.tolist() == [-2.0] * 63
