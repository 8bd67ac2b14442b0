"""The page that an expert gets: models A, B, C with accuracy, formula and plots, without the names of algorithms."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from matbench_lite.judge.datasets import Dataset
from matbench_lite.judge.expert import Dossier, Shown
from matbench_lite.judge.expression import mathml
from matbench_lite.judge.pages.responses import formula_of, response_plots
from matbench_lite.judge.pages.templating import colour, render

if TYPE_CHECKING:
    from matbench_lite.site.plots.axis import Axis

_WIDTH, _HEIGHT = 300, 300
_LEFT, _RIGHT, _TOP, _BOTTOM = 56, 288, 10, 242
_MOST_POINTS = 500


@dataclass(frozen=True, kw_only=True)
class ParityPlot:
    """Predicted against true values of the test rows of one model."""

    points: str
    diagonal: str
    x: Axis
    y: Axis
    beyond: int
    width: int = _WIDTH
    height: int = _HEIGHT


def dossier_page(dossier: Dossier) -> str:
    """The page of a dossier as HTML.

    Args:
        dossier: The models, under letters.
    """
    return render(
        "dossier.html.j2",
        dossier=dossier,
        about=dossier.about,
        features=_features(dossier),
        models=[_model(place, model, dossier.about) for place, model in enumerate(dossier.models)],
        responses=[] if dossier.about is None else response_plots(dossier.models, dossier.about),
    )


def _model(place: int, model: Shown, dataset: Dataset | None) -> dict[str, Any]:
    run = model.run
    text = run.simplified or run.expression or ""
    return {
        "letter": model.letter,
        "colour": colour(place),
        "run": run,
        "r2": f"{run.r2:.3f}",
        "low": f"{model.r2_range[0]:.3f}",
        "high": f"{model.r2_range[1]:.3f}",
        "runs": model.runs,
        "components": f"{run.components:.3g}",
        "formula": mathml(text) if text else None,
        "text": text,
        "mae": _error(model, dataset),
        "plot": _parity(model, dataset),
    }


def _features(dossier: Dossier) -> list[str]:
    """Features that a formula uses; of many hundreds the rest is of no interest."""
    if dossier.about is None:
        return []
    trees = [formula_of(model, dossier.about) for model in dossier.models]
    used = {feature for tree in trees if tree is not None for feature in tree.features}
    return [name for name in dossier.about.features if name in used]


def _error(model: Shown, dataset: Dataset | None) -> str | None:
    if dataset is None or model.run.predictions is None:
        return None
    y = np.asarray(dataset.testing(model.run.run).y, dtype=np.float64)
    return f"{float(np.abs(y - np.asarray(model.run.predictions)).mean()):.3g}"


def _parity(model: Shown, dataset: Dataset | None) -> ParityPlot | None:
    from matbench_lite.site.plots.axis import linear_axis

    if dataset is None or model.run.predictions is None:
        return None
    y = np.asarray(dataset.testing(model.run.run).y, dtype=np.float64)
    predicted = np.asarray(model.run.predictions, dtype=np.float64)
    low, high = float(y.min()), float(y.max())
    room = 0.08 * (high - low)
    low, high = low - room, high + room
    across, up = linear_axis(low, high, _LEFT, _RIGHT, ticks=4), linear_axis(low, high, _BOTTOM, _TOP, ticks=4)
    rows = np.linspace(0, len(y) - 1, min(len(y), _MOST_POINTS)).round().astype(int)
    at = zip(across.at(y[rows]).tolist(), up.at(predicted[rows]).tolist(), strict=True)
    return ParityPlot(
        points="".join(f"M{right:.1f} {down:.1f}h0" for right, down in at),
        diagonal=f"M{_LEFT} {_BOTTOM}L{_RIGHT} {_TOP}",
        x=across,
        y=up,
        beyond=int(np.sum((predicted < low) | (predicted > high))),
    )
