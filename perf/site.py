"""The site: pages of the ten real entries side by side with matbench 0.6, their size, and how the cost grows.

Run it with `python perf/site.py`; with `--browser` it also looks at a page of 1000 entries in Chromium. It needs the
real targets and entries: `MATBENCH_LITE_TEST_DATA`, or `../shared/data` beside the project.
"""

from __future__ import annotations

import gzip
import os
import shutil
import sys
import tempfile
from fractions import Fraction
from pathlib import Path
from typing import Any

from peer import run
from real_data import real_data
from report import Limit, Row, report
from submission import add_targets

from matbench_lite import load_benchmark
from matbench_lite.matbench import read_results

ROUNDS = 3
WORK = Path(__file__).parent / "work"
OURS = WORK / "our_site.py"
SMALL = "RFLR"
NUMBERS = (10, 100, 1000)


def main() -> int:
    data = real_data()
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        os.environ["MATBENCH_LITE_DATA"] = str(folder / "store")
        add_targets(load_benchmark("matbench_v0.1"), data / "matbench_v0.1" / "truth")
        (folder / "results").mkdir()
        for path in sorted((data / "matbench_entries").glob("*/results.json.gz")):
            name = path.parent.name
            # The 0.6 on PyPI cannot read a gzipped result.
            (folder / "results" / f"{name}.json").write_bytes(gzip.decompress(path.read_bytes()))
            read_results(path).save(folder / "entries" / name.lower().replace("_", "-"))
        shutil.copytree(folder / "entries" / SMALL.lower(), folder / "small" / SMALL.lower())
        return report([*real(folder), *synthetic(folder)])


def real(folder: Path) -> list[Row | Limit]:
    """Both sides in turn, in new processes; ours with the boards computed and no pages there."""
    entries, output = folder / "entries", folder / "build"
    cold = ours("build", "matbench_v0.1", entries, output)
    rounds = []
    for _ in range(ROUNDS):
        shutil.rmtree(output / "docs")
        small = folder / "results" / f"{SMALL}.json"
        peer = run("peer", WORK / "peer_site.py", small, folder / "results", folder / "peer")
        rounds.append((peer, ours("pages", "matbench_v0.1", entries, output, folder / "small")))
    again = ours("pages", "matbench_v0.1", entries, output, folder / "small")
    whole = ours("build", "matbench_v0.1", entries, output)
    peers, mine = zip(*rounds, strict=True)
    work = "pages of the ten real entries"
    task = max(path.stat().st_size for path in (output / "site" / "tasks").glob("*.html"))
    all_files = [path for path in (output / "site").rglob("*") if path.is_file()]
    size = sum(path.stat().st_size for path in all_files if path.name != "predictions.parquet")
    seconds = ([side["pages"] for side in peers], [side["seconds_of_work"] for side in mine])
    processor = [[side["processor"] for side in sides] for sides in (peers, mine)]
    memory = [[side["peak_mb"] for side in sides] for sides in (peers, mine)]
    return [
        Row(work=f"{work}: time", peer=seconds[0], ours=seconds[1], unit="s", bound=Fraction(1, 8)),
        Row(work=f"{work}: processor time", peer=processor[0], ours=processor[1], unit="s", bound=None),
        Row(work=f"{work}: peak memory", peer=memory[0], ours=memory[1], unit="MB", bound=Fraction(1, 4)),
        limit(f"{work}, none changed", again["seconds_of_work"], "s", 5),
        limit(f"{work}, with checks and mkdocs", whole["seconds_of_work"], "s", 60),
        limit(f"{work}, the same from cold, with boards", cold["seconds_of_work"], "s", 90),
        limit("largest page of a task", task / 1000, "kB", 150),
        limit("whole site, without predictions", size / 1e6, "MB", 12),
    ]


def synthetic(folder: Path) -> list[Limit]:
    """The cost of an entry must not grow with their number: on `mini`, with the boards computed."""
    rows: list[Limit] = []
    allowed: dict[str, float] = {}
    for number in NUMBERS:
        place = folder / f"of-{number}"
        os.environ["MATBENCH_LITE_DATA"] = str(place / "store")
        ours("make", "mini", place / "entries", place / "build", number)
        ours("pages", "mini", place / "entries", place / "build")
        shutil.rmtree(place / "build")
        shutil.copytree(place / "entries" / "entry-0000", place / "small" / "entry-0000")
        for what, done in (
            ("pages", ours("pages", "mini", place / "entries", place / "build", place / "small")),
            ("rendering", ours("render", "mini", place / "entries", place / "build")),
        ):
            each = 1000 * done["processor"] / number
            # Ten entries have the most to pay for what all of them share; a quarter is noise.
            allowed.setdefault(what, 1.25 * each)
            rows.append(limit(f"{number} entries on mini, {what}: processor time of each", each, "ms", allowed[what]))
        if number == NUMBERS[-1] and "--browser" in sys.argv:
            seen = run("ours", WORK / "our_browser.py", place / "build" / "site" / "index.html")
            rows.append(limit(f"{seen['rows']} entries in the browser: first table", seen["first"] / 1000, "s", 2))
            rows.append(limit(f"{seen['rows']} entries in the browser: loaded", seen["loaded"] / 1000, "s", 2))
            rows.append(limit(f"{seen['rows']} entries in the browser: a filter", seen["filter"], "ms", 100))
    return rows


def ours(*arguments: Any) -> dict[str, Any]:
    return run("ours", OURS, *map(str, arguments))


def limit(work: str, value: float, unit: str, bound: float) -> Limit:
    return Limit(work=work, value=value, unit=unit, bound=bound)


if __name__ == "__main__":
    sys.exit(main())
