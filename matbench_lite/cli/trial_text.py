"""A local test on the terminal: what is tested, every inner fold as it comes, mean and bagged scores."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from rich.text import Text

from matbench_lite.cli.output import errors, out
from matbench_lite.cli.score_lines import print_mean_scores, print_scores, print_title
from matbench_lite.run.trial import trial_folder
from matbench_lite.run.trial_scores import BAGGED_PARTS

if TYPE_CHECKING:
    from collections.abc import Mapping

    from matbench_lite.run import InnerResult, Trial, TrialSettings
    from matbench_lite.tasks import Benchmark, Task

T = TypeVar("T")


def print_header(bench: Benchmark, task: Task, settings: TrialSettings, work: str) -> None:
    """What is tested, what is read, which folds, and what is done with them, e.g. "Training my-forest"."""
    from matbench_lite.data import data_directory
    from matbench_lite.run.inner import inner_folds

    folds = inner_folds(
        task, settings.fold, n_folds=settings.inner_folds, seed=settings.seed, official_test=settings.official_test
    )
    unit = f" ({task.unit})" if task.unit else ""
    rows, test = len(folds[0].train) + len(folds[0].valid), len(folds[0].test)
    source = "the package" if bench.name == "mini" else task.table.path if task.table else data_directory()
    whose = "test part" if task.has_given_parts else "official test part" if settings.official_test else "training part"
    noted = " (noted: entries made in this folder will say so)" if settings.official_test else ""
    for line in (
        f"Testing {bench.title}: {task.name}, {task.target}{unit}",
        f"Reading train and test files from {source} ...",
        f"Reading cv ... {len(folds)} folds of {rows:,} rows of the training part of fold {settings.fold}",
        f"Reading test ... {test:,} rows of the {whose} of fold {settings.fold}{noted}",
        f"{work} ...",
    ):
        out.print(Text(line, style="bold yellow"), soft_wrap=True)


def print_inner(task: Task, result: InnerResult, *, from_before: bool = False) -> None:
    """The scores of one inner fold, or its error."""
    note = " (there from before)" if from_before else ""
    out.print(Text(f"CV fold {result.number}{note}", style="bold yellow"))
    if result.state == "scored":
        print_scores(task, result.scores, _shown(result.seconds))
    elif result.error is not None:
        out.print(Text(f"        error: {result.error}", style="red"), soft_wrap=True)
    else:
        out.print(
            Text(f"        {result.state or 'begun'}, then interrupted: train again", style="red"), soft_wrap=True
        )


def print_summary(task: Task, trial: Trial) -> None:
    """Mean and bagged scores."""
    scores = trial.scores
    if scores is not None:
        title = "" if trial.ok else f" of {len(scores.folds)} of {trial.settings.inner_folds} folds"
        print_title(f"Mean CV scores{title}")
        print_mean_scores(scores.mean, _shown(scores.seconds))
        if scores.bagged:
            print_title(f"Bagged scores{title}")
            print_scores(task, {part: scores.bagged[part][-1] for part in BAGGED_PARTS})


def print_failures(trial: Trial, output: Path) -> None:
    """On standard error, which inner folds failed, with the first traceback, and whether some are missing."""
    failed = [result for result in trial.results if result.error is not None]
    if failed:
        numbers = ", ".join(str(result.number) for result in failed)
        counted = f"{len(failed)} of {trial.settings.inner_folds} inner folds failed"
        errors.print(f"[red]{trial.settings.task}: {counted}:[/] {numbers}", highlight=False)
        path = trial_folder(output, trial.settings).path
        errors.print(f"the first traceback (all are in {path}):", markup=False, highlight=False)
        errors.print(failed[0].traceback or "", markup=False, highlight=False)
    if not trial.ended:
        errors.print("[yellow]the test was interrupted; without --rescore it goes on[/]")


def _shown(seconds: Mapping[str, T]) -> dict[str, T]:
    """Beside the training scores stands what training took, not predicting the same rows again."""
    return {"train": seconds["fit"], "valid": seconds["valid"], "test": seconds["test"]}
