"""Scoring predictions does not wait for heavy packages."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from matbench_lite import metrics

SCRIPT = """
import sys
from matbench_lite import metrics as m
y, p = [0.0, 1.0, 2.0], [0.5, 1.0, 1.5]
m.scores("regression", m.Sample(y, p))
m.mae(y, p), m.rmse(y, p), m.mape(y, p), m.mape_rows(y), m.max_error(y, p), m.r2(y, p)
m.scores("classification", m.Sample([True, False], [0.9, 0.1], probability=True))
[getattr(m, metric.name)([True, False], [0.9, 0.1]) for metric in m.CLASSIFICATION_METRICS]
m.coverage(y, *m.interval_from_std(p, [0.1, 0.2, 0.3]))
m.summarise([1.0, 2.0])
print(*sorted({"sklearn", "scipy", "pandas"} & sys.modules.keys()))
"""


def test_metrics_without_uncertainty_import_neither_sklearn_nor_scipy_nor_pandas() -> None:
    root = Path(metrics.__file__).parents[2]
    environment = {**os.environ, "PYTHONPATH": str(root)}
    done = subprocess.run([sys.executable, "-c", SCRIPT], env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stdout.split() == []
