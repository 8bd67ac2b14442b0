"""The one check that every metric's input passes: flat, of one length, not empty, finite."""

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
    """Float64 arrays that can be compared row by row; what is float64 already is not copied.

    Args:
        **arrays: Numbers or booleans by the name that a message shows, e.g. `y_true=...`.

    Returns:
        The arrays, in the order given.

    Raises:
        MetricError: If one is not 1-D, holds other things than numbers, is empty, has a value that is NaN, infinite
            or beyond ±1e150, or if the lengths differ.

    Examples:
        >>> floats(y_true=[1, 2], y_pred=[True, False])
        [array([1., 2.]), array([1., 0.])]
        >>> floats(y_true=[1, 2], y_pred=[1.0])
        Traceback (most recent call last):
        matbench_lite.errors.MetricError: len(y_true)=2 != len(y_pred)=1; give one value per row
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
    if std.min() < 0:
        row = int(np.argmax(std < 0))
        raise MetricError(f"std[{row}]={float(std[row])} is negative", fix="a standard deviation is zero or more")


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
