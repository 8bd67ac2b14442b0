"""Measured and predicted values of some rows: checked once, and what several metrics need of them computed once."""

from __future__ import annotations

from functools import cached_property
from typing import Literal

import numpy as np
import numpy.typing as npt

from matbench_lite.errors import MetricError
from matbench_lite.metrics._arrays import BoolArray, FloatArray, floats, require_non_negative
from matbench_lite.metrics.intervals import interval_from_std, std_from_interval

DECISION_THRESHOLD = 0.5
MAPE_THRESHOLD = 1e-5

Need = Literal["interval", "probability", "std"]


class Sample:
    """Rows of one fold, as metrics see them.

    Args:
        y_true: Measured values, in the unit of the target, or labels.
        y_pred: Predicted values in the same unit and order, labels, or probabilities of the positive class.
        std: Standard deviations of the predictions, zero or more, in the same unit.
        lower: Lower bounds of 95 % intervals, in the same unit.
        upper: Upper bounds, given if and only if `lower` is.
        probability: Whether `y_pred` are probabilities.

    Raises:
        MetricError: If the arrays differ in length, are empty, or have a value that is not finite.

    Examples:
        >>> Sample([1.0, 2.0], [1.5, 2.0]).error
        array([0.5, 0. ])
    """

    def __init__(
        self,
        y_true: npt.ArrayLike,
        y_pred: npt.ArrayLike,
        *,
        std: npt.ArrayLike | None = None,
        lower: npt.ArrayLike | None = None,
        upper: npt.ArrayLike | None = None,
        probability: bool = False,
    ) -> None:
        self.truth, self.predicted = floats(y_true=y_true, y_pred=y_pred)
        self.probability = probability
        self._std, self._lower, self._upper = None, lower, upper
        if std is not None:
            _, self._std = floats(y_pred=self.predicted, std=std)
            require_non_negative(self._std)
        if (lower is None) != (upper is None):
            given = {"std": std is not None, "lower": lower is not None, "upper": upper is not None}
            raise MetricError(
                f"uncertainty is incomplete: given={given}", fix="pass std, or lower and upper, or all three"
            )

    def has(self, need: Need | None) -> bool:
        """Whether the predictions have what a metric needs beside values."""
        if need == "probability":
            return self.probability
        if need == "interval":
            return self._std is not None or self._lower is not None
        return need is None or (self.has("interval") and self.std is not None)

    @cached_property
    def error(self) -> FloatArray:
        """Absolute errors, in the unit of the target."""
        return np.abs(self.truth - self.predicted)

    @cached_property
    def squares(self) -> FloatArray:
        """Squared errors."""
        return np.square(self.error)

    @cached_property
    def far_from_zero(self) -> BoolArray:
        """The rows that mape* uses."""
        return np.abs(self.truth) > MAPE_THRESHOLD

    @cached_property
    def std(self) -> FloatArray | None:
        """Standard deviations, in the unit of the target; None if the intervals are of no normal distribution."""
        if self._std is None:
            assert self._lower is not None
            assert self._upper is not None
            return std_from_interval(self.predicted, self._lower, self._upper)
        return self._std

    @cached_property
    def bounds(self) -> tuple[FloatArray, FloatArray]:
        """Both ends of the 95 % intervals, in the unit of the target."""
        if self._lower is None or self._upper is None:
            assert self.std is not None
            return interval_from_std(self.predicted, self.std)
        _, lower, upper = floats(y_pred=self.predicted, lower=self._lower, upper=self._upper)
        return lower, upper

    @cached_property
    def z(self) -> FloatArray:
        """|error| / std; 0 where there is no error, infinite where only the standard deviation is zero."""
        assert self.std is not None
        with np.errstate(divide="ignore", over="ignore"):
            return np.divide(self.error, self.std, out=np.zeros_like(self.error), where=self.error > 0)

    @cached_property
    def positive(self) -> BoolArray:
        """The rows of the positive class.

        Raises:
            MetricError: If a measured value is no label, or a predicted one no label and no probability.
        """
        require_labels("y_true", self.truth)
        outside = (self.predicted < 0) | (self.predicted > 1)
        if outside.any():
            row = int(np.argmax(outside))
            raise MetricError(
                f"y_pred[{row}]={float(self.predicted[row])} is outside 0 to 1", fix="pass labels or probabilities"
            )
        positive: BoolArray = self.truth == 1
        return positive

    @cached_property
    def counts(self) -> tuple[int, int, int, int]:
        """True positive, false positive, false negative and true negative rows."""
        predicted = self.predicted > DECISION_THRESHOLD
        rows = (self.positive & predicted, self.positive, predicted)
        both, true, taken = (int(np.count_nonzero(chosen)) for chosen in rows)
        return both, taken - both, true - both, len(self.truth) - true - taken + both


def require_labels(name: str, values: FloatArray) -> None:
    """Raise a `MetricError` that shows the first value that is neither 0 nor 1, if there is one."""
    other = (values != 0) & (values != 1)
    if other.any():
        row = int(np.argmax(other))
        raise MetricError(f"{name}[{row}]={float(values[row])} is not a label", fix="use True and False, or 1 and 0")
