"""All boards of the ten real entries, from cold and again, and of 10, 100 and 1000 synthetic ones.

Run it with `python perf/boards.py`. It needs the real targets and entries: `MATBENCH_LITE_TEST_DATA`, or
`../shared/data` beside the project. Nothing of matbench 0.6 is measured: it has no such boards.
"""

from __future__ import annotations

import os
import sys
import tempfile
from pathlib import Path
from statistics import median

from peer import run
from real_data import real_data
from report import Limit, report

from matbench_lite import load_benchmark
from matbench_lite.data import add
from matbench_lite.matbench import read_results

WORK = Path(__file__).parent / "work" / "our_boards.py"
NUMBERS = (10, 100, 1000)
ROUNDS = 5


def main() -> int:
    data = real_data()
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        os.environ["MATBENCH_LITE_DATA"] = str(folder / "store")
        return report([*real(data, folder), *synthetic()])


def real(data: Path, folder: Path) -> list[Limit]:
    """Every board of the ten real entries, in a new process each time; reading the entries is part of it."""
    for added in add([data / "matbench_v0.1" / "truth"], load_benchmark("matbench_v0.1")):
        if added.error is not None:
            raise added.error
    for path in sorted((data / "matbench_entries").iterdir()):
        read_results(path / "results.json.gz").save(folder / "entries" / path.name)
    cold, *again = (run("ours", WORK, "real", folder / "entries") for _ in range(1 + ROUNDS))
    return [
        Limit(work="ten real entries, from cold", value=cold["boards"], unit="s", bound=30),
        Limit(work="ten real entries, from cold: peak memory", value=cold["peak_mb"], unit="MB", bound=1000),
        Limit(work="ten real entries, again", value=median(each["boards"] for each in again), unit="s", bound=1),
    ]


def synthetic() -> list[Limit]:
    """The cost of an entry must not grow with their number; in memory, on `mini`, with an empty cache each time."""
    rows = []
    allowed: tuple[float, float] | None = None
    for number in NUMBERS:
        with tempfile.TemporaryDirectory() as store:
            os.environ["MATBENCH_LITE_DATA"] = store
            runs = [run("ours", WORK, "synthetic", str(number))["processor"] for _ in range(3)]
        # From cold there is one run by nature; of those again, the one that was disturbed least.
        cold, again = (1000 * seconds / number for seconds in (runs[0], min(runs[1:])))
        # Ten entries have the most to pay for what all of them share; a quarter is noise.
        allowed = allowed or (1.25 * cold, 1.25 * again)
        for what, value, bound in zip(("from cold", "again"), (cold, again), allowed, strict=True):
            work = f"{number} entries on mini, {what}: processor time of each"
            rows.append(Limit(work=work, value=value, unit="ms", bound=bound))
    return rows


if __name__ == "__main__":
    sys.exit(main())
