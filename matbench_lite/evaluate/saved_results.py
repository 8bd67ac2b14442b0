"""Results as a table for terminal and report, and on disk: the rows, the figures, the models' log, a report to read.

The report needs no other file, no script and no network.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

from matbench_lite._version import __version__
from matbench_lite.atomic import write_bytes
from matbench_lite.board import headline
from matbench_lite.cleaner import for_csv
from matbench_lite.errors import EvaluationError, raising
from matbench_lite.evaluate.evaluation_results import ModelResult, Results, rank_texts
from matbench_lite.evaluate.report_plots import BANDS, Symbol, draw_curves, draw_groups, draw_models, symbol
from matbench_lite.evaluate.scorers import Scorer
from matbench_lite.stats import Interval
from matbench_lite.templating import render
from matbench_lite.text import number
from matbench_lite.train import ONLY_GROUPS
from matbench_lite.view import Cell, Column, difference_column, interval_cell, p_column, places_column, word_column

_FOR_THESE = "95 % interval of the mean, for these trained models on other {} like these (bootstrap)."


def save_results(results: Results, output: str | Path) -> Path:
    """Write all that came out of an evaluation.

    `results.csv` and `results.parquet` are one table, with one row per model, row and column; `scores.json` has the
    figures; `model_log.json` what the models noted; `report.html` is one page that needs nothing else. Gives the path
    of the page.

    Raises:
        EvaluationError: If the folder cannot be written.

    Examples:
        >>> import tempfile
        >>> from matbench_lite.evaluate import evaluate, parse_evaluation
        >>> data = {"task": "mini_gap", "group_by": "anion", "limit": 20}
        >>> document = {"type": "coverage", "data.test": data, "models": ["dummy"]}
        >>> results = evaluate(parse_evaluation(document, name="example", folder=Path()))
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     page = save_results(results, folder)
        ...     sorted(path.name for path in page.parent.iterdir())
        ['model_log.json', 'report.html', 'results.csv', 'results.parquet', 'scores.json']
    """
    folder = Path(output)
    log = {name: model.log for name, model in results.models.items() if model.log}
    table = results.table
    # Parquet has one type per column: identifiers of several kinds become texts.
    mixed = [name for name in ("id", "sequence") if name in table and table[name].map(type).nunique() > 1]
    # Names and answers are anybody's text.
    cells = table.map(lambda cell: for_csv(cell) if isinstance(cell, str) else cell)
    files = {
        "scores.json": json.dumps(as_document(results), indent=2, allow_nan=False).encode() + b"\n",
        "model_log.json": json.dumps(log, indent=2).encode() + b"\n",
        "results.csv": cells.to_csv(index=False).encode(),
        "results.parquet": table.astype(dict.fromkeys(mixed, str)).to_parquet(index=False),
        "report.html": as_page(results).encode(),
    }
    with raising(EvaluationError, f"{folder} cannot be written", fix="choose another --output"):
        for name, content in files.items():
            write_bytes(folder / name, content)
    return folder / "report.html"


def as_document(results: Results) -> dict[str, Any]:
    """Results as plain data; models from best to worst.

    `models` has one object per model with `rank`, its places and the `word` for it beside the best, `mean`,
    `mean_groups`, their intervals, `groups` and, in adaption, the `learning_curve`; other columns are in `aux`. A model
    that failed has `error` instead. `answers` has, by column and task, the most frequent answer in the `data` and of
    the `models`, where there are encoders.
    """
    evaluation = results.plan.evaluation
    main = results.scorers[0]
    reference = results.references.get(main.target.column)
    return {
        "evaluation": evaluation.name,
        "type": evaluation.type,
        "corresponding_data": evaluation.corresponding_data,
        "seed": evaluation.seed,
        "matbench_lite": __version__,
        "comparator": main.comparator.get_name(),
        "lower_is_better": main.lower_is_better,
        "constant_guess": None if reference is None else reference.constant,
        "perfect": results.perfect(main),
        "fold_scatter": results.design.scatter if len(results.design.sizes) > 1 else None,
        "counts": asdict(results.plan.counts),
        "notes": list(results.notes),
        "models": {name: _model(results, model) for name, model in results.models.items()},
        "answers": results.answers,
    }


def _model(results: Results, model: ModelResult) -> dict[str, Any]:
    if model.error is not None:
        return {"error": model.error, "traceback": model.traceback}
    main, *others = results.scorers
    return {
        **_scores(results, main, model),
        "memorising": model.memorising,
        "seconds": model.seconds,
        "aux": {scorer.target.column: _scores(results, scorer, model) for scorer in others},
        "log": dict(model.log),
    }


def _scores(results: Results, scorer: Scorer, model: ModelResult) -> dict[str, Any]:
    scores = model.scores[scorer.target.column]
    place = next(place for place in results.places(scorer) if place.slug == model.name)
    document: dict[str, Any] = {**asdict(place, dict_factory=_as_json), **asdict(scores, dict_factory=_as_json)}
    for name in ("slug", "reference", "best"):
        del document[name]
    if not scores.learning_curve:
        del document["learning_curve"]
    return document | {"groups": {str(group): mean for group, mean in scores.groups.items()}}


def _as_json(fields: list[tuple[str, Any]]) -> Any:
    """A record as an object; an interval as both its ends."""
    return [end for _, end in fields] if [name for name, _ in fields] == ["low", "high"] else dict(fields)


_MOST_GROUPS = 500
_MOST_LOGS = 200


def as_page(results: Results) -> str:
    """The report as HTML; every text of the data and the models is cleaned and escaped."""
    names = [name for name, model in results.models.items() if model.error is None]
    symbols = {name: symbol(place) for place, name in enumerate(names)}
    logs = [(name, key, json.dumps(note)) for name in names for key, note in results.models[name].log.items()]
    return render(
        "evaluate/report.html.j2",
        results=results,
        evaluation=results.plan.evaluation,
        counts=results.plan.counts,
        names=names,
        symbols=symbols,
        sections=[_section(results, scorer, symbols) for scorer in results.scorers],
        most_groups=_MOST_GROUPS,
        logs=logs[:_MOST_LOGS],
        more_logs=max(0, len(logs) - _MOST_LOGS),
        stated=json.dumps(results.plan.evaluation.stated, indent=2, ensure_ascii=False),
        rounded=rounded,
    )


def _section(results: Results, scorer: Scorer, symbols: Mapping[str, Symbol]) -> dict[str, Any]:
    """All that is shown of one column; without drawings if no model has scores."""
    scores, ranks = results.scores(scorer), results.ranks(scorer)
    section = {"scorer": scorer, "title": scorer.title(results.plan), "scores": scores}
    if not scores:
        return section
    reference = results.references.get(scorer.target.column)
    best = next(iter(scores.values()))
    hardest = sorted(best.groups, key=lambda group: best.groups[group], reverse=scorer.lower_is_better)
    first = [name for name, rank in ranks.items() if rank == 1]
    return section | {
        "columns": model_columns(results, scorer),
        "headline": model_headline(results, scorer),
        "reference": reference,
        "hardest": hardest,
        "overview": draw_models(scores, symbols, reference),
        "groups": draw_groups(scores, symbols, hardest),
        "curves": draw_curves(scores, symbols, first),
        "few_bands": len(scores) > BANDS,
    }


def model_columns(results: Results, scorer: Scorer) -> list[Column]:
    """Models down, best first, by one column of the data."""
    places = results.places(scorer)
    scores = results.scores(scorer).values()
    models = [results.models[place.slug] for place in places]
    inks = ["leading" if place.leading or place.rank == 1 else "" for place in places]
    ranks = rank_texts(results.ranks(scorer)).values()
    note = _FOR_THESE.format("groups" if len(results.design.sizes) == 1 else "clusters of rows")
    names = [
        Cell(text=model.name, value=model.name, ink=ink, small="memorising" if model.memorising else "")
        for model, ink in zip(models, inks, strict=True)
    ]
    intervals = [interval_cell(one.interval) for one in scores]
    of_other = [interval_cell(one.interval_groups) for one in scores]
    means = [Cell(text=rounded(one.mean, one.interval), value=one.mean) for one in scores]
    of_groups = [Cell(text=rounded(one.mean_groups, one.interval_groups), value=one.mean_groups) for one in scores]
    down = not scorer.lower_is_better
    seconds = [f"{model.seconds:,.0f}" if model.seconds >= 100 else number(model.seconds, None) for model in models]
    return [
        Column("rank", "rank", [Cell(text=rank) for rank in ranks], right=True),
        Column("model", "model", names, kind="name", foreign=True),
        places_column(places, spare=1),
        Column("mean", "mean over rows", means, right=True, down=down),
        Column("interval", "95 % interval", intervals, right=True, spare=3, note=note),
        difference_column([place.difference_interval for place in places], path="difference_interval", spare=2),
        word_column(places),
        p_column([place.p for place in places], spare=4),
        Column("mean_groups", "mean over groups", of_groups, right=True, spare=5),
        Column("interval_groups", "95 % interval", of_other, right=True, spare=6, note=note),
        Column(
            "seconds", "time", [Cell(text=text) for text in seconds], unit="s", right=True, outputs=frozenset({"html"})
        ),
    ]


def model_headline(results: Results, scorer: Scorer) -> str:
    """Who leads in a column, and what limits that, in a sentence or two; a model must have scores."""
    places = results.places(scorer)
    said = headline(places, {place.slug: place.slug for place in places})
    limited = len(places) > 1 and places[0].first_place is not None and len(results.design.sizes) == 1
    return f"{said} {ONLY_GROUPS[0].upper()}{ONLY_GROUPS[1:]}." if limited else said


def rounded(value: float, interval: Interval | None) -> str:
    """A mean with as many digits as its interval allows.

    Examples:
        >>> from matbench_lite.stats import Interval
        >>> rounded(0.123456, Interval(0.118, 0.129)), rounded(0.123456, None)
        ('0.1235', '0.123')
    """
    return number(value, None if interval is None else (interval.high - interval.low) / 2)
