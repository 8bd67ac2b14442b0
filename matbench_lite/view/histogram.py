"""How are values distributed? Histograms of targets and of errors, with their sign."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike, NDArray

from matbench_lite.cleaner import clean
from matbench_lite.tasks import Task
from matbench_lite.text import count, px, share
from matbench_lite.view.axis import Axis, linear_axis
from matbench_lite.view.figure import Plot, draw
from matbench_lite.view.predicted import Predicted
from matbench_lite.view.words import axis_label, number, with_unit

_LEFT, _RIGHT = 60, 464
_TARGETS_TOP, _TARGETS_BOTTOM, _TARGET_BINS = 12, 186, 48
_ERRORS_TOP, _ERRORS_BOTTOM, _ERROR_BINS = 34, 210, 61
_KEPT = 0.998
"""The share of the values that an axis must show."""


def bin_counts(pixels: NDArray[np.float64], axis: Axis, bins: int) -> NDArray[np.int64]:
    """How many values, as `axis.at` places them, are in each bin of an axis; those beyond its ends in the outer."""
    places = ((pixels - axis.start) * (bins / (axis.end - axis.start))).astype(np.int64)
    return np.bincount(np.minimum(places, bins - 1), minlength=bins)


def bar_path(lengths: NDArray[np.float64], axis: Axis, base: float, *, lying: bool = False) -> str:
    """Bars that stand on a horizontal line as one path, in pixels; or lie against a vertical line, to its right.

    Negative lengths hang below the line.
    """
    edges = [px(edge) for edge in np.linspace(axis.start, axis.end, len(lengths) + 1)]
    ends = [px(end) for end in (base + lengths if lying else base - lengths)]
    along, across = ("V", "H") if lying else ("H", "V")
    steps = "".join(f"{across}{end}{along}{edge}" for end, edge in zip(ends, edges[1:], strict=True))
    first = f"{px(base)} {edges[0]}" if lying else f"{edges[0]} {px(base)}"
    return f"M{first}{steps}{across}{px(base)}z"


def scaled_counts(numbers: NDArray[np.int64], height: float) -> NDArray[np.float64]:
    """Counts as heights, the largest of them of the height given, in pixels."""
    heights: NDArray[np.float64] = numbers * np.float64(height / max(1, int(numbers.max())))
    return heights


def usual_range(values: NDArray[np.float64]) -> tuple[float, float]:
    """The range of values, without far tails: where nearly all values need less than 40 % of it, theirs.

    Examples:
        >>> usual_range(np.array([*range(1000), 1e6])) == (1.0, 999.0)
        True
        >>> usual_range(np.arange(10.0))
        (0.0, 9.0)
    """
    low, high = float(values.min()), float(values.max())
    tail = math.floor(len(values) * (1 - _KEPT) / 2)
    ends = (tail, len(values) - 1 - tail)
    inner_low, inner_high = np.partition(values, ends)[list(ends)].tolist()
    if inner_high > inner_low and inner_high - inner_low < 0.4 * (high - low):
        return inner_low, inner_high
    return low, high


def target_histogram(task: Task, targets: ArrayLike) -> Plot | None:
    """Draw how the targets of a task, in its unit or booleans, are distributed; None without rows.

    Examples:
        >>> from matbench_lite import load_benchmark
        >>> target_histogram(load_benchmark("mini")["mini_gap"], [0.5, 1.0, 4.0]).description
        'band gap of mini_gap goes from 0.500 eV to 4.00 eV; the median is 1.00 eV, ...'
    """
    values = np.asarray(targets, dtype=np.float64)
    if not values.size:
        return None
    return _of_classes(task, values) if task.kind == "classification" else _of_numbers(task, values)


def _of_numbers(task: Task, values: NDArray[np.float64]) -> Plot:
    low, high = usual_range(values)
    room = 0.02 * (high - low)
    axis = linear_axis(low - room, high + room, _LEFT, _RIGHT, ticks=6)
    counts = bin_counts(axis.at(values), axis, _TARGET_BINS)
    y = linear_axis(0, int(counts.max()), _TARGETS_BOTTOM, _TARGETS_TOP, ticks=4, widen=True)
    middle = float(np.median(values))
    beyond = int(np.count_nonzero((values < axis.low) | (values > axis.high)))
    first, last = np.quantile(values, (0.05, 0.95)).tolist()
    caption = f"Bars: number of rows by value, {count(len(values), 'row')} in all. Orange: the median."
    if beyond:
        caption += f" {count(beyond, 'row')} beyond the axis {'is' if beyond == 1 else 'are'} in the outermost bars."
    return draw(
        "target_histogram",
        height=_TARGETS_BOTTOM + 46,
        title=f"How is {clean(task.target)} distributed?",
        caption=caption,
        description=f"{clean(task.target)} of {task.name} goes from {_value(float(values.min()), task.unit)} to "
        f"{_value(float(values.max()), task.unit)}; the median is {_value(middle, task.unit)}, nine tenths of the "
        f"{count(len(values), 'row')} are between {_value(first, task.unit)} and {_value(last, task.unit)}.",
        axis=axis,
        axis_name=axis_label(clean(task.target), task.unit),
        y=y,
        bars=bar_path(_TARGETS_BOTTOM - y.at(counts.astype(np.float64)), axis, _TARGETS_BOTTOM),
        middle=axis.at(middle),
        classes=[],
        top=_TARGETS_TOP,
        bottom=_TARGETS_BOTTOM,
    )


def _of_classes(task: Task, values: NDArray[np.float64]) -> Plot:
    true = int(np.count_nonzero(values))
    axis = linear_axis(0, len(values), 60, 320)
    classes = [
        (4 + 36 * place, name, axis.at(rows), f"{rows:,} rows, {share(rows / len(values))}")
        for place, (name, rows) in enumerate((("true", true), ("false", len(values) - true)))
    ]
    return draw(
        "target_histogram",
        height=80,
        title=f"How are the classes of {clean(task.target)} divided?",
        caption=f"Bars: number of rows of each class, {count(len(values), 'row')} in all.",
        description=f"Of the {count(len(values), 'row')} of {task.name}, {true:,} ({share(true / len(values))}) have "
        f"the target {clean(task.target)} true, {len(values) - true:,} false.",
        axis=axis,
        classes=classes,
    )


def residuals(task: Task, predicted: Predicted) -> Plot | None:
    """Draw how the errors of a regression task, predicted minus true, are distributed; None for classification.

    Examples:
        >>> from matbench_lite import load_benchmark
        >>> task = load_benchmark("mini")["mini_gap"]
        >>> predicted = Predicted(type="value", truth=np.arange(4.0), prediction=np.arange(4.0) + 0.5)
        >>> residuals(task, predicted).description
        '...100 % of the rows are predicted too high, 0 % too low.'
    """
    if predicted.type != "value":
        return None
    error, sizes = predicted.error, predicted.sorted_size
    # The far tails would leave one bar for all the others: they are in the outermost bins.
    edge = float(np.quantile(sizes, 0.98)) or float(sizes[-1]) or 1.0
    axis = linear_axis(-1.1 * edge, 1.1 * edge, _LEFT, _RIGHT, ticks=6)
    counts = bin_counts(axis.at(error), axis, _ERROR_BINS)
    y = linear_axis(0, int(counts.max()), _ERRORS_BOTTOM, _ERRORS_TOP, ticks=4, widen=True)
    low, middle, high = np.quantile(np.sort(error), (0.025, 0.5, 0.975)).tolist()
    first, center, last = (_value(error_of, task.unit, digits=2) for error_of in (low, middle, high))
    below, above = share(float((error < 0).mean())), share(float((error > 0).mean()))
    return draw(
        "residuals",
        height=_ERRORS_BOTTOM + 46,
        title="Does it guess too high or too low?",
        caption=_caption(int(np.count_nonzero(sizes > axis.high))),
        description=(
            f"Errors of {task.name}, predicted minus true: the middle one is {center}, 95 % of them lie between "
            f"{first} and {last}. {above} of the rows are predicted too high, {below} too low."
        ),
        axis=axis,
        axis_name=axis_label(f"predicted − true {clean(task.target)}", task.unit),
        y=y,
        bars=bar_path(_ERRORS_BOTTOM - y.at(counts.astype(np.float64)), axis, _ERRORS_BOTTOM),
        zero=axis.at(0.0),
        range=(axis.at(low), axis.at(high)),
        middle=axis.at(middle),
        below_text=f"too low: {below}",
        above_text=f"too high: {above}",
        top=_ERRORS_TOP,
        bottom=_ERRORS_BOTTOM,
    )


def _value(value: float, unit: str, *, digits: int = 3) -> str:
    return with_unit(number(value, digits=digits), unit)


def _caption(beyond: int) -> str:
    text = "Bars: number of rows by error. Band: the middle 95 % of the rows; orange: the median."
    if beyond:
        rest = "row with a larger error is" if beyond == 1 else "rows with larger errors are"
        text += f" {beyond:,} {rest} in the outermost bars."
    return text
