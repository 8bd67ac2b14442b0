"""Side by side with matbench 0.6 itself: it opens what we write, and its scripts give the same scores here.

`MATBENCH_LITE_PEER` names the Python of its environment; `python perf/peer.py` makes one.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from matbench_lite import load_benchmark
from matbench_lite.data import add
from matbench_lite.matbench import MatbenchBenchmark, compare_published, read_results, write_results

pytestmark = [pytest.mark.real, pytest.mark.slow]

ROOT = Path(__file__).parents[2]
SCRIPTS = ROOT / "tests" / "matbench" / "scripts"
INPUTS = ("steels", "expt_gap", "expt_is_metal", "glass", "log_gvrh")
OPEN = """
import json, sys
from matbench.bench import MatbenchBenchmark
mb = MatbenchBenchmark.from_file(sys.argv[1])
folds = {name: task.results for name, task in mb.tasks_map.items()}
print(json.dumps({"valid": mb.is_valid, "scores": mb.scores, "folds": folds, "user_metadata": mb.user_metadata}))
"""
ASK = '\nimport json\n\nprint(json.dumps({"scores": mb.scores}))\n'


@pytest.fixture(scope="module")
def peer() -> Path:
    python = Path(os.environ.get("MATBENCH_LITE_PEER", ROOT / ".perf" / "peer" / "bin" / "python"))
    if not python.exists():
        pytest.skip("no environment with matbench 0.6: run `python perf/peer.py`, or set MATBENCH_LITE_PEER")
    return python


@pytest.fixture(scope="module")
def store(real_data: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("store")
    files = [real_data / "matbench_v0.1" / "original" / f"matbench_{name}.json.gz" for name in INPUTS]
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("MATBENCH_LITE_DATA", str(folder))
        for added in add(files, load_benchmark("matbench_v0.1")):
            assert added.error is None
    return folder


@pytest.fixture(autouse=True)
def data(store: Path, data_directory: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MATBENCH_LITE_DATA", str(store))


def printed(python: Path | str, *arguments: object, folder: Path, **environment: str) -> dict[str, Any]:
    """The JSON object that a process prints as its last line."""
    done = subprocess.run(
        [str(python), *map(str, arguments)],
        cwd=folder,
        env={**{key: value for key, value in os.environ.items() if key != "PYTHONPATH"}, **environment},
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
    )
    assert done.returncode == 0, done.stderr[-3000:]
    return json.loads(done.stdout.splitlines()[-1])


def run_script(name: str, folder: Path, python: Path | str, module: str, **environment: str) -> dict[str, Any]:
    """Run a script of the documentation with one or the other import line."""
    folder.mkdir()
    code = (SCRIPTS / f"{name}.py").read_text().replace("from matbench.bench", f"from {module}")
    (folder / "script.py").write_text(code + ASK)
    (folder / "model.py").write_text((SCRIPTS / "model.py").read_text())
    return printed(python, "script.py", folder=folder, **environment)["scores"]


def assert_same_scores(
    ours: dict[str, Any], theirs: dict[str, Any], *, leaving_out: frozenset[str] = frozenset()
) -> None:
    assert ours.keys() == theirs.keys()
    for task, metrics in theirs.items():
        assert ours[task].keys() == metrics.keys()
        for metric in metrics.keys() - leaving_out:
            assert ours[task][metric] == pytest.approx(metrics[metric], rel=1e-9, abs=1e-12), (task, metric)


@pytest.mark.parametrize("name", ["run", "parameters", "metadata", "presets", "probabilities"])
def test_a_script_gives_the_same_scores_after_changing_its_import(real_data, peer, tmp_path, name) -> None:
    files = str(real_data / "matbench_v0.1" / "original")
    theirs = run_script(name, tmp_path / "theirs", peer, "matbench.bench", MATMINER_DATA=files)
    ours = run_script(name, tmp_path / "ours", sys.executable, "matbench_lite.matbench", PYTHONPATH=str(ROOT))
    # The one score that ours computes otherwise, because theirs is wrong.
    assert_same_scores(ours, theirs, leaving_out=frozenset({"rocauc"} if name == "probabilities" else ()))

    file = tmp_path / "theirs" / "result.json.gz"
    back = MatbenchBenchmark.from_file(file)
    assert back.is_valid
    assert_same_scores(back.scores, ours)
    assert all(item.metric == "rocauc" and item.reason for item in compare_published(read_results(file)))

    opened = printed(peer, "-c", OPEN, tmp_path / "ours" / "result.json.gz", folder=tmp_path)
    assert opened["valid"]
    assert_same_scores(opened["scores"], theirs)


@pytest.mark.parametrize("name", ["RFLR", "TPOT", "darwin"])
def test_matbench_opens_what_we_write_and_finds_it_valid(real_data, peer, tmp_path, name) -> None:
    source = real_data / "matbench_entries" / name / "results.json.gz"
    submission = read_results(source)
    opened = printed(peer, "-c", OPEN, write_results(submission, tmp_path / "out.json"), folder=tmp_path)
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


def test_what_matbench_does_to_uncertainty_comes_in(peer, real_data, tmp_path) -> None:
    """An interval about zero, which is the only kind it finds symmetric, and what validation leaves in the file."""
    script = """
import sys, json
from matbench.bench import MatbenchBenchmark
mb = MatbenchBenchmark(subset=["matbench_steels"], autoload=True)
for fold in mb.matbench_steels.folds:
    n = len(mb.matbench_steels.validation["fold_%d" % fold].test)
    mb.matbench_steels.record(fold, [0.0] * n, ci=[(-2.0, 2.0)] * n)
mb.is_valid
mb.to_file(sys.argv[1])
print(json.dumps({}))
"""
    files = str(real_data / "matbench_v0.1" / "original")
    printed(peer, "-c", script, tmp_path / "result.json", folder=tmp_path, MATMINER_DATA=files)
    stored = json.loads((tmp_path / "result.json").read_bytes())["tasks"]["matbench_steels"]["results"]["fold_0"]
    assert {"std", "ci"} < stored["uncertainty"].keys()
    held = read_results(tmp_path / "result.json").recorded("matbench_steels")[0].predictions
    assert held.std.tolist() == pytest.approx([2 / 1.959964] * 63)
    assert held.lower.tolist() == [-2.0] * 63
