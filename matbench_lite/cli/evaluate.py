"""`mbl evaluate`: evaluation settings from one JSON file."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Annotated

import typer

from matbench_lite import evaluate as evaluation
from matbench_lite import view
from matbench_lite.cli import options
from matbench_lite.cli.output import errors, print_fitted, print_json, say, text_column
from matbench_lite.errors import EvaluationError

_SHOWN_LABELS = (0, 1, 2, 3, 5, 10, 20, 50, 100)


def evaluate(
    file: Annotated[Path, typer.Argument(metavar="FILE.json", help="The evaluation file.", show_default=False)],
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="Folder for the results; FILE-results by default.")
    ] = None,
    jobs: Annotated[int, typer.Option("--jobs", "-j", min=1, help="Processes; the results are the same.")] = 1,
    threads: options.ThreadsOption = 1,
    device: options.DeviceOption = None,
    backend: options.BackendOption = "local",
    scheduler: options.SchedulerOption = None,
    memory: options.MemoryOption = None,
    cache: Annotated[
        Path | None, typer.Option("--cache", help="Results of an earlier run: models that are in them are not run.")
    ] = None,
    restart: Annotated[bool, typer.Option("--restart", help="Do not go on from an earlier run.")] = False,
    yes: Annotated[
        bool, typer.Option("--yes", "-y", help="Do not ask before code from outside of the working folder is run.")
    ] = False,
    json: options.JsonOption = False,
) -> int:
    """Evaluate models in one of four settings, as an evaluation file says.

    prediction: groups that a model may not learn from. adaption: labels arrive
    one after the other. coverage: all answers are shown before. loo-coverage:
    all but the one in question. A run that was stopped goes on where it was.

    The Python files that FILE.json names (models, comparators, encoders) are
    run, with your rights: run no file of a stranger's without a look at them. Of
    those outside of the working folder, and of data outside of it and of the
    folder of FILE.json, you are asked; without a terminal, --yes says so.

    Examples:
        mbl evaluate leave-one-out.json

        mbl evaluate leave-one-out.json --jobs 4 --output results

        mbl evaluate leave-one-out.json --backend dask --scheduler tcp://10.0.0.1:8786

        mbl evaluate leave-one-out.json --json

        mbl evaluate ../received/adaption.json --yes
    """
    folder = output or Path(f"{file.stem}-results")
    announce = partial(say, to=errors)
    resources = options.resources_of(
        device, backend, workers=jobs, threads=threads, memory_mb=memory, scheduler=scheduler
    )
    asked = evaluation.read_evaluation(file)
    if not yes:
        _ask(file, evaluation.named_outside(asked, Path.cwd(), file.parent))
    results = evaluation.evaluate(
        asked, output=folder, resources=resources, cache=cache, restart=restart, announce=announce
    )
    page = evaluation.save_results(results, folder)
    if json:
        print_json(evaluation.as_document(results))
    else:
        _print(results, page)
    failed = {name: model.error for name, model in results.models.items() if model.error is not None}
    for name, error in failed.items():
        say((f"{name} has no scores:", "yellow"), f" {error}", to=errors)
    return int(bool(failed))


def _ask(file: Path, named: evaluation.Named) -> None:
    """Go on only if somebody agrees to what is outside."""
    todo = {"run": named.code, "read": named.data}
    files = "; ".join(f"to be {what}: {', '.join(map(str, paths))}" for what, paths in todo.items() if paths)
    if not files:
        return
    if sys.stdin.isatty():
        say(f"{file} names files outside of the working folder, {files}", to=errors)
        if typer.confirm("Go on?", default=False, err=True):
            return
    raise EvaluationError(
        f"{file} names files outside of the working folder, {files}",
        fix="look at them; then run it in the folder that holds them, or with --yes",
    )


def _print(results: evaluation.Results, page: Path) -> None:
    counts, about = results.plan.counts, results.plan.evaluation
    say((about.name, "bold"), f": {about.type}, {counts.rows:,} rows in {counts.groups:,} groups")
    for scorer in results.scorers:
        column, scores = scorer.target.column, results.scores(scorer)
        if not scores:
            continue
        say(f"\n{column}: {scorer.title(results.plan)}, {scorer.better}")
        print_fitted(evaluation.model_columns(results, scorer))
        say(f"\n{evaluation.model_headline(results, scorer)}", soft_wrap=False)
        if any(len(one.learning_curve) > 1 for one in scores.values()):
            say("\nafter so many labels of the group:")
            print_fitted(list(_curve_columns(scores)))
        reference = results.references.get(column)
        if reference is not None:
            say(f"\na constant guess has {reference.constant:.4g}")
    if len(results.models) > 1:
        say(
            "\nbold: the leading group; worse: p below 1 %; equivalent: 90 % sure to be within 5 % of the smaller error"
        )
    say(f"report: {page}")


def _curve_columns(scores: dict[str, evaluation.Scores]) -> Iterator[view.Column]:
    first = next(iter(scores.values())).learning_curve
    shown = [labels for labels in _SHOWN_LABELS if labels < len(first)]
    yield text_column("labels", [str(labels) for labels in shown], right=True)
    yield text_column("groups", [str(first[labels].groups) for labels in shown], right=True)
    for name, one in scores.items():
        points = [one.learning_curve[labels] for labels in shown]
        yield text_column(name, [evaluation.rounded(point.mean, point.interval) for point in points], right=True)
