"""Importing the package: `python -c "import …"` as a whole, interpreter included.

Run it with `python perf/import_time.py`.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from fractions import Fraction

from peer import run
from report import Row, report

ROUNDS = 7
PEER = "import matbench"
OURS = "import matbench_lite"
# The peer's import reads its tasks and folds; ours reads them when they are asked for.
OURS_READY = """
from matbench_lite import Submission, load_benchmark
benchmark = load_benchmark("matbench_v0.1")
submission = Submission(benchmark, algorithm="any")
for task in benchmark:
    task.test_rows(0)
"""


def main() -> int:
    # The first round fills the file cache and writes the bytecode; it is not counted.
    rounds = [(run("peer", PEER), run("ours", OURS), run("ours", OURS_READY)) for _ in range(1 + ROUNDS)][1:]
    peer, ours, ready = zip(*rounds, strict=True)

    def row(work: str, key: str, unit: str, measured: Sequence[dict[str, float]], bound: Fraction | None) -> Row:
        theirs, own = ([side[key] for side in sides] for sides in (peer, measured))
        return Row(work=work, peer=theirs, ours=own, unit=unit, bound=bound)

    return report(
        [
            row("import: time", "seconds", "s", ours, Fraction(1, 8)),
            row("import: peak memory", "peak_mb", "MB", ours, Fraction(1, 4)),
            row("import, with ours ready to record: time", "seconds", "s", ready, None),
            row("import, with ours ready to record: peak memory", "peak_mb", "MB", ready, None),
        ]
    )


if __name__ == "__main__":
    sys.exit(main())
