"""`mbl run`: a model on every fold, recorded as an entry."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer
from rich.markup import escape

from matbench_lite.cli.output import errors, out, print_json
from matbench_lite.cli.tasks import JsonOption

if TYPE_CHECKING:
    from matbench_lite.run.model import Model
    from matbench_lite.run.plan import RunResult, Step


def run(
    model: Annotated[str, typer.Argument(help="A .py file, a folder with model.py, or the name of a baseline.")],
    more: Annotated[list[str] | None, typer.Argument(metavar="TASK", help="Tasks; the same as --tasks.")] = None,
    benchmark: Annotated[
        str, typer.Option("--benchmark", "-b", help="A built-in benchmark, or the path of a TOML file.")
    ] = "matbench_v0.1",
    tasks: Annotated[
        list[str] | None, typer.Option("--tasks", "-t", help="Only these tasks; by default all that the model takes.")
    ] = None,
    folds: Annotated[str | None, typer.Option("--folds", help='Only these folds, e.g. "0" or "0,1".')] = None,
    seed: Annotated[int, typer.Option("--seed", min=0, help="Seed of everything random.")] = 0,
    jobs: Annotated[int, typer.Option("--jobs", "-j", min=1, help="How many folds are trained at a time.")] = 1,
    backend: Annotated[
        Literal["joblib", "dask"], typer.Option("--backend", help="This machine, or a Dask cluster.")
    ] = "joblib",
    scheduler: Annotated[
        str | None,
        typer.Option("--scheduler", help="Address of a Dask scheduler; by default a cluster is started here."),
    ] = None,
    timeout: Annotated[
        float | None, typer.Option("--timeout", min=0.1, help="Give a fold up after this many seconds.")
    ] = None,
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", help="Folder of the entry; by default the model's own, or submissions/NAME."),
    ] = None,
    quick: Annotated[
        bool, typer.Option("--quick", help="See that the model works: few rows, one fold. Not for a leaderboard.")
    ] = False,
    fresh: Annotated[bool, typer.Option("--fresh", help="Forget what an earlier run there has recorded.")] = False,
    json: JsonOption = False,
) -> int:
    """Train a model on each fold of each task, predict its test part, and record an entry.

    What is recorded stays: the same command again trains only what is missing or has failed.

    The same seed gives the same predictions, whatever --jobs and --backend.

    The model file is executed. The log is in OUTPUT/.run/log.txt.

    Baselines: dummy, ridge-magpie, rf-magpie, gbt-magpie, rf-structure, bagged-gbt.

    Examples:
        mbl run rf-magpie --benchmark mini --jobs 2

        mbl run my_model.py --tasks matbench_steels matbench_glass

        mbl run submissions/my-model --quick

        mbl run submissions/my-model --backend dask --scheduler tcp://10.0.0.1:8786 --timeout 7200
    """
    from matbench_lite.run import Plan, load_model, run_model

    loaded = load_model(model)
    plan = Plan(
        model=loaded,
        benchmark=str(Path(benchmark).resolve()) if Path(benchmark).suffix == ".toml" else benchmark,
        output=output or _default_output(loaded, Path(model), quick=quick),
        tasks=(*(tasks or ()), *(more or ())) or None,
        folds=_numbers(folds),
        seed=seed,
        workers=jobs,
        backend=backend,
        scheduler=scheduler,
        timeout=timeout,
        quick=quick,
        fresh=fresh,
    )
    if quick:
        errors.print("[yellow]quick run: few training rows; the entry is marked and cannot be submitted[/]")
    result = run_model(plan, report=_report)
    if json:
        print_json(_plain(result))
    else:
        _print(result)
    return int(bool(result.failed))


def _default_output(model: Model, given: Path, *, quick: bool) -> Path:
    home = given if model.path is not None and model.path.is_dir() else Path("submissions") / model.name
    if not quick:
        return home
    if home.name in ("", ".."):  # the folder that the user is in
        home = home.resolve()
    return home.with_name(f"{home.name}-quick")


def _numbers(folds: str | None) -> tuple[int, ...] | None:
    if folds is None:
        return None
    try:
        return tuple(int(fold) for fold in folds.replace(",", " ").split())
    except ValueError:
        raise typer.BadParameter(f"{folds!r} is not a list of fold numbers, e.g. 0,1", param_hint="--folds") from None


def _report(step: Step) -> None:
    from matbench_lite.metrics import metric_name, ranking_metric
    from matbench_lite.tasks import load_benchmark

    job, count = step.outcome.job, f"{step.done}/{step.total}"
    left = f", about {_duration(step.seconds_left)} left" if step.done < step.total else ""
    if step.outcome.error:
        fix = f"\n  fix: {escape(step.outcome.fix)}" if step.outcome.fix else ""
        errors.print(f"{count} [red]{escape(step.outcome.error)}[/]{escape(left)}{fix}", highlight=False)
        return
    task = load_benchmark(Path(job.benchmark))[job.task]
    metric = ranking_metric(task.kind)
    score = f"{metric_name(metric, task.unit)} {step.scores[metric]:.4g}"
    took = _duration(step.outcome.seconds)
    errors.print(f"{count} {job.place}: {score}, {took}{left}", highlight=False, markup=False)


def _duration(seconds: float) -> str:
    if seconds < 90:
        return f"{seconds:.1f} s" if seconds < 10 else f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 5400 else f"{seconds / 3600:.1f} h"


def _print(result: RunResult) -> None:
    if result.folder is not None:
        out.print(repr(result.submission), highlight=False, markup=False)
        out.print(f"entry: {result.folder}", highlight=False, markup=False, soft_wrap=True)
    kept = f", {result.kept} were there already" if result.kept else ""
    folds = "1 fold" if result.trained == 1 else f"{result.trained} folds"
    out.print(f"{folds} trained{kept}; log: {result.log}", highlight=False, markup=False, soft_wrap=True)
    if result.failed:
        errors.print(f"[bold red]{len(result.failed)} failed:[/]")
        for message in result.failed:
            errors.print(f"  {message}", highlight=False, markup=False)
        errors.print("the same command again tries them once more", highlight=False)
    elif result.folder is not None and "quick" not in result.submission.metadata:
        out.print(f"next: mbl check {result.folder}", highlight=False, markup=False, soft_wrap=True)


def _plain(result: RunResult) -> dict[str, Any]:
    submission = result.submission
    scores = submission.scores if submission.tasks else {}
    return {
        "algorithm": submission.algorithm,
        "folder": None if result.folder is None else str(result.folder),
        "category": str(submission.category),
        "quick": "quick" in submission.metadata,
        "trained": result.trained,
        "kept": result.kept,
        "failed": list(result.failed),
        "log": str(result.log),
        "scores": {
            name: {metric: summary.mean for metric, summary in task.metrics.items()} for name, task in scores.items()
        },
    }
