"""How well recalibrated intervals hold, and where means over folds mislead: tables of the guides, as Markdown.

`python scripts/uncertainty_table.py [SUBMISSIONS] [BENCHMARK]`: a folder of entries, `submissions` by default, and a
name or a TOML file, matbench_v0.1 by default. The first table gives every entry a std: a constant one, and the spread
of the predictions of all entries. Tasks with fewer than three entries, or without targets here, are left out.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from matbench_lite import load_benchmark
from matbench_lite.board import Results, read_entries
from matbench_lite.metrics import METRICS, Sample, conformal_interval, coverage
from matbench_lite.tasks import Task
from matbench_lite.text import share
from matbench_lite.view import pooled_differs

FEWEST = 3


def main() -> None:
    """Print both tables."""
    folder, name = [*sys.argv[1:], *("submissions", "matbench_v0.1")[len(sys.argv) - 1 :]]
    benchmark = load_benchmark(name)
    results = Results(benchmark, read_entries(Path(folder), benchmark).read)
    tasks = [task for task in benchmark if task.kind == "regression" and len(_entries(results, task)) >= FEWEST]
    columns = (
        "entries",
        "spread × 1.96 holds",
        "recalibrated: constant std",
        "spread",
        "CRPS / MAE: constant std",
        "spread",
    )
    _print_line("task", *columns, "width, spread / constant")
    _print_line("---", *["--:"] * 7)
    for task in tasks:
        _print_line(*_uncertainty_cells(results, task))
    print()
    _print_line("task", "entries", "pooled RMSE apart", "pooled R² apart", "RMSE most apart", "rows of half of mape*")
    _print_line("---", *["--:"] * 5)
    for task in tasks:
        _print_line(*_pooled_cells(results, task))


def _print_line(*cells: str) -> None:
    print(f"| {' | '.join(cells)} |")


def _entries(results: Results, task: Task) -> list[str]:
    return [slug for slug, result in results.on(task).items() if result.verified and not result.is_constant]


def _uncertainty_cells(results: Results, task: Task) -> list[str]:
    slugs = _entries(results, task)
    folds = [
        np.array([results.entries[slug].recorded(task.name)[fold].predictions.prediction for slug in slugs])
        for fold in task.folds
    ]
    truths = [task.target_values[task.test_rows(fold)] for fold in task.folds]
    spreads = [fold.std(axis=0, ddof=1) for fold in folds]
    constants = [np.full(len(truth), np.mean(np.concatenate(spreads))) for truth in truths]
    raw = []
    held, crps, widths = ({"constant": [], "spread": []} for _ in range(3))
    for place in range(len(slugs)):
        for kind, stds in (("constant", constants), ("spread", spreads)):
            samples = [Sample(y, fold[place], std=std) for y, fold, std in zip(truths, folds, stds, strict=True)]
            if kind == "spread":
                raw.append(np.mean([coverage(each.truth, *each.bounds) for each in samples]))
            beside = [each.beside([other for other in samples if other is not each]) for each in samples]
            ends = [conformal_interval(each) for each in beside]
            held[kind].append(np.mean([coverage(y, *pair) for y, pair in zip(truths, ends, strict=True)]))
            crps[kind].append(_recalibrated_crps(beside, ends))
            widths[kind].append(np.mean([(upper - lower).mean() for lower, upper in ends]))
    low_high = [f"{share(min(values))} to {share(max(values))}" for values in (raw, held["constant"], held["spread"])]
    ratio = np.median(np.divide(widths["spread"], widths["constant"]))
    return [task.name, str(len(slugs)), *low_high, *(f"{np.median(crps[kind]):.2f}" for kind in crps), f"{ratio:.2f}"]


def _recalibrated_crps(samples: Sequence[Sample], ends: Sequence[tuple[NDArray[np.float64], ...]]) -> float:
    """CRPS over MAE with intervals that hold 95 %, so that the scale of the std does not matter."""
    scores = [
        METRICS["crps"].function(Sample(each.truth, each.predicted, lower=lower, upper=upper))
        for each, (lower, upper) in zip(samples, ends, strict=True)
    ]
    return float(np.mean(scores) / np.mean([each.error.mean() for each in samples]))


def _pooled_cells(results: Results, task: Task) -> list[str]:
    found = [results.on(task)[slug] for slug in _entries(results, task)]
    apart = [
        sum(pooled_differs(name, each.scores.metrics[name].mean, each.pooled[name]) for each in found)
        for name in ("rmse", "r2")
    ]
    changes = [each.pooled["rmse"] / each.scores.metrics["rmse"].mean - 1 for each in found]
    few = sorted({each.mape_half_rows for each in found if each.mape_half_rows})
    most = max(changes, key=abs)
    return [task.name, str(len(found)), *map(str, apart), f"{100 * most:+.1f} %", ", ".join(map(str, few)) or "–"]


if __name__ == "__main__":
    main()
