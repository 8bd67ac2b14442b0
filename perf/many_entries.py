"""A board of 10, 30, 100 and 300 full entries: from cold, and with nothing changed; beside DuckDB reading the files.

Run it with `python perf/many_entries.py`; it needs the real targets and entries (`MATBENCH_LITE_TEST_DATA`, or
`../shared/data` beside the project), duckdb from PyPI, 1.2 GB of disk and some ten minutes. The entries are made from
real ones that have all 13 tasks: a blend of two, with noise.
"""

from __future__ import annotations

import os
import shutil
import sys
import tempfile
from fractions import Fraction
from pathlib import Path

import numpy as np
from peer import run
from real_data import real_data
from report import Limit, Row, report
from submission import add_targets

from matbench_lite import Benchmark, Submission, load_benchmark
from matbench_lite.matbench import read_results
from matbench_lite.progress import progress

NUMBERS = (10, 30, 100, 300)
WORK = Path(__file__).parent / "work"
BOARDS = ("all", "general", "matbench_mp_gap")
FULL = ("rf", "automatminer_expressv2020")


def main() -> int:
    data = real_data()
    numbers = tuple(map(int, sys.argv[1:])) or NUMBERS
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        os.environ["MATBENCH_LITE_DATA"] = str(folder / "store")
        benchmark = load_benchmark("matbench_v0.1")
        add_targets(benchmark, data / "matbench_v0.1" / "truth")
        make(benchmark, data, folder / "entries", max(numbers))
        os.sync()  # what is still to be written is not the work of whoever reads it
        return report(measured(folder, numbers), peer="DuckDB")


def make(benchmark: Benchmark, data: Path, folder: Path, number: int) -> None:
    """Entries with all tasks, each with predictions of its own."""
    first, second = (read_results(data / "matbench_entries" / name / "results.json.gz") for name in FULL)
    with progress("making entries", number) as advance:
        for which in range(number):
            rng = np.random.default_rng(which)
            entry = Submission(benchmark, algorithm=f"Entry {which}", authors=["Nobody"], single_configuration=True)
            entry.provenance = {}
            share = rng.random()
            for task in benchmark:
                for fold in task.folds:
                    a, b = (held.recorded(task.name)[fold].predictions.prediction for held in (first, second))
                    values = share * a + (1 - share) * b
                    noisy = values + (0.01 + 0.1 * rng.random()) * values.std() * rng.normal(size=len(values))
                    entry.record(task.name, fold, np.clip(noisy, 0, 1) if task.kind == "classification" else noisy)
            entry.save(folder / f"entry-{which:03d}")
            advance(1)


def measured(folder: Path, numbers: tuple[int, ...]) -> list[Row | Limit]:
    rows: list[Row | Limit] = []
    per_entry: float | None = None
    for number in numbers:
        entries = folder / f"first-{number}"
        entries.mkdir()
        for path in sorted((folder / "entries").iterdir())[:number]:
            (entries / path.name).symlink_to(path)
        shutil.rmtree(folder / "store" / "derived", ignore_errors=True)
        cold, general, again = (run("ours", WORK / "our_board.py", entries, which) for which in BOARDS)
        peer = run("ours", WORK / "duckdb_board.py", entries, folder / "store")
        full = number == max(NUMBERS)
        most = 1.25 * per_entry * number if per_entry else 60.0
        per_entry = per_entry or cold["processor"] / number
        rows += [
            Limit(work=f"{number} entries, from cold", value=cold["processor"], unit="s", bound=60 if full else most),
            Limit(work=f"{number} entries, from cold: memory", value=cold["peak_mb"], unit="MB", bound=600),
            Limit(work=f"{number} entries, nothing changed: a task", value=again["processor"], unit="s", bound=1),
            Limit(work=f"{number} entries, nothing changed: general", value=general["processor"], unit="s", bound=1),
            Limit(work=f"{number} entries, nothing changed: memory", value=again["peak_mb"], unit="MB", bound=300),
            Row(
                work=f"{number} entries, MAE of all folds",
                peer=[peer["processor"]],
                ours=[again["processor"]],
                unit="s",
                bound=Fraction(1) if full else None,
            ),
        ]
    return rows


if __name__ == "__main__":
    sys.exit(main())
