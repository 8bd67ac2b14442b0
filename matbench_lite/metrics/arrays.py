"""Arrays of numbers, one per row, checked once; 95 % intervals and standard deviations, two forms of one thing."""

from __future__ import annotations

from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from matbench_lite.errors import MetricError

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
    refuse(std < 0, "std", std, "is negative", "a standard deviation is zero or more")


def refuse(bad: BoolArray, name: str, values: FloatArray, problem: str, fix: str) -> None:
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
    """The central 95 % interval of a normal distribution about each prediction, in its unit.

    A `MetricError` if the arrays differ in length, are empty, have a value that is not finite, or a negative `std`.

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

    Bounds are stored in single precision, so an interval counts as symmetric about its prediction when its middle is
    off by no more than such rounding of all three numbers explains (with a factor two to spare). None if a single
    interval is asymmetric: such intervals have a coverage, but no standard deviation. All are in one unit. A
    `MetricError` is raised as by `interval_from_std`, and for a lower bound above its upper bound.

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
    crossed = np.flatnonzero(lower > upper)
    if len(crossed):
        row, low, high = crossed[0], float(lower[crossed[0]]), float(upper[crossed[0]])
        raise MetricError(f"lower[{row}]={low} > upper[{row}]={high}", fix="swap the two bounds")


def require_labels(name: str, values: FloatArray) -> None:
    """Raise a `MetricError` that shows the first value that is neither 0 nor 1, if there is one."""
    refuse((values != 0) & (values != 1), name, values, "is not a label", "use True and False, or 1 and 0")


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
