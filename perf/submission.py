"""Recording, scoring and saving the real predictions of Matbench's rf entry, and the size of what is saved.

Run it with `python perf/submission.py`. It needs the real targets and the rf entry: `MATBENCH_LITE_TEST_DATA`, or
`../shared/data` beside the project.
"""

from __future__ import annotations

import gzip
import json
import math
import os
import sys
import tempfile
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
from peer import run
from real_data import real_data
from report import Limit, Row, report

from matbench_lite import Benchmark, Submission, load_benchmark
from matbench_lite.data import add

ROUNDS = 5
WORK = Path(__file__).parent / "work"
Predictions = dict[str, list[np.ndarray]]


def main() -> int:
    data = real_data()
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        os.environ["MATBENCH_LITE_DATA"] = str(folder / "store")
        benchmark = load_benchmark("matbench_v0.1")
        add_targets(benchmark, data / "matbench_v0.1" / "truth")
        predictions = read_results(benchmark, data / "matbench_entries" / "rf" / "results.json.gz")
        arrays = folder / "arrays.npz"
        write_arrays(arrays, benchmark, predictions)
        one, every = ["matbench_mp_e_form"], list(benchmark.names)
        rows = [*side_by_side("mp_e_form", arrays, folder, one), *side_by_side("13 tasks", arrays, folder, every)]
        return report([*rows, *sizes(benchmark, predictions, folder)])


def add_targets(benchmark: Benchmark, truth: Path) -> None:
    for added in add([truth], benchmark):
        if added.error is not None:
            raise added.error


def read_results(benchmark: Benchmark, path: Path) -> Predictions:
    """The predictions in one of Matbench's result files, per task and fold in fold order."""
    tasks = json.loads(gzip.decompress(path.read_bytes()))["tasks"]
    return {
        task.name: [
            np.array([by_id[row] for row in task.test_ids(fold)])
            for fold in task.folds
            if (by_id := tasks[task.name]["results"][f"fold_{fold}"]["data"])
        ]
        for task in benchmark
    }


def write_arrays(path: Path, benchmark: Benchmark, predictions: Predictions) -> None:
    """What both sides start from: the same arrays, as a model would return them."""
    targets = {f"{task.name}/targets": task.target_values for task in benchmark}
    folds = {f"{name}/{fold}": array for name, listed in predictions.items() for fold, array in enumerate(listed)}
    np.savez(path, **targets, **folds)


def side_by_side(what: str, arrays: Path, folder: Path, tasks: list[str]) -> list[Row]:
    """Both sides in turn, each time in new processes."""
    rounds = []
    for number in range(ROUNDS):
        peer = run("peer", WORK / "peer_submission.py", arrays, folder / "peer.json", *tasks)
        ours = run("ours", WORK / "our_submission.py", arrays, folder / f"{number}-{len(tasks)}", *tasks)
        check_scores(peer["scores"], ours["scores"])
        rounds.append((peer, ours))

    def row(work: str, key: str, unit: str, bound: Fraction) -> Row:
        peer, ours = ([side[key] for side in sides] for sides in zip(*rounds, strict=True))
        return Row(work=f"{what}: {work}", peer=peer, ours=ours, unit=unit, bound=bound)

    return [
        row("record and score", "record", "s", Fraction(1, 3)),
        row("save", "save", "s", Fraction(1, 10)),
        row("peak memory", "peak_mb", "MB", Fraction(1, 2)),
    ]


def check_scores(peer: dict[str, float], ours: dict[str, float]) -> None:
    """Stop if the two sides did not do the same work."""
    for name, score in peer.items():
        if not math.isclose(score, ours[name], rel_tol=1e-9):
            raise SystemExit(f"{name}: the peer scores {score}, we {ours[name]}")


def sizes(benchmark: Benchmark, predictions: Predictions, folder: Path) -> list[Limit]:
    """How large an entry with all tasks is, without and with uncertainty."""
    plain = entry_size(benchmark, predictions, folder / "plain", uncertain=False)
    uncertain = entry_size(benchmark, predictions, folder / "uncertain", uncertain=True)
    return [
        Limit(work="13 tasks: size of the entry", value=plain["entry"], unit="MB", bound=4),
        Limit(work="13 tasks: size with std and interval", value=uncertain["entry"], unit="MB", bound=7),
        # Readable means no arrays: the 408 062 predictions do not fit into this.
        Limit(work="13 tasks: size of submission.json", value=uncertain["document"], unit="MB", bound=0.1),
    ]


def entry_size(benchmark: Benchmark, predictions: Predictions, folder: Path, *, uncertain: bool) -> dict[str, float]:
    """Save an entry and weigh it, in MB. The uncertainty is made up: a spread of two orders of magnitude per task."""
    random = np.random.default_rng(18012019)
    submission = Submission(benchmark, algorithm="RF-SCM/Magpie", authors=["Alex Dunn"])
    for task in benchmark:
        for fold, values in enumerate(predictions[task.name]):
            extra: dict[str, Any] = {}
            if uncertain and task.kind == "regression":
                std = 0.1 * values.std() * random.lognormal(size=len(values))
                extra = {"std": std, "interval": (values - 1.96 * std, values + 1.96 * std)}
            submission.record(task.name, fold, values, **extra)
    submission.save(folder)
    weight = {file.name: file.stat().st_size / 1e6 for file in folder.iterdir()}
    return {"entry": sum(weight.values()), "document": weight["submission.json"]}


if __name__ == "__main__":
    sys.exit(main())
