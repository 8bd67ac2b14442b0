"""`mbl try`: a local test of a model, in the layout of RAMP's."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.markup import escape

from matbench_lite.cli.output import errors, print_json
from matbench_lite.cli.tasks import BenchmarkOption, JsonOption
from matbench_lite.errors import MatbenchLiteError, UnknownNameError
from matbench_lite.progress import progress
from matbench_lite.tasks import load_benchmark

if TYPE_CHECKING:
    from matbench_lite.run import InnerResult, Model, Trial, TrialSettings
    from matbench_lite.tasks import Benchmark, Task

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
    model: Annotated[str, typer.Argument(help="A .py file, a folder with model.py, or the name of a baseline.")],
    more: Annotated[list[str] | None, typer.Argument(metavar="TASK", help="Tasks; the same as --tasks.")] = None,
    benchmark: BenchmarkOption = "matbench_v0.1",
    tasks: Annotated[
        list[str] | None,
        typer.Option("--tasks", "-t", help="Tasks to try it on. [default: the first of the benchmark]"),
    ] = None,
    fold: FoldOption = 0,
    inner_folds: Annotated[int, typer.Option("--inner-folds", min=2, max=100, help="Number of inner folds.")] = 8,
    seed: Annotated[int, typer.Option("--seed", min=0, help="Seed of the inner folds and of the models.")] = 0,
    jobs: Annotated[int, typer.Option("--jobs", "-j", min=1, help="Inner folds to train at a time.")] = 1,
    timeout: Annotated[
        float | None, typer.Option("--timeout", min=0.1, help="Give an inner fold up after this many seconds.")
    ] = None,
    official_test: OfficialTestOption = False,
    no_bag: Annotated[bool, typer.Option("--no-bag", help="Leave out the bagged scores.")] = False,
    rescore: Annotated[
        bool, typer.Option("--rescore", help="Score the saved predictions again, without training.")
    ] = False,
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", help="Folder of the entry. [default: the model's own, or submissions/NAME]"),
    ] = None,
    fresh: Annotated[bool, typer.Option("--fresh", help="Forget a test that was interrupted.")] = False,
    json: JsonOption = False,
) -> int:
    """Test a model by cross-validation inside the training part of one fold.

    A fifth of the training part is set aside as `test`; the rest is held out in
    turns as `valid`. The official test part is not touched.

    "Bagged" is a historical name of RAMP's: the predictions of the inner models
    are averaged, on `valid` each row over the models that held it out. Elsewhere,
    bagging means models that are trained on random draws of the rows.

    Everything is kept in OUTPUT/.run/try. The same command goes on with a test
    that was interrupted. The model file is executed.

    Examples:
        mbl try rf-magpie

        mbl try submissions/my-forest --benchmark mini --tasks mini_gap

        mbl try submissions/my-forest --jobs 4 --timeout 600

        mbl try submissions/my-forest --rescore --no-bag
    """
    from matbench_lite.run import load_model
    from matbench_lite.run.trial_folder import default_output, plain_trial

    bench = load_benchmark(benchmark)
    folder = output or default_output(model)
    loaded = None if rescore else load_model(model)
    names = [*(tasks or ()), *(more or ())]
    place = {"fold": fold, "official_test": official_test, "bagging": not no_bag}
    training = {"n_folds": inner_folds, "seed": seed, "jobs": jobs, "timeout": timeout, "fresh": fresh}
    results: list[dict[str, Any]] = []
    for task in bench.select(names=names) if names else bench.tasks[:1]:
        shown = _Shown(bench, task, model, folder, quiet=json)
        try:
            trial = shown.rescored(**place) if loaded is None else shown.tried(loaded, **place, **training)
        except UnknownNameError:
            raise
        except MatbenchLiteError as error:
            results.append({"ok": False, "task": task.name, "error": str(error)})
            errors.print(f"[red]{task.name} was not tried:[/] {escape(str(error))}", highlight=False)
            continue
        results.append({"ok": trial.ok, **plain_trial(trial)})
    if json:
        print_json(results)
    return int(not all(result["ok"] for result in results))


class _Shown:
    """A local test that is shown as it goes on, or is silent because JSON was asked for."""

    def __init__(self, bench: Benchmark, task: Task, model: str, output: Path, *, quiet: bool) -> None:
        self.bench, self.task, self.model, self.output, self.quiet = bench, task, model, output, quiet

    def tried(self, model: Model, *, n_folds: Any, **options: Any) -> Trial:
        """Train and score every inner fold."""
        from matbench_lite.run import try_model

        with progress(self.task.name, n_folds) as advance:

            def seen(result: InnerResult, from_before: bool) -> None:
                advance(1)
                self._inner(result, from_before=from_before)

            trial = try_model(model, self.task, self.output, n_folds=n_folds, begins=self._begins, seen=seen, **options)
        self._ends(trial)
        return trial

    def rescored(self, **options: Any) -> Trial:
        """Score what is saved."""
        from matbench_lite.run import rescore

        trial = rescore(self.task, self.output, **options)
        self._begins(trial.settings, work="Rescoring")
        for result in trial.results:
            self._inner(result)
        self._ends(trial)
        return trial

    def _begins(self, settings: TrialSettings, *, work: str = "Training") -> None:
        if not self.quiet:
            from matbench_lite.cli.trial_text import print_header

            print_header(self.bench, self.task, settings, f"{work} {self.model}")

    def _inner(self, result: InnerResult, *, from_before: bool = False) -> None:
        if not self.quiet:
            from matbench_lite.cli.trial_text import print_inner

            print_inner(self.task, result, from_before=from_before)

    def _ends(self, trial: Trial) -> None:
        from matbench_lite.cli.trial_text import print_failures, print_summary

        if not self.quiet:
            print_summary(self.task, trial)
        print_failures(trial, self.output)
