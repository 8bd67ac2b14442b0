"""Metrics: arrays in, numbers out.

Every function takes flat arrays of one length (lists, NumPy arrays and pandas Series alike; an index is not looked
at) and raises a `MetricError` on NaN or infinity: no row is skipped.
"""

from typing import TYPE_CHECKING

from matbench_lite.lazy import lazy

if TYPE_CHECKING:
    from matbench_lite.metrics.arrays import (
        interval_from_std as interval_from_std, shape_of as shape_of, std_from_interval as std_from_interval,
    )
    from matbench_lite.metrics.catalogue import (
        METRICS as METRICS, Summary as Summary, metric_name as metric_name, ranking_metric as ranking_metric,
        scores as scores, shown_metrics as shown_metrics, summarise as summarise,
    )
    from matbench_lite.metrics.classification import (
        CLASSIFICATION_METRICS as CLASSIFICATION_METRICS, accuracy as accuracy, balanced_accuracy as balanced_accuracy,
        f1 as f1, log_loss as log_loss, macro_f1 as macro_f1, rocauc as rocauc, rocauc_ovr as rocauc_ovr,
    )
    from matbench_lite.metrics.metric import (
        DECISION_THRESHOLD as DECISION_THRESHOLD, SUM_TOLERANCE as SUM_TOLERANCE, Metric as Metric, Sample as Sample,
    )
    from matbench_lite.metrics.regression import (
        REGRESSION_METRICS as REGRESSION_METRICS, mae as mae, mape as mape, mape_half_rows as mape_half_rows,
        mape_rows as mape_rows, max_error as max_error, r2 as r2, rmse as rmse,
    )
    from matbench_lite.metrics.uncertainty import (
        UNCERTAINTY_METRICS as UNCERTAINTY_METRICS, ause as ause, conformal_interval as conformal_interval,
        conformal_width as conformal_width, constant_std as constant_std, coverage as coverage, crps as crps,
        miscalibration_area as miscalibration_area, nll as nll, sharpness as sharpness,
    )
else:
    __getattr__, __dir__ = lazy(__name__)
