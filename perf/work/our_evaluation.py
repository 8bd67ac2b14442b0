"""What this package does: processor time by prediction, in microseconds, in one setting.

The engine is all between the data that are read and the scores of the rows: making the model, copying it, every hook,
comparing. Means and intervals, which CCOBRA has not, are in the figure for everything.
"""

from __future__ import annotations

import json
import sys
import time
from pathlib import Path

from matbench_lite.evaluate import evaluate, read_evaluation
from matbench_lite.evaluate.evaluated_models import load_candidate
from matbench_lite.evaluate.evaluation_protocol import Data, Hooks, keep_data
from matbench_lite.evaluate.group_plan import make_plan
from matbench_lite.evaluate.scorers import make_scorers
from matbench_lite.train import Here, Job, drive

PATH = Path(sys.argv[1]) / f"ours-{sys.argv[2]}.json"
evaluate(Path(sys.argv[1]) / "warm-up.json")  # imports, on the other side at the top, are done here inside functions
plan = make_plan(read_evaluation(PATH))
scorers = make_scorers(plan)
began = time.process_time()
protocol = Hooks(evaluation=plan.evaluation, data_digest=plan.digest, scoring=())
data = Data(protocol, plan, scorers)
keep_data(data)
model = load_candidate(plan.evaluation.models[0])
done = drive([Job(model=model, protocol=protocol, piece=number) for number in range(len(data.pieces))], Here())
engine = time.process_time() - began
rows = plan.counts.rows
assert sum(len(one.answers) for one in done) == rows
keep_data(None)
del plan, scorers, data, done
began = time.process_time()
evaluate(PATH)
everything = time.process_time() - began
print(json.dumps({"engine": 1e6 * engine / rows, "all": 1e6 * everything / rows}))
