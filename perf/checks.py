"""Checking the ten real entries: every check of ours, every score recomputed, against matbench's open + `is_valid`.

Run it with `python perf/checks.py`. It needs the real targets and entries: `MATBENCH_LITE_TEST_DATA`, or
`../shared/data` beside the project.
"""

from __future__ import annotations

import gzip
import os
import shutil
import sys
import tempfile
from fractions import Fraction
from pathlib import Path

from peer import run
from real_data import real_data
from report import Row, report
from submission import add_targets

from matbench_lite import load_benchmark
from matbench_lite.matbench import read_results

ROUNDS = 5
WORK = Path(__file__).parent / "work"
SMALL = "RFLR"


def main() -> int:
    data = real_data()
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        os.environ["MATBENCH_LITE_DATA"] = str(folder / "store")
        add_targets(load_benchmark("matbench_v0.1"), data / "matbench_v0.1" / "truth")
        results = sorted((data / "matbench_entries").glob("*/results.json.gz"))
        for path in results:
            name = path.parent.name
            # The 0.6 on PyPI cannot read a gzipped result.
            (folder / f"{name}.json").write_bytes(gzip.decompress(path.read_bytes()))
            read_results(path).save(folder / "submissions" / name.lower().replace("_", "-"))
        small = folder / "submissions" / SMALL.lower()
        shutil.copytree(small, folder / "small" / small.name)
        return report(side_by_side(folder, [folder / f"{path.parent.name}.json" for path in results]))


def side_by_side(folder: Path, results: list[Path]) -> list[Row]:
    """Both sides in turn, each time in new processes."""
    rounds = []
    for _ in range(ROUNDS):
        peer = run("peer", WORK / "peer_check.py", folder / f"{SMALL}.json", *results)
        ours = run("ours", WORK / "our_check.py", folder / "small", folder / "submissions")
        for side in (peer, ours):
            if len(side["valid"]) != len(results) or not all(side["valid"].values()):
                raise SystemExit(f"not all are valid: {side['valid']}")
        rounds.append((peer, ours))

    def row(work: str, key: str, unit: str, bound: Fraction | None) -> Row:
        peer, ours = ([side[key] for side in sides] for sides in zip(*rounds, strict=True))
        return Row(work=work, peer=peer, ours=ours, unit=unit, bound=bound)

    return [
        row("ten real entries: check", "check", "s", Fraction(1, 15)),
        row("ten real entries: check, peak memory", "peak_mb", "MB", None),
    ]


if __name__ == "__main__":
    sys.exit(main())
