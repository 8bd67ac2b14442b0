"""What perf/many_entries.py measures: boards, with all that they need; imports do not count.

Arguments: the folder of the entries, and "all" (the boards of all tasks and the general one), "general" or the name of
a task. Processor time is that of this process and of the airlock.
"""

from __future__ import annotations

import json
import resource
import sys
import time
from pathlib import Path

import jsonschema_rs  # noqa: F401
import pandas as pd  # noqa: F401
import pyarrow.parquet  # noqa: F401
import scipy.special  # noqa: F401

from matbench_lite import load_benchmark
from matbench_lite.airlock import close
from matbench_lite.board import Results, general_board, read_entries, task_board

bench = load_benchmark("matbench_v0.1")
began = time.process_time()
entries = read_entries(Path(sys.argv[1]), bench)
assert not entries.refused, entries.refused
results = Results(bench, entries.read)
which = sys.argv[2]
for task in bench:
    if which in ("all", task.name):
        task_board(results, task)
if which in ("all", "general"):
    general_board(results)
close()
airlock = resource.getrusage(resource.RUSAGE_CHILDREN)
spent = time.process_time() - began + airlock.ru_utime + airlock.ru_stime
print(json.dumps({"processor": spent, "airlock_mb": airlock.ru_maxrss / 1000}))
