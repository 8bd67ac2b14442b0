"""The report: one page that needs no other file, no script and no network."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from matbench_lite.evaluate.evaluation_file import Setting
from matbench_lite.evaluate.evaluation_results import Results, Scores, rank_texts
from matbench_lite.evaluate.report_plots import BANDS, Symbol, draw_curves, draw_groups, draw_models, symbol
from matbench_lite.evaluate.scorers import Scorer
from matbench_lite.stats import Interval
from matbench_lite.templating import render
from matbench_lite.text import ends, number

QUESTIONS: dict[Setting, str] = {
    "prediction": "How well does a model predict groups that it may not learn from?",
    "adaption": "How fast does a model learn a group, when labels arrive one after the other?",
    "coverage": "How much can a model express, when it is shown all answers before?",
    "loo-coverage": "How well could a model do, if it knew all rows of the group but the one in question?",
}
_MOST_GROUPS = 500
_MOST_LOGS = 200


def as_page(results: Results) -> str:
    """The report as HTML; every text of the data and the models is cleaned and escaped."""
    evaluation = results.plan.evaluation
    names = [name for name, model in results.models.items() if model.failure is None]
    symbols = {name: symbol(place) for place, name in enumerate(names)}
    logs = [(name, key, json.dumps(note)) for name in names for key, note in results.models[name].log.items()]
    return render(
        "evaluate/report.html.j2",
        evaluation=evaluation,
        question=QUESTIONS[evaluation.type],
        facts=_facts(results),
        notes=results.notes,
        names=names,
        symbols=symbols,
        sections=[_section(results, scorer, symbols) for scorer in results.scorers],
        failures={name: model.failure for name, model in results.models.items() if model.failure is not None},
        answers=results.answers,
        logs=logs[:_MOST_LOGS],
        more_logs=max(0, len(logs) - _MOST_LOGS),
        stated=json.dumps(evaluation.stated, indent=2, ensure_ascii=False),
        digest=results.plan.digest,
    )


def _facts(results: Results) -> list[tuple[str, str]]:
    evaluation, counts = results.plan.evaluation, results.plan.counts
    facts = [
        ("setting", evaluation.type),
        ("test data", ", ".join(source.title for source in evaluation.test)),
        ("to predict", f"{counts.rows:,} rows in {counts.groups:,} groups"),
        ("training data", ", ".join(source.title for source in evaluation.pre_train) or "none"),
    ]
    if evaluation.pre_train:
        what = "without the tested group" if evaluation.corresponding_data else "all groups"
        facts.append(("to learn from", f"{counts.train_rows:,} rows in {counts.train_groups:,} groups, {what}"))
    for name, value in (
        ("given to pre_train_person", counts.as_person),
        ("given to pre_person_background", counts.as_background),
        ("withheld", counts.withheld),
    ):
        if value:
            facts.append((f"training rows of tested groups {name}", f"{value:,}"))
    return [*facts, ("seed", str(evaluation.seed))]


def _section(results: Results, scorer: Scorer, symbols: Mapping[str, Symbol]) -> dict[str, Any]:
    """All that is shown of one column: figures, tables and drawings; without the latter two if no model has scores."""
    scores, ranks = results.scores(scorer), results.ranks(scorer)
    section: dict[str, Any] = {
        "column": scorer.target.column,
        "comparator": scorer.title(results.plan),
        "better": scorer.better,
        "models": [],
    }
    if not scores:
        return section
    reference = results.references.get(scorer.target.column)
    best = next(iter(scores.values()))
    hardest = sorted(best.groups, key=lambda group: best.groups[group], reverse=scorer.lower_is_better)
    first = [name for name, rank in ranks.items() if rank == 1]
    texts = rank_texts(ranks)
    return section | {
        "constant": "" if reference is None else f"{reference.constant:.4g}",
        "models": [
            {"name": name, "rank": texts[name], "first": name in first, **_figures(results, name, one)}
            for name, one in scores.items()
        ],
        "overview": draw_models(scores, symbols, reference),
        "groups": draw_groups(scores, symbols, hardest),
        "curves": draw_curves(scores, symbols, first),
        "few_bands": len(scores) > BANDS,
        "curve_rows": _curve_rows(scores),
        "group_rows": [
            (str(group), str(len(results.plan.test[group])), *(f"{one.groups[group]:.4g}" for one in scores.values()))
            for group in hardest[:_MOST_GROUPS]
        ],
        "more_groups": max(0, len(hardest) - _MOST_GROUPS),
    }


def _figures(results: Results, name: str, scores: Scores) -> dict[str, Any]:
    model = results.models[name]
    return {
        "mean": rounded(scores.mean, scores.interval),
        "interval": ends(scores.interval),
        "mean_groups": rounded(scores.mean_groups, scores.interval_groups),
        "interval_groups": ends(scores.interval_groups),
        "seconds": f"{model.seconds:,.0f}" if model.seconds >= 100 else number(model.seconds, None),
        "memorising": model.memorising,
    }


def rounded(value: float, interval: Interval | None) -> str:
    """A mean with as many digits as its interval allows.

    Examples:
        >>> from matbench_lite.stats import Interval
        >>> rounded(0.123456, Interval(0.118, 0.129)), rounded(0.123456, None)
        ('0.1235', '0.123')
    """
    return number(value, None if interval is None else (interval.high - interval.low) / 2)


def _curve_rows(scores: Mapping[str, Scores]) -> list[tuple[str, ...]]:
    """Labels, groups, and the mean of every model; none where nothing is learned."""
    return [
        (str(points[0].labels), str(points[0].groups), *(rounded(point.mean, point.interval) for point in points))
        for points in zip(*(one.learning_curve for one in scores.values()), strict=True)
    ]
