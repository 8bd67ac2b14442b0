"""From what a run gave to what is judged: accuracy, components and property."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from matbench_lite.errors import ExpressionError, MetricError
from matbench_lite.judge.datasets import Dataset
from matbench_lite.judge.expression import (
    DECIMALS,
    Node,
    Simplified,
    Simplifier,
    evaluate,
    harmless_decimals,
    parse,
)
from matbench_lite.judge.properties import Case, measure_property
from matbench_lite.judge.runs import Run
from matbench_lite.metrics import r2

if TYPE_CHECKING:
    from numpy.typing import NDArray

FORMULA_TOLERANCE = 0.01
"""How far a formula may be from what the model predicts: root mean square, as a share of the targets' std."""


def measure(
    run: Run,
    simplifier: Simplifier,
    dataset: Dataset | None = None,
) -> Run:
    """Fill in what can be computed: R2 from predictions, components from the formula, the property.

    A formula that is refused, or that does not give the model's own predictions, makes the run void, with the reason.

    Args:
        run: The run.
        simplifier: Simplifies formulas.
        dataset: Its dataset; without one, any name is taken for a feature, and the property must be there already.

    Examples:
        >>> with Simplifier() as simplifier:
        ...     run = measure(Run(algorithm="a", dataset="d", run=0, r2=0.9, expression="x1/x1 + x2"), simplifier)
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
        predictions=_array(run.predictions),
        beyond=_array(run.beyond),
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


def _array(values: tuple[float, ...] | None) -> NDArray[np.float64] | None:
    return None if values is None else np.asarray(values, dtype=np.float64)
