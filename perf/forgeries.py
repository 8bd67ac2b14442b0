"""Which forgeries the checks see: made from the real entries, by what they take and how much of it.

Run it with `python perf/forgeries.py` (a few minutes). It needs the real targets and entries
(`MATBENCH_LITE_TEST_DATA`, or `../shared/data` beside the project). The pages of the rules have its table.
"""

from __future__ import annotations

import os
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from real_data import real_data
from submission import add_targets

from matbench_lite import Submission, load_benchmark
from matbench_lite.check import check_entry
from matbench_lite.matbench import read_results
from matbench_lite.tasks import Benchmark, Task

TASKS = ("steels", "expt_gap", "dielectric", "log_gvrh", "perovskites", "phonons", "mp_is_metal")
"""The tasks of the forged entries: small and large, peaked and smooth, values and classes."""
SIGNS = {"MBL501", "MBL502", "MBL505", "MBL508", "MBL509", "MBL510", "MBL511"}
Floats = NDArray[np.float64]
Forge = Callable[[Floats, Floats, Floats, int, np.random.Generator], Floats]
"""From the labels, the best entry, the second best, the fold and chance."""


def spread(truth: Floats, best: Floats) -> float:
    return float(np.abs(best - truth).mean())


def some(truth: Floats, values: Floats, share: float, noise: float, rng: np.random.Generator) -> Floats:
    """Copy a share of the labels, with relative noise."""
    rows = rng.random(len(truth)) < share
    return np.where(rows, truth * (1 + noise * rng.normal(size=len(truth))), values)


FORGERIES: dict[str, Forge] = {
    "labels × (1 ± 1e-5)": lambda y, a, b, f, r: y * (1 + 1e-5 * r.normal(size=len(y))),
    "labels × (1 ± 2 %)": lambda y, a, b, f, r: y * (1 + 0.02 * r.normal(size=len(y))),
    "labels + noise as large as the best one's errors": lambda y, a, b, f, r: y + r.laplace(size=len(y)) * spread(y, a),
    "labels + half of that noise": lambda y, a, b, f, r: y + r.laplace(size=len(y)) * spread(y, a) / 2,
    "the best one's errors, dealt anew": lambda y, a, b, f, r: y + r.permutation(a - y),
    "the best one's errors × 0.5": lambda y, a, b, f, r: y + 0.5 * (a - y),
    "the best one's errors × 0.7": lambda y, a, b, f, r: y + 0.7 * (a - y),
    "the best one's errors × 0.85": lambda y, a, b, f, r: y + 0.85 * (a - y),
    "the same with 10 % noise on top": lambda y, a, b, f, r: (
        y + 0.85 * (a - y) + 0.1 * spread(y, a) * r.normal(size=len(y))
    ),
    "the best one's errors with other signs": lambda y, a, b, f, r: y + np.abs(a - y) * r.choice([-1, 1], len(y)),
    "the best one's worst tenth mended": lambda y, a, b, f, r: np.where(
        np.abs(a - y) > np.quantile(np.abs(a - y), 0.9), y + 0.3 * (a - y), a
    ),
    "four folds of the best, one of the second": lambda y, a, b, f, r: b if f == 4 else a,
    "three folds of the best": lambda y, a, b, f, r: b if f > 2 else a,
    "one fold of the best, four of the second": lambda y, a, b, f, r: a if f == 2 else b,
    "the best, shifted": lambda y, a, b, f, r: a + 0.3 * spread(y, a),
    "mean of the two best": lambda y, a, b, f, r: (a + b) / 2,
    "0.3 of the best, 0.7 of the second": lambda y, a, b, f, r: 0.3 * a + 0.7 * b,
    "mean of the two best, 5 % noise": lambda y, a, b, f, r: (a + b) / 2 + 0.05 * spread(y, a) * r.normal(size=len(y)),
    "mean of the two best, 50 % noise": lambda y, a, b, f, r: (a + b) / 2 + 0.5 * spread(y, a) * r.normal(size=len(y)),
    "half-way from the second to the label": lambda y, a, b, f, r: (y + b) / 2,
    "half-way from a blend to the label": lambda y, a, b, f, r: y / 2 + (a + b) / 4,
    "a fifth of the way from a blend": lambda y, a, b, f, r: 0.2 * y + 0.4 * (a + b),
    "the same, 10 % noise": lambda y, a, b, f, r: 0.2 * y + 0.4 * (a + b) + 0.1 * spread(y, a) * r.normal(size=len(y)),
    "10 % of the labels": lambda y, a, b, f, r: some(y, a, 0.1, 0, r),
    "10 % of the labels, ± 1e-4": lambda y, a, b, f, r: some(y, a, 0.1, 1e-4, r),
    "5 % of the labels": lambda y, a, b, f, r: some(y, b, 0.05, 0, r),
    "2 % of the labels": lambda y, a, b, f, r: some(y, b, 0.02, 0, r),
}
"""Of classes, the same with labels that are turned round for a share of the mistakes; see `forged`."""


def main() -> int:
    data = real_data()
    with tempfile.TemporaryDirectory() as temporary:
        os.environ["MATBENCH_LITE_DATA"] = str(Path(temporary) / "store")
        benchmark = load_benchmark("matbench_v0.1")
        add_targets(benchmark, data / "matbench_v0.1" / "truth")
        others = {
            path.name.lower(): read_results(path / "results.json.gz")
            for path in sorted((data / "matbench_entries").iterdir())
        }
        print("| forgery | tasks on which a sign is seen | signs |\n|---|---|---|")
        missed = 0
        for line, all_missed in lines(benchmark, others, Path(temporary)):
            print(line, flush=True)
            missed += all_missed
    print(f"\n{len(FORGERIES) - missed} of {len(FORGERIES)} are seen on one task or more")
    return 0


def lines(benchmark: Benchmark, others: dict[str, Submission], folder: Path) -> Iterator[tuple[str, bool]]:
    for number, (name, forge) in enumerate(FORGERIES.items()):
        entry = forged(benchmark, others, forge, f"Forged {number}")
        home = entry.save(folder / "entries" / f"forged-{number}")
        found = [finding for finding in check_entry(home, others=others).findings if finding.code in SIGNS]
        told = {task for task in TASKS for f in found if f"matbench_{task}" in f"{f.task} {f.message}"}
        codes = ", ".join(sorted({finding.code for finding in found})) or "–"
        yield f"| {name} | {len(told)} of {len(TASKS)} | {codes} |", not told


def forged(benchmark: Benchmark, others: dict[str, Submission], forge: Forge, name: str) -> Submission:
    """An entry on some tasks, forged from the two best of each."""
    entry = Submission(benchmark, algorithm=name, authors=["A. Name"], description="A model.", external_data=False)
    for task in (benchmark[f"matbench_{each}"] for each in TASKS):
        best, second = best_of(task, others)
        rng = np.random.default_rng(0)
        for fold in task.folds:
            truth = task.target_values[task.test_rows(fold)].astype(np.float64)
            a, b = (of.recorded(task.name)[fold].predictions.prediction for of in (best, second))
            if task.kind == "regression":
                entry.record(task.name, fold, forge(truth, a, b, fold, rng))
                continue
            # On the scale of a margin: what is nearer to the label turns mistakes into hits.
            sides = [np.where(p > 0.5, 1.0, -1.0) * rng.uniform(0.5, 1.5, len(p)) for p in (a, b)]
            margin = forge(np.where(truth > 0.5, 1.0, -1.0) * rng.uniform(0.5, 1.5, len(truth)), *sides, fold, rng)
            entry.record(task.name, fold, margin > 0)
    return entry


def best_of(task: Task, others: dict[str, Submission]) -> tuple[Submission, Submission]:
    """The two best entries of a task."""
    scores = {
        slug: entry.scores[task.name].ranking.mean
        for slug, entry in others.items()
        if task.name in entry.complete_tasks
    }
    order = sorted(scores, key=scores.__getitem__, reverse=task.kind == "classification")
    return others[order[0]], others[order[1]]


if __name__ == "__main__":
    sys.exit(main())
