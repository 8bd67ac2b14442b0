"""What a metric is, and the sample that it is computed from: measured and predicted values, checked once."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Literal, TypeAlias

import numpy as np
import numpy.typing as npt

from matbench_lite.errors import MetricError

Place = Literal["board", "entry", "overview", "trial"]
"""Where a metric is shown: on the board of a task and in a local test, on the page of an entry, in the overview of a
submission, in a local test alone."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Metric:
    """A metric: how it is computed, and how people see it.

    Attributes:
        name: Its key in a dictionary of scores.
        label: Header of its column.
        description: What it is, in one line.
        function: Computes it, from the rows of one fold.
        kinds: The kinds of tasks that have it; "classification" is of two classes, "multiclass" of more.
        needs: What the predictions must have beside values: a standard deviation, an interval, probabilities.
        better: Which way is better; None if neither, and the best value is in the description.
        unit: "target" if it has the unit of the target; "" without unit.
        shown: Where it is shown.
        published: Whether Matbench's files have it, under the same name.
        remark: What a header without a unit says in brackets.

    Examples:
        >>> from matbench_lite.metrics import METRICS
        >>> METRICS["mae"].label, METRICS["mae"].function(Sample([1.0, 2.0], [1.5, 2.0]))
        ('MAE', 0.25)
    """

    name: str
    label: str
    description: str
    function: Callable[[Sample], float]
    kinds: tuple[str, ...] = ("regression",)
    needs: Need | None = None
    better: Literal["lower", "higher"] | None = "lower"
    unit: Literal["target", ""] = ""
    shown: tuple[Place, ...] = ("board", "entry")
    published: bool = False
    remark: str = ""

    @property
    def higher_is_better(self) -> bool | None:
        """Whether a high value is good; None if neither a high nor a low one is."""
        return None if self.better is None else self.better == "higher"

    @property
    def in_target_unit(self) -> bool:
        """Whether it has the unit of the target."""
        return self.unit == "target"


FloatArray: TypeAlias = npt.NDArray[np.float64]
BoolArray: TypeAlias = npt.NDArray[np.bool_]

# Beyond this a sum of squares is infinite, and so would the score be: such a value is refused like infinity itself.
LARGEST = 1e150


def floats(**arrays: npt.ArrayLike) -> list[FloatArray]:
    """Float64 arrays that can be compared row by row, in the order given; what is float64 already is not copied.

    They are numbers or booleans, by the name that a message shows. A `MetricError` if one is not 1-D, holds other
    things, is empty, has a value that is NaN, infinite or beyond ±1e150, or if the lengths differ.
    """
    flat = {name: _flat(name, values) for name, values in arrays.items()}
    (first, reference), *others = flat.items()
    for name, values in others:
        if len(values) != len(reference):
            raise MetricError(
                f"len({first})={len(reference)} != len({name})={len(values)}", fix="give one value per row"
            )
    for name, values in flat.items():
        _require_finite(name, values)
    return list(flat.values())


def require_non_negative(std: FloatArray) -> None:
    """Raise a `MetricError` that shows the first negative standard deviation, if there is one."""
    _refuse(std < 0, "std", std, "is negative", "a standard deviation is zero or more")


def _refuse(bad: BoolArray, name: str, values: FloatArray, problem: str, fix: str) -> None:
    """Raise a `MetricError` that shows the first of the bad values, if there is one."""
    if bad.any():
        row = int(np.argmax(bad))
        raise MetricError(f"{name}[{row}]={float(values[row])} {problem}", fix=fix)


def _flat(name: str, values: npt.ArrayLike) -> FloatArray:
    try:
        array = np.asarray(values)
    except ValueError as error:  # rows of different lengths
        raise MetricError(f"{name} is not a flat list of numbers: {error}") from error
    if array.ndim != 1:
        raise MetricError(f"{name}.shape={array.shape} is not 1-D", fix="pass one number per row, e.g. array.ravel()")
    if not array.size:
        raise MetricError(f"{name} is empty", fix="pass at least one row")
    if array.dtype.kind not in "biuf":
        raise MetricError(
            f"{name}.dtype={array.dtype} is not a type of number, {name}[0]={array[0]!r}",
            fix="convert it to float or bool first; there is no missing value here",
        )
    return array.astype(np.float64, copy=False)


def _require_finite(name: str, values: FloatArray) -> None:
    # A NaN makes min and max NaN, and so both comparisons false: two passes, no temporary array.
    if values.min() >= -LARGEST and values.max() <= LARGEST:
        return
    bad = ~(np.abs(values) <= LARGEST)
    row = int(np.argmax(bad))
    raise MetricError(
        f"{np.count_nonzero(bad)} of {len(values)} values are not finite (or beyond ±{LARGEST:g}), "
        f"the first is {name}[{row}]={float(values[row])}",
        fix="every row needs a finite number: none is skipped",
    )


# Half width of the central 95 % of a normal distribution, in standard deviations.
Z_95 = 1.959963984540054


def interval_from_std(prediction: npt.ArrayLike, std: npt.ArrayLike) -> tuple[FloatArray, FloatArray]:
    """The central 95 % interval of a normal distribution about each prediction.

    Args:
        prediction: Predicted values, in the unit of the target.
        std: Their standard deviations, zero or more, in the same unit.

    Returns:
        Lower and upper bounds, in the same unit.

    Raises:
        MetricError: If the arrays differ in length, are empty, have a value that is not finite, or a negative `std`.

    Examples:
        >>> lower, upper = interval_from_std([1.0], [0.5])
        >>> lower.round(2), upper.round(2)
        (array([0.02]), array([1.98]))
    """
    center, deviation = floats(prediction=prediction, std=std)
    require_non_negative(deviation)
    half = Z_95 * deviation
    return center - half, center + half


def std_from_interval(prediction: npt.ArrayLike, lower: npt.ArrayLike, upper: npt.ArrayLike) -> FloatArray | None:
    """The standard deviations whose 95 % intervals these are, if they can be of a normal distribution.

    Bounds are stored in single precision, so an interval counts as symmetric about its prediction when its middle
    is off by no more than such rounding of all three numbers explains (with a factor two to spare).

    Args:
        prediction: Predicted values, in the unit of the target.
        lower: Lower bounds of the 95 % intervals, in the same unit.
        upper: Upper bounds, none below its lower bound.

    Returns:
        Standard deviations, in the same unit; None if a single interval is asymmetric: such intervals have a
        coverage, but no standard deviation.

    Raises:
        MetricError: If the arrays differ in length, are empty, have a value that is not finite, or a lower bound
            above its upper bound.

    Examples:
        >>> std_from_interval([1.0], [0.02], [1.98]).round(3)
        array([0.5])
        >>> std_from_interval([1.0], [0.5], [4.0]) is None
        True
    """
    center, low, high = floats(prediction=prediction, lower=lower, upper=upper)
    require_order(low, high)
    single = np.finfo(np.float32)
    tolerance = 2 * float(single.eps) * (np.abs(low) + np.abs(high)) + float(single.tiny)
    if (np.abs(low + high - 2 * center) > tolerance).any():
        return None
    return (high - low) / (2 * Z_95)


def require_order(lower: FloatArray, upper: FloatArray) -> None:
    """Raise a `MetricError` that shows the first lower bound above its upper bound, if there is one."""
    crossed = lower > upper
    if crossed.any():
        row = int(np.argmax(crossed))
        raise MetricError(
            f"lower[{row}]={float(lower[row])} > upper[{row}]={float(upper[row])}", fix="swap the two bounds"
        )


DECISION_THRESHOLD = 0.5
MAPE_THRESHOLD = 1e-5
SUM_TOLERANCE = 1e-5
"""How far the probabilities of all classes of a row may be from 1 in sum: they were written with a few digits."""

Need = Literal["interval", "probability", "std"]


class Sample:
    """Rows of one fold, as metrics see them.

    Args:
        y_true: Measured values, in the unit of the target, or labels; of more than two classes, their numbers from 0.
        y_pred: Predicted values in the same unit and order, labels, or probabilities of the positive class; of more
            than two classes, their numbers, or the probability of every class in an array of shape (rows, classes).
        std: Standard deviations of the predictions, zero or more, in the same unit.
        lower: Lower bounds of 95 % intervals, in the same unit.
        upper: Upper bounds, given if and only if `lower` is.
        probability: Whether `y_pred` are probabilities.
        classes: How many classes there are.

    Raises:
        MetricError: If the arrays differ in length, are empty, or have a value that is not finite, or, of more than two
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
    ) -> None:
        self.classes, self.matrix = classes, None
        if classes > 2 and len(shape_of(y_pred)) == 2:
            self.matrix = _probabilities(np.asarray(y_pred), classes)
            y_pred, probability = self.matrix.argmax(axis=1), True
        self.truth, self.predicted = floats(y_true=y_true, y_pred=y_pred)
        if classes > 2:
            for name, values in (("y_true", self.truth), ("y_pred", self.predicted)):
                other = (values < 0) | (values >= classes) | (values != np.floor(values))
                _refuse(other, name, values, "is no class", f"number the classes from 0 to {classes - 1}")
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
        _refuse(outside, "y_pred", self.predicted, "is outside 0 to 1", "pass labels or probabilities")
        positive: BoolArray = self.truth == 1
        return positive

    @cached_property
    def confusion(self) -> npt.NDArray[np.intp]:
        """Rows of every true class (first axis) by the class that is predicted."""
        if self.classes == 2:
            true_positive, false_positive, false_negative, true_negative = self.counts
            return np.array([[true_negative, false_positive], [false_negative, true_positive]])
        pairs = self.truth.astype(np.intp) * self.classes + self.predicted.astype(np.intp)
        return np.bincount(pairs, minlength=self.classes**2).reshape(self.classes, self.classes)

    @cached_property
    def given_to_truth(self) -> FloatArray:
        """The probability that each row's true class was given."""
        if self.matrix is not None:
            return self.matrix[np.arange(len(self.truth)), self.truth.astype(np.intp)]
        return np.where(self.positive, self.predicted, 1 - self.predicted)

    @cached_property
    def counts(self) -> tuple[int, int, int, int]:
        """True positive, false positive, false negative and true negative rows."""
        predicted = self.predicted > DECISION_THRESHOLD
        rows = (self.positive & predicted, self.positive, predicted)
        both, true, taken = (int(np.count_nonzero(chosen)) for chosen in rows)
        return both, taken - both, true - both, len(self.truth) - true - taken + both


def shape_of(values: npt.ArrayLike) -> tuple[int, ...]:
    """The shape of an array; none if its rows are of different lengths.

    Examples:
        >>> shape_of([[1, 2], [3, 4], [5, 6]]), shape_of([[1, 2], [3]])
        ((3, 2), ())
    """
    try:
        return np.shape(values)
    except ValueError:
        return ()


def _probabilities(values: npt.NDArray[np.generic], classes: int) -> FloatArray:
    """The probability of every class of every row, if that is what an array has."""
    if values.dtype.kind not in "biuf" or values.shape[1] != classes or not len(values):
        raise MetricError(
            f"y_pred.shape={values.shape}, dtype={values.dtype} are no probabilities of {classes} classes",
            fix="pass a number for every row and class",
        )
    matrix = values.astype(np.float64, copy=False)
    sums = matrix.sum(axis=1)
    _refuse(~(matrix.min(axis=1) >= 0), "sum of y_pred", sums, "has a part below 0 or NaN", "pass probabilities")
    _refuse(~(np.abs(sums - 1) <= SUM_TOLERANCE), "sum of y_pred", sums, "is not 1", "divide each row by its sum")
    return matrix


def require_labels(name: str, values: FloatArray) -> None:
    """Raise a `MetricError` that shows the first value that is neither 0 nor 1, if there is one."""
    _refuse((values != 0) & (values != 1), name, values, "is not a label", "use True and False, or 1 and 0")
