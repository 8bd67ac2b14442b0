"""Known formulas that synthetic sets are made from: those of `known_formulas.toml`."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from matbench_lite.judge.properties import PropertySpec


@dataclass(frozen=True, kw_only=True)
class Feature:
    """A column of numbers, drawn from a range in its unit ("" for none); `log`: its logarithm is drawn evenly."""

    low: float
    high: float
    unit: str = ""
    about: str = ""
    log: bool = False


@dataclass(frozen=True, kw_only=True)
class Decoy:
    """A feature that follows the target closely, but is not its cause: a search that takes it is in a local optimum.

    It follows a formula over the relevant features, with noise as a share of its standard deviation.
    """

    formula: str
    noise: float
    unit: str = ""
    about: str = ""


@dataclass(frozen=True, kw_only=True)
class KnownFormula:
    """What a synthetic set is made from.

    Args:
        name: Name of the set.
        title: What is asked, for people.
        formula: The truth, over the relevant features.
        target: Name of the target.
        unit: Unit of the target.
        relevant: Features of the formula.
        irrelevant: Features that have nothing to do with the target.
        decoys: Features that follow the target closely.
        noise: Noise on the targets that algorithms learn from, as a share of the standard deviation of the truth.
        beyond: Ranges of features outside those of the training rows, for extrapolation.
        rows: Number of training rows.
        property_spec: What is judged besides accuracy and simplicity.
    """

    name: str
    title: str
    formula: str
    target: str
    unit: str
    relevant: Mapping[str, Feature]
    property_spec: PropertySpec
    irrelevant: Mapping[str, Feature] = field(default_factory=dict)
    decoys: Mapping[str, Decoy] = field(default_factory=dict)
    noise: float = 0.0
    beyond: Mapping[str, tuple[float, float]] = field(default_factory=dict)
    rows: int = 200


def _known(name: str, about: dict[str, Any]) -> KnownFormula:
    for part, kind in (("relevant", Feature), ("irrelevant", Feature), ("decoys", Decoy)):
        about[part] = {column: kind(**item) for column, item in about.get(part, {}).items()}
    return KnownFormula(name=name, property_spec=PropertySpec(**about.pop("property")), **about)


_FILE = Path(__file__).with_suffix(".toml")
FORMULAS = tuple(_known(name, about) for name, about in tomllib.loads(_FILE.read_text(encoding="utf-8")).items())
"""The synthetic sets, in the order in which they are listed."""
