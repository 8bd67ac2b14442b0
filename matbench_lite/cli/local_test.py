"""`mbl try`: a local test of a model, in the layout that RAMP's users know."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from matbench_lite.cli import options
from matbench_lite.cli.output import errors, out, print_json, say
from matbench_lite.documents import plain
from matbench_lite.errors import MatbenchLiteError, UnknownNameError
from matbench_lite.tasks import load_benchmark
from matbench_lite.text import MISSING, spread

if TYPE_CHECKING:
    from matbench_lite.metrics import Summary
    from matbench_lite.tasks import Benchmark, Task
    from matbench_lite.train import InnerResult, Trial, TrialSettings

    Score = float | Summary  # of one model, or the mean and standard deviation of several

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

        mbl try submissions/my-forest --rescore --no-bag
    """
    from matbench_lite import train

    bench = load_benchmark(benchmark)
    folder = output or train.default_output(model)
    loaded = None if rescore else train.load_model(model)
    names = [*(tasks or ()), *(more or ())]
    place: dict[str, Any] = {"fold": fold, "official_test": official_test, "bagging": not no_bag}
    training: dict[str, Any] = {"n_folds": inner_folds, "seed": seed, "jobs": jobs, "timeout": timeout, "fresh": fresh}
    training |= {"threads": threads, "devices": options.devices_of(device), "memory_mb": memory}
    results: list[dict[str, Any]] = []
    for task in bench.select(names=names) if names else bench.tasks[:1]:
        shown = _Shown(bench, task, model, folder, quiet=json)
        try:
            if loaded is None:
                trial = train.rescore(task, folder, **place)
                shown.begins(trial.settings, work="Rescoring")
                for result in trial.results:
                    shown.inner(result)
            else:
                about = {**place, **training, "begins": shown.begins, "seen": shown.inner}
                trial = train.try_model(loaded, task, folder, **about)
            shown.ends(trial)
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


class _Shown:
    """A local test that is shown as it goes on, or is silent because JSON was asked for."""

    def __init__(self, bench: Benchmark, task: Task, model: str, output: Path, *, quiet: bool) -> None:
        self.bench, self.task, self.model, self.output, self.quiet = bench, task, model, output, quiet

    def begins(self, settings: TrialSettings, *, work: str = "Training") -> None:
        """Say what is tested, what is read, which folds, and what is done with them."""
        if self.quiet:
            return
        from matbench_lite.data import data_directory
        from matbench_lite.train import inner_folds

        bench, task, official = self.bench, self.task, settings.official_test
        folds = inner_folds(
            task, settings.fold, n_folds=settings.inner_folds, seed=settings.seed, official_test=official
        )
        unit = f" ({task.unit})" if task.unit else ""
        rows, test = len(folds[0].train) + len(folds[0].valid), len(folds[0].test)
        source = "the package" if bench.name == "mini" else task.table.path if task.table else data_directory()
        whose = "test part" if task.has_given_parts else "official test part" if official else "training part"
        noted = " (noted: entries made in this folder will say so)" if official else ""
        _say_title(f"Testing {bench.title}: {task.name}, {task.target}{unit}")
        _say_title(f"Reading train and test files from {source} ...")
        _say_title(f"Reading cv ... {len(folds)} folds of {rows:,} rows of the training part of fold {settings.fold}")
        _say_title(f"Reading test ... {test:,} rows of the {whose} of fold {settings.fold}{noted}")
        _say_title(f"{work} {self.model} ...")

    def inner(self, result: InnerResult, from_before: bool = False) -> None:
        """Show the scores of one inner fold, or its error."""
        if self.quiet:
            return
        _say_title(f"CV fold {result.number}{' (from an earlier run)' if from_before else ''}")
        if result.state == "scored":
            print_scores(self.task, result.scores, _by_part(result.seconds))
        else:
            say((f"{_INDENT}error: {result.error}", "red"))

    def ends(self, trial: Trial) -> None:
        """Show mean and bagged scores; on standard error, which inner folds failed or are missing."""
        from matbench_lite.train import BAGGED_PARTS, trial_journal

        settings, scores = trial.settings, trial.scores
        if scores is not None and not self.quiet:
            which = "" if trial.ok else f" of {len(scores.folds)} of {settings.inner_folds} folds"
            print_title(f"Mean CV scores{which}")
            print_scores(self.task, scores.mean, _by_part(scores.seconds))
            if scores.bagged:
                print_title(f"Bagged scores{which}")
                print_scores(self.task, {part: scores.bagged[part][-1] for part in BAGGED_PARTS})
        if failed := [result for result in trial.results if result.error is not None]:
            numbers = ", ".join(str(result.number) for result in failed)
            how_many = f"{settings.task}: {len(failed)} of {settings.inner_folds} inner folds failed:"
            say((how_many, "red"), f" {numbers}", to=errors)
            kept = trial_journal(self.output, self.task, settings.fold, official_test=settings.official_test)
            say(f"the first traceback (all are in {kept.folder}):", to=errors)
            say(failed[0].traceback or "", to=errors)
        if not trial.ended:
            say(("the test was interrupted; without --rescore it continues", "yellow"), to=errors)


def _by_part(seconds: Mapping[str, Score]) -> dict[str, Score]:
    """Beside the training scores stands what training took, not predicting the same rows again."""
    return {"train": seconds["fit"], "valid": seconds["valid"], "test": seconds["test"]}


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
    task: Task, parts: Mapping[str, Mapping[str, Score]], seconds: Mapping[str, Score] | None = None
) -> None:
    """Print the scores of some parts ("train", "valid", "test") as a table, with the seconds each took."""
    from matbench_lite.metrics import Summary, metric_name, shown_metrics

    columns = {}
    for metric in (*shown_metrics(task.scored_as, "board"), *shown_metrics(task.scored_as, "trial")):
        if any(metric.name in part for part in parts.values()):
            name = metric_name(metric.name, "")
            header = name if len(name) <= _WIDEST_HEADER else metric.name
            columns[header] = [score_text(task, metric.name, part.get(metric.name)) for part in parts.values()]
    if seconds is not None:
        taken = [seconds[part] for part in parts]
        columns["time (s)"] = [spread(each) if isinstance(each, Summary) else f"{each:.3f}" for each in taken]
    _print(list(parts), columns)


def score_text(task: Task, metric: str, value: Score | None) -> str:
    """A score with the same decimals wherever it stands, so that columns line up; those of a summary by its spread."""
    from matbench_lite.metrics import METRICS, Summary

    if isinstance(value, Summary):
        return spread(value)
    if value is None or math.isnan(value):
        return MISSING
    scale = float(task.target_values.std()) if METRICS[metric].in_target_unit else 1.0
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
