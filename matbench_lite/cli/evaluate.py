"""`mbl evaluate`: evaluation settings from one JSON file."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.markup import escape

from matbench_lite.cli.board_text import Column, print_fitted
from matbench_lite.cli.output import errors, out, print_json
from matbench_lite.cli.tasks import JsonOption
from matbench_lite.digits import ends

if TYPE_CHECKING:
    from matbench_lite.evaluate import Results, Scores

_SHOWN_LABELS = (0, 1, 2, 3, 5, 10, 20, 50, 100)


def evaluate(
    file: Annotated[Path, typer.Argument(metavar="FILE.json", help="The evaluation file.", show_default=False)],
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="Folder for the results; FILE-results by default.")
    ] = None,
    jobs: Annotated[int, typer.Option("--jobs", "-j", min=1, help="Processes; the results are the same.")] = 1,
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
    from matbench_lite.evaluate import evaluate as run_evaluation
    from matbench_lite.evaluate import save_results
    from matbench_lite.evaluate.output.document import as_document

    folder = output or Path(f"{file.stem}-results")
    results = run_evaluation(file, output=folder, jobs=jobs, cache=cache, restart=restart, announce=_announce)
    page = save_results(results, folder)
    if json:
        print_json(as_document(results))
    else:
        _print(results, page)
    failed = {name: model.failure for name, model in results.models.items() if model.failure is not None}
    for name, failure in failed.items():
        errors.print(f"[yellow]{escape(name)} has no scores:[/] {escape(failure.message)}", highlight=False)
    return int(bool(failed))


def _announce(text: str) -> None:
    errors.print(text, markup=False, highlight=False)


def _print(results: Results, page: Path) -> None:
    counts, evaluation = results.plan.counts, results.plan.evaluation
    out.print(
        f"[bold]{escape(evaluation.name)}[/]: {evaluation.type}, {counts.rows:,} rows in {counts.groups:,} groups",
        highlight=False,
    )
    for scorer in results.scorers:
        column = scorer.target.column
        scores = {name: model.scores[column] for name, model in results.models.items() if model.failure is None}
        if not scores:
            continue
        better = "lower is better" if scorer.lower_is_better else "higher is better"
        out.print(f"\n{escape(column)}: {escape(scorer.title(results.plan))}, {better}", highlight=False)
        print_fitted(list(_columns(results, scores)))
        if any(len(one.learning_curve) > 1 for one in scores.values()):
            out.print("\nafter so many labels of the group:", highlight=False)
            print_fitted(list(_curve_columns(scores)))
        reference = results.references.get(column)
        if reference is not None:
            out.print(f"\na constant guess has {reference.constant:.4g}", highlight=False)
    out.print("intervals: 95 %, by a bootstrap over groups", highlight=False)
    out.print(f"report: {escape(str(page))}", highlight=False)


def _columns(results: Results, scores: dict[str, Scores]) -> Iterator[Column]:
    from matbench_lite.evaluate.output.page import rounded

    every = list(scores.values())
    models = [results.models[name] for name in scores]
    yield Column(header="rank", cells=[str(rank) for rank in range(1, len(every) + 1)], right=True)
    yield Column(header="model", cells=list(scores), strong=[number == 0 for number in range(len(every))])
    yield Column(header="mean over rows", cells=[rounded(one.mean, one.interval) for one in every], right=True)
    yield Column(header="95 % interval", cells=[ends(one.interval) for one in every], right=True, spare=2)
    means = [rounded(one.mean_groups, one.interval_groups) for one in every]
    yield Column(header="mean over groups", cells=means, right=True, spare=1)
    yield Column(header="95 % interval", cells=[ends(one.interval_groups) for one in every], right=True, spare=3)
    if any(model.memorising for model in models):
        yield Column(header="", cells=["memorising" if model.memorising else "" for model in models])


def _curve_columns(scores: dict[str, Scores]) -> Iterator[Column]:
    from matbench_lite.evaluate.output.page import rounded

    first = next(iter(scores.values())).learning_curve
    shown = [labels for labels in _SHOWN_LABELS if labels < len(first)]
    yield Column(header="labels", cells=[str(labels) for labels in shown], right=True)
    yield Column(header="groups", cells=[str(first[labels].groups) for labels in shown], right=True)
    for name, one in scores.items():
        points = [one.learning_curve[labels] for labels in shown]
        yield Column(header=name, cells=[rounded(point.mean, point.interval) for point in points], right=True)
