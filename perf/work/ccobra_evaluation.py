"""What CCOBRA does: processor time by prediction, in microseconds, in each setting."""

from __future__ import annotations

import json
import sys
import time
import warnings
from pathlib import Path

from ccobra.benchmark import Benchmark, Evaluator

warnings.simplefilter("ignore")
FOLDER = Path(sys.argv[1])
engine, everything = {}, {}
for path in sorted(FOLDER.glob("theirs-*.json")):
    setting = path.stem.removeprefix("theirs-")
    began = time.process_time()
    evaluator = Evaluator(Benchmark(str(path), argmodel=(None, None)), is_silent=True)
    read = time.process_time()
    table, _ = evaluator.evaluate()
    ended = time.process_time()
    engine[setting] = 1e6 * (ended - read) / len(table)
    everything[setting] = 1e6 * (ended - began) / len(table)
print(json.dumps({"engine": engine, "all": everything}))
