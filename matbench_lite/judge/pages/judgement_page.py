"""The page of a judgement: who won and why, points by criterion, Pareto fronts, formulas, certainty, failures."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from matbench_lite.digits import MISSING, share
from matbench_lite.judge.expert import COMBINING_RULE, Trust, representative
from matbench_lite.judge.expression import mathml
from matbench_lite.judge.failing import grouped_failures
from matbench_lite.judge.judgement import Judgement
from matbench_lite.judge.pages.pareto import pareto_plots
from matbench_lite.judge.pages.templating import colour, render
from matbench_lite.judge.properties import ABOUT
from matbench_lite.judge.rules import DESCRIPTIONS
from matbench_lite.judge.runs import CRITERIA, Run

if TYPE_CHECKING:
    from markupsafe import Markup

_STRONGEST = 45  # percent of the colour in the cell of the best


@dataclass(frozen=True, kw_only=True)
class Cell:
    """Points in a table: as text, and how strongly the cell is coloured, in percent."""

    text: str
    shade: int
    best: bool


@dataclass(frozen=True, kw_only=True)
class FormulaRow:
    """One algorithm on one dataset, with the formula that stands for it."""

    algorithm: str
    colour: int
    r2: str
    components: str
    property_value: str
    score: str
    counted: str
    run: int | None
    formula: Markup | None
    text: str


def judgement_page(judgement: Judgement, *, title: str = "Judging", trust: Trust | None = None) -> str:
    """The page of a judgement as HTML.

    Args:
        judgement: The judgement.
        title: Title of the competition.
        trust: The outcome of the expert track, if there was one.
    """
    names = [row.algorithm for row in judgement.algorithms]
    return render(
        "judgement.html.j2",
        title=title,
        judgement=judgement,
        description=DESCRIPTIONS[judgement.rules.name],
        colours={name: colour(place) for place, name in enumerate(names)},
        names=names,
        headline=_headline(judgement),
        shares={row.algorithm: share(row.wins) for row in judgement.algorithms},
        tables=[(criterion, _points_table(judgement, criterion)) for criterion in (*CRITERIA, "score")],
        plots=pareto_plots(judgement),
        datasets=[(name, _asked(judgement, name), list(_formulas(judgement, name))) for name in judgement.datasets],
        failures=list(grouped_failures(judgement.failures)),
        trust=trust,
        combining=COMBINING_RULE,
    )


def _headline(judgement: Judgement) -> str:
    if len(judgement.winners) == 1:
        return f"{judgement.winners[0]} wins"
    return f"{', '.join(judgement.winners[:-1])} and {judgement.winners[-1]} share the first place"


def _points_table(judgement: Judgement, criterion: str) -> list[tuple[str, list[Cell]]]:
    rows = []
    top = len(judgement.algorithms)
    for dataset in judgement.datasets:
        on = [row.datasets[dataset] for row in judgement.algorithms]
        values = [item.score if criterion == "score" else item.points[criterion] for item in on]
        rows.append((dataset, [_cell(value, top, max(values)) for value in values]))
    overall = [row.score if criterion == "score" else row.points[criterion] for row in judgement.algorithms]
    return [*rows, ("mean", [_cell(value, top, max(overall)) for value in overall])]


def _cell(value: float, top: int, best: float) -> Cell:
    part = (value - 1) / (top - 1) if top > 1 else 1.0
    return Cell(text=f"{value:.2f}", shade=round(_STRONGEST * part), best=value >= best - 1e-9)


def _asked(judgement: Judgement, dataset: str) -> str:
    """The property of a dataset, in words."""
    asked = {run.asked for run in judgement.field.runs.values() if run.dataset == dataset and run.asked}
    if len(asked) != 1:
        return "property as given in the results"
    text = asked.pop()
    kind = text.split(",")[0].split(" ")[0]
    return f"{text}: {ABOUT[kind]}" if kind in ABOUT else text


def _formulas(judgement: Judgement, dataset: str) -> Iterator[FormulaRow]:
    for place, row in enumerate(judgement.algorithms):
        on = row.datasets[dataset]
        run = representative(judgement.field.of(row.algorithm, dataset), judgement.rules.name)
        text = "" if run is None else run.simplified or run.expression or ""
        yield FormulaRow(
            algorithm=row.algorithm,
            colour=colour(place),
            r2=_number(on.r2, ".3f"),
            components=_number(on.components, ".3g"),
            property_value=_number(on.property_value, ".3g"),
            score=f"{on.score:.2f}",
            counted=f"{on.counted}/{judgement.runs[dataset]}",
            run=None if run is None else run.run,
            formula=mathml(text) if text else None,
            text=text or _without_formula(run),
        )


def _without_formula(run: Run | None) -> str:
    return "no run counts" if run is None else "no formula; the size is declared"


def _number(value: float, form: str) -> str:
    return format(value, form).replace("-", "−") if math.isfinite(value) else MISSING
