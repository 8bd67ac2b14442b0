"""Known formulas that synthetic sets are made from, most of them of materials physics.

Units are chosen so that constants are not small: a formula is simplified with its constants rounded to three decimals.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

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


_UNIT_RANGE = Feature(low=0.1, high=5.0)

FORMULAS: tuple[KnownFormula, ...] = (
    KnownFormula(
        name="hall_petch",
        title="Yield strength from grain size and solute, among features that do not matter",
        formula="70 + 740/sqrt(grain_size) + 32*manganese",
        target="yield strength",
        unit="MPa",
        relevant={
            "grain_size": Feature(low=1, high=100, unit="µm", about="mean grain diameter", log=True),
            "manganese": Feature(low=0.2, high=2.0, unit="wt%", about="manganese in solution"),
        },
        irrelevant={
            "furnace_temperature": Feature(low=850, high=1250, unit="°C", about="set point of the furnace"),
            "holding_time": Feature(low=5, high=120, unit="min", about="time in the furnace"),
            "sample_width": Feature(low=4, high=12, unit="mm", about="width of the sample"),
            "humidity": Feature(low=20, high=80, unit="%", about="humidity of the laboratory"),
            "batch": Feature(low=1, high=40, about="number of the batch"),
        },
        noise=0.05,
        property_spec=PropertySpec(kind="absence"),
    ),
    KnownFormula(
        name="alloy_gap",
        title="Band gap of a mixed crystal with bowing, without noise: is the exact law found?",
        formula="gap_a*(1 - x) + gap_b*x - 0.6*x*(1 - x)",
        target="band gap",
        unit="eV",
        relevant={
            "x": Feature(low=0.05, high=0.95, about="share of B"),
            "gap_a": Feature(low=0.5, high=3.0, unit="eV", about="band gap of pure A"),
            "gap_b": Feature(low=0.5, high=3.0, unit="eV", about="band gap of pure B"),
        },
        property_spec=PropertySpec(kind="equivalence"),
    ),
    KnownFormula(
        name="debye_temperature",
        title="Debye temperature by Lindemann's rule, without noise: is the exact law found?",
        formula="138*sqrt(melting_point/mass)/cbrt(volume)",
        target="Debye temperature",
        unit="K",
        relevant={
            "melting_point": Feature(low=300, high=3000, unit="K", about="melting point"),
            "mass": Feature(low=10, high=200, unit="u", about="mean atomic mass"),
            "volume": Feature(low=5, high=40, unit="cm³/mol", about="molar volume"),
        },
        property_spec=PropertySpec(kind="equivalence"),
    ),
    KnownFormula(
        name="arrhenius",
        title="Diffusion coefficient by Arrhenius' law: how close is the formula to it?",
        formula="log_prefactor - 120.272*activation_energy/temperature",
        target="ln D",
        unit="ln(m²/s)",
        relevant={
            "log_prefactor": Feature(low=-14, high=-6, unit="ln(m²/s)", about="logarithm of the prefactor"),
            "activation_energy": Feature(low=50, high=300, unit="kJ/mol", about="activation energy"),
            "temperature": Feature(low=600, high=1500, unit="K", about="temperature"),
        },
        irrelevant={"time": Feature(low=1, high=100, unit="h", about="length of the experiment")},
        noise=0.03,
        property_spec=PropertySpec(kind="proximity"),
    ),
    KnownFormula(
        name="varshni",
        title="Band gap against temperature: does the formula hold at temperatures that it has not seen?",
        formula="gap_0 - 0.473*temperature**2/(temperature + 636)",
        target="band gap",
        unit="meV",
        relevant={
            "gap_0": Feature(low=1100, high=1250, unit="meV", about="band gap at 0 K"),
            "temperature": Feature(low=10, high=350, unit="K", about="temperature"),
        },
        noise=0.02,
        beyond={"temperature": (350, 800)},
        property_spec=PropertySpec(kind="extrapolation"),
    ),
    KnownFormula(
        name="young_modulus",
        title="Young's modulus from bulk and shear modulus, beside a hardness that follows it closely",
        formula="9*bulk*shear/(3*bulk + shear)",
        target="Young's modulus",
        unit="GPa",
        relevant={
            "bulk": Feature(low=20, high=250, unit="GPa", about="bulk modulus"),
            "shear": Feature(low=10, high=150, unit="GPa", about="shear modulus"),
        },
        irrelevant={"density": Feature(low=2, high=15, unit="g/cm³", about="density")},
        decoys={
            "hardness": Decoy(
                formula="0.45*bulk*shear/(3*bulk + shear)", noise=0.08, unit="GPa", about="Vickers hardness"
            ),
            "sound_velocity": Decoy(
                formula="sqrt(bulk*shear/(3*bulk + shear))", noise=0.08, unit="km/s", about="velocity of sound"
            ),
        },
        noise=0.02,
        property_spec=PropertySpec(kind="absence"),
    ),
    KnownFormula(
        name="refractive_index",
        title="Refractive index by Lorentz and Lorenz: is it ever below 1, in thin gas or dense solid?",
        formula="sqrt((1 + 8.378*density*polarisability)/(1 - 4.189*density*polarisability))",
        target="refractive index",
        unit="unitless",
        relevant={
            "density": Feature(low=0.01, high=0.05, unit="1/Å³", about="atoms per volume"),
            "polarisability": Feature(low=0.5, high=2.5, unit="Å³", about="polarisability of an atom"),
        },
        noise=0.03,
        beyond={"density": (0.0005, 0.01)},
        property_spec=PropertySpec(kind="bounds", low=1.0),
    ),
    KnownFormula(
        name="saddle",
        title="A made-up formula without physics, without noise: is it found exactly?",
        formula="0.4*x1*x2 - 1.5*x1 + 2.5*x2 + 1",
        target="y",
        unit="unitless",
        relevant={"x1": _UNIT_RANGE, "x2": _UNIT_RANGE},
        irrelevant={"x3": _UNIT_RANGE, "x4": _UNIT_RANGE},
        property_spec=PropertySpec(kind="equivalence"),
    ),
)
"""The synthetic sets, in the order in which they are listed."""
