"""Properties of the formula itself, after simplification: x/x uses no x."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from matbench_lite.errors import JudgingError
from matbench_lite.judge.expression import evaluate, parse
from matbench_lite.judge.properties.case import Case
from matbench_lite.judge.properties.distance import tree_distance, tree_size
from matbench_lite.judge.properties.spec import PropertySpec
from matbench_lite.run.seeds import derived_seed

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from matbench_lite.judge.expression import Node

_GRID = 500  # points
_ROUGHLY = 0.05  # scatter above which two formulas cannot be equivalent, constants rounded or not


def absence(case: Case, spec: PropertySpec) -> float:
    """The share of irrelevant features that the formula does without; 0 for a model without a formula.

    Raises:
        JudgingError: If nobody says which features are irrelevant.
    """
    unwanted = spec.features or (case.dataset.truth.irrelevant if case.dataset.truth else ())
    if not unwanted:
        raise JudgingError(
            f"{case.dataset.name}: no irrelevant features are named", fix='give features = ["…"] with the property'
        )
    if case.simplified is None:
        return 0.0
    return 1.0 - len(set(unwanted) & set(case.simplified.features)) / len(unwanted)


def equivalence(case: Case, spec: PropertySpec) -> float:
    """1 if the formula differs from the known one by a constant or a constant factor, else 0.

    Values on a grid decide first: most formulas differ too much for a proof to be worth a try.
    """
    truth = known_formula(case, spec)
    if case.formula is None:
        return 0.0
    grid = grid_of(case)
    with np.errstate(all="ignore"):
        mine, known = evaluate(case.formula, grid), evaluate(truth, grid)
        difference, ratio = mine - known, mine / known
    alike = _scatter(difference, float(np.std(known))) or _scatter(ratio, abs(float(np.mean(ratio))))
    if not alike:
        return 0.0
    return float(case.simplifier.equivalent(case.formula, truth, case.dataset.positive) or False)


def proximity(case: Case, spec: PropertySpec) -> float:
    """How close the formula is to the known one, from 0 to 1.

    The mean of two numbers: one minus the edit distance of the simplified trees by the size of the known one, and one
    minus the error on a grid by the standard deviation of the known formula there; neither below 0.
    """
    truth = known_formula(case, spec)
    if case.formula is None or case.simplified is None:
        return 0.0
    known = case.simplifier.simplify(truth, case.dataset.positive).tree
    size = tree_size(known)
    # Beyond twice the size the distance is at least the size: no need to compute it.
    near = tree_size(case.simplified.tree) < 2 * size
    shape = max(0.0, 1.0 - tree_distance(case.simplified.tree, known) / size) if near else 0.0
    return round((shape + _values_alike(case, truth)) / 2, 6)


def known_formula(case: Case, spec: PropertySpec) -> Node:
    """The formula that the property compares with.

    Raises:
        JudgingError: If nobody says which it is.
    """
    text = spec.formula or (case.dataset.truth.formula if case.dataset.truth else "")
    if not text:
        raise JudgingError(f"{case.dataset.name}: no formula is known", fix='give formula = "…" with the property')
    return parse(text, case.dataset.features)


def grid_of(case: Case) -> dict[str, NDArray[np.float64]]:
    """Points spread over the ranges of all features, the same for every algorithm."""
    X, truth = case.dataset.train.X, case.dataset.truth
    rng = np.random.default_rng(derived_seed(0, case.dataset.name, "grid"))
    ranges = {name: (float(X[name].min()), float(X[name].max())) for name in case.dataset.features}
    if truth is not None:
        ranges.update(truth.ranges)
    return {name: rng.uniform(*ranges[name], _GRID) for name in case.dataset.features}


def _values_alike(case: Case, truth: Node) -> float:
    assert case.formula is not None
    grid = grid_of(case)
    known, mine = evaluate(truth, grid), evaluate(case.formula, grid)
    spread = float(np.std(known))
    with np.errstate(all="ignore"):
        error = float(np.sqrt(np.mean((mine - known) ** 2)))
    # A formula that has no value somewhere on the grid is not close to one that has.
    return max(0.0, 1.0 - error / spread) if np.isfinite(error) and spread > 0 else 0.0


def _scatter(values: NDArray[np.float64], scale: float) -> bool:
    """Whether values are constant, but for what rounded constants make of them."""
    return bool(np.isfinite(values).all() and np.isfinite(scale) and np.std(values) <= _ROUGHLY * scale)
