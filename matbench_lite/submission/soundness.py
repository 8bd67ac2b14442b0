"""What `record` would have refused: values that are not finite, out of range, or at odds with each other."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Protocol

import numpy as np

from matbench_lite.submission.predictions import MAX_PREDICTION, FoldPredictions
from matbench_lite.submission.problem import ProblemKind


class ComplainOfFold(Protocol):
    """Takes what is wrong with a fold: the kind, in words, and for every row whether it is bad."""

    def __call__(self, kind: ProblemKind, problem: str, bad: Any = ()) -> None:
        """Complain."""


def complain_about_values(fold: FoldPredictions, complain: ComplainOfFold) -> bool:
    """Complain about every bad value of a fold; whether there was any."""
    found = list(_finite(fold)) or [*_in_range(fold), *_uncertainty(fold)]
    for problem in found:
        complain(*problem)
    return bool(found)


Found = Iterator[tuple[ProblemKind, str, Any]]


def _finite(fold: FoldPredictions) -> Found:
    for column, array in fold.arrays.items():
        finite = np.isfinite(array)
        if not finite.all():
            yield "not finite", f"has NaN or infinity in {column}", ~finite


def _in_range(fold: FoldPredictions) -> Found:
    p = fold.prediction
    low, high = p.min(), p.max()  # two numbers tell of nearly every fold that all is well
    if max(-low, high) > MAX_PREDICTION:
        yield "range", "has predictions too large to score", np.abs(p) > MAX_PREDICTION
    elif fold.type == "label":
        other = (p != 0) & (p != 1)
        if other.any():
            yield "range", "has labels other than 0 and 1", other
    elif fold.type == "probability" and (low < 0 or high > 1):
        yield "range", "has probabilities outside [0, 1]", (p < 0) | (p > 1)


def _uncertainty(fold: FoldPredictions) -> Found:
    p, std, lower, upper = fold.prediction, fold.std, fold.lower, fold.upper
    if std is not None and (std <= 0).any():
        yield "uncertainty", "has a std that is not above 0", std <= 0
    if (lower is None) != (upper is None):
        yield "uncertainty", "has one end of an interval only", ()
    elif lower is not None and upper is not None:
        outside = (lower > p) | (upper < p)
        if outside.any():
            yield "uncertainty", "has a prediction outside its own interval", outside
