"""Results of a competition, from wherever they are, measured where that is still to be done."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from matbench_lite.errors import JudgingError
from matbench_lite.judge.competition import Competition
from matbench_lite.judge.datasets import Dataset
from matbench_lite.judge.expression import Simplifier
from matbench_lite.judge.expression.simplifying import SECONDS
from matbench_lite.judge.judgement import Judgement, judge
from matbench_lite.judge.measuring import measure
from matbench_lite.judge.results_file import read_results
from matbench_lite.judge.runs import Run


def collect(
    paths: Sequence[Path], competition: Competition | None = None, *, simplify_seconds: float = SECONDS
) -> list[Run]:
    """Read results, and fill in what can be computed: R2 from predictions, components from formulas, the property.

    Args:
        paths: Result files, or folders of `mbl judge run`.
        competition: What is judged; without it, a table must have a property for every run.
        simplify_seconds: How much of the processor's time the simplification of a formula may take, s.

    Raises:
        JudgingError: If a file cannot be read, or runs were measured with another property than the competition asks.
    """
    runs = read_results(paths)
    names = competition.dataset_names if competition else ()
    runs = [run for run in runs if not names or run.dataset in names]
    if competition:
        _check_properties(runs, competition)
    if not any(map(_unfinished, runs)):
        return runs
    datasets = {dataset.name: dataset for dataset in competition.datasets()} if competition and names else {}
    with Simplifier(simplify_seconds) as simplifier:
        return [_finished(run, simplifier, datasets.get(run.dataset)) if _unfinished(run) else run for run in runs]


def judge_results(paths: Sequence[Path], competition: Competition, *, draws: int) -> Judgement:
    """Judge the results in some files by the rules of a competition.

    Args:
        paths: Result files, or folders of `mbl judge run`.
        competition: Rules, datasets, and who should take part.
        draws: How many times datasets and runs are drawn again.
    """
    names = competition.dataset_names
    return judge(
        collect(paths, competition),
        competition.rules,
        algorithms=competition.algorithms,
        datasets=names,
        # A file that only chooses rules does not say how many runs there should be.
        n_runs=competition.runs if names else 0,
        draws=draws,
    )


def _unfinished(run: Run) -> bool:
    if run.problem:
        return False
    lacks_r2 = math.isnan(run.r2) and run.predictions is not None
    lacks_size = math.isnan(run.components) and run.expression is not None
    return lacks_r2 or lacks_size or math.isnan(run.property_value)


def _finished(run: Run, simplifier: Simplifier, dataset: Dataset | None) -> Run:
    measured = measure(run, simplifier, dataset)
    # A property that came with the table is the organiser's word.
    given = not math.isnan(run.property_value)
    return replace(measured, property_value=run.property_value, asked=run.asked) if given else measured


def _check_properties(runs: Sequence[Run], competition: Competition) -> None:
    for run in runs:
        wanted = competition.properties.get(run.dataset)
        if wanted is not None and run.asked is not None and run.asked != wanted.text:
            raise JudgingError(
                f"{run.dataset} was measured with the property {run.asked!r}, the competition asks for {wanted.text!r}",
                fix="run `mbl judge run` again with the competition file: it measures anew without training",
            )
