"""How many test rows have a near relative in training: the table of the guide to the statistics, as Markdown.

`python scripts/relatives_table.py [BENCHMARK]`: a name or a TOML file, matbench_v0.1 by default. Tasks whose targets
are not on this machine, and tables without formulas, are left out.
"""

from __future__ import annotations

import sys

import numpy as np
from numpy.typing import NDArray

from matbench_lite import load_benchmark
from matbench_lite.board import read_relatives, targets_state
from matbench_lite.text import share


def main() -> None:
    """Print one line per task."""
    print("| task | without relatives | unseen chemical system | beyond 25 at.% |\n| --- | --: | --: | --: |")
    for task in load_benchmark(sys.argv[1] if len(sys.argv) > 1 else "matbench_v0.1"):
        state = targets_state(task)
        found = read_relatives(task, state.digest) if state else None
        if found is not None:
            cells = map(_cell, (found.without, found.new_system, np.isinf(found.distances)))
            print(f"| {task.name} | {' | '.join(cells)} |")


def _cell(chosen: NDArray[np.bool_]) -> str:
    return f"{share(float(chosen.mean()))} ({int(chosen.sum()):,})"


if __name__ == "__main__":
    main()
