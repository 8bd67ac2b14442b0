"""The fixed folds: the same rows in the same order as in the splits file inside matbench 0.6's wheel.

Run it with `python perf/folds.py`.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

from peer import run

from matbench_lite import Task, load_benchmark

# Found without importing it: that takes seconds.
_WHERE = """
import importlib.util, json
print(json.dumps({"folder": importlib.util.find_spec("matbench").submodule_search_locations[0]}))
"""


def main() -> int:
    file = Path(run("peer", _WHERE)["folder"]) / "matbench_v0.1_validation.json"
    splits = json.loads(file.read_bytes())["splits"]
    benchmark = load_benchmark("matbench_v0.1")
    differing = {task.name: differences(task, splits.get(task.name, {})) for task in benchmark}
    width = max(map(len, differing))
    for name, found in differing.items():
        print(f"{name:<{width}}  {'NOT equal: ' + ', '.join(found) if found else 'equal'}")
    if unknown := sorted(set(splits) - set(benchmark.names)):
        print(f"only in the peer: {', '.join(unknown)}")
    equal = sum(not found for found in differing.values())
    print(f"{equal} of {len(benchmark)} tasks equal, train and test of every fold, in order")
    return int(equal < len(benchmark) or bool(unknown))


def differences(task: Task, split: dict[str, Any]) -> list[str]:
    """Which parts of a task's folds are not the peer's."""
    if sorted(split) != [f"fold_{fold}" for fold in task.folds]:
        return [f"the peer has folds {sorted(split)}"]
    parts = {"train": task.train_ids, "test": task.test_ids}
    return [
        f"{part} of fold {fold}"
        for fold in task.folds
        for part, ids in parts.items()
        if ids(fold).tolist() != split[f"fold_{fold}"][part]
    ]


if __name__ == "__main__":
    sys.exit(main())
