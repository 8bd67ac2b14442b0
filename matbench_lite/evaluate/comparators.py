"""Comparators: how an answer is compared with the truth."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from matbench_lite.errors import EvaluationError
from matbench_lite.evaluate.items import tuple_to_string, unnest


class Comparator:
    """Gives a prediction a score. Subclass it in a file of its own and name the file in the evaluation file.

    Its `name`, or that of the class, is the name of the score; `lower_is_better` as for errors; `response_types` are
    those that it can compare, None for any.

    Examples:
        >>> class Within(Comparator):
        ...     def compare(self, prediction, target, response_type, choices):
        ...         return float(abs(prediction - target) < 0.1)
        ...     def get_name(self):
        ...         return "share within 0.1"
        >>> Within().compare(1.05, 1.0, "free", [])
        1.0
    """

    name: str = ""
    lower_is_better: bool = False
    response_types: frozenset[str] | None = None

    def compare(self, prediction: Any, target: Any, response_type: str, choices: Sequence[Any]) -> float:
        """The score of a prediction.

        The prediction is what the model returned, NumPy's scalars as Python's; `choices` are nested lists.
        """
        raise NotImplementedError(f"{type(self).__name__} has no compare(prediction, target, response_type, choices)")

    def get_name(self) -> str:
        """The name of the score, for tables."""
        return self.name or type(self).__name__


class Equality(Comparator):
    """1 if the texts are equal, else 0; for multiple choice the share of choices on which both agree."""

    name = "accuracy"

    def compare(self, prediction: Any, target: Any, response_type: str, choices: Sequence[Any]) -> float:
        """1.0 or 0.0; for multiple choice the share of choices that are in both or in neither."""
        if response_type != "multiple-choice":
            return float(tuple_to_string(prediction) == tuple_to_string(target))
        if not isinstance(prediction, list):
            raise EvaluationError(
                f"a multiple-choice prediction is {prediction!r}, not a list", fix="predict a list of choices"
            )
        truths = target if isinstance(target, list) else [target]
        chosen, true = ({tuple_to_string(choice) for choice in some} for some in (prediction, truths))
        names = [tuple_to_string(choice) for choice in choices]
        return sum((name in chosen) == (name in true) for name in names) / len(names)


class AbsDiff(Comparator):
    """The absolute difference of two numbers, in the unit of the target."""

    name = "absolute difference"
    lower_is_better = True
    response_types = frozenset({"single-choice", "verify", "accept", "free"})

    def compare(self, prediction: Any, target: Any, *_: Any) -> float:
        """The absolute difference."""
        return abs(_number(prediction, "prediction") - _number(target, "target"))


class SquaredDiff(AbsDiff):
    """The squared difference of two numbers, in the unit of the target, squared."""

    name = "squared difference"

    def compare(self, prediction: Any, target: Any, *_: Any) -> float:
        """The squared difference."""
        return super().compare(prediction, target) ** 2


class NVC(Comparator):
    """1 if both or neither say "NVC" (no valid conclusion), else 0; for single choice only."""

    name = "NVC accuracy"
    response_types = frozenset({"single-choice"})

    def compare(self, prediction: Any, target: Any, *_: Any) -> float:
        """1.0 or 0.0."""
        return float((tuple_to_string(prediction) == "NVC") == (tuple_to_string(target) == "NVC"))


COMPARATORS: dict[str, type[Comparator]] = {
    "equality": Equality, "absdiff": AbsDiff, "squareddiff": SquaredDiff, "nvc": NVC,
}  # fmt: skip
"""The comparators that have a name in evaluation files."""


def _number(value: Any, what: str) -> float:
    inner = unnest(value)
    try:
        number = float(inner)
    except (TypeError, ValueError):
        number = math.nan
    if not math.isfinite(number):
        raise EvaluationError(f"the {what} {inner!r} is not a finite number", fix="compare numbers, or use equality")
    return number
