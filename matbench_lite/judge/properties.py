"""Properties: what a dataset asks of a model besides accuracy and simplicity. Larger is always better."""

from __future__ import annotations

import math
import runpy
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, cast, get_args

import numpy as np
from numpy.typing import NDArray

from matbench_lite.documents import read_json
from matbench_lite.errors import JudgingError, raising
from matbench_lite.judge.expression import Node, Simplified, Simplifier, evaluate, parse
from matbench_lite.judge.expression.formula_tree import tree_distance, tree_size
from matbench_lite.metrics import r2
from matbench_lite.train import derived_seed

if TYPE_CHECKING:
    from matbench_lite.judge.judge_dataset import Dataset


Kind = Literal["none", "absence", "equivalence", "proximity", "bounds", "extrapolation", "evaluation", "function"]
KINDS: tuple[Kind, ...] = get_args(Kind)

ABOUT: dict[str, str] = {
    "none": "no property: all are equal",
    "absence": "share of the irrelevant features that the simplified formula does without",
    "equivalence": "1 if the formula differs from the known one by a constant or a constant factor, else 0",
    "proximity": "mean of the likeness of the formula's tree to the known one and of its values on a grid",
    "bounds": "share of the predictions inside the physical bounds",
    "extrapolation": "R2 on rows outside the range of the training rows",
    "evaluation": "score of the algorithm in an evaluation, e.g. with whole groups left out",
    "function": "what the organiser's own function says",
}
"""What each kind of property is, in one line; larger is always better."""


@dataclass(frozen=True, kw_only=True)
class PropertySpec:
    """The property of a dataset, as the rule file or the truth of a synthetic set states it.

    `absence` is of `features`, `equivalence` and `proximity` are to a `formula`: by default those of the truth.
    `bounds` are `low` and `high`, in the target's unit. `path` is the `scores.json` of an `evaluation`, `name` which
    number of each model is taken; or they are the Python file and the name of a `function`.
    """

    kind: Kind = "none"
    features: tuple[str, ...] = ()
    formula: str = ""
    low: float | None = None
    high: float | None = None
    path: str = ""
    name: str = ""

    @property
    def text(self) -> str:
        """The property in words; another property has other words."""
        details = {
            "absence": f" of {', '.join(self.features)}" if self.features else "",
            "equivalence": f" to {self.formula}" if self.formula else "",
            "proximity": f" to {self.formula}" if self.formula else "",
            "bounds": ", {} to {}".format(*("any" if end is None else f"{end:g}" for end in (self.low, self.high))),
            "evaluation": f", {self.name or 'mean_groups'} in {Path(self.path).name}",
            "function": f" {self.name or 'measure'} of {Path(self.path).name}",
        }
        return f"{self.kind}{details.get(self.kind, '')}"


def explained(text: str) -> str:
    """A property in words (`PropertySpec.text`), with what its kind means.

    Examples:
        >>> explained(PropertySpec(kind="bounds", low=1.0).text)
        'bounds, 1 to any: share of the predictions inside the physical bounds'
    """
    kind = next((kind for kind in KINDS if text == kind or text.startswith((f"{kind} ", f"{kind},"))), None)
    return text if kind is None else f"{text}: {ABOUT[kind]}"


@dataclass(frozen=True, kw_only=True, eq=False)
class Case:
    """One trained model on one dataset; what an organiser's own function gets.

    `dataset.testing(run)` are the rows to be judged on; `predictions` for them, and for `dataset.beyond`, are None if
    they are not known. The `formula` is as it was given, None for a model that has none; `simplified`, its constants
    are rounded. The `simplifier` answers questions about formulas.
    """

    algorithm: str
    dataset: Dataset
    run: int
    predictions: NDArray[np.float64] | None
    beyond: NDArray[np.float64] | None
    formula: Node | None
    simplified: Simplified | None
    simplifier: Simplifier


_GRID = 500  # points
_ROUGHLY = 0.05  # scatter above which two formulas cannot be equivalent, constants rounded or not


def absence(case: Case, spec: PropertySpec) -> float:
    """The share of irrelevant features that the formula does without; 0 for a model without a formula."""
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
    mine, known = _on_grid(case, case.formula, truth)
    with np.errstate(all="ignore"):
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
    mine, theirs = _on_grid(case, case.formula, truth)
    spread = float(np.std(theirs))
    with np.errstate(all="ignore"):
        error = float(np.sqrt(np.mean((mine - theirs) ** 2)))
    # A formula that has no value somewhere on the grid is not close to one that has.
    alike = max(0.0, 1.0 - error / spread) if np.isfinite(error) and spread > 0 else 0.0
    return round((shape + alike) / 2, 6)


def known_formula(case: Case, spec: PropertySpec) -> Node:
    """The formula that the property compares with."""
    text = spec.formula or (case.dataset.truth.formula if case.dataset.truth else "")
    if not text:
        raise JudgingError(f"{case.dataset.name}: no formula is known", fix='give formula = "…" with the property')
    return parse(text, case.dataset.features)


def _on_grid(case: Case, *formulas: Node) -> list[NDArray[np.float64]]:
    """Values of formulas at points spread over the ranges of all features, the same for every algorithm."""
    X, truth = case.dataset.train.X, case.dataset.truth
    rng = np.random.default_rng(derived_seed(0, case.dataset.name, "grid"))
    ranges = {name: (float(X[name].min()), float(X[name].max())) for name in case.dataset.features}
    if truth is not None:
        ranges.update(truth.ranges)
    grid = {name: rng.uniform(*ranges[name], _GRID) for name in case.dataset.features}
    return [evaluate(formula, grid) for formula in formulas]


def _scatter(values: NDArray[np.float64], scale: float) -> bool:
    """Whether values are constant, but for what rounded constants make of them."""
    return bool(np.isfinite(values).all() and np.isfinite(scale) and np.std(values) <= _ROUGHLY * scale)


def bounds(case: Case, spec: PropertySpec) -> float:
    """The share of predictions, on test rows and beyond, inside the physical bounds."""
    if spec.low is None and spec.high is None:
        fix = "give low = … or high = … with the property"
        raise JudgingError(f"{case.dataset.name}: no bounds are given", fix=fix)
    arrays = [array for array in (case.predictions, case.beyond) if array is not None]
    if not arrays:
        raise JudgingError(f"{case.dataset.name}: bounds are judged by predictions", fix="add a column predictions")
    values = np.concatenate(arrays)
    low = -math.inf if spec.low is None else spec.low
    high = math.inf if spec.high is None else spec.high
    return round(float(np.mean((values >= low) & (values <= high))), 6)


def extrapolation(case: Case, spec: PropertySpec) -> float:  # noqa: ARG001 - every property takes both
    """R2 on the rows outside the range of the training rows, to three decimals, as accuracy is."""
    if case.dataset.beyond is None:
        raise JudgingError(f"{case.dataset.name}: there are no rows to extrapolate to", fix="choose another property")
    if case.beyond is None:
        raise JudgingError(
            f"{case.dataset.name}: no predictions beyond the training range", fix="run it with `mbl judge run`"
        )
    return round(r2(case.dataset.beyond.y, case.beyond), 3)


def evaluation(case: Case, spec: PropertySpec) -> float:
    """An algorithm's score in an evaluation (`mbl evaluate`), e.g. with whole groups left out; errors are negative.

    NaN for a model that failed there.
    """
    models, lower_is_better = _scores(spec.path)
    number = spec.name or "mean_groups"
    found = models.get(case.algorithm, {})
    if "error" in found:
        return math.nan
    try:
        value = float(found[number])
    except (KeyError, TypeError, ValueError) as error:
        raise JudgingError(
            f"{spec.path} has no {number!r} of a model {case.algorithm!r}", fix=f"it has {', '.join(sorted(models))}"
        ) from error
    return 0.0 - value if lower_is_better else value


def function(case: Case, spec: PropertySpec) -> float:
    """What the organiser's own function says of a case; the file is executed."""
    name = spec.name or "measure"
    own = _function(spec.path, name)
    try:
        value = float(own(case))
    except Exception as error:
        raise JudgingError(
            f"{name} of {spec.path} raised {type(error).__name__} for {case.algorithm} on {case.dataset.name}: {error}",
            fix="correct the function",
        ) from error
    if math.isinf(value):
        raise JudgingError(f"{name} of {spec.path} returned {value}", fix="return a finite number")
    return value


@lru_cache(maxsize=8)
def _scores(path: str) -> tuple[dict[str, dict[str, Any]], bool]:
    """The numbers of each model, and whether small ones are good."""
    wrong = (OSError, ValueError, KeyError, TypeError, AttributeError)
    fix = "give the scores.json of `mbl evaluate`"
    with raising(JudgingError, f"{path} is not the result of an evaluation", fix=fix, on=wrong):
        document = read_json(Path(path))
        models = {str(name): dict(numbers) for name, numbers in document["models"].items()}
        return models, bool(document.get("lower_is_better", True))


@lru_cache(maxsize=8)
def _function(path: str, name: str) -> Callable[[Case], Any]:
    try:
        own = runpy.run_path(path).get(name)
    except Exception as error:
        raise JudgingError(f"{path} failed with {type(error).__name__}: {error}", fix="correct the file") from error
    if not callable(own):
        raise JudgingError(f"{path} has no function {name}", fix=f"define {name}(case) that returns a number")
    return cast("Callable[[Case], Any]", own)


_MEASURES: dict[str, Callable[[Case, PropertySpec], float]] = {
    measure.__name__: measure
    for measure in (absence, equivalence, proximity, bounds, extrapolation, evaluation, function)
}


def measure_property(case: Case, spec: PropertySpec) -> float:
    """How far a model has a property; larger is better, and without a property all are equal."""
    return 1.0 if spec.kind == "none" else _MEASURES[spec.kind](case, spec)
