"""The page of a judgement: who won and why, points by criterion, Pareto fronts, formulas, certainty, failures."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from matbench_lite.judge.dossiers import representative
from matbench_lite.judge.expert_trust import COMBINING_RULE, Trust
from matbench_lite.judge.expression import mathml
from matbench_lite.judge.failures import grouped_failures
from matbench_lite.judge.judge_rules import DESCRIPTIONS
from matbench_lite.judge.judgement import Judged, Judgement, OnDataset
from matbench_lite.judge.properties import explained
from matbench_lite.judge.runs import CRITERIA
from matbench_lite.templating import render
from matbench_lite.text import MISSING, in_words, share
from matbench_lite.view import Axis, Box, Label, linear_axis, log_axis, place_labels, series_colour, shorten

_STRONGEST = 45  # percent of the colour in the cell of the best
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
        datasets=[(name, _asked(judgement, name), list(_formulas(judgement, name))) for name in judgement.datasets],
        failures=list(grouped_failures(judgement.failures)),
        trust=trust,
        combining=COMBINING_RULE,
    )


def _points_table(judgement: Judgement, criterion: str) -> list[tuple[str, list[dict[str, Any]]]]:
    """Rows of cells: points as text, how strongly the cell is coloured, in percent, and whether it is the best."""
    top = len(judgement.algorithms)
    rows: list[tuple[str, Sequence[OnDataset | Judged]]] = [
        (dataset, [row.datasets[dataset] for row in judgement.algorithms]) for dataset in judgement.datasets
    ]
    table = []
    for name, row in (*rows, ("mean", judgement.algorithms)):
        values = [item.score if criterion == "score" else item.points[criterion] for item in row]
        parts = [(value - 1) / (top - 1) if top > 1 else 1.0 for value in values]
        cells = [
            {"text": f"{value:.2f}", "shade": round(_STRONGEST * part), "best": value >= max(values) - 1e-9}
            for value, part in zip(values, parts, strict=True)
        ]
        table.append((name, cells))
    return table


def _asked(judgement: Judgement, dataset: str) -> str:
    """The property of a dataset, in words."""
    asked = {run.asked for run in judgement.field.runs.values() if run.dataset == dataset and run.asked}
    return explained(asked.pop()) if len(asked) == 1 else "property as given in the results"


def _formulas(judgement: Judgement, dataset: str) -> Iterator[dict[str, Any]]:
    """Every algorithm on one dataset, with the formula that stands for it."""
    for place, row in enumerate(judgement.algorithms):
        on = row.datasets[dataset]
        run = representative(judgement.field.of(row.algorithm, dataset), judgement.rules.name)
        text = "" if run is None else run.simplified or run.expression or ""
        yield {
            "algorithm": row.algorithm,
            "colour": series_colour(place),
            "r2": _number(on.r2, ".3f"),
            "components": _number(on.components, ".3g"),
            "property_value": _number(on.property_value, ".3g"),
            "score": f"{on.score:.2f}",
            "counted": f"{on.counted}/{judgement.runs[dataset]}",
            "formula": mathml(text) if text else None,
            "text": text or ("no run counts" if run is None else "no formula; the size is declared"),
        }


def _number(value: float, form: str) -> str:
    return format(value, form).replace("-", "−") if math.isfinite(value) else MISSING


@dataclass(frozen=True, kw_only=True)
class Point:
    """One algorithm: its median number of components and R2, whether it is on the front, and where it is drawn."""

    name: str
    components: float
    r2: float
    colour: int
    best: bool
    at: tuple[float, float]


@dataclass(frozen=True, kw_only=True)
class ParetoPlot:
    """A drawing of accuracy against components (a logarithmic axis), with the path along those nobody beats on both.

    Algorithms without a median are left out.
    """

    title: str
    points: tuple[Point, ...]
    front: str
    labels: tuple[Label, ...]
    x: Axis
    y: Axis
    left_out: tuple[str, ...]


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


def pareto_plots(judgement: Judgement) -> list[ParetoPlot]:
    """One drawing per dataset, preceded by one of the means if there are several."""
    values: dict[str, dict[str, tuple[float, float]]] = {dataset: {} for dataset in judgement.datasets}
    for row in judgement.algorithms:
        for dataset, on in row.datasets.items():
            values[dataset][row.algorithm] = on.components, on.r2
    if len(values) > 1:
        means = {row.algorithm: _means([one[row.algorithm] for one in values.values()]) for row in judgement.algorithms}
        values = {"all datasets, mean": means, **values}
    return [plot for plot in (_draw(*item) for item in values.items()) if plot.points]


def _means(values: Sequence[tuple[float, float]]) -> tuple[float, float]:
    """Geometric mean of components and mean R2, below 0 taken as 0; NaN where one is missing."""
    sizes, accuracies = zip(*values, strict=True)
    if not all(map(math.isfinite, (*sizes, *accuracies))):
        return math.nan, math.nan
    size = math.exp(math.fsum(map(math.log, sizes)) / len(values))
    return size, math.fsum(max(r2, 0.0) for r2 in accuracies) / len(values)


def _draw(title: str, values: Mapping[str, tuple[float, float]]) -> ParetoPlot:
    """The drawing of components and R2 by algorithm, the best algorithm first."""
    known = {name: pair for name, pair in values.items() if all(map(math.isfinite, pair))}
    sizes, accuracies = zip(*(known.values() or [(1.0, 0.0), (1.0, 1.0)]), strict=True)
    # A wild R2 must not flatten the others: what is below 0 is drawn at the bottom.
    low, high = max(min(accuracies), 0.0), max(*accuracies, 0.0)
    room = max(0.1 * (high - low), 0.01)
    x = log_axis(min(sizes) / 1.4, max(sizes) * 1.4, _LEFT, _RIGHT, ticks=5)
    y = linear_axis(max(low - room, 0.0), min(high + room, 1.0), _BOTTOM, _TOP, ticks=4)
    front = pareto_front(known)
    at = {name: (x.at(size), y.at(r2)) for name, (size, r2) in known.items()}
    colours = {name: series_colour(place) for place, name in enumerate(values)}
    labels = place_labels(
        list(at.values()), [shorten(name, 130, size=12) for name in known], inside=Box(_LEFT, 0, 340, _BOTTOM), size=12
    )
    # A stair: between two points, the simpler one is the best there is.
    corners = [at[name] for name in front]
    steps = "".join(f"H{right:.1f}V{down:.1f}" for right, down in corners[1:])
    return ParetoPlot(
        title=title,
        points=tuple(
            Point(name=name, components=size, r2=r2, colour=colours[name], best=name in front, at=at[name])
            for name, (size, r2) in known.items()
        ),
        front=f"M{corners[0][0]:.1f} {corners[0][1]:.1f}{steps}H{_RIGHT}" if corners else "",
        labels=tuple(labels),
        x=x,
        y=y,
        left_out=tuple(name for name in values if name not in known),
    )
