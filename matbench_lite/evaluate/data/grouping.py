"""Families of materials: what a model may never have seen."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import lru_cache

from matbench_lite.errors import EvaluationError

_SYMBOL = re.compile(r"[A-Z][a-z]?")


@lru_cache(maxsize=2**17)
def chemical_system(formula: str) -> str:
    """The elements of a formula, in alphabetical order.

    Examples:
        >>> chemical_system("Fe2O3"), chemical_system("LiFePO4")
        ('Fe-O', 'Fe-Li-O-P')
    """
    return "-".join(sorted(set(_SYMBOL.findall(formula))))


@lru_cache(maxsize=2**17)
def anion(formula: str) -> str:
    """The most electronegative element of a formula (Pauling's scale); several where they are equal.

    Examples:
        >>> anion("LiFePO4"), anion("NiAl")
        ('O', 'Ni')
    """
    values = {symbol: _electronegativity(symbol) for symbol in sorted(set(_SYMBOL.findall(formula)))}
    largest = max(values.values())
    return "-".join(symbol for symbol, value in values.items() if value == largest)


@lru_cache(maxsize=2**17)
def anonymous_formula(formula: str) -> str:
    """The formula with its elements replaced by letters, by growing amount.

    Examples:
        >>> anonymous_formula("MgAl2O4"), anonymous_formula("NaCl")
        ('AB2C4', 'AB')
    """
    from pymatgen.core import Composition

    return str(Composition(formula).anonymized_formula)


def prototype(formula: str, spacegroup: int | None) -> str:
    """A cheap stand-in for a structure prototype: anonymous formula and space group.

    Examples:
        >>> prototype("MgAl2O4", 227), prototype("NaCl", None)
        ('AB2C4-227', 'AB-unknown')
    """
    return f"{anonymous_formula(formula)}-{'unknown' if spacegroup is None else spacegroup}"


FAMILIES: dict[str, Callable[[str], str]] = {"chemsys": chemical_system, "anion": anion}
"""Families that follow from the formula alone."""
OF_STRUCTURES = ("spacegroup", "prototype")
"""Families that need space groups."""


@lru_cache(maxsize=256)
def _electronegativity(symbol: str) -> float:
    """Pauling's value; 0 for elements that have none."""
    import warnings

    from pymatgen.core import Element

    if symbol not in Element.__members__:
        raise EvaluationError(f"{symbol!r} is not an element", fix="group by an anion only where tasks are formulas")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # pymatgen warns of noble gases
        value = float(Element(symbol).X)
    return value if value == value else 0.0  # NaN is not equal to itself
