"""Our side of perf/submission.py: record all folds of some tasks, score them, save the entry.

Arguments: the prepared arrays, the folder to write, the tasks. `MATBENCH_LITE_DATA` holds the targets.
"""

from __future__ import annotations

import json
import sys
import tempfile
import time

import numpy as np

from matbench_lite import Submission, load_benchmark


def warm_up() -> None:
    """Do it on a small task of another benchmark: what is imported on first use is imported then."""
    submission = Submission(load_benchmark("mini"), algorithm="warm-up")
    task = submission.benchmark.tasks[0]
    submission.record(task.name, 0, np.zeros(len(task.test_rows(0))))
    _ = submission.scores
    with tempfile.TemporaryDirectory() as folder:
        submission.save(folder)


def main() -> None:
    arrays, output, *names = sys.argv[1:]
    warm_up()
    with np.load(arrays) as given:
        predictions = {name: [given[f"{name}/{fold}"] for fold in range(5)] for name in names}
    submission = Submission(load_benchmark("matbench_v0.1"), algorithm="RF-SCM/Magpie", authors=["Alex Dunn"])

    # Folds and targets are read from disk in here; the peer had them in memory before.
    began = time.perf_counter()
    for name in names:
        for fold in submission.benchmark[name].folds:
            submission.record(name, fold, predictions[name][fold])
    scores = submission.scores
    ranking = {name: scores[name].ranking.mean for name in names}
    recorded = time.perf_counter()
    submission.save(output, code=__file__)
    saved = time.perf_counter()

    print(json.dumps({"record": recorded - began, "save": saved - recorded, "scores": ranking}))


main()
