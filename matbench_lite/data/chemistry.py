"""Formulas and structures: what is asked of pymatgen, and what plain texts say without it."""

from __future__ import annotations

import json
import math
import re
import warnings
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from functools import lru_cache
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from matbench_lite.errors import DataFormatError, raising

if TYPE_CHECKING:
    from pymatgen.core import Structure

_ELEMENT = re.compile(r"([A-Z][a-z]?)(\d*)")
_SYMBOL = re.compile(r"[A-Z][a-z]?")
_TERM = re.compile(r"([A-Z][a-z]?)(\d+\.?\d*|\.\d+)?")
_TERMS = re.compile(r"(?:[A-Z][a-z]?(?:\d+\.?\d*|\.\d+)?)+")
_LEAST_AMOUNT = 1e-8  # pymatgen drops an element with less
_WHOLE_AMOUNTS = re.compile(r"(?:[A-Z][a-z]?\d{0,6} ?)+")


def reduced_formulas(structures: pa.Table) -> list[str]:
    """The reduced formula of every structure, from the columns `species` and `rest` of a table of structures."""
    result = []
    with without_notes():
        for counts, text in zip(_reduced_counts(structures["species"]), structures["rest"], strict=True):
            if text.is_valid:
                result.append(build_whole(text.as_py()).composition.reduced_formula)
            else:
                result.append(_of_counts(tuple((SYMBOLS[number - 1], count) for number, count in counts.tolist())))
    return result


def reduced_formulas_of_strings(compositions: Sequence[str]) -> list[str]:
    """The reduced formula of every formula string; a `DataFormatError` names the first that pymatgen cannot read.

    Examples:
        >>> reduced_formulas_of_strings(["Fe4O6", "Fe0.5Ni0.5"])
        ['Fe2O3', 'Fe0.5Ni0.5']
    """
    result = []
    with without_notes():
        for row, text in enumerate(compositions):
            try:
                result.append(_of_text(text))
            except (ValueError, TypeError) as error:
                raise DataFormatError(
                    f"row {row}: {text!r} is not a chemical formula: {error}", fix="correct it, or leave the row out"
                ) from error
    return result


_LARGE_SYSTEM = 0.1
"""The share of the rows above which a chemical system is too coarse a cluster."""


def chemical_clusters(formulas: Sequence[str]) -> NDArray[np.intp]:
    """The cluster of every row, numbered from 0: its chemical system, which is the set of its elements.

    Where one system has more than a tenth of the rows, as among steels, rows of one reduced formula are a cluster.

    Examples:
        >>> chemical_clusters(["NaCl", "Fe2O3", "FeO", *"H He Li Be B C N O F Ne Na Mg Al Si P S Cl Ar".split()])[:3]
        array([0, 1, 1])
        >>> chemical_clusters(["FeO", "Fe2O3", "FeO"])
        array([0, 1, 0])
    """
    import pandas as pd

    rows, distinct = pd.factorize(np.asarray(formulas, dtype=object))
    found: dict[frozenset[str], int] = {}
    systems = np.array([found.setdefault(frozenset(_SYMBOL.findall(text)), len(found)) for text in distinct])[rows]
    if np.bincount(systems).max() > _LARGE_SYSTEM * len(rows):
        return np.asarray(rows, dtype=np.intp)
    return np.asarray(systems, dtype=np.intp)


@lru_cache(maxsize=2**18)
def _of_text(text: str) -> str:
    """The reduced formula of one text; plain ones such as "K12 V4 O16" share their work with all that reduce alike."""
    # pymatgen would take a dict too, and an empty text for a composition of nothing.
    if not isinstance(text, str) or not text.strip():
        raise ValueError("it is not a text, or an empty one")
    if _WHOLE_AMOUNTS.fullmatch(text):
        terms = _ELEMENT.findall(text)
        amounts = {symbol: int(amount or 1) for symbol, amount in terms}
        divisor = math.gcd(*amounts.values())
        if divisor and len(amounts) == len(terms) and amounts.keys() <= ATOMIC_NUMBERS.keys():
            return _of_counts(tuple(sorted((symbol, amount // divisor) for symbol, amount in amounts.items())))
    from pymatgen.core import Composition

    formula: str = Composition(text, strict=True).reduced_formula
    if not formula:
        raise ValueError("it has no element")
    return formula


@lru_cache(maxsize=2**18)
def _of_counts(counts: tuple[tuple[str, int], ...]) -> str:
    """The formula of whole amounts that share no divisor; a quarter of a million different ones are remembered."""
    from pymatgen.core.composition import Composition, reduce_formula

    # What `Composition(...).reduced_formula` does with whole amounts, in half of the time.
    formula: str = reduce_formula(dict(counts))[0]
    special: dict[str, str] = Composition.special_formulas
    return special.get(formula, formula)


def element_amounts(formula: str) -> dict[int, float]:
    """The amount of each element in a formula, by atomic number.

    Raises:
        DataFormatError: If it is not a formula.

    Examples:
        >>> element_amounts("Fe2O3"), element_amounts("Ca(OH)2")
        ({26: 2.0, 8: 3.0}, {20: 1.0, 8: 2.0, 1: 2.0})
    """
    terms = _TERM.findall(formula) if _TERMS.fullmatch(formula) else []
    if terms and all(symbol in _NUMBERS for symbol, _ in terms):
        amounts = _by_number((symbol, float(amount or 1)) for symbol, amount in terms)
        if min(amounts.values()) > _LEAST_AMOUNT:
            return amounts
    from pymatgen.core import Composition

    message, wrong = f"{formula!r} is not a chemical formula", (ValueError, TypeError, KeyError)
    with raising(DataFormatError, message, fix="give formulas, e.g. 'Fe2O3'", on=wrong):
        amounts = _by_number(Composition(formula, strict=True).get_el_amt_dict().items())
        if not amounts:
            raise ValueError("it has no element")
    return amounts


def _by_number(terms: Iterable[tuple[str, float]]) -> dict[int, float]:
    amounts: dict[int, float] = {}
    for symbol, amount in terms:
        amounts[_NUMBERS[symbol]] = amounts.get(_NUMBERS[symbol], 0.0) + amount
    return amounts


def _reduced_counts(species: pa.ChunkedArray) -> Iterator[NDArray[np.int64]]:
    """Per row the pairs (atomic number, number of sites), the numbers of sites divided by what they share."""
    lists = species.combine_chunks()
    rows = np.repeat(np.arange(len(lists)), lists.value_lengths().fill_null(0).to_numpy())
    pairs, amounts = np.unique(rows * 256 + lists.flatten().to_numpy(), return_counts=True)
    firsts = np.searchsorted(pairs, np.arange(len(lists) + 1) * 256)
    counts = np.column_stack([pairs % 256, amounts])
    for first, last in pairwise(firsts):
        row = counts[first:last]
        row[:, 1] //= np.gcd.reduce(row[:, 1]) if len(row) else 1
        yield row


_DECODED = (("numpy", "array"), ("pymatgen.electronic_structure.core", "Magmom"))
"""What pymatgen may make objects of inside a site property. It would import any module that the text names."""


def build_whole(text: str) -> Structure:
    """The structure that the JSON text of a pymatgen dict describes.

    A `DataFormatError` if pymatgen cannot read it, a number is missing, or a site property names a Python class that is
    not data.
    """
    from pymatgen.core import Structure

    try:
        structure = json.loads(text)
        if not isinstance(structure, dict):
            raise DataFormatError(f"it is a {type(structure).__name__}, not a dict")
        for site in structure["sites"]:
            _check_decoded(site.get("properties"))
        with without_notes():
            built = Structure.from_dict(structure)
        if not (np.isfinite(built.lattice.matrix).all() and np.isfinite(built.frac_coords).all()):
            raise DataFormatError("a coordinate or the lattice is not a finite number")
        return built
    except DataFormatError:
        raise
    except KeyError as error:
        raise DataFormatError(f"{error} is missing") from error
    except Exception as error:  # pymatgen raises whatever the first operation on a wrong value raises
        raise DataFormatError(f"pymatgen cannot read it: {type(error).__name__}: {error}") from error


@contextmanager
def without_notes() -> Iterator[None]:
    """Silence pymatgen's warnings about data that whoever reads a file cannot change."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="Not all sites have property")
        warnings.filterwarnings("ignore", message="No Pauling electronegativity")
        yield


def _check_decoded(value: Any) -> None:
    if isinstance(value, dict):
        if "@module" in value and (value["@module"], value.get("@class", value.get("@callable"))) not in _DECODED:
            name = f"{value['@module']}.{value.get('@class', value.get('@callable'))}"
            raise DataFormatError(f"a site property names the Python object {name}, which is not data")
        value = list(value.values())
    if isinstance(value, list):
        for part in value:
            _check_decoded(part)


_IN_ORDER = (
    "H He Li Be B C N O F Ne Na Mg Al Si P S Cl Ar K Ca Sc Ti V Cr Mn Fe Co Ni Cu Zn Ga Ge As Se Br Kr Rb Sr Y Zr Nb "
    "Mo Tc Ru Rh Pd Ag Cd In Sn Sb Te I Xe Cs Ba La Ce Pr Nd Pm Sm Eu Gd Tb Dy Ho Er Tm Yb Lu Hf Ta W Re Os Ir Pt Au "
    "Hg Tl Pb Bi Po At Rn Fr Ra Ac Th Pa U Np Pu Am Cm Bk Cf Es Fm Md No Lr Rf Db Sg Bh Hs Mt Ds Rg Cn Nh Fl Mc Lv Ts "
    "Og"
)
SYMBOLS: tuple[str, ...] = tuple(_IN_ORDER.split())
"""`SYMBOLS[z - 1]` is the element of atomic number z."""

ATOMIC_NUMBERS: dict[str, int] = {symbol: z for z, symbol in enumerate(SYMBOLS, start=1)}
"""The atomic number of every symbol; named isotopes (D, T) are not elements here."""

_NUMBERS = {**ATOMIC_NUMBERS, "D": 1, "T": 1}
"""The atomic number of every symbol that a formula may have."""
