"""Does it know how sure it is? Stated against observed certainty."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from matbench_lite.metrics import coverage, interval_from_std, miscalibration_area
from matbench_lite.site.plots.axis import linear_axis
from matbench_lite.site.plots.figure import Plot, draw, px
from matbench_lite.site.plots.predicted import Predicted
from matbench_lite.site.plots.words import clean, count, number, share
from matbench_lite.tasks import Task

if TYPE_CHECKING:
    from numpy.typing import NDArray

_LEFT, _TOP, _SIDE = 66, 10, 372
_LEVELS = np.linspace(0, 1, 51)[1:-1]
_BINS = 10
_FEWEST = 10
"""A bin of fewer rows says nothing of a probability."""


def calibration(task: Task, predicted: Predicted) -> Plot | None:
    """Draw how often a stated certainty holds.

    For regression: the share of true values inside central intervals of each level, which follow from `std`, and those
    of the recorded 95 % intervals. For probabilities: the share of true rows among those of about the same probability.

    Args:
        task: The task.
        predicted: What an entry predicted.

    Returns:
        The plot; None where nothing says how sure the entry was.

    Examples:
        >>> from matbench_lite import load_benchmark
        >>> task = load_benchmark("mini")["mini_is_stable"]
        >>> truth, formulas = np.repeat([0.0, 1.0], 10), np.array(["C"] * 20, dtype=object)
        >>> predicted = Predicted(type="probability", truth=truth, prediction=truth * 0.8 + 0.1, formulas=formulas)
        >>> calibration(task, predicted).description
        'Probabilities of mini_is_stable: predicted and observed shares differ by 10 percentage points ...'
    """
    if predicted.type == "probability":
        return _of_probabilities(task, predicted)
    if predicted.type == "value" and (predicted.std is not None or predicted.lower is not None):
        return _of_intervals(task, predicted)
    return None


def _of_intervals(task: Task, predicted: Predicted) -> Plot:
    truth, prediction, std = predicted.truth, predicted.prediction, predicted.std
    if predicted.lower is not None and predicted.upper is not None:
        inside = coverage(truth, predicted.lower, predicted.upper)
    else:
        assert std is not None
        inside = coverage(truth, *interval_from_std(prediction, std))
    values = count(len(truth), "true value")
    text = f"The 95 % intervals of {task.name} hold {share(inside)} of the {values}: {_verdict(inside)}."
    points: list[tuple[float, float, str]] = [(0.95, inside, f"95 % intervals hold {share(inside)}")]
    curve = None
    if std is not None:
        observed = _observed(np.abs(truth - prediction) / std)
        curve = (np.concatenate([[0], _LEVELS, [1]]), np.concatenate([[0], observed, [1]]))
        area = miscalibration_area(truth, prediction, std)
        text += f" The area between curve and diagonal is {number(area, digits=2)}; 0 is perfect, 0.5 the worst."
    return _draw(
        curve,
        points,
        title="Are its intervals as wide as they should be?",
        caption="Below the diagonal the intervals are too narrow (too sure of itself), above it too wide. Dot: the 95 "
        "% interval.",
        description=text,
        x_name="what its intervals should hold",
        y_name="share of true values inside",
        corner=f"95 % intervals hold {share(inside)}",
    )


def _of_probabilities(task: Task, predicted: Predicted) -> Plot:
    places = np.clip((predicted.prediction * _BINS).astype(np.int64), 0, _BINS - 1)
    rows = np.bincount(places, minlength=_BINS)
    full = rows >= _FEWEST
    sums = (
        np.bincount(places, weights=values, minlength=_BINS)[full] for values in (predicted.prediction, predicted.truth)
    )
    said, seen = (total / rows[full] for total in sums)
    points = [
        (float(x), float(y), f"{share(x)} said, {share(y)} true, {count(int(number_of), 'row')}")
        for x, y, number_of in zip(said, seen, rows[full], strict=True)
    ]
    off = float(np.average(np.abs(said - seen), weights=rows[full])) if full.any() else 0.0
    return _draw(
        (said, seen),
        points,
        title="Can its probabilities be believed?",
        caption="Rows by their predicted probability, in tenths. On the diagonal, rows said to be true with 70 % are "
        "true in 70 % "
        "of the cases; below it the probabilities are too high. Larger dots hold more rows; tenths with fewer than "
        f"{_FEWEST} rows are left out.",
        description=f"Probabilities of {task.name}: predicted and observed shares differ by "
        f"{number(100 * off, digits=2)} percentage points on average over the "
        f"{count(int(rows.sum()), 'row')}."
        + "".join(
            f" Where it says {share(x)}, {share(y)} are true." for x, y, _ in points[:: max(1, len(points) // 3)]
        ),
        x_name=f"predicted probability of {clean(task.target)}",
        y_name="share that is true",
        corner=f"off by {number(100 * off, digits=2)} percentage points",
        sizes=(3 + 6 * np.sqrt(rows[full] / max(1, rows.max()))).tolist(),
    )


def _draw(
    curve: tuple[NDArray[np.float64], NDArray[np.float64]] | None,
    points: list[tuple[float, float, str]],
    *,
    sizes: list[float] | None = None,
    **texts: Any,
) -> Plot:
    x = linear_axis(0, 1, _LEFT, _LEFT + _SIDE)
    y = linear_axis(0, 1, _TOP + _SIDE, _TOP)
    pairs = [] if curve is None else zip(x.at(curve[0]).tolist(), y.at(curve[1]).tolist(), strict=True)
    return draw(
        "calibration",
        height=_TOP + _SIDE + 50,
        x=x,
        y=y,
        curve="L".join(f"{px(across)} {px(up)}" for across, up in pairs),
        dots=[
            (x.at(across), y.at(up), size, tip)
            for (across, up, tip), size in zip(points, sizes or [6.0] * len(points), strict=True)
        ],
        **texts,
    )


def _observed(deviations: NDArray[np.float64]) -> NDArray[np.float64]:
    """Share of the rows inside the central interval of each level, from errors in standard deviations."""
    from scipy.special import ndtri

    half_widths = ndtri((1 + _LEVELS) / 2)
    shares: NDArray[np.float64] = np.searchsorted(np.sort(deviations), half_widths, side="right") / len(deviations)
    return shares


def _verdict(inside: float) -> str:
    if inside < 0.93:
        return "too narrow, it is too sure of itself"
    return "too wide, it is less sure than it could be" if inside > 0.97 else "about as wide as they should be"
