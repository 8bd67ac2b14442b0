"""What a metric is, and the sample that it is computed from: measured and predicted values, checked once."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from copy import copy
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from matbench_lite.errors import MetricError
from matbench_lite.metrics.arrays import (
    Z_95,
    BoolArray,
    FloatArray,
    floats,
    interval_from_std,
    refuse,
    require_labels,
    require_non_negative,
    shape_of,
    std_from_interval,
)

Place = Literal["board", "entry", "overview", "trial"]
"""Where a metric is shown: on the board of a task and in a local test, on the page of an entry, in the overview of a
submission, in a local test alone."""
OVERVIEW: tuple[Place, ...] = ("board", "entry", "overview")


@dataclass(frozen=True, slots=True, kw_only=True)
class Metric:
    """A metric: how it is computed from the rows of one fold, and how people see it.

    Attributes:
        name: Its key in a dictionary of scores.
        label: Header of its column.
        kinds: The kinds of tasks that have it; "classification" is of two classes, "multiclass" of more.
        needs: What the predictions must have beside values: a standard deviation, an interval (each gives the other),
            probabilities, or intervals here and in other folds.
        higher_is_better: None if neither a high nor a low value is good, and the best is in the description.
        in_target_unit: Whether it has the unit of the target; the others have none.
        pooled: Whether boards compute it over the rows of all folds together, too.
        published: Whether Matbench's files have it, under the same name.
        remark: What a header without a unit says in brackets.

    Examples:
        >>> from matbench_lite.metrics import METRICS
        >>> METRICS["mae"].label, METRICS["mae"]([1.0, 2.0], [1.5, 2.0])
        ('MAE', 0.25)
    """

    name: str
    label: str
    description: str
    function: Callable[[Sample], float]
    kinds: tuple[str, ...] = ("regression",)
    needs: Need | None = None
    higher_is_better: bool | None = False
    in_target_unit: bool = False
    shown: tuple[Place, ...] = ("board", "entry")
    pooled: bool = False
    published: bool = False
    remark: str = ""

    def __call__(
        self,
        y_true: npt.ArrayLike,
        y_pred: npt.ArrayLike,
        std: npt.ArrayLike | None = None,
        *,
        classes: int = 2,
        calibration: Sample | None = None,
    ) -> float:
        """Compute it from arrays; they are those of `Sample`, which raises a `MetricError` about what is wrong in them.

        Of a matrix of probabilities the classes are its columns.
        """
        shape = shape_of(y_pred)
        if "multiclass" in self.kinds and len(shape) == 2 and shape[1] > 2:
            classes = shape[1]
        return self.function(Sample(y_true, y_pred, std=std, classes=classes, calibration=calibration))


def metric(label: str, **about: Any) -> Callable[[Callable[[Sample], float]], Metric]:
    """Make a metric of a function of the rows of one fold; it has its name, and the first line of its docstring."""

    def described(function: Callable[[Sample], float]) -> Metric:
        name, text = function.__name__.removeprefix("_"), (function.__doc__ or "").partition("\n")[0].removesuffix(".")
        return Metric(name=name, label=label, description=text[:1].lower() + text[1:], function=function, **about)

    return described


DECISION_THRESHOLD = 0.5
MAPE_THRESHOLD = 1e-5
SUM_TOLERANCE = 1e-5
"""How far the probabilities of all classes of a row may be from 1 in sum: they were written with a few digits."""

Need = Literal["calibration", "interval", "probability", "std"]


class Sample:
    """Rows of one fold, as metrics see them, all in the unit of the target; of 95 % intervals both bounds or none.

    Args:
        y_true: Measured values, or labels; of more than two classes, their numbers from 0.
        y_pred: Predicted values in the same order, labels, or probabilities of the positive class; of more than two
            classes, their numbers, or the probability of every class in an array of shape (rows, classes).
        std: Standard deviations of the predictions, zero or more.
        lower: Lower bounds of 95 % intervals.
        upper: Upper bounds.
        probability: Whether `y_pred` are probabilities.
        classes: How many classes there are.
        calibration: Rows of other folds, from which a metric learns how wide intervals must be.

    A `MetricError` if the arrays differ in length, are empty, or have a value that is not finite, or, of more than two
    classes, one that is no class or no probability.

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
        classes: int = 2,
        calibration: Sample | None = None,
    ) -> None:
        self.classes, self.matrix, self.calibration = classes, None, calibration
        if classes > 2 and len(shape_of(y_pred)) == 2:
            self.matrix = _probabilities(np.asarray(y_pred), classes)
            y_pred, probability = self.matrix.argmax(axis=1), True
        self.truth, self.predicted = floats(y_true=y_true, y_pred=y_pred)
        if classes > 2:
            for name, values in (("y_true", self.truth), ("y_pred", self.predicted)):
                other = (values < 0) | (values >= classes) | (values != np.floor(values))
                refuse(other, name, values, "is no class", f"number the classes from 0 to {classes - 1}")
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

    def beside(self, others: Sequence[Sample]) -> Sample:
        """The same rows, with those of other folds as calibration; as it is if one of all has no interval.

        Examples:
            >>> first, second = Sample([1.0], [1.5], std=[0.5]), Sample([2.0], [1.5], std=[0.25])
            >>> first.beside([second, second]).calibration.truth
            array([2., 2.])
        """
        if not others or not all(sample.has("interval") for sample in (self, *others)):
            return self
        stds = [each._std for each in others if each._std is not None]
        lower, upper = (np.concatenate(ends) for ends in zip(*(each.bounds for each in others), strict=True))
        beside = copy(self)
        beside.calibration = Sample(
            np.concatenate([each.truth for each in others]),
            np.concatenate([each.predicted for each in others]),
            std=np.concatenate(stds) if len(stds) == len(others) else None,
            lower=lower,
            upper=upper,
        )
        return beside

    @property
    def has_recorded_std(self) -> bool:
        """Whether standard deviations were given, not intervals alone."""
        return self._std is not None

    def has(self, need: Need | None) -> bool:
        """Whether the predictions have what a metric needs beside values."""
        if need == "calibration":
            return self.calibration is not None and self.has("interval")
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
    def sides(self) -> tuple[FloatArray, FloatArray]:
        """Standard deviations below and above each prediction.

        Of a standard deviation, both are that. An interval is read as two halves of normal distributions, each with
        half of the probability: the prediction is the median, and 2.5 % lie beyond either end. Such a half is NaN if
        the prediction lies beyond the end.
        """
        if self.std is not None:
            return self.std, self.std
        lower, upper = self.bounds
        below, above = (self.predicted - lower) / Z_95, (upper - self.predicted) / Z_95
        return np.where(below < 0, np.nan, below), np.where(above < 0, np.nan, above)

    @cached_property
    def towards(self) -> FloatArray:
        """The standard deviation on the side of each prediction where the measured value is."""
        below, above = self.sides
        return below if below is above else np.where(self.truth < self.predicted, below, above)

    @cached_property
    def z(self) -> FloatArray:
        """|error| / std; 0 where there is no error, infinite where only the standard deviation is zero."""
        with np.errstate(divide="ignore", over="ignore"):
            return np.divide(self.error, self.towards, out=np.zeros_like(self.error), where=self.error > 0)

    @cached_property
    def positive(self) -> BoolArray:
        """The rows of the positive class; what is no label, or no probability, is a `MetricError`."""
        require_labels("y_true", self.truth)
        outside = (self.predicted < 0) | (self.predicted > 1)
        refuse(outside, "y_pred", self.predicted, "is outside 0 to 1", "pass labels or probabilities")
        positive: BoolArray = self.truth == 1
        return positive

    @cached_property
    def confusion(self) -> npt.NDArray[np.intp]:
        """Rows of every true class (first axis) by the class that is predicted."""
        is_two = self.classes == 2
        truth = (self.positive if is_two else self.truth).astype(np.intp)
        said = (self.predicted > DECISION_THRESHOLD if is_two else self.predicted).astype(np.intp)
        pairs = truth * self.classes + said
        return np.bincount(pairs, minlength=self.classes**2).reshape(self.classes, self.classes)

    @cached_property
    def given_to_truth(self) -> FloatArray:
        """The probability that each row's true class was given."""
        if self.matrix is not None:
            return self.matrix[np.arange(len(self.truth)), self.truth.astype(np.intp)]
        return np.where(self.positive, self.predicted, 1 - self.predicted)


def _probabilities(values: npt.NDArray[np.generic], classes: int) -> FloatArray:
    """The probability of every class of every row, if that is what an array has."""
    if values.dtype.kind not in "biuf" or values.shape[1] != classes or not len(values):
        raise MetricError(
            f"y_pred.shape={values.shape}, dtype={values.dtype} are no probabilities of {classes} classes",
            fix="pass a number for every row and class",
        )
    matrix = values.astype(np.float64, copy=False)
    sums = matrix.sum(axis=1)
    refuse(~(matrix.min(axis=1) >= 0), "sum of y_pred", sums, "has a part below 0 or NaN", "pass probabilities")
    refuse(~(np.abs(sums - 1) <= SUM_TOLERANCE), "sum of y_pred", sums, "is not 1", "divide each row by its sum")
    return matrix
