"""Metrics: arrays in, numbers out.

Every function takes flat arrays of one length (lists, NumPy arrays and pandas Series alike; an index is not looked
at) and raises a `MetricError` on NaN or infinity: no row is skipped.
"""

from __future__ import annotations

from matbench_lite.metrics.catalogue import (
    METRICS,
    Summary,
    metric_name,
    ranking_metric,
    scores,
    shown_metrics,
    summarise,
)
from matbench_lite.metrics.classification import (
    CLASSIFICATION_METRICS,
    accuracy,
    balanced_accuracy,
    f1,
    log_loss,
    macro_f1,
    rocauc,
    rocauc_ovr,
)
from matbench_lite.metrics.metric import (
    DECISION_THRESHOLD,
    SUM_TOLERANCE,
    Metric,
    Sample,
    interval_from_std,
    shape_of,
    std_from_interval,
)
from matbench_lite.metrics.regression import REGRESSION_METRICS, mae, mape, mape_rows, max_error, r2, rmse
from matbench_lite.metrics.uncertainty import (
    UNCERTAINTY_METRICS,
    ause,
    coverage,
    crps,
    miscalibration_area,
    nll,
    sharpness,
)

__all__ = [
    "CLASSIFICATION_METRICS", "DECISION_THRESHOLD", "METRICS", "REGRESSION_METRICS", "SUM_TOLERANCE",
    "UNCERTAINTY_METRICS", "Metric", "Sample", "Summary", "accuracy", "ause", "balanced_accuracy", "coverage", "crps",
    "f1", "interval_from_std", "log_loss", "macro_f1", "mae", "mape", "mape_rows", "max_error", "metric_name",
    "miscalibration_area", "nll", "r2", "ranking_metric", "rmse", "rocauc", "rocauc_ovr", "scores", "shape_of",
    "sharpness", "shown_metrics", "std_from_interval", "summarise",
]  # fmt: skip
