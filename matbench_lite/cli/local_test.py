"""`mbl try` and `mbl blend`: local tests of models, in the layout that RAMP's users know."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from functools import partial
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.padding import Padding
from rich.text import Text

from matbench_lite import data, metrics, train
from matbench_lite.cleaner import for_terminal
from matbench_lite.cli import options
from matbench_lite.cli.output import errors, out, plain_table, print_json, say
from matbench_lite.documents import plain
from matbench_lite.errors import MatbenchLiteError, RunError, UnknownNameError
from matbench_lite.tasks import Benchmark, Task, load_benchmark
from matbench_lite.text import MISSING, spread

FoldOption = Annotated[
    int, typer.Option("--fold", min=0, help="The fold inside whose training part everything happens.")
]
OfficialTestOption = Annotated[
    bool,
    typer.Option(
        "--official-test",
        help="Show the scores on the official test part. It is noted, and entries made in this folder will say so.",
    ),
]


def try_model(
    model: options.ModelArgument,
    more: options.TasksArgument = None,
    benchmark: options.BenchmarkOption = "matbench_v0.1",
    tasks: Annotated[
        list[str] | None,
        typer.Option("--tasks", "-t", help="Tasks to try it on; by default the first of the benchmark."),
    ] = None,
    fold: FoldOption = 0,
    inner_folds: Annotated[
        int | None,
        typer.Option("--inner-folds", min=2, help="Number of inner folds; by default 8, or as many as the data gives."),
    ] = None,
    seed: Annotated[int, typer.Option("--seed", min=0, help="Seed of the inner folds and of the models.")] = 0,
    jobs: options.TrainedAtATime = 1,
    threads: options.ThreadsOption = 1,
    device: options.DeviceOption = None,
    backend: options.BackendOption = "local",
    scheduler: options.SchedulerOption = None,
    timeout: Annotated[
        float | None, typer.Option(min=0.1, help="Give up on an inner fold after this many seconds.")
    ] = None,
    memory: options.MemoryOption = None,
    official_test: OfficialTestOption = False,
    no_bag: Annotated[bool, typer.Option("--no-bag", help="Leave out the bagged scores.")] = False,
    rescore: Annotated[
        bool, typer.Option("--rescore", help="Score the saved predictions again, without training.")
    ] = False,
    output: options.EntryOption = None,
    fresh: Annotated[bool, typer.Option("--fresh", help="Discard a test that was interrupted.")] = False,
    json: options.JsonOption = False,
) -> int:
    """Test a model by cross-validation inside the training part of one fold.

    A fifth of the training part is set aside as `test`; the rest is held out in
    turns as `valid`. The official test part is not touched.

    "Bagged" is a historical name of RAMP's: the predictions of the inner models
    are averaged, on `valid` each row over the models that held it out. Elsewhere,
    bagging means models that are trained on random draws of the rows.

    Everything is kept in OUTPUT/.run/try. The same command continues a test
    that was interrupted. The model file is executed.

    Examples:
        mbl try rf-magpie

        mbl try submissions/my-forest --benchmark mini --tasks mini_gap

        mbl try submissions/my-forest --jobs 4 --timeout 600

        mbl try submissions/my-forest --backend dask --scheduler tcp://10.0.0.1:8786

        mbl try submissions/my-forest --rescore --no-bag
    """
    bench = load_benchmark(benchmark)
    folder = output or train.default_output(model)
    loaded = None if rescore else train.load_model(model)
    names = [*(tasks or ()), *(more or ())]
    place: dict[str, Any] = {"fold": fold, "official_test": official_test, "bagging": not no_bag}
    resources = options.resources_of(
        device, backend, workers=jobs, threads=threads, seconds=timeout, memory_mb=memory, scheduler=scheduler
    )
    training: dict[str, Any] = {"n_folds": inner_folds, "seed": seed, "resources": resources, "fresh": fresh}
    results: list[dict[str, Any]] = []
    for task in bench.select(names=names) if names else bench.tasks[:1]:
        begins, inner = partial(_print_test, bench, task, model), partial(_print_inner, task)
        try:
            if loaded is not None:
                shown: dict[str, Any] = {} if json else {"begins": begins, "seen": inner}
                trial = train.try_model(loaded, task, folder, **place, **training, **shown)
            else:
                trial = train.rescore(task, folder, **place)
                if not json:
                    begins(trial.settings, work="Rescoring")
                    for result in trial.results:
                        inner(result)
            if not json:
                _print_means(task, trial)
            _report_failed(task, folder, trial)
        except UnknownNameError:
            raise
        except MatbenchLiteError as error:
            results.append({"ok": False, "task": task.name, "error": str(error)})
            say((f"{task.name} was not tried:", "red"), f" {error}", to=errors)
            continue
        results.append({"ok": trial.ok, **plain(asdict(trial))})
    if json:
        print_json(results)
    return int(not all(result["ok"] for result in results))


def _print_test(
    bench: Benchmark, task: Task, model: str, settings: train.TrialSettings, *, work: str = "Training"
) -> None:
    """Say what is tested, what is read, which folds, and what is done with them."""
    official = settings.official_test
    folds = train.inner_folds(
        task, settings.fold, n_folds=settings.inner_folds, seed=settings.seed, official_test=official
    )
    unit = f" ({task.unit})" if task.unit else ""
    rows, test = len(folds[0].train) + len(folds[0].valid), len(folds[0].test)
    source = "the package" if bench.name == "mini" else task.table.path if task.table else data.data_directory()
    whose = "test part" if task.has_given_parts else "official test part" if official else "training part"
    noted = " (noted: entries made in this folder will say so)" if official else ""
    name = task.name if bench.title == task.name else f"{bench.title}: {task.name}"
    _say_title(f"Testing {name}, {task.target}{unit}")
    _say_title(f"Reading train and test files from {source} ...")
    _say_title(f"Reading cv ... {len(folds)} folds of {rows:,} rows of the training part of fold {settings.fold}")
    _say_title(f"Reading test ... {test:,} rows of the {whose} of fold {settings.fold}{noted}")
    _say_title(f"{work} {model} ...")


def _print_inner(task: Task, result: train.InnerResult, from_before: bool = False) -> None:
    """Show the scores of one inner fold, or its error."""
    _say_title(f"CV fold {result.number}{' (from an earlier run)' if from_before else ''}")
    if result.state == "scored":
        print_scores(task, result.scores, result.seconds)
    else:
        say((f"{_INDENT}error: {result.error}", "red"))


def _print_means(task: Task, trial: train.Trial) -> None:
    if (scores := trial.scores) is None:
        return
    which = "" if trial.ok else f" of {len(scores.folds)} of {trial.settings.inner_folds} folds"
    print_title(f"Mean CV scores{which}")
    print_scores(task, scores.mean, scores.seconds)
    if scores.bagged:
        print_title(f"Bagged scores{which}")
        print_scores(task, {part: scores.bagged[part][-1] for part in train.BAGGED_PARTS})


def _report_failed(task: Task, output: Path, trial: train.Trial) -> None:
    """Say which inner folds failed or are missing, whatever is printed beside."""
    settings = trial.settings
    if failed := [result for result in trial.results if result.error is not None]:
        numbers = ", ".join(str(result.number) for result in failed)
        how_many = f"{settings.task}: {len(failed)} of {settings.inner_folds} inner folds failed:"
        say((how_many, "red"), f" {numbers}", to=errors)
        kept = train.trial_journal(output, task, settings.fold, official_test=settings.official_test)
        say(f"the first traceback (all are in {kept.folder}):", to=errors)
        say(failed[0].traceback or "", to=errors)
    if not trial.ended:
        say(("the test was interrupted; without --rescore it continues", "yellow"), to=errors)


_INDENT = " " * 8
_GAP = 2
_DIGITS = 4
_WIDEST_HEADER = 18
_RULE = "-" * 28
_STYLES = {"train": "green", "valid": "cyan", "test": "magenta"}


def print_title(title: str) -> None:
    """A heading between two rules."""
    for line in (_RULE, title, _RULE):
        _say_title(line)


def _say_title(line: str) -> None:
    say((line, "bold yellow"))


def print_scores(
    task: Task,
    parts: Mapping[str, Mapping[str, float | metrics.Summary]],
    seconds: Mapping[str, float | metrics.Summary] | None = None,
) -> None:
    """Print the scores of some parts ("train", "valid", "test") as a table, with the seconds that each step took.

    A number is of one model, a summary of several.
    """
    columns = {}
    every = (*metrics.shown_metrics(task.scored_as, "board"), *metrics.shown_metrics(task.scored_as, "trial"))
    for metric in every:
        if any(metric.name in part for part in parts.values()):
            name = metrics.metric_name(metric.name, "")
            header = name if len(name) <= _WIDEST_HEADER else metric.name
            columns[header] = [score_text(task, metric.name, part.get(metric.name)) for part in parts.values()]
    if seconds is not None:
        # Beside the training scores stands what training took, not predicting the same rows again.
        taken = [seconds["fit" if part == "train" else part] for part in parts]
        columns["time (s)"] = [spread(each) if isinstance(each, metrics.Summary) else f"{each:.3f}" for each in taken]
    _print(list(parts), columns)


def score_text(task: Task, metric: str, value: float | metrics.Summary | None) -> str:
    """A score with the same decimals wherever it stands, so that columns line up; those of a summary by its spread."""
    if isinstance(value, metrics.Summary):
        return spread(value)
    if value is None or math.isnan(value):
        return MISSING
    scale = float(task.target_values.std()) if metrics.METRICS[metric].in_target_unit else 1.0
    decimals = _DIGITS - 1 - (math.floor(math.log10(scale)) if 0 < scale < math.inf else 0)
    fits = 0 <= decimals <= 7 and abs(value) < 1e6
    return f"{value:.{decimals}f}" if fits else f"{value:.{_DIGITS}g}"


def _print(parts: Sequence[str], columns: Mapping[str, Sequence[str]]) -> None:
    """Print the columns side by side; where they do not fit, in blocks, one below the other."""
    label = max(map(len, ("score", *parts)))
    room = out.width - len(_INDENT) - label
    widths = {header: max(map(len, (header, *cells))) + _GAP for header, cells in columns.items()}
    blocks: list[list[str]] = [[]]
    for header, width in widths.items():
        if blocks[-1] and sum(widths[shown] for shown in blocks[-1]) + width > room:
            blocks.append([])
        blocks[-1].append(header)
    for block in blocks:
        for row, name in enumerate(("score", *parts)):
            cells = [(header, *columns[header])[row].rjust(widths[header]) for header in block]
            style = _STYLES.get(name, "") if row else "bold"
            first = f"bold {style}" if block is blocks[0] else style
            say((_INDENT + name.ljust(label) + cells[0], first), ("".join(cells[1:]), style))


def blend(
    models: Annotated[list[str], typer.Argument(help="Models that were tried: as for `mbl try`, or their folders.")],
    benchmark: options.BenchmarkOption = "matbench_v0.1",
    tasks: Annotated[
        list[str] | None,
        typer.Option("--tasks", "-t", help="Tasks to blend on; by default those that all were tried on."),
    ] = None,
    fold: FoldOption = 0,
    official_test: Annotated[
        bool, typer.Option("--official-test", help="Blend the tests that were made with --official-test.")
    ] = False,
    json: options.JsonOption = False,
) -> int:
    """Blend models from their saved predictions of `mbl try`, without training.

    It begins with the model whose bagged valid score is best. Then the model that
    improves the average most is added, perhaps one that is there already, as long
    as the valid score gets strictly better. Scores on `test` decide nothing.

    Examples:
        mbl try rf-magpie

        mbl try gbt-magpie

        mbl blend rf-magpie gbt-magpie
    """
    bench = load_benchmark(benchmark)
    # `--tasks A B` leaves B among the models.
    more = [name for name in models if name in bench and not Path(name).exists()]
    outputs = {name: train.default_output(name) for name in dict.fromkeys(models) if name not in more}
    results: list[dict[str, Any]] = []
    for task in _selected(bench, [*(tasks or ()), *more], outputs, fold, official_test=official_test):
        try:
            runs = {
                name: train.load_bagged(output, task, fold, official_test=official_test)
                for name, output in outputs.items()
            }
            blended = train.blend_runs(task, runs)
        except MatbenchLiteError as error:
            results.append({"ok": False, "task": task.name, "error": str(error)})
            say((f"{task.name} was not blended:", "red"), f" {error}", to=errors)
            continue
        results.append({"ok": True, **asdict(blended), "contributions": blended.contributions})
        if not json:
            _print_blend(bench, task, blended)
    if json:
        print_json(results)
    return int(not all(result["ok"] for result in results))


def _selected(
    bench: Benchmark, names: list[str], outputs: dict[str, Path], fold: int, *, official_test: bool
) -> tuple[Task, ...]:
    if names:
        return bench.select(names=names)
    tried = {
        name: train.tried_tasks(output, bench, fold, official_test=official_test) for name, output in outputs.items()
    }
    everywhere = [task for task in bench.names if all(task in each for each in tried.values())]
    if not everywhere:
        what = "; ".join(f"{name}: {', '.join(each) or 'nothing'}" for name, each in tried.items())
        raise RunError(
            f"no task of {bench.name} was tried with all of these models in fold {fold} ({what})",
            fix=f"run `mbl try MODEL --benchmark {bench.name} --tasks TASK` with each of them",
        )
    return bench.select(names=everywhere)


def _print_blend(bench: Benchmark, task: Task, blended: train.Blend) -> None:
    metric = metrics.metric_name(blended.metric, task.unit)
    say((f"Blending {bench.title}: {task.name}, by bagged valid {metric}", "bold yellow"))
    for step, pick in enumerate(blended.picks):
        say(f"        {step + 1:>2}  {score_text(task, blended.metric, pick.valid)}  + {pick.name}")
    print_title("Contributions")
    columns = ("contribution", "valid", "test")
    table = plain_table("model", *columns, right=columns)
    for name, share in blended.contributions.items():
        alone = [score_text(task, blended.metric, blended.singles[name][part][blended.metric]) for part in columns[1:]]
        table.add_row(Text(for_terminal(name)), f"{share:.3f}", *alone)
    out.print(Padding(table, (0, 0, 0, 8), expand=False))
    print_title("Blended bagged scores")
    print_scores(task, blended.scores)
