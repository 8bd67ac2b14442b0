"""The elements of a formula and their amounts: plain formulas quickly, all others through pymatgen."""

from __future__ import annotations

import re

from matbench_lite.data.elements import ATOMIC_NUMBERS
from matbench_lite.errors import ModelError

_PAIR = re.compile(r"([A-Z][a-z]?)(\d+\.?\d*|\.\d+)?")
_PLAIN = re.compile(r"(?:[A-Z][a-z]?(?:\d+\.?\d*|\.\d+)?)+")
_TOLERANCE = 1e-8  # pymatgen drops an element with less

NUMBERS: dict[str, int] = {**ATOMIC_NUMBERS, "D": 1, "T": 1}
"""The atomic number of every symbol that a formula may have."""


def element_amounts(formula: str) -> dict[int, float]:
    """The amount of each element in a formula, by atomic number.

    Raises:
        ModelError: If it is not a formula.

    Examples:
        >>> element_amounts("Fe2O3"), element_amounts("Ca(OH)2")
        ({26: 2.0, 8: 3.0}, {20: 1.0, 8: 2.0, 1: 2.0})
    """
    amounts: dict[int, float] = {}
    if _PLAIN.fullmatch(formula):
        for symbol, amount in _PAIR.findall(formula):
            if symbol not in NUMBERS:
                break
            amounts[NUMBERS[symbol]] = amounts.get(NUMBERS[symbol], 0.0) + (float(amount) if amount else 1.0)
        else:
            if min(amounts.values()) > _TOLERANCE:
                return amounts
    return _through_pymatgen(formula)


def _through_pymatgen(formula: str) -> dict[int, float]:
    from pymatgen.core import Composition

    try:
        amounts = Composition(formula, strict=True).get_el_amt_dict()
        if not amounts:
            raise ValueError("no element in it")
        result: dict[int, float] = {}
        for symbol, amount in amounts.items():
            result[NUMBERS[symbol]] = result.get(NUMBERS[symbol], 0.0) + amount
        return result
    except (ValueError, TypeError, KeyError) as error:
        raise ModelError(
            f"{formula!r} is not a chemical formula: {error}", fix="give formulas, e.g. 'Fe2O3'"
        ) from error
