"""Results as plain data: what `--json` prints and `scores.json` holds."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from matbench_lite._version import __version__
from matbench_lite.evaluate.results.figures import ModelResult, Results, Scores
from matbench_lite.stats import Interval


def as_document(results: Results) -> dict[str, Any]:
    """Results as plain data; models from best to worst.

    Args:
        results: What came out of an evaluation.

    Returns:
        `models` has one object per model with `mean`, `mean_groups`, their intervals, `groups` and, in adaption, the
        `learning_curve`; other columns are in `aux`. A model that failed has `error` instead. `answers` has, by column
        and task, the most frequent answer in the `data` and of the `models`, where there are encoders.
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
    main, *others = (scorer.target.column for scorer in results.scorers)
    return {
        **_scores(model.scores[main]),
        "memorising": model.memorising,
        "seconds": model.seconds,
        "aux": {column: _scores(model.scores[column]) for column in others},
        "log": dict(model.log),
    }


def _scores(scores: Scores) -> dict[str, Any]:
    document: dict[str, Any] = {
        "mean": scores.mean,
        "interval": _interval(scores.interval),
        "mean_groups": scores.mean_groups,
        "interval_groups": _interval(scores.interval_groups),
        "groups": {str(group): mean for group, mean in scores.groups.items()},
    }
    if scores.learning_curve:
        document["learning_curve"] = [
            {**asdict(point), "interval": _interval(point.interval)} for point in scores.learning_curve
        ]
    return document


def _interval(interval: Interval | None) -> list[float] | None:
    return None if interval is None else [interval.low, interval.high]
