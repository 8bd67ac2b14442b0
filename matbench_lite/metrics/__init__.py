"""Metrics: arrays in, numbers out.

Every function takes flat arrays of one length (lists, NumPy arrays and pandas Series alike; an index is not looked
at) and raises a `MetricError` on NaN or infinity: no row is skipped.
"""

from __future__ import annotations

from matbench_lite.metrics.catalogue import (
    CLASSIFICATION_METRICS,
    METRICS,
    REGRESSION_METRICS,
    UNCERTAINTY_METRICS,
    Metric,
    metric_header,
    metric_name,
    ranking_metric,
)
from matbench_lite.metrics.classification import accuracy, balanced_accuracy, classification_scores, f1, rocauc
from matbench_lite.metrics.intervals import coverage, interval_from_std, std_from_interval
from matbench_lite.metrics.regression import mae, mape, mape_rows, max_error, r2, regression_scores, rmse
from matbench_lite.metrics.summary import Summary, summarise
from matbench_lite.metrics.uncertainty import ause, crps, miscalibration_area, nll, sharpness, uncertainty_scores

__all__ = [
    "CLASSIFICATION_METRICS",
    "METRICS",
    "REGRESSION_METRICS",
    "UNCERTAINTY_METRICS",
    "Metric",
    "Summary",
    "accuracy",
    "ause",
    "balanced_accuracy",
    "classification_scores",
    "coverage",
    "crps",
    "f1",
    "interval_from_std",
    "mae",
    "mape",
    "mape_rows",
    "max_error",
    "metric_header",
    "metric_name",
    "miscalibration_area",
    "nll",
    "r2",
    "ranking_metric",
    "regression_scores",
    "rmse",
    "rocauc",
    "sharpness",
    "std_from_interval",
    "summarise",
    "uncertainty_scores",
]
