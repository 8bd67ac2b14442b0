"""What perf/site.py measures: the pages of a folder of entries.

Arguments: what to do ("pages", "build", "make" or "render"), the benchmark, the folder of entries, the output; for
"make" the number of entries, for "pages" a folder of a small entry to warm up with.
"""

from __future__ import annotations

import json
import sys
import tempfile
import time
from pathlib import Path

import jsonschema_rs  # noqa: F401  # imports do not count
import numpy as np
import pyarrow as pa
import pyarrow.compute
import scipy.special  # noqa: F401

from matbench_lite import Benchmark, Submission, load_benchmark
from matbench_lite.board import read_entries
from matbench_lite.check import Checked
from matbench_lite.site.build import build_site, make_site, publish, render_site


def pages(bench: Benchmark, entries: Path, output: Path) -> dict[str, float]:
    """Read the entries and write all pages: what the peer does. Checks are measured elsewhere."""
    pa.set_memory_pool(pa.system_memory_pool())  # as `mbl site build` does
    read = read_entries(entries, bench).read
    checked = {
        slug: Checked(
            slug=slug,
            folder=entries / slug,
            findings=(),
            not_run={},
            submission=entry,
            verified={},
            digest=None,
            size=0,
        )
        for slug, entry in read.items()
    }
    return {"files": publish(make_site(checked, bench), output)}


def make(bench: Benchmark, entries: Path, number: int) -> dict[str, float]:
    """Entries of ever more noise, every fifth of which says how sure it is."""
    rng = np.random.default_rng(0)
    for which in range(number):
        entry = Submission(
            bench, algorithm=f"Entry {which}", authors=["A. Name"], description="Noise.", single_configuration=True
        )
        entry.provenance = {}
        for task in bench:
            noise = 0.1 * (1 + which / number)
            for fold in task.folds:
                truth = task.target_values[task.test_rows(fold)]
                if task.kind == "classification":
                    entry.record(task.name, fold, truth ^ (rng.random(len(truth)) < noise))
                else:
                    std = np.full(len(truth), noise) if which % 5 == 0 else None
                    entry.record(task.name, fold, truth + noise * rng.normal(size=len(truth)), std=std)
        entry.save(entries / f"entry-{which:04d}")
    return {}


def main() -> None:
    what, name, entries, output, *more = sys.argv[1:]
    bench = load_benchmark(name)
    if what == "pages" and more:
        with tempfile.TemporaryDirectory() as temporary:
            pages(bench, Path(more[0]), Path(temporary))
    began, spent = time.perf_counter(), time.process_time()
    if what == "make":
        result = make(bench, Path(entries), int(more[0]))
    elif what == "pages":
        result = pages(bench, Path(entries), Path(output))
    elif what == "render":
        render_site(Path(output))
        result = {}
    else:
        result = {"files": build_site(Path(entries), Path(output), bench).pages}
    result |= {"seconds_of_work": time.perf_counter() - began, "processor": time.process_time() - spent}
    print(json.dumps(result))


main()
