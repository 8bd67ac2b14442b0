"""How the formulas of a dossier respond to single features, all others at their median."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from matbench_lite.errors import ExpressionError
from matbench_lite.judge.datasets import Dataset
from matbench_lite.judge.expert import Shown
from matbench_lite.judge.expression import Node, evaluate, parse
from matbench_lite.judge.pages.templating import colour

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from matbench_lite.site.plots.axis import Axis

_WIDTH, _HEIGHT = 340, 230
_LEFT, _RIGHT, _TOP, _BOTTOM = 58, 322, 12, 180
_STEPS = 60
MOST = 6
"""So many features are drawn, those that move predictions most."""


@dataclass(frozen=True, kw_only=True)
class Curve:
    """What one model predicts along a feature: its letter, colour, the path, and where the letter is written."""

    letter: str
    colour: int
    path: str
    x: float
    y: float


@dataclass(frozen=True, kw_only=True)
class ResponsePlot:
    """All models along one feature."""

    feature: str
    curves: tuple[Curve, ...]
    x: Axis
    y: Axis
    width: int = _WIDTH
    height: int = _HEIGHT


def response_plots(models: Sequence[Shown], dataset: Dataset) -> list[ResponsePlot]:
    """One drawing per feature that a formula uses, the most influential first."""
    formulas = {model.letter: tree for model in models if (tree := formula_of(model, dataset)) is not None}
    used = sorted({feature for tree in formulas.values() for feature in tree.features})
    found = []
    for feature in used:
        across = _range(dataset, feature)
        values = {
            letter: evaluate(tree, _along(dataset, feature, across))
            for letter, tree in formulas.items()
            if feature in tree.features
        }
        values = {letter: line for letter, line in values.items() if np.isfinite(line).all()}
        if values:
            moved = max(float(np.ptp(line)) for line in values.values())
            found.append((moved, feature, across, values))
    found.sort(key=lambda item: (-item[0], item[1]))
    letters = [model.letter for model in models]
    return [_draw(feature, across, values, letters) for _, feature, across, values in found[:MOST]]


def formula_of(model: Shown, dataset: Dataset) -> Node | None:
    """The formula of a model; None if it has none that can be read."""
    try:
        return None if model.run.expression is None else parse(model.run.expression, dataset.features)
    except ExpressionError:
        return None


def _range(dataset: Dataset, feature: str) -> NDArray[np.float64]:
    low, high = np.quantile(dataset.train.X[feature], (0.02, 0.98))
    return np.linspace(low, high, _STEPS)


def _along(dataset: Dataset, feature: str, across: NDArray[np.float64]) -> dict[str, NDArray[np.float64]]:
    middle = dataset.train.X.median()
    columns = {str(name): np.full(len(across), float(value)) for name, value in middle.items()}
    return {**columns, feature: across}


def _draw(
    feature: str, across: NDArray[np.float64], values: dict[str, NDArray[np.float64]], letters: Sequence[str]
) -> ResponsePlot:
    from matbench_lite.site.plots.axis import linear_axis

    low = min(float(line.min()) for line in values.values())
    high = max(float(line.max()) for line in values.values())
    room = 0.06 * (high - low)
    x = linear_axis(float(across[0]), float(across[-1]), _LEFT, _RIGHT, ticks=4)
    y = linear_axis(low - room, high + room, _BOTTOM, _TOP, ticks=6)
    curves = []
    for place, (letter, line) in enumerate(values.items()):
        at = list(zip(x.at(across).tolist(), y.at(line).tolist(), strict=True))
        path = "M" + "L".join(f"{right:.1f} {down:.1f}" for right, down in at)
        # Letters at different places: where lines meet, both can be read.
        mark = at[(place + 1) * len(at) // (len(values) + 1)]
        curves.append(Curve(letter=letter, colour=colour(letters.index(letter)), path=path, x=mark[0], y=mark[1] - 5))
    return ResponsePlot(feature=feature, curves=tuple(curves), x=x, y=y)
