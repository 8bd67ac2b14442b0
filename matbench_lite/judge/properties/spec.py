"""Which property a dataset is judged by."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Literal, get_args

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

    Args:
        kind: Which property.
        features: `absence`: the features that should not be used; by default those that the truth names.
        formula: `equivalence`, `proximity`: the known formula; by default that of the truth.
        low: `bounds`: smallest possible prediction, in the target's unit.
        high: `bounds`: largest possible prediction, in the target's unit.
        path: `evaluation`: the `scores.json` of `mbl evaluate`; `function`: a Python file.
        name: `evaluation`: which number of each model; `function`: name of the function.
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
            "bounds": f", {_end(self.low)} to {_end(self.high)}",
            "evaluation": f", {self.name or 'mean_groups'} in {Path(self.path).name}",
            "function": f" {self.name or 'measure'} of {Path(self.path).name}",
        }
        return f"{self.kind}{details.get(self.kind, '')}"


def _end(value: float | None) -> str:
    return "any" if value is None else f"{value:g}"
