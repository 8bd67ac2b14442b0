"""Results on disk, as plain data and as a page: the table, the figures, the models' log, and a report to read.

The report needs no other file, no script and no network.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

from matbench_lite._version import __version__
from matbench_lite.atomic import replacing, write_bytes
from matbench_lite.cleaner import for_csv
from matbench_lite.errors import EvaluationError
from matbench_lite.evaluate.evaluation_results import ModelResult, Results, rank_texts
from matbench_lite.evaluate.report_plots import BANDS, Symbol, draw_curves, draw_groups, draw_models, symbol
from matbench_lite.evaluate.scorers import Scorer
from matbench_lite.stats import Interval
from matbench_lite.templating import render
from matbench_lite.text import ends, number


def save_results(results: Results, output: str | Path) -> Path:
    """Write all that came out of an evaluation.

    `results.csv` and `results.parquet` are one table, with one row per model, row and column; `scores.json` has the
    figures; `model_log.json` what the models noted; `report.html` is one page that needs nothing else.

    Args:
        results: What came out.
        output: The folder; files in it are replaced.

    Returns:
        The path of the page.

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
    document = as_document(results)
    log = {name: model.log for name, model in results.models.items() if model.log}
    try:
        folder.mkdir(parents=True, exist_ok=True)
        write_bytes(folder / "scores.json", json.dumps(document, indent=2, allow_nan=False).encode() + b"\n")
        write_bytes(folder / "model_log.json", json.dumps(log, indent=2).encode() + b"\n")
        with replacing(folder / "results.csv") as temporary:
            # Names and answers are anybody's text.
            cells = results.table.map(lambda cell: for_csv(cell) if isinstance(cell, str) else cell)
            cells.to_csv(temporary, index=False)
        with replacing(folder / "results.parquet") as temporary:
            # Parquet has one type per column: identifiers of several kinds become texts.
            table = results.table
            mixed = [name for name in ("id", "sequence") if name in table and table[name].map(type).nunique() > 1]
            table.astype(dict.fromkeys(mixed, str)).to_parquet(temporary, index=False)
        write_bytes(folder / "report.html", as_page(results).encode())
    except OSError as error:
        raise EvaluationError(f"{folder} cannot be written: {error.strerror}", fix="choose another --output") from error
    return folder / "report.html"


def as_document(results: Results) -> dict[str, Any]:
    """Results as plain data; models from best to worst.

    Args:
        results: What came out of an evaluation.

    Returns:
        `models` has one object per model with `rank`, `mean`, `mean_groups`, their intervals, `groups` and, in
        adaption, the `learning_curve`; other columns are in `aux`. A model that failed has `error` instead. `answers`
        has, by column and task, the most frequent answer in the `data` and of the `models`, where there are encoders.
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
        "counts": asdict(results.plan.counts),
        "notes": list(results.notes),
        "models": {name: _model(results, model) for name, model in results.models.items()},
        "answers": {
            column: {task: asdict(answers) for task, answers in by_task.items()}
            for column, by_task in results.answers.items()
        },
    }


def _model(results: Results, model: ModelResult) -> dict[str, Any]:
    if model.failure is not None:
        return {"error": model.failure.message, "traceback": model.failure.details}
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
    curve = [{**asdict(point), "interval": _interval(point.interval)} for point in scores.learning_curve]
    return {
        "rank": results.ranks(scorer)[model.name],
        "mean": scores.mean,
        "interval": _interval(scores.interval),
        "mean_groups": scores.mean_groups,
        "interval_groups": _interval(scores.interval_groups),
        "groups": {str(group): mean for group, mean in scores.groups.items()},
        **({"learning_curve": curve} if curve else {}),
    }


def _interval(interval: Interval | None) -> list[float] | None:
    return None if interval is None else [interval.low, interval.high]


_MOST_GROUPS = 500
_MOST_LOGS = 200


def as_page(results: Results) -> str:
    """The report as HTML; every text of the data and the models is cleaned and escaped."""
    names = [name for name, model in results.models.items() if model.failure is None]
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
        ends=ends,
        number=number,
    )


def _section(results: Results, scorer: Scorer, symbols: Mapping[str, Symbol]) -> dict[str, Any]:
    """All that is shown of one column; without drawings if no model has scores."""
    scores, ranks = results.scores(scorer), results.ranks(scorer)
    section = {"scorer": scorer, "title": scorer.title(results.plan), "scores": scores, "ranks": rank_texts(ranks)}
    if not scores:
        return section
    reference = results.references.get(scorer.target.column)
    best = next(iter(scores.values()))
    hardest = sorted(best.groups, key=lambda group: best.groups[group], reverse=scorer.lower_is_better)
    first = [name for name, rank in ranks.items() if rank == 1]
    return section | {
        "first": first,
        "reference": reference,
        "hardest": hardest,
        "overview": draw_models(scores, symbols, reference),
        "groups": draw_groups(scores, symbols, hardest),
        "curves": draw_curves(scores, symbols, first),
        "few_bands": len(scores) > BANDS,
    }


def rounded(value: float, interval: Interval | None) -> str:
    """A mean with as many digits as its interval allows.

    Examples:
        >>> from matbench_lite.stats import Interval
        >>> rounded(0.123456, Interval(0.118, 0.129)), rounded(0.123456, None)
        ('0.1235', '0.123')
    """
    return number(value, None if interval is None else (interval.high - interval.low) / 2)
