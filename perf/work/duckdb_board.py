"""What perf/many_entries.py compares with: DuckDB computes the mean absolute error of every fold from the same files.

Arguments: the folder of the entries, and the store with the targets. Only the regression tasks; no intervals, no tests.
"""

from __future__ import annotations

import json
import sys
import time
from pathlib import Path

import duckdb
import pandas as pd

from matbench_lite import load_benchmark

entries, _ = map(Path, sys.argv[1:])
bench = load_benchmark("matbench_v0.1")
targets = pd.concat(
    pd.DataFrame({"task": task.name, "fold": fold, "target": task.target_values[task.test_rows(fold)]})
    for task in bench
    if task.kind == "regression"
    for fold in task.folds
)
targets["row"] = targets.groupby(["task", "fold"]).cumcount()
connection = duckdb.connect()
connection.execute("SET threads = 1")
connection.register("frame", targets)
connection.execute("CREATE TABLE targets AS SELECT * FROM frame")
began = time.process_time()
found = connection.execute(
    """
    WITH numbered AS (
        SELECT filename, task, fold, prediction,
               file_row_number - min(file_row_number) OVER (PARTITION BY filename, task, fold) AS row
        FROM read_parquet($1, filename = true, file_row_number = true)
    )
    SELECT filename, task, fold, avg(abs(prediction - target)) AS mae
    FROM numbered JOIN targets USING (task, fold, row)
    GROUP BY ALL
    """,
    [str(entries / "*" / "predictions.parquet")],
).fetchall()
print(json.dumps({"processor": time.process_time() - began, "values": len(found)}))
