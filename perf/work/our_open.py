"""Our side of perf/matbench.py: open an entry, or a Matbench result, and compute every score from its predictions.

Arguments: a small one to warm up with, the entry's folder or the result. `MATBENCH_LITE_DATA` holds the targets.
"""

from __future__ import annotations

import json
import sys
import time
from pathlib import Path

from matbench_lite import Submission
from matbench_lite.matbench import read_results
from matbench_lite.submission import Scores


def scores_of(path: Path) -> Scores:
    return (Submission.load(path) if path.is_dir() else read_results(path)).scores


def main() -> None:
    small, path = map(Path, sys.argv[1:])
    scores_of(small)
    began = time.perf_counter()
    scores = scores_of(path)
    seconds = time.perf_counter() - began
    means = {task: {name: of.mean for name, of in scored.metrics.items()} for task, scored in scores.items()}
    print(json.dumps({"open": seconds, "valid": True, "scores": means}))


main()
