"""Make the shipped fold files again: `python scripts/make_folds.py BENCHMARK` (the data must be in the store).

The folds of Matbench v0.1 and of `mini` are data, not code: they ship as one byte per row. This script shows
where those bytes come from. It writes `matbench_lite/tasks/<benchmark>.folds.npz` and prints each digest.
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np

from matbench_lite.tasks import assign_folds, folds_digest, load_benchmark


def make_folds(benchmark: str) -> None:
    """Assign every row of every task of `benchmark` to a fold and write the file."""
    folds = {}
    for task in load_benchmark(benchmark):
        # Only a classification task's folds depend on its targets.
        targets = np.zeros(task.rows) if task.kind == "regression" else task.target_values
        folds[task.name] = assign_folds(task.kind, targets, n_folds=task.n_folds, seed=task.seed)
        print(f'{task.name}: folds_sha256 = "{folds_digest(folds[task.name])}"')
    np.savez_compressed(Path("matbench_lite/tasks") / f"{benchmark}.folds.npz", **folds)


if __name__ == "__main__":
    make_folds(sys.argv[1])
