"""How close are the predictions to the truth? Predicted against true values, row by row or as a density."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from matbench_lite.board import WorstRow
from matbench_lite.cleaner import clean
from matbench_lite.metrics import Summary
from matbench_lite.tasks import Task
from matbench_lite.text import count, in_words, share
from matbench_lite.view.axis import Axis, linear_axis
from matbench_lite.view.figure import Box, Plot, draw, place_labels
from matbench_lite.view.histogram import bar_path, bin_counts, scaled_counts, usual_range
from matbench_lite.view.predicted import MOST_POINTS, Predicted
from matbench_lite.view.words import axis_label, has_unit, number, plain_unit, rounded, text_width, with_unit

_LABELLED = 5
_PALEST, _DARKEST = 2, 8
"""The colours in use, s2 to s8: paler ones would be lost on the page, one cell alone."""
_LEFT, _TOP, _CELLS, _CELL, _MARGIN = 66, 44, 62, 6, 36
_SIDE = _CELLS * _CELL
_BINS = 62
_COLOURS = range(_PALEST, _DARKEST + 1)


def parity(
    task: Task, predicted: Predicted, *, score: Summary | None = None, worst: Sequence[WorstRow] = ()
) -> Plot | None:
    """Draw predicted against true values of a regression task; None for classification.

    The score is the MAE over the folds, in the unit of the task; left out, that of all rows is written. The worst rows,
    largest error first, are named where rows are not drawn one by one.

    Examples:
        >>> from matbench_lite import load_benchmark
        >>> task = load_benchmark("mini")["mini_gap"]
        >>> truth, formulas = np.arange(4.0), np.array(["C", "Si", "GaAs", "ZnO"], dtype=object)
        >>> predicted = Predicted(type="value", truth=truth, prediction=truth + 0.5, formulas=formulas)
        >>> parity(task, predicted).description
        'Predictions of mini_gap, 4 rows: the mean absolute error is 0.500 eV. ...'
    """
    if predicted.type != "value":
        return None
    truth, prediction = predicted.truth, predicted.prediction
    low, high = _frame(truth, prediction)
    x = linear_axis(low, high, _LEFT, _LEFT + _SIDE)
    y = linear_axis(low, high, _TOP + _SIDE, _TOP)
    beyond = int(np.count_nonzero((np.minimum(truth, prediction) < x.low) | (np.maximum(truth, prediction) > x.high)))
    many = len(truth) > MOST_POINTS
    across, down = x.at(truth), y.at(prediction)
    shapes = _density(x, y, (across, down), worst[:_LABELLED]) if many else _points(across, down, predicted, task.unit)
    mae = number(float(predicted.sorted_size.mean())) if score is None else rounded(score.mean, score.std)
    return draw(
        "parity",
        height=_TOP + _SIDE + 50,
        title="How close are the predictions to the truth?",
        caption=_caption(many, beyond, bool(shapes.get("labels"))),
        description=_description(task, predicted, mae, worst),
        x=x,
        y=y,
        x_name=axis_label(f"true {clean(task.target)}", task.unit),
        y_name=axis_label(f"predicted {clean(task.target)}", task.unit),
        mae=f"MAE {with_unit(mae, task.unit)}",
        rows=count(len(truth), "row"),
        top_bars=bar_path(scaled_counts(bin_counts(across, x, _BINS), _MARGIN), x, _TOP - 2),
        side_bars=bar_path(scaled_counts(bin_counts(down, y, _BINS), _MARGIN), y, _LEFT + _SIDE + 2, lying=True),
        many=many,
        colours=_COLOURS,
        **shapes,
    )


def _frame(truth: NDArray[np.float64], prediction: NDArray[np.float64]) -> tuple[float, float]:
    """The range of both axes: all usual true values, and predictions unless they are far off."""
    low, high = usual_range(truth)
    span = (high - low) or abs(high) or 1.0
    near = prediction[np.abs(prediction - (low + high) / 2) <= 1.5 * span]
    if near.size:
        usual = usual_range(near)
        low, high = min(low, usual[0]), max(high, usual[1])
    room = 0.03 * ((high - low) or 1.0)
    return low - room, high + room


def _points(across: NDArray[np.float64], down: NDArray[np.float64], predicted: Predicted, unit: str) -> dict[str, Any]:
    order = np.argsort(predicted.truth, kind="stable")
    # Steps from one point to the next, on a grid of half units: half as long as their places.
    steps = (np.diff(np.round(2 * pixels[order]).astype(int), prepend=0) for pixels in (across, down))
    formulas = np.full(len(order), "") if predicted.formulas is None else predicted.formulas
    rows = zip(formulas[order], predicted.truth[order].tolist(), predicted.prediction[order].tolist(), strict=True)
    return {
        "points": "".join(f"m{right} {down}h0" for right, down in zip(*(step.tolist() for step in steps), strict=True)),
        "tips": ";".join(f"{_formula(formula)}|{true:.4g}|{guess:.4g}" for formula, true, guess in rows),
        "unit": plain_unit(unit) if has_unit(unit) else "",
    }


def _density(
    x: Axis, y: Axis, pixels: tuple[NDArray[np.float64], NDArray[np.float64]], worst: Sequence[WorstRow]
) -> dict[str, Any]:
    counts = cell_counts(pixels[0] - _LEFT, pixels[1] - _TOP, _CELLS, _CELL)
    most = f"{int(counts.max()):,}"
    places = [(x.at(row.target), y.at(row.prediction)) for row in worst]
    tips = [f"{_formula(row.formula)}: true {number(row.target)}, predicted {number(row.prediction)}" for row in worst]
    corner = Box(_LEFT, _TOP, _LEFT + 190, _TOP + 44)
    legend = Box(_LEFT + _SIDE - 150, _TOP + _SIDE - 40, _LEFT + _SIDE, _TOP + _SIDE)
    return {
        "cells": level_paths(levels_of(counts), left=_LEFT, top=_TOP, size=_CELL),
        "most": most,
        "legend": x.end - 10 - text_width(most, size=12) - 10 * len(_COLOURS),
        "odd": list(zip(places, tips, strict=True)),
        "labels": place_labels(
            places,
            [_formula(row.formula) for row in worst],
            inside=Box(_LEFT, _TOP, _LEFT + _SIDE, _TOP + _SIDE),
            taken=[corner, legend],
            size=12,
        ),
    }


def _formula(formula: str) -> str:
    """A formula in which neither "|" nor ";" can be taken for the end of a field."""
    return clean(str(formula)).replace("|", " ").replace(";", " ")[:60]


def _caption(many: bool, beyond: int, labelled: bool) -> str:
    parts = ["On the diagonal, prediction and truth agree."]
    if many:
        parts.append("Colour: number of rows per cell, on a logarithmic scale.")
        if labelled:
            parts.append("Orange: rows with the largest errors.")
    parts.append("Bars along the edges: how the true (top) and predicted (right) values are distributed.")
    if beyond:
        parts.append(f"{count(beyond, 'row')} beyond the frame {'is' if beyond == 1 else 'are'} drawn at its edge.")
    return " ".join(parts)


def _description(task: Task, predicted: Predicted, mae: str, worst: Sequence[WorstRow]) -> str:
    error = predicted.sorted_size
    middle, most = map(number, np.quantile(error, (0.5, 0.95)).tolist())
    text = (
        f"Predictions of {task.name}, {count(len(error), 'row')}: the mean absolute error is "
        f"{with_unit(mae, task.unit)}. "
        f"Half of the rows are within {with_unit(middle, task.unit)} of the truth, 95 % within "
        f"{with_unit(most, task.unit)}."
    )
    total = float(np.abs(predicted.truth - predicted.truth.mean()).mean())
    if total:
        text += f" The error is {share(float(error.mean()) / total)} of that of a constant guess."
    if worst:
        rows = [
            f"{_formula(row.formula)} ({number(row.target)}, predicted {number(row.prediction)})" for row in worst[:3]
        ]
        text += f" The largest errors are those of {in_words(rows)}."
    return text


def cell_counts(x: NDArray[np.float64], y: NDArray[np.float64], cells: int, size: int) -> NDArray[np.int64]:
    """How many points are in each cell of a square grid, row by row from the top; x and y are pixels in the grid."""
    column, row = (np.clip(pixels / size, 0, cells - 1).astype(np.int64) for pixels in (x, y))
    return np.bincount(row * cells + column, minlength=cells * cells).reshape(cells, cells)


def levels_of(counts: NDArray[np.int64]) -> NDArray[np.int64]:
    """The colour of each cell, by the logarithm of its count: 2 for one point, 8 for the most; -1 where there is none.

    Examples:
        >>> levels_of(np.array([[0, 1, 10, 100]]))
        array([[-1,  2,  5,  8]])
    """
    most = max(2, int(counts.max()))
    with np.errstate(divide="ignore"):
        part = np.log(counts) / np.log(most)
    levels = np.where(counts > 0, np.round(_PALEST + part * (_DARKEST - _PALEST)), -1)
    return levels.astype(np.int64)


def level_paths(levels: NDArray[np.int64], *, left: int, top: int, size: int) -> list[tuple[int, str]]:
    """Pairs of colour and path, in the order to be drawn: a path also covers all cells of the colours above it.

    A level of -1 is a cell with nothing in it; all lengths are pixels.

    Examples:
        >>> level_paths(np.array([[0, 2], [-1, -1]]), left=0, top=0, size=6)
        [(0, 'M0 0h12v6h-12z'), (2, 'M6 0h6v6h-6z')]
    """
    paths = []
    for level in np.unique(levels[levels >= 0]).tolist():
        inside = np.pad(levels >= level, ((0, 0), (1, 1)))
        row, start = np.nonzero(inside[:, 1:] & ~inside[:, :-1])
        _, end = np.nonzero(~inside[:, 1:] & inside[:, :-1])
        wide = (end - start) * size
        corners = zip((left + start * size).tolist(), (top + row * size).tolist(), wide.tolist(), strict=True)
        paths.append((level, "".join(f"M{x} {y}h{run}v{size}h-{run}z" for x, y, run in corners)))
    return paths
