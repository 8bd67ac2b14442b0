"""What pymatgen is asked for: structures from the JSON text of a whole dict, and reduced formulas of every row."""

from __future__ import annotations

import json
import math
import re
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import lru_cache
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from matbench_lite.data.elements import ATOMIC_NUMBERS, SYMBOLS
from matbench_lite.errors import DataFormatError

if TYPE_CHECKING:
    from pymatgen.core import Structure


_ELEMENT = re.compile(r"([A-Z][a-z]?)(\d*)")
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
    """The reduced formula of every formula string.

    Args:
        compositions: Formulas as pymatgen reads them.

    Raises:
        DataFormatError: If one is no formula: its row, counted from 0, and the text.

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
