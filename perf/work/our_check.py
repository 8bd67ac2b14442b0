"""Our side of perf/checks.py: all checks on every entry of a folder, every score recomputed.

Arguments: a folder with a small entry to warm up with, the folder of entries. `MATBENCH_LITE_DATA` holds the targets.
"""

from __future__ import annotations

import json
import sys
import time
from pathlib import Path

from matbench_lite.check import check_entries


def main() -> None:
    small, folder = map(Path, sys.argv[1:])
    check_entries(small)
    began = time.perf_counter()
    checked = check_entries(folder)
    seconds = time.perf_counter() - began
    # Two tasks have too few entries beside each other for the signs that need three.
    few = {"MBL508", "MBL509", "MBL511"}
    valid = {
        slug: found.ok and all(found.verified.values()) and few >= set(found.not_run) for slug, found in checked.items()
    }
    print(json.dumps({"check": seconds, "valid": valid}))


main()
