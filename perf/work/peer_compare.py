"""Whether matbench 0.6 finds a result valid, and what differs from the one it was made from.

Arguments: the result that we wrote, the original; both as plain JSON.
"""

from __future__ import annotations

import json
import logging
import math
import sys
from pathlib import Path

from matbench.bench import MatbenchBenchmark

logging.disable(logging.CRITICAL)


def main() -> None:
    written, original = sys.argv[1:]
    benchmark = MatbenchBenchmark.from_file(written)
    same_predictions, differences = True, set()
    for name, content in json.loads(Path(original).read_bytes())["tasks"].items():
        task = benchmark.tasks_map[name]
        for fold, stored in content["results"].items():
            same_predictions &= dict(task.results[fold].data) == stored["data"]
            for metric, value in stored["scores"].items():
                tolerance = 1e-6 if metric == "mape" else 1e-9
                if not math.isclose(task.results[fold].scores[metric], value, rel_tol=tolerance):
                    differences.add(f"{name} {metric}")
    result = {"valid": benchmark.is_valid, "predictions": same_predictions, "differences": sorted(differences)}
    print(json.dumps(result))


main()
