"""`mbl run ridge-magpie` on all 13 tasks of the real data, two folds at a time, featurising included.

    python perf/ridge.py

Needs the real data: `MATBENCH_LITE_TEST_DATA`, or `../shared/data` beside the project. Nothing of matbench 0.6 is
measured: it does not train models.
"""

from __future__ import annotations

import os
import sys
import tempfile
import warnings
from pathlib import Path

from peer import run
from real_data import real_data
from report import Limit, report

from matbench_lite import Submission, load_benchmark
from matbench_lite.data import add

WORK = "import sys; from matbench_lite.cli import main; sys.argv[0] = 'mbl'; main()"
COMPOSITION = ("steels", "expt_gap", "expt_is_metal", "glass")


def main() -> int:
    data = real_data() / "matbench_v0.1"
    bench = load_benchmark("matbench_v0.1")
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        os.environ["MATBENCH_LITE_DATA"] = str(folder / "store")
        originals = [data / "original" / f"matbench_{name}.json.gz" for name in COMPOSITION]
        for added in add([data / "truth", *originals], bench):
            if added.error is not None:
                raise added.error
        cost = run("ours", WORK, "run", "ridge-magpie", "--jobs", "2", "--output", folder / "entry")
        complete = Submission.load(folder / "entry").complete_tasks
        if complete != bench.names:
            raise SystemExit(f"only {len(complete)} of {len(bench)} tasks are complete")
    return report(
        [Limit(work="ridge-magpie, 13 tasks, 65 folds, two at a time", value=cost["seconds"], unit="s", bound=600)]
    )


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    sys.exit(main())
