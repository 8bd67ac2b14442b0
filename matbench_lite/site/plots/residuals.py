"""Is it biased? The distribution of the errors, with their sign."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from matbench_lite.site.plots import histogram
from matbench_lite.site.plots.axis import linear_axis
from matbench_lite.site.plots.figure import Plot, draw
from matbench_lite.site.plots.predicted import Predicted, quantile
from matbench_lite.site.plots.words import axis_label, clean, count, number, share, with_unit
from matbench_lite.tasks import Task

if TYPE_CHECKING:
    from numpy.typing import NDArray

_LEFT, _RIGHT, _TOP, _BOTTOM = 60, 464, 34, 210
_BINS = 61


def residuals(task: Task, predicted: Predicted) -> Plot | None:
    """Draw how the errors of a regression task, predicted minus true, are distributed.

    Args:
        task: The task.
        predicted: What an entry predicted.

    Returns:
        The plot; None for classification.

    Examples:
        >>> from matbench_lite import load_benchmark
        >>> task = load_benchmark("mini")["mini_gap"]
        >>> predicted = Predicted(type="value", truth=np.arange(4.0), prediction=np.arange(4.0) + 0.5)
        >>> residuals(task, predicted).description
        '...100 % of the rows are predicted too high, 0 % too low.'
    """
    if predicted.type != "value":
        return None
    error, ordered, sizes = predicted.error, predicted.sorted_error, predicted.sorted_size
    # The far tails would leave one bar for all the others: they are in the outermost bins.
    edge = quantile(sizes, 0.98) or float(sizes[-1]) or 1.0
    axis = linear_axis(-1.1 * edge, 1.1 * edge, _LEFT, _RIGHT, ticks=6)
    counts = histogram.counts(axis.at(error), axis, _BINS)
    y = linear_axis(0, int(counts.max()), _BOTTOM, _TOP, ticks=4, widen=True)
    low, middle, high = (quantile(ordered, part) for part in (0.025, 0.5, 0.975))
    beyond = len(sizes) - int(np.searchsorted(sizes, axis.high, side="right"))
    below, above = (share(part / len(ordered)) for part in _on_both_sides(ordered))
    return draw(
        "residuals",
        height=_BOTTOM + 46,
        title="Does it guess too high or too low?",
        caption=_caption(beyond),
        description=(
            f"Errors of {task.name}, predicted minus true: the middle one is {_value(middle, task.unit)}, 95 % of "
            f"them lie between {_value(low, task.unit)} and {_value(high, task.unit)}. {above} of the rows are "
            f"predicted too high, {below} too low."
        ),
        axis=axis,
        axis_name=axis_label(f"predicted − true {clean(task.target)}", task.unit),
        y=y,
        bars=histogram.columns(_BOTTOM - y.at(counts.astype(np.float64)), axis, _BOTTOM),
        zero=axis.at(0.0),
        range=(axis.at(low), axis.at(high)),
        middle=axis.at(middle),
        below_text=f"too low: {below}",
        above_text=f"too high: {above}",
        top=_TOP,
        bottom=_BOTTOM,
    )


def _on_both_sides(ordered: NDArray[np.float64]) -> tuple[int, int]:
    """How many of the sorted errors are below zero, and above."""
    return int(np.searchsorted(ordered, 0.0)), len(ordered) - int(np.searchsorted(ordered, 0.0, side="right"))


def _value(value: float, unit: str) -> str:
    return with_unit(number(value, digits=2), unit)


def _caption(beyond: int) -> str:
    text = "Bars: number of rows by error. Band: the middle 95 % of the rows; orange: the median."
    if beyond:
        rest = "row with a larger error is" if beyond == 1 else "rows with larger errors are"
        text += f" {count(beyond, 'row').split()[0]} {rest} in the outermost bars."
    return text
