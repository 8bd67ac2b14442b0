"""From what a run gave to what is judged: accuracy, components and property; results of a competition, measured."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np

from matbench_lite.errors import ExpressionError, JudgingError, MetricError
from matbench_lite.judge.competition import Competition
from matbench_lite.judge.expression import DECIMALS, Node, Simplified, Simplifier, evaluate, harmless_decimals, parse
from matbench_lite.judge.judge_dataset import Dataset
from matbench_lite.judge.judgement import Judgement, judge
from matbench_lite.judge.properties import Case, measure_property
from matbench_lite.judge.results_file import read_results
from matbench_lite.judge.runs import Run
from matbench_lite.metrics import r2

FORMULA_TOLERANCE = 0.01
"""How far a formula may be from what the model predicts: root mean square, as a share of the targets' std."""


def measure(run: Run, simplifier: Simplifier, dataset: Dataset | None = None) -> Run:
    """Fill in what can be computed: R2 from predictions, components from the formula, the property.

    A formula that is refused, or that does not give the model's own predictions, makes the run void, with the reason.

    Args:
        run: The run.
        simplifier: Simplifies formulas.
        dataset: Its dataset; without one, any name is taken for a feature, and the property must be there already.

    Examples:
        >>> run = measure(Run(algorithm="a", dataset="d", run=0, r2=0.9, expression="x1/x1 + x2"), Simplifier())
        >>> run.components, run.simplified
        (3.0, 'x2 + 1')
    """
    if run.problem:
        return run
    formula: Node | None = None
    simplified: Simplified | None = None
    try:
        if dataset is not None and math.isnan(run.r2) and run.predictions is not None:
            run = replace(run, r2=r2(dataset.testing(run.run).y, run.predictions))
        if run.expression is not None:
            formula = parse(run.expression, None if dataset is None else dataset.features)
            if (problem := _other_formula(run, formula, dataset)) is not None:
                return replace(run, problem=problem)
            simplified, notes = _simplified(run, formula, simplifier, dataset)
            run = replace(
                run,
                components=float(simplified.components),
                simplified=simplified.text or run.expression,
                notes=tuple(dict.fromkeys((*run.notes, *notes))),
            )
    except ExpressionError as error:
        return replace(run, problem=f"its formula is refused: {error.message}")
    except MetricError as error:
        return replace(run, problem=f"its predictions cannot be scored: {error.message}")
    if dataset is None:
        return run
    case = Case(
        algorithm=run.algorithm,
        dataset=dataset,
        run=run.run,
        predictions=None if run.predictions is None else np.array(run.predictions),
        beyond=None if run.beyond is None else np.array(run.beyond),
        formula=formula,
        simplified=simplified,
        simplifier=simplifier,
    )
    return replace(run, property_value=measure_property(case, dataset.property_spec), asked=dataset.property_spec.text)


def _other_formula(run: Run, formula: Node, dataset: Dataset | None) -> str | None:
    """What is wrong where a formula does not give the predictions that accuracy is judged by."""
    if dataset is None or run.predictions is None:
        return None
    with np.errstate(all="ignore"):
        gaps = evaluate(formula, dataset.testing(run.run).X) - np.asarray(run.predictions)
        gap = float(np.sqrt(np.mean(gaps**2)))
    limit = _limit(run, dataset)
    if gap <= limit:
        return None
    return f"its formula is not its predictions: they differ by {gap:.3g} (root mean square), {limit:.3g} is allowed"


def _simplified(
    run: Run, formula: Node, simplifier: Simplifier, dataset: Dataset | None
) -> tuple[Simplified, tuple[str, ...]]:
    """The formula as it is counted, its constants rounded as far as that does not change what it says."""
    if dataset is None:
        found = simplifier.simplify(formula)
        small = (f"constants below {0.5 * 10**-DECIMALS:g} were rounded to 0",) if found.vanished else ()
        return found, (*found.notes, *small)
    decimals = harmless_decimals(formula, dataset.testing(run.run).X, tolerance=_limit(run, dataset))
    found = simplifier.simplify(formula, dataset.positive, decimals=decimals)
    if decimals == DECIMALS:
        return found, found.notes
    kept = "not rounded" if decimals is None else f"rounded to {decimals} decimals"
    return found, (*found.notes, f"constants {kept}: {DECIMALS} decimals would change what the formula predicts")


def _limit(run: Run, dataset: Dataset) -> float:
    return FORMULA_TOLERANCE * float(np.std(np.asarray(dataset.testing(run.run).y, dtype=np.float64)))


def collect(paths: Sequence[Path], competition: Competition | None = None) -> list[Run]:
    """Read results, and fill in what can be computed: R2 from predictions, components from formulas, the property.

    Args:
        paths: Result files, or folders of `mbl judge run`.
        competition: What is judged; without it, a table must have a property for every run.

    Raises:
        JudgingError: If a file cannot be read, or runs were measured with another property than the competition asks.
    """
    runs = read_results(paths)
    competition = competition or Competition()
    names = competition.dataset_names
    runs = [run for run in runs if not names or run.dataset in names]
    for run in runs:
        wanted = competition.properties.get(run.dataset)
        if wanted is not None and run.asked is not None and run.asked != wanted.text:
            raise JudgingError(
                f"{run.dataset} was measured with the property {run.asked!r}, the competition asks for {wanted.text!r}",
                fix="run `mbl judge run` again with the competition file: it measures anew without training",
            )
    if not any(map(_unfinished, runs)):
        return runs
    datasets = {dataset.name: dataset for dataset in competition.datasets()} if names else {}
    simplifier = Simplifier()
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
