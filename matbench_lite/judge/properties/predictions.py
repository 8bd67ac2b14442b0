"""Properties of what a model predicts, with or without a formula."""

from __future__ import annotations

import math

import numpy as np

from matbench_lite.errors import JudgingError
from matbench_lite.judge.properties.case import Case
from matbench_lite.judge.properties.spec import PropertySpec
from matbench_lite.metrics import r2


def bounds(case: Case, spec: PropertySpec) -> float:
    """The share of predictions, on test rows and beyond, inside the physical bounds.

    Raises:
        JudgingError: If there are no bounds, or no predictions.
    """
    if spec.low is None and spec.high is None:
        raise JudgingError(
            f"{case.dataset.name}: no bounds are given", fix="give low = … or high = … with the property"
        )
    arrays = [array for array in (case.predictions, case.beyond) if array is not None]
    if not arrays:
        raise JudgingError(f"{case.dataset.name}: bounds are judged by predictions", fix="add a column predictions")
    values = np.concatenate(arrays)
    low = -math.inf if spec.low is None else spec.low
    high = math.inf if spec.high is None else spec.high
    return round(float(np.mean((values >= low) & (values <= high))), 6)


def extrapolation(case: Case, spec: PropertySpec) -> float:  # noqa: ARG001 - every property takes both
    """R2 on the rows outside the range of the training rows, to three decimals, as accuracy is.

    Raises:
        JudgingError: If the dataset has no such rows, or there are no predictions for them.
    """
    if case.dataset.beyond is None:
        raise JudgingError(f"{case.dataset.name}: there are no rows to extrapolate to", fix="choose another property")
    if case.beyond is None:
        raise JudgingError(
            f"{case.dataset.name}: no predictions beyond the training range", fix="run it with `mbl judge run`"
        )
    return round(r2(case.dataset.beyond.y, case.beyond), 3)
