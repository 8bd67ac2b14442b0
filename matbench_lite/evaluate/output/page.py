"""The report: one page that needs no other file, no script and no network."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path

from matbench_lite._version import __version__
from matbench_lite.digits import ends, number
from matbench_lite.evaluate.file.specification import Setting
from matbench_lite.evaluate.output.drawing import (
    Curves,
    Dots,
    colours,
    draw_curves,
    draw_groups,
    draw_models,
    hardest_first,
)
from matbench_lite.evaluate.results.figures import Results, Scores
from matbench_lite.evaluate.scoring.scorers import Scorer
from matbench_lite.stats import Interval

QUESTIONS: dict[Setting, str] = {
    "prediction": "How well does a model predict groups that it may not learn from?",
    "adaption": "How fast does a model learn a group, when labels arrive one after the other?",
    "coverage": "How much can a model express, when it is shown all answers before?",
    "loo-coverage": "How well could a model do, if it knew all rows of the group but the one in question?",
}
_MOST_GROUPS = 500
_MOST_LOGS = 200


@dataclass(frozen=True, kw_only=True)
class ModelRow:
    """A line of the table of models."""

    rank: int
    name: str
    colour: int
    mean: str
    interval: str
    mean_groups: str
    interval_groups: str
    seconds: str
    memorising: bool


@dataclass(frozen=True, kw_only=True)
class Section:
    """All that is shown of one column."""

    column: str
    comparator: str
    better: str
    constant: str
    models: tuple[ModelRow, ...]
    overview: Dots | None
    groups: Dots | None
    curves: Curves | None
    curve_rows: tuple[tuple[str, ...], ...]
    group_rows: tuple[tuple[str, ...], ...]
    more_groups: int


def as_page(results: Results) -> str:
    """The report as HTML; every text of the data and the models is cleaned and escaped."""
    from matbench_lite.site.templating import render

    evaluation = results.plan.evaluation
    names = list(colours(results))
    logs = [(name, key, json.dumps(note)) for name in names for key, note in results.models[name].log.items()]
    return render(
        "report.html.j2",
        folder=Path(__file__).parent / "templates",
        evaluation=evaluation,
        question=QUESTIONS[evaluation.type],
        facts=_facts(results),
        notes=results.notes,
        names=names,
        sections=[_section(results, scorer) for scorer in results.scorers],
        failures={name: model.failure for name, model in results.models.items() if model.failure is not None},
        answers=results.answers,
        logs=logs[:_MOST_LOGS],
        more_logs=max(0, len(logs) - _MOST_LOGS),
        stated=json.dumps(evaluation.stated, indent=2, ensure_ascii=False),
        version=__version__,
        digest=results.plan.digest,
    )


def _facts(results: Results) -> list[tuple[str, str]]:
    evaluation, counts = results.plan.evaluation, results.plan.counts
    facts = [
        ("setting", evaluation.type),
        ("test data", ", ".join(source.title for source in evaluation.test)),
        ("to predict", f"{counts.rows:,} rows in {counts.groups:,} groups"),
    ]
    if evaluation.pre_train:
        what = "without the tested group" if evaluation.corresponding_data else "all groups"
        facts += [
            ("training data", ", ".join(source.title for source in evaluation.pre_train)),
            ("to learn from", f"{counts.train_rows:,} rows in {counts.train_groups:,} groups, {what}"),
        ]
    else:
        facts.append(("training data", "none"))
    for name, value in (
        ("training rows of tested groups given to pre_train_person", counts.as_person),
        ("training rows of tested groups given to pre_person_background", counts.as_background),
        ("training rows of tested groups withheld", counts.withheld),
    ):
        if value:
            facts.append((name, f"{value:,}"))
    return [*facts, ("seed", str(evaluation.seed))]


def _section(results: Results, scorer: Scorer) -> Section:
    column = scorer.target.column
    scores = {name: model.scores[column] for name, model in results.models.items() if model.failure is None}
    reference = results.references.get(column)
    return Section(
        column=column,
        comparator=scorer.title(results.plan),
        better="lower is better" if scorer.lower_is_better else "higher is better",
        constant="" if reference is None else f"{reference.constant:.4g}",
        models=tuple(_model_row(results, rank, name, one) for rank, (name, one) in enumerate(scores.items(), start=1)),
        overview=draw_models(results, column),
        groups=draw_groups(results, column, scorer.lower_is_better),
        curves=draw_curves(results, column),
        curve_rows=_curve_rows(scores),
        group_rows=_group_rows(results, scores, scorer.lower_is_better),
        more_groups=max(0, results.plan.counts.groups - _MOST_GROUPS),
    )


def _model_row(results: Results, rank: int, name: str, scores: Scores) -> ModelRow:
    model = results.models[name]
    return ModelRow(
        rank=rank,
        name=name,
        colour=colours(results)[name],
        mean=rounded(scores.mean, scores.interval),
        interval=ends(scores.interval),
        mean_groups=rounded(scores.mean_groups, scores.interval_groups),
        interval_groups=ends(scores.interval_groups),
        seconds=f"{model.seconds:,.0f}" if model.seconds >= 100 else number(model.seconds, None),
        memorising=model.memorising,
    )


def rounded(value: float, interval: Interval | None) -> str:
    """A mean with as many digits as its interval allows.

    Examples:
        >>> from matbench_lite.stats import Interval
        >>> rounded(0.123456, Interval(0.118, 0.129)), rounded(0.123456, None)
        ('0.1235', '0.123')
    """
    return number(value, None if interval is None else (interval.high - interval.low) / 2)


def _curve_rows(scores: dict[str, Scores]) -> tuple[tuple[str, ...], ...]:
    curves = [one.learning_curve for one in scores.values()]
    if not curves or not curves[0]:
        return ()
    return tuple(
        (str(points[0].labels), str(points[0].groups), *(rounded(point.mean, point.interval) for point in points))
        for points in zip(*curves, strict=True)
    )


def _group_rows(results: Results, scores: dict[str, Scores], lower_is_better: bool) -> tuple[tuple[str, ...], ...]:
    """Every group with its rows and scores, the hardest for the best model first."""
    if not scores:
        return ()
    order = hardest_first(next(iter(scores.values())), lower_is_better)
    return tuple(
        (str(group), str(len(results.plan.test[group])), *(f"{one.groups[group]:.4g}" for one in scores.values()))
        for group in order[:_MOST_GROUPS]
    )
