"""Results on disk and as plain data: the table, the figures, the models' log, and a page to read."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path
from typing import Any

from matbench_lite._version import __version__
from matbench_lite.atomic import replacing, write_bytes
from matbench_lite.cleaner import for_csv
from matbench_lite.errors import EvaluationError
from matbench_lite.evaluate.evaluation_results import ModelResult, Results
from matbench_lite.evaluate.report_page import as_page
from matbench_lite.evaluate.scorers import Scorer
from matbench_lite.stats import Interval


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
