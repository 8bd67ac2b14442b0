"""All boards of the ten real entries, from cold and again, and of 10, 100 and 1000 synthetic ones.

Run it with `python perf/boards.py`. It needs the real targets and entries: `MATBENCH_LITE_TEST_DATA`, or
`../shared/data` beside the project. Nothing of matbench 0.6 is measured: it has no such boards.
"""

from __future__ import annotations

import os
import sys
import tempfile
from pathlib import Path

from peer import ROOT, run
from report import Limit, report

from matbench_lite import load_benchmark
from matbench_lite.data import add
from matbench_lite.matbench import read_results

WORK = Path(__file__).parent / "work" / "our_boards.py"
NUMBERS = (10, 100, 1000)


def main() -> int:
    data = Path(os.environ.get("MATBENCH_LITE_TEST_DATA") or ROOT.parent / "shared" / "data")
    if not data.is_dir():
        raise SystemExit(f"there is no real data in {data}: set MATBENCH_LITE_TEST_DATA")
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
    cold, again = (run("ours", WORK, "real", folder / "entries") for _ in range(2))
    return [
        Limit(work="ten real entries, from cold", value=cold["boards"], unit="s", bound=30),
        Limit(work="ten real entries, from cold: peak memory", value=cold["peak_mb"], unit="MB", bound=1000),
        Limit(work="ten real entries, again", value=again["boards"], unit="s", bound=1),
        Limit(work="ten real entries, again: with all imports", value=again["seconds"], unit="s", bound=5),
    ]


def synthetic() -> list[Limit]:
    """The cost of an entry must not grow with their number; in memory, on `mini`, with an empty cache each time."""
    rows = []
    allowed = 0.0
    for number in NUMBERS:
        with tempfile.TemporaryDirectory() as store:
            os.environ["MATBENCH_LITE_DATA"] = store
            cold, again = (1000 * run("ours", WORK, "synthetic", str(number))["boards"] / number for _ in range(2))
        # The first has what is shared by all entries to pay for.
        allowed = allowed or cold
        rows.append(Limit(work=f"{number} entries on mini, from cold: each", value=cold, unit="ms", bound=allowed))
        rows.append(Limit(work=f"{number} entries on mini, again: each", value=again, unit="ms", bound=allowed))
    return rows


if __name__ == "__main__":
    sys.exit(main())
