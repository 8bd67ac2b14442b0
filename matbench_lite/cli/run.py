"""`mbl run`: a model on every fold, recorded as an entry."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any

import typer

from matbench_lite import metrics, submission, train
from matbench_lite.cli import options
from matbench_lite.cli.output import errors, print_json, say
from matbench_lite.text import count, duration, in_words


def run(
    model: options.ModelArgument,
    more: options.TasksArgument = None,
    benchmark: options.BenchmarkOption = "matbench_v0.1",
    tasks: Annotated[
        list[str] | None,
        typer.Option("--tasks", "-t", help="Only these tasks; by default, all that the model can take."),
    ] = None,
    folds: Annotated[str | None, typer.Option(help='Only these folds, e.g. "0" or "0,1".')] = None,
    seed: Annotated[int, typer.Option(min=0, help="Seed of everything random.")] = 0,
    jobs: Annotated[int, typer.Option("--jobs", "-j", min=1, help="How many folds are trained at a time.")] = 1,
    threads: options.ThreadsOption = 1,
    device: options.DeviceOption = None,
    backend: options.BackendOption = "local",
    scheduler: options.SchedulerOption = None,
    timeout: Annotated[float | None, typer.Option(min=0.1, help="Give up on a fold after this many seconds.")] = None,
    memory: options.MemoryOption = None,
    unit: Annotated[
        str | None, typer.Option(metavar="TASK:FOLD", help="Train this fold alone, beside others; see `mbl gather`.")
    ] = None,
    output: options.EntryOption = None,
    quick: Annotated[
        bool, typer.Option("--quick", help="Check that the model works: few rows, one fold. Not for a leaderboard.")
    ] = False,
    fresh: Annotated[bool, typer.Option("--fresh", help="Discard what an earlier run recorded there.")] = False,
    json: options.JsonOption = False,
) -> int:
    """Train a model on each fold of each task, predict its test part, and record an entry.

    What is recorded stays: run again, the same command trains only what is missing or has failed.

    The same seed gives the same predictions, whatever --jobs and --backend.

    Many programs can train folds into one folder with --unit, such as the jobs of a cluster's array; `mbl gather` then
    makes the entry.

    The model file is executed. The log is in OUTPUT/.run/log.txt.

    Baselines: dummy, ridge-magpie, rf-magpie, gbt-magpie, rf-structure, bagged-gbt, rf-table.

    Examples:
        mbl run rf-magpie --benchmark mini --jobs 2

        mbl run my_model.py --tasks matbench_steels matbench_glass

        mbl run submissions/my-model --quick

        mbl run my_model.py --output entry --unit matbench_glass:3

        mbl run submissions/my-model --backend dask --scheduler tcp://10.0.0.1:8786 --timeout 7200
    """
    plan = train.Plan(
        model=train.load_model(model),
        benchmark=str(Path(benchmark).resolve()) if Path(benchmark).suffix == ".toml" else benchmark,
        output=output or train.default_output(model, quick=quick),
        tasks=(*(tasks or ()), *(more or ())) or None,
        folds=_numbers(folds),
        seed=seed,
        resources=options.resources_of(
            device, backend, workers=jobs, threads=threads, seconds=timeout, memory_mb=memory, scheduler=scheduler
        ),
        quick=quick,
        fresh=fresh,
    )
    if quick:
        say(("quick run: few training rows; the entry is marked and cannot be submitted", "yellow"), to=errors)
    result = train.run_model(plan, unit=unit, report=_report)
    if json:
        print_json(_plain(result))
    else:
        _print(result)
    return int(bool(result.failed))


def gather(
    folder: Annotated[Path, typer.Argument(metavar="FOLDER", help="The folder that folds were trained into.")],
    json: options.JsonOption = False,
) -> int:
    """Make the entry of a folder from the folds that were trained into it, and say which are missing.

    Exit code 1 if folds are missing. The model is not executed.

    Examples:
        mbl gather entry
    """
    entry, missing = train.gather(folder)
    if json:
        print_json({"folder": str(folder), "missing": missing, "scores": _scores(entry)})
    else:
        say(repr(entry), soft_wrap=False)
        say(f"entry: {folder}")
        for name, folds in missing.items():
            which = f"fold {folds[0]} is" if len(folds) == 1 else f"folds {in_words([*map(str, folds)])} are"
            say((f"{name}: ", "red"), f"{which} missing", to=errors)
    return int(bool(missing))


def _numbers(folds: str | None) -> tuple[int, ...] | None:
    if folds is None:
        return None
    try:
        return tuple(int(fold) for fold in folds.replace(",", " ").split())
    except ValueError:
        raise typer.BadParameter(f"{folds!r} is not a list of fold numbers, e.g. 0,1", param_hint="--folds") from None


def _report(step: train.Step, scores: Mapping[str, float]) -> None:
    record, done = step.outcome.record, f"{step.done}/{step.total} "
    left = f", about {duration(step.seconds_left)} left" if step.done < step.total else ""
    if record.error:
        fix = f"\n  fix: {record.fix}" if record.fix else ""
        say(done, (record.error, "red"), f"{left}{fix}", to=errors)
        return
    assert isinstance(step.job.protocol, train.Folds)
    task = step.job.protocol.task
    metric = metrics.ranking_metric(task.scored_as)
    score = f"{metrics.metric_name(metric, task.unit)} {scores[metric]:.4g}"
    say(f"{done}{step.job.place}: {score}, {duration(record.seconds)}{left}", to=errors)


def _print(result: train.RunResult) -> None:
    if result.folder is not None:
        say(repr(result.submission), soft_wrap=False)
        say(f"entry: {result.folder}")
    before = f", {result.kept} were already there" if result.kept else ""
    say(f"{count(result.trained, 'fold')} trained{before}; log: {result.log}")
    if result.failed:
        say((f"{len(result.failed)} failed:", "bold red"), to=errors)
        for message in result.failed:
            say(f"  {message}", to=errors)
        say("run the same command again to retry them", to=errors)
    elif result.folder is not None and "quick" not in result.submission.metadata:
        say(f"next: mbl check {result.folder}")


def _plain(result: train.RunResult) -> dict[str, Any]:
    entry = result.submission
    return {
        "algorithm": entry.algorithm,
        "folder": None if result.folder is None else str(result.folder),
        "category": str(entry.category),
        "quick": "quick" in entry.metadata,
        "trained": result.trained,
        "kept": result.kept,
        "failed": list(result.failed),
        "log": str(result.log),
        "scores": _scores(entry),
    }


def _scores(entry: submission.Submission) -> dict[str, dict[str, float]]:
    scores = entry.scores if entry.tasks else {}
    return {name: {metric: one.mean for metric, one in task.metrics.items()} for name, task in scores.items()}
