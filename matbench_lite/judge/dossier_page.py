"""The page that an expert gets: models A, B, C with accuracy, formula and plots, without the names of algorithms."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from matbench_lite.errors import ExpressionError
from matbench_lite.judge.dossiers import Dossier, Shown
from matbench_lite.judge.expression import Node, evaluate, mathml, parse
from matbench_lite.judge.judge_dataset import Dataset
from matbench_lite.templating import render
from matbench_lite.view import linear_axis, series_colour

_LEFT, _RIGHT, _TOP, _BOTTOM = 56, 288, 10, 242
_MOST_POINTS = 500
_CURVES_LEFT, _CURVES_RIGHT, _CURVES_TOP, _CURVES_BOTTOM = 58, 322, 12, 180
_STEPS = 60
_MOST_FEATURES = 6
"""So many features are drawn, those that move predictions most."""


def dossier_page(dossier: Dossier) -> str:
    """The page of a dossier as HTML."""
    return render(
        "judge/dossier.html.j2",
        dossier=dossier,
        about=dossier.about,
        features=[] if dossier.about is None else _features(dossier.models, dossier.about),
        models=[_model(place, model, dossier.about) for place, model in enumerate(dossier.models)],
        responses=[] if dossier.about is None else response_plots(dossier.models, dossier.about),
    )


def _model(place: int, model: Shown, dataset: Dataset | None) -> dict[str, Any]:
    run = model.run
    text = run.simplified or run.expression or ""
    compared: dict[str, Any] = {"mae": None, "plot": None}
    if dataset is not None and run.predictions is not None:
        y, predicted = (np.asarray(a, dtype=np.float64) for a in (dataset.testing(run.run).y, run.predictions))
        compared = {"mae": f"{float(np.abs(y - predicted).mean()):.3g}", "plot": _parity(y, predicted)}
    return {
        "letter": model.letter,
        "colour": series_colour(place),
        "r2": f"{run.r2:.3f}",
        "low": f"{model.r2_range[0]:.3f}",
        "high": f"{model.r2_range[1]:.3f}",
        "runs": model.runs,
        "components": f"{run.components:.3g}",
        "formula": mathml(text) if text else None,
        "text": text,
        **compared,
    }


def _features(models: Sequence[Shown], dataset: Dataset) -> list[str]:
    """Features that a formula uses; of many hundreds the rest is of no interest."""
    trees = [tree for model in models if (tree := _formula(model, dataset)) is not None]
    return [name for name in dataset.features if any(name in tree.features for tree in trees)]


def _parity(y: NDArray[np.float64], predicted: NDArray[np.float64]) -> dict[str, Any]:
    """Predicted against true values of the test rows of one model."""
    room = 0.08 * float(np.ptp(y))
    low, high = float(y.min()) - room, float(y.max()) + room
    across, up = linear_axis(low, high, _LEFT, _RIGHT, ticks=4), linear_axis(low, high, _BOTTOM, _TOP, ticks=4)
    rows = np.linspace(0, len(y) - 1, min(len(y), _MOST_POINTS)).round().astype(int)
    at = zip(across.at(y[rows]).tolist(), up.at(predicted[rows]).tolist(), strict=True)
    return {
        "points": "".join(f"M{right:.1f} {down:.1f}h0" for right, down in at),
        "diagonal": f"M{_LEFT} {_BOTTOM}L{_RIGHT} {_TOP}",
        "x": across,
        "y": up,
        "beyond": int(np.sum((predicted < low) | (predicted > high))),
    }


def response_plots(models: Sequence[Shown], dataset: Dataset) -> list[dict[str, Any]]:
    """One drawing per feature that a formula uses, with the curves of all models, the most influential first."""
    formulas = {model.letter: tree for model in models if (tree := _formula(model, dataset)) is not None}
    rest = {str(name): np.full(_STEPS, float(value)) for name, value in dataset.train.X.median().items()}
    found = []
    for feature in {feature for tree in formulas.values() for feature in tree.features}:
        low, high = np.quantile(dataset.train.X[feature], (0.02, 0.98))
        across = np.linspace(low, high, _STEPS)
        lines = {
            letter: evaluate(tree, {**rest, feature: across})
            for letter, tree in formulas.items()
            if feature in tree.features
        }
        if values := {letter: line for letter, line in lines.items() if np.isfinite(line).all()}:
            moved = max(float(np.ptp(line)) for line in values.values())
            found.append((moved, feature, across, values))
    found.sort(key=lambda item: (-item[0], item[1]))
    letters = [model.letter for model in models]
    return [_draw(feature, across, values, letters) for _, feature, across, values in found[:_MOST_FEATURES]]


def _formula(model: Shown, dataset: Dataset) -> Node | None:
    """The formula of a model; None if it has none that can be read."""
    try:
        return None if model.run.expression is None else parse(model.run.expression, dataset.features)
    except ExpressionError:
        return None


def _draw(
    feature: str, across: NDArray[np.float64], values: dict[str, NDArray[np.float64]], letters: Sequence[str]
) -> dict[str, Any]:
    low = min(float(line.min()) for line in values.values())
    high = max(float(line.max()) for line in values.values())
    room = 0.06 * (high - low)
    x = linear_axis(float(across[0]), float(across[-1]), _CURVES_LEFT, _CURVES_RIGHT, ticks=4)
    y = linear_axis(low - room, high + room, _CURVES_BOTTOM, _CURVES_TOP, ticks=6)
    curves = []
    for place, (letter, line) in enumerate(values.items()):
        at = list(zip(x.at(across).tolist(), y.at(line).tolist(), strict=True))
        path = "M" + "L".join(f"{right:.1f} {down:.1f}" for right, down in at)
        # Letters at different places: where lines meet, both can be read.
        mark = at[(place + 1) * len(at) // (len(values) + 1)]
        colour = series_colour(letters.index(letter))
        curves.append({"letter": letter, "colour": colour, "path": path, "x": mark[0], "y": mark[1] - 5})
    return {"feature": feature, "curves": curves, "x": x, "y": y}
