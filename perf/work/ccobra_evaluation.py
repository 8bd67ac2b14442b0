"""What CCOBRA does: processor time by prediction, in microseconds, in one setting."""

from __future__ import annotations

import json
import sys
import time
import warnings
from pathlib import Path

from ccobra.benchmark import Benchmark, Evaluator

warnings.simplefilter("ignore")
PATH = Path(sys.argv[1]) / f"theirs-{sys.argv[2]}.json"
began = time.process_time()
evaluator = Evaluator(Benchmark(str(PATH), argmodel=(None, None)), is_silent=True)
read = time.process_time()
table, _ = evaluator.evaluate()
ended = time.process_time()
print(json.dumps({"engine": 1e6 * (ended - read) / len(table), "all": 1e6 * (ended - began) / len(table)}))
