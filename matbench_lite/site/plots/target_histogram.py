"""What values does the target have? Its distribution over all rows."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from matbench_lite.site.plots import histogram
from matbench_lite.site.plots.axis import linear_axis
from matbench_lite.site.plots.figure import Plot, draw
from matbench_lite.site.plots.words import axis_label, clean, count, number, share, with_unit
from matbench_lite.tasks import Task

_LEFT, _RIGHT, _TOP, _BOTTOM = 60, 464, 12, 186
_BINS = 48


def target_histogram(task: Task, targets: npt.ArrayLike) -> Plot | None:
    """Draw how the targets of a task are distributed.

    Args:
        task: The task.
        targets: The targets of all rows, in the unit of the task, or booleans.

    Returns:
        The plot; None without rows.

    Examples:
        >>> from matbench_lite import load_benchmark
        >>> target_histogram(load_benchmark("mini")["mini_gap"], [0.5, 1.0, 4.0]).description
        'band gap of mini_gap goes from 0.500 eV to 4.00 eV; the median is 1.00 eV, ...'
    """
    values = np.asarray(targets, dtype=np.float64)
    if not values.size:
        return None
    return _of_classes(task, values) if task.kind == "classification" else _of_numbers(task, values)


def _of_numbers(task: Task, values: npt.NDArray[np.float64]) -> Plot:
    low, high = histogram.usual_range(values)
    room = 0.02 * (high - low)
    axis = linear_axis(low - room, high + room, _LEFT, _RIGHT, ticks=6)
    counts = histogram.counts(axis.at(values), axis, _BINS)
    y = linear_axis(0, int(counts.max()), _BOTTOM, _TOP, ticks=4, widen=True)
    middle = float(np.median(values))
    beyond = int(np.count_nonzero((values < axis.low) | (values > axis.high)))
    first, last = np.quantile(values, (0.05, 0.95)).tolist()
    caption = f"Bars: number of rows by value, {count(len(values), 'row')} in all. Orange: the median."
    if beyond:
        caption += f" {count(beyond, 'row')} beyond the axis {'is' if beyond == 1 else 'are'} in the outermost bars."
    return draw(
        "target_histogram",
        height=_BOTTOM + 46,
        title=f"What values does {clean(task.target)} have?",
        caption=caption,
        description=f"{clean(task.target)} of {task.name} goes from {_value(float(values.min()), task.unit)} to "
        f"{_value(float(values.max()), task.unit)}; the median is {_value(middle, task.unit)}, nine tenths of the "
        f"{count(len(values), 'row')} are between {_value(first, task.unit)} and {_value(last, task.unit)}.",
        axis=axis,
        axis_name=axis_label(clean(task.target), task.unit),
        y=y,
        bars=histogram.columns(_BOTTOM - y.at(counts.astype(np.float64)), axis, _BOTTOM),
        middle=axis.at(middle),
        classes=[],
        top=_TOP,
        bottom=_BOTTOM,
    )


def _of_classes(task: Task, values: npt.NDArray[np.float64]) -> Plot:
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
        f"the target "
        f"{clean(task.target)} true, {len(values) - true:,} false.",
        axis=axis,
        classes=classes,
    )


def _value(value: float, unit: str) -> str:
    return with_unit(number(value), unit)
