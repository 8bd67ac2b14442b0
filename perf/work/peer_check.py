"""The peer's side of perf/checks.py: open every result and validate it, which recomputes nothing.

Arguments: a small result to warm up with, then the results; all as plain JSON.
"""

from __future__ import annotations

import json
import logging
import sys
import time

from matbench.bench import MatbenchBenchmark

logging.disable(logging.CRITICAL)


def main() -> None:
    small, *paths = sys.argv[1:]
    _ = MatbenchBenchmark.from_file(small).is_valid
    began = time.perf_counter()
    valid = {path: MatbenchBenchmark.from_file(path).is_valid for path in paths}
    print(json.dumps({"check": time.perf_counter() - began, "valid": valid}))


main()
