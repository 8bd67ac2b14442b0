"""The one door to all properties."""

from __future__ import annotations

from collections.abc import Callable

from matbench_lite.judge.properties import formulas, outside, predictions
from matbench_lite.judge.properties.case import Case
from matbench_lite.judge.properties.spec import PropertySpec

_MEASURES: dict[str, Callable[[Case, PropertySpec], float]] = {
    "none": lambda case, spec: 1.0,  # noqa: ARG005 - all are equal
    "absence": formulas.absence,
    "equivalence": formulas.equivalence,
    "proximity": formulas.proximity,
    "bounds": predictions.bounds,
    "extrapolation": predictions.extrapolation,
    "evaluation": outside.evaluation,
    "function": outside.function,
}


def measure_property(case: Case, spec: PropertySpec) -> float:
    """How far a model has a property; larger is better.

    Args:
        case: The model and its dataset.
        spec: The property.

    Raises:
        JudgingError: If the property cannot be measured for this dataset at all.
    """
    return _MEASURES[spec.kind](case, spec)
