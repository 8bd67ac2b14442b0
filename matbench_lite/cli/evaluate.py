"""`mbl evaluate`: evaluation settings from one JSON file."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from matbench_lite.cli.options import DeviceOption, JsonOption, devices_of
from matbench_lite.cli.output import errors, print_fitted, print_json, say, text_column
from matbench_lite.text import ends

if TYPE_CHECKING:
    from matbench_lite.evaluate import Results, Scorer, Scores
    from matbench_lite.view import Column

_SHOWN_LABELS = (0, 1, 2, 3, 5, 10, 20, 50, 100)


def evaluate(
    file: Annotated[Path, typer.Argument(metavar="FILE.json", help="The evaluation file.", show_default=False)],
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="Folder for the results; FILE-results by default.")
    ] = None,
    jobs: Annotated[int, typer.Option("--jobs", "-j", min=1, help="Processes; the results are the same.")] = 1,
    device: DeviceOption = None,
    cache: Annotated[
        Path | None, typer.Option("--cache", help="Results of an earlier run: models that are in them are not run.")
    ] = None,
    restart: Annotated[bool, typer.Option("--restart", help="Do not go on from an earlier run.")] = False,
    json: JsonOption = False,
) -> int:
    """Evaluate models in one of four settings, as an evaluation file says.

    prediction: groups that a model may not learn from. adaption: labels arrive
    one after the other. coverage: all answers are shown before. loo-coverage:
    all but the one in question. A run that was stopped goes on where it was.

    The models that the file names are executed.

    Examples:
        mbl evaluate leave-one-out.json

        mbl evaluate leave-one-out.json --jobs 4 --output results

        mbl evaluate leave-one-out.json --json
    """
    from matbench_lite.evaluate import as_document, save_results
    from matbench_lite.evaluate import evaluate as run_evaluation

    folder = output or Path(f"{file.stem}-results")
    announce = partial(say, to=errors)
    results = run_evaluation(
        file, output=folder, jobs=jobs, devices=devices_of(device), cache=cache, restart=restart, announce=announce
    )
    page = save_results(results, folder)
    if json:
        print_json(as_document(results))
    else:
        _print(results, page)
    failed = {name: model.failure for name, model in results.models.items() if model.failure is not None}
    for name, failure in failed.items():
        say((f"{name} has no scores:", "yellow"), f" {failure.message}", to=errors)
    return int(bool(failed))


def _print(results: Results, page: Path) -> None:
    counts, evaluation = results.plan.counts, results.plan.evaluation
    say((evaluation.name, "bold"), f": {evaluation.type}, {counts.rows:,} rows in {counts.groups:,} groups")
    for scorer in results.scorers:
        column, scores = scorer.target.column, results.scores(scorer)
        if not scores:
            continue
        say(f"\n{column}: {scorer.title(results.plan)}, {scorer.better}")
        print_fitted(list(_columns(results, scorer)))
        if any(len(one.learning_curve) > 1 for one in scores.values()):
            say("\nafter so many labels of the group:")
            print_fitted(list(_curve_columns(scores)))
        reference = results.references.get(column)
        if reference is not None:
            say(f"\na constant guess has {reference.constant:.4g}")
    say("intervals: 95 %, by a bootstrap over groups")
    say(f"report: {page}")


def _columns(results: Results, scorer: Scorer) -> Iterator[Column]:
    from matbench_lite.evaluate import rank_texts, rounded

    scores, ranks = results.scores(scorer), results.ranks(scorer)
    every = list(scores.values())
    models = [results.models[name] for name in scores]
    yield text_column("rank", list(rank_texts(ranks).values()), right=True)
    yield text_column("model", list(scores), strong=[rank == 1 for rank in ranks.values()])
    yield text_column("mean over rows", [rounded(one.mean, one.interval) for one in every], right=True)
    yield text_column("95 % interval", [ends(one.interval) for one in every], right=True, spare=2)
    means = [rounded(one.mean_groups, one.interval_groups) for one in every]
    yield text_column("mean over groups", means, right=True, spare=1)
    yield text_column("95 % interval", [ends(one.interval_groups) for one in every], right=True, spare=3)
    if any(model.memorising for model in models):
        yield text_column("", ["memorising" if model.memorising else "" for model in models])


def _curve_columns(scores: dict[str, Scores]) -> Iterator[Column]:
    from matbench_lite.evaluate import rounded

    first = next(iter(scores.values())).learning_curve
    shown = [labels for labels in _SHOWN_LABELS if labels < len(first)]
    yield text_column("labels", [str(labels) for labels in shown], right=True)
    yield text_column("groups", [str(first[labels].groups) for labels in shown], right=True)
    for name, one in scores.items():
        points = [one.learning_curve[labels] for labels in shown]
        yield text_column(name, [rounded(point.mean, point.interval) for point in points], right=True)
