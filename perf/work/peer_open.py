"""The peer's side of perf/matbench.py: open a result and validate it.

Arguments: a small result to warm up with, the result; both as plain JSON.
"""

from __future__ import annotations

import json
import logging
import sys
import time

from matbench.bench import MatbenchBenchmark

logging.disable(logging.CRITICAL)


def scores_of(path: str) -> tuple[bool, dict]:
    benchmark = MatbenchBenchmark.from_file(path)
    return benchmark.is_valid, benchmark.scores


def main() -> None:
    small, path = sys.argv[1:]
    scores_of(small)
    began = time.perf_counter()
    valid, scores = scores_of(path)
    seconds = time.perf_counter() - began
    means = {task: {name: of["mean"] for name, of in metrics.items()} for task, metrics in scores.items()}
    print(json.dumps({"open": seconds, "valid": valid, "scores": means}))


main()
