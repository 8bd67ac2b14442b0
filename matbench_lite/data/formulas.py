"""Reduced formulas of every row, as pymatgen writes them, without building every structure."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import pairwise

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from matbench_lite.data.elements import ATOMIC_NUMBERS, SYMBOLS
from matbench_lite.data.structures.whole import build_whole, without_notes
from matbench_lite.errors import DataFormatError

_ELEMENT = re.compile(r"([A-Z][a-z]?)(\d*)")
_WHOLE_AMOUNTS = re.compile(r"(?:[A-Z][a-z]?\d{0,6} ?)+")


def reduced_formulas(structures: pa.Table) -> list[str]:
    """The reduced formula of every structure, from the columns.

    Args:
        structures: A table with at least the columns `species` and `rest`; see `matbench_lite.data.structures`.

    Examples:
        >>> species = pa.array([[3, 8, 3], [8, 3, 3, 3, 3, 8]], type=pa.list_(pa.uint8()))
        >>> reduced_formulas(pa.table({"species": species, "rest": pa.nulls(2, pa.string())}))
        ['Li2O', 'Li2O']
    """
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
    if isinstance(text, str) and _WHOLE_AMOUNTS.fullmatch(text):
        terms = _ELEMENT.findall(text)
        amounts = {symbol: int(amount or 1) for symbol, amount in terms}
        divisor = math.gcd(*amounts.values())
        if divisor and len(amounts) == len(terms) and amounts.keys() <= ATOMIC_NUMBERS.keys():
            return _of_counts(tuple(sorted((symbol, amount // divisor) for symbol, amount in amounts.items())))
    from pymatgen.core import Composition

    formula: str = Composition(_some_text(text), strict=True).reduced_formula
    if not formula:
        raise ValueError("no element in it")
    return formula


@lru_cache(maxsize=2**18)
def _of_counts(counts: tuple[tuple[str, int], ...]) -> str:
    """The formula of whole amounts that share no divisor; a quarter of a million different ones are remembered."""
    from pymatgen.core.composition import Composition, reduce_formula

    # What `Composition(...).reduced_formula` does with whole amounts, in half of the time.
    reduced = reduce_formula(dict(counts))[0]
    formula: str = Composition.special_formulas.get(reduced, reduced)
    return formula


def _some_text(text: str) -> str:
    # pymatgen would take a dict too, and an empty text for a composition of nothing.
    if not isinstance(text, str) or not text.strip():
        raise ValueError("no text")
    return text


def _reduced_counts(species: pa.ChunkedArray) -> Iterator[NDArray[np.int64]]:
    """Per row the pairs (atomic number, number of sites), the numbers of sites divided by what they share."""
    lists = species.combine_chunks()
    rows = np.repeat(np.arange(len(lists)), _lengths(lists))
    pairs, amounts = np.unique(rows * 256 + lists.flatten().to_numpy(), return_counts=True)
    firsts = np.searchsorted(pairs, np.arange(len(lists) + 1) * 256)
    counts = np.column_stack([pairs % 256, amounts])
    for first, last in pairwise(firsts):
        row = counts[first:last]
        row[:, 1] //= np.gcd.reduce(row[:, 1]) if len(row) else 1
        yield row


def _lengths(lists: pa.ListArray) -> NDArray[np.int64]:
    lengths: NDArray[np.int64] = lists.value_lengths().fill_null(0).to_numpy().astype(np.int64)
    return lengths
