"""The page of a judgement, the page that an expert gets, and formulas as browsers draw them."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from contextlib import suppress
from functools import partial
from string import ascii_uppercase
from typing import Any

import numpy as np
from markupsafe import Markup
from numpy.typing import NDArray

from matbench_lite.errors import ExpressionError
from matbench_lite.judge.dossiers import COMBINING_RULE, Dossier, Shown, Trust, representative
from matbench_lite.judge.expression import Node, evaluate, parse
from matbench_lite.judge.expression.formula_tree import NUMBER, POWER, PRODUCT
from matbench_lite.judge.judge_dataset import Dataset
from matbench_lite.judge.judge_rules import DESCRIPTIONS
from matbench_lite.judge.judgement import Judged, Judgement, OnDataset, grouped_failures
from matbench_lite.judge.properties import explained
from matbench_lite.judge.runs import CRITERIA
from matbench_lite.templating import render
from matbench_lite.text import MISSING, in_words, share
from matbench_lite.view import Box, linear_axis, log_axis, place_labels, series_colour, shorten

_LEFT, _RIGHT, _TOP, _BOTTOM = 48, 324, 16, 200


def judgement_page(judgement: Judgement, *, title: str = "Judging", trust: Trust | None = None) -> str:
    """The page of a judgement as HTML, with the outcome of the expert track if there was one."""
    names = [row.algorithm for row in judgement.algorithms]
    return render(
        "judge/judgement.html.j2",
        title=title,
        judgement=judgement,
        description=DESCRIPTIONS[judgement.rules.name],
        colours={name: series_colour(place) for place, name in enumerate(names)},
        names=names,
        headline=f"{in_words(judgement.winners)} {'wins' if len(judgement.winners) == 1 else 'share the first place'}",
        shares={row.algorithm: share(row.wins) for row in judgement.algorithms},
        tables=[(criterion, _points_table(judgement, criterion)) for criterion in (*CRITERIA, "score")],
        plots=pareto_plots(judgement),
        asked={dataset: _asked(judgement, dataset) for dataset in judgement.datasets},
        formula_of=partial(_formula_of, judgement),
        failures=list(grouped_failures(judgement.failures)),
        trust=trust,
        combining=COMBINING_RULE,
        number=_number,
    )


def _points_table(judgement: Judgement, criterion: str) -> list[tuple[str, list[float]]]:
    """The points of all algorithms, a row per dataset, and their means."""
    rows: list[tuple[str, Sequence[OnDataset | Judged]]] = [
        (dataset, [row.datasets[dataset] for row in judgement.algorithms]) for dataset in judgement.datasets
    ]
    return [
        (name, [item.score if criterion == "score" else item.points[criterion] for item in row])
        for name, row in (*rows, ("mean", judgement.algorithms))
    ]


def _asked(judgement: Judgement, dataset: str) -> str:
    """The property of a dataset, in words."""
    asked = {run.asked for run in judgement.field.runs.values() if run.dataset == dataset and run.asked}
    return explained(asked.pop()) if len(asked) == 1 else "property as given in the results"


def _formula_of(judgement: Judgement, algorithm: str, dataset: str) -> tuple[Markup | None, str]:
    """The formula that stands for an algorithm on a dataset: drawn, if it can be, and as text."""
    run = representative(judgement.field.of(algorithm, dataset), judgement.rules.name)
    if run is None:
        return None, "no run counts"
    text = run.simplified or run.expression
    return (mathml(text), text) if text else (None, "no formula; the size is declared")


def _number(value: float, form: str) -> str:
    return format(value, form).replace("-", "−") if math.isfinite(value) else MISSING


def pareto_front(values: Mapping[str, tuple[float, float]]) -> tuple[str, ...]:
    """The names that nobody beats in components and R2: as good on both, better on one. Fewest components first."""
    kept = [
        name
        for name, (size, r2) in values.items()
        if not any(
            other_size <= size and other_r2 >= r2 and (other_size, other_r2) != (size, r2)
            for other_size, other_r2 in values.values()
        )
    ]
    return tuple(sorted(kept, key=lambda name: (values[name][0], name)))


def pareto_plots(judgement: Judgement) -> list[dict[str, Any]]:
    """Drawings of accuracy against components, one per dataset, preceded by one of the means if there are several."""
    values: dict[str, dict[str, tuple[float, float]]] = {dataset: {} for dataset in judgement.datasets}
    for row in judgement.algorithms:
        for dataset, on in row.datasets.items():
            values[dataset][row.algorithm] = on.components, on.r2
    if len(values) > 1:
        means = {row.algorithm: _means([one[row.algorithm] for one in values.values()]) for row in judgement.algorithms}
        values = {"all datasets, mean": means, **values}
    return [plot for plot in (_pareto_plot(*item) for item in values.items()) if plot["points"]]


def _means(values: Sequence[tuple[float, float]]) -> tuple[float, float]:
    """Geometric mean of components and mean R2, below 0 taken as 0; NaN where one is missing."""
    sizes, accuracies = zip(*values, strict=True)
    if not all(map(math.isfinite, (*sizes, *accuracies))):
        return math.nan, math.nan
    size = math.exp(math.fsum(map(math.log, sizes)) / len(values))
    return size, math.fsum(max(r2, 0.0) for r2 in accuracies) / len(values)


def _pareto_plot(title: str, values: Mapping[str, tuple[float, float]]) -> dict[str, Any]:
    """The points of R2 by components (a logarithmic axis), the best algorithm first, with those that nobody beats.

    Algorithms without a median are left out.
    """
    known = {name: pair for name, pair in values.items() if all(map(math.isfinite, pair))}
    sizes, accuracies = zip(*(known.values() or [(1.0, 0.0), (1.0, 1.0)]), strict=True)
    # A wild R2 must not flatten the others: what is below 0 is drawn at the bottom.
    low, high = max(min(accuracies), 0.0), max(*accuracies, 0.0)
    room = max(0.1 * (high - low), 0.01)
    x = log_axis(min(sizes) / 1.4, max(sizes) * 1.4, _LEFT, _RIGHT, ticks=5)
    y = linear_axis(max(low - room, 0.0), min(high + room, 1.0), _BOTTOM, _TOP, ticks=4)
    front = pareto_front(known)
    colours = {name: series_colour(place) for place, name in enumerate(values)}
    points = {
        name: {"name": name, "components": size, "r2": r2, "colour": colours[name], "best": name in front}
        for name, (size, r2) in known.items()
    }
    labels = place_labels(
        [(x.at(size), y.at(r2)) for size, r2 in known.values()],
        [shorten(name, 130, size=12) for name in known],
        inside=Box(_LEFT, 0, 340, _BOTTOM),
        size=12,
    )
    left_out = [name for name in values if name not in known]
    stair = [points[name] for name in front]
    shown = {"points": list(points.values()), "front": stair, "labels": labels, "left_out": left_out}
    return {"title": title, "x": x, "y": y, **shown}


_PARITY_LEFT, _PARITY_RIGHT, _PARITY_TOP, _PARITY_BOTTOM = 56, 288, 10, 242
_MOST_POINTS = 500
_CURVES_LEFT, _CURVES_RIGHT, _CURVES_TOP, _CURVES_BOTTOM = 58, 322, 12, 180
_STEPS = 60
_MOST_FEATURES = 6
"""So many features are drawn, those that move predictions most."""


def dossier_page(dossier: Dossier) -> str:
    """The page of a dossier as HTML."""
    about = dossier.about
    formulas = {} if about is None else _formulas(dossier.models, about)
    used = {feature for tree in formulas.values() for feature in tree.features}
    return render(
        "judge/dossier.html.j2",
        dossier=dossier,
        about=about,
        # Of many hundreds, features that no formula uses are of no interest.
        features=[] if about is None else [name for name in about.features if name in used],
        models=[_model(model, about) for model in dossier.models],
        responses=[] if about is None else response_plots(formulas, about),
    )


def _formulas(models: Sequence[Shown], dataset: Dataset) -> dict[str, Node]:
    """The formulas by letter, of models that have one that can be read."""
    found = {}
    for model in models:
        with suppress(ExpressionError):
            if model.run.expression is not None:
                found[model.letter] = parse(model.run.expression, dataset.features)
    return found


def _model(model: Shown, dataset: Dataset | None) -> dict[str, Any]:
    run = model.run
    text = run.simplified or run.expression or ""
    compared: dict[str, Any] = {"mae": None, "plot": None}
    if dataset is not None and run.predictions is not None:
        y, predicted = (np.asarray(a, dtype=np.float64) for a in (dataset.testing(run.run).y, run.predictions))
        compared = {"mae": f"{float(np.abs(y - predicted).mean()):.3g}", "plot": _parity(y, predicted)}
    shown = {"colour": _colour(model.letter), "formula": mathml(text) if text else None, "text": text}
    return {"shown": model, "components": f"{run.components:.3g}", **shown, **compared}


def _colour(letter: str) -> int:
    return series_colour(ascii_uppercase.index(letter))


def _parity(y: NDArray[np.float64], predicted: NDArray[np.float64]) -> dict[str, Any]:
    """Predicted against true values of the test rows of one model."""
    room = 0.08 * float(np.ptp(y))
    low, high = float(y.min()) - room, float(y.max()) + room
    across = linear_axis(low, high, _PARITY_LEFT, _PARITY_RIGHT, ticks=4)
    up = linear_axis(low, high, _PARITY_BOTTOM, _PARITY_TOP, ticks=4)
    rows = np.linspace(0, len(y) - 1, min(len(y), _MOST_POINTS)).round().astype(int)
    at = zip(across.at(y[rows]).tolist(), up.at(predicted[rows]).tolist(), strict=True)
    return {
        "points": "".join(f"M{right:.1f} {down:.1f}h0" for right, down in at),
        "diagonal": f"M{_PARITY_LEFT} {_PARITY_BOTTOM}L{_PARITY_RIGHT} {_PARITY_TOP}",
        "x": across,
        "y": up,
        "beyond": int(np.sum((predicted < low) | (predicted > high))),
    }


def response_plots(formulas: Mapping[str, Node], dataset: Dataset) -> list[dict[str, Any]]:
    """One drawing per feature that a formula uses, with the curves of all models, the most influential first."""
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
    return [_response_plot(feature, across, values) for _, feature, across, values in found[:_MOST_FEATURES]]


def _response_plot(feature: str, across: NDArray[np.float64], values: dict[str, NDArray[np.float64]]) -> dict[str, Any]:
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
        curves.append({"letter": letter, "colour": _colour(letter), "path": path, "x": mark[0], "y": mark[1] - 5})
    return {"feature": feature, "curves": curves, "x": x, "y": y}


MAX_SHOWN = 80
"""Formulas of more nodes are shown as text: nobody reads them as a formula."""


def mathml(text: str) -> Markup | None:
    """A formula as MathML; None if it is too long for that, or not of the grammar.

    Examples:
        >>> print(mathml("2*x/y"))
        <math displaystyle="true"><mfrac><mrow><mn>2</mn><mo>·</mo><mi>x</mi></mrow><mi>y</mi></mfrac></math>
    """
    try:
        tree = parse(text)
    except ExpressionError:
        return None
    if tree.size > MAX_SHOWN:
        return None
    return Markup(render("judge/formula.html.j2", tree=tree, negated=_negated, over=_over, digits=_digits))


def _negated(node: Node) -> Node | None:
    """What a negative term is without its sign; None for a positive one."""
    if node.kind == PRODUCT and (first := _negated(node.parts[0])) is not None:
        rest = node.parts[1:] if first.value == 1 else (first, *node.parts[1:])
        return rest[0] if len(rest) == 1 else Node(kind=PRODUCT, parts=rest)
    if node.kind != NUMBER or node.value is None or node.value >= 0:
        return None
    return Node(kind=NUMBER, value=-node.value)


def _over(node: Node) -> tuple[list[Node], list[Node]]:
    """The factors of a node that multiply, and what the others divide by."""
    factors = node.parts if node.kind == PRODUCT else (node,)
    divisors = [_divisor(factor) for factor in factors]
    above = [factor for factor, divisor in zip(factors, divisors, strict=True) if not divisor]
    return above, [divisor for divisor in divisors if divisor]


def _divisor(node: Node) -> Node | None:
    if node.kind != POWER or (exponent := _negated(node.parts[1])) is None:
        return None
    return node.parts[0] if exponent.value == 1 else Node(kind=POWER, parts=(node.parts[0], exponent))


def _digits(value: float) -> str:
    mantissa, _, exponent = f"{value:.4g}".partition("e")
    if exponent:
        mantissa += "×10" + str(int(exponent)).translate(str.maketrans("0123456789-", "⁰¹²³⁴⁵⁶⁷⁸⁹⁻"))
    return mantissa.replace("-", "−")
