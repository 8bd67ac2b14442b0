"""Structure dicts into Arrow columns; `matbench_lite.data.structures` says what each column holds."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import pyarrow as pa

from matbench_lite.data.elements import ATOMIC_NUMBERS
from matbench_lite.data.structures.whole import build_whole
from matbench_lite.errors import DataFormatError

FIELDS: tuple[pa.Field, ...] = (
    pa.field("lattice", pa.list_(pa.float64(), 9)),
    pa.field("species", pa.list_(pa.uint8())),
    pa.field("abc", pa.list_(pa.float64())),
    pa.field("label", pa.list_(pa.string())),
    pa.field("charge", pa.float64()),
    pa.field("rest", pa.string()),
)
"""The columns that every table of structures has."""

PROPERTY_PREFIX = "site:"
_MOST_PROPERTIES = 32
"""Site properties that get a column of their own; a file of nonsense must not make a million columns."""


@dataclass(frozen=True, slots=True)
class _Plain:
    """A structure that the columns hold in full."""

    lattice: list[float]
    species: list[int]
    abc: list[float]
    label: list[str] | None
    charge: float | None
    properties: dict[str, list[float]]


class _Misfit(Exception):  # noqa: N818 - a signal inside this module, not an error
    """The columns cannot hold a value of this structure."""


def encode_structures(structures: Iterable[Mapping[str, Any]], *, first_row: int = 0) -> pa.Table:
    """Turn pymatgen `Structure` dicts into a table, one row per structure.

    Tables with different site properties are put together by `pa.concat_tables(promote_options="default")`.

    Args:
        structures: Dicts as parsed from JSON, never decoded into objects; none is changed.
        first_row: Row number of the first structure in its file, for messages; counts from 0.

    Raises:
        DataFormatError: If a dict is no structure: which one, and what is wrong with it.

    Examples:
        >>> site = {"species": [{"element": "Po", "occu": 1}], "abc": [0.0, 0.0, 0.0]}
        >>> cell = {"matrix": [[3.35, 0.0, 0.0], [0.0, 3.35, 0.0], [0.0, 0.0, 3.35]]}
        >>> encode_structures([{"lattice": cell, "sites": [site]}])["species"].to_pylist()
        [[84]]
    """
    columns: dict[str, list[Any]] = {field.name: [] for field in FIELDS}
    properties: dict[str, dict[int, list[float]]] = {}
    count = 0
    for count, structure in enumerate(structures, start=1):
        plain = _plain(structure)
        if plain is not None and len(properties | plain.properties) <= _MOST_PROPERTIES:
            columns["rest"].append(None)
            for name in ("lattice", "species", "abc", "label", "charge"):
                columns[name].append(getattr(plain, name))
            for name, values in plain.properties.items():
                properties.setdefault(name, {})[count - 1] = values
        else:
            columns["rest"].append(_whole(structure, first_row + count - 1))
            for name in ("lattice", "species", "abc", "label", "charge"):
                columns[name].append(None)
    arrays = {field.name: pa.array(columns[field.name], type=field.type) for field in FIELDS}
    for name, found in properties.items():
        arrays[PROPERTY_PREFIX + name] = pa.array(map(found.get, range(count)), type=pa.list_(pa.float64()), size=count)
    return pa.table(arrays)


def _plain(structure: Mapping[str, Any]) -> _Plain | None:
    """What the columns hold of a structure, or None where something would be lost or is wrong."""
    try:
        if structure.get("properties") or structure["lattice"].get("pbc", _PERIODIC) not in (_PERIODIC, [*_PERIODIC]):
            return None
        sites = structure["sites"]
        symbols = [_symbol(site["species"]) for site in sites]
        if not symbols:
            return None
        labels = [site.get("label") for site in sites]
        return _Plain(
            lattice=_floats([x for a, b, c in _three(structure["lattice"]["matrix"]) for x in (a, b, c)]),
            species=[ATOMIC_NUMBERS[symbol] for symbol in symbols],
            abc=_floats([x for site in sites for x in _three(site["abc"])]),
            label=_labels(labels, symbols),
            charge=_charge(structure.get("charge")),
            properties=_properties([site.get("properties") or {} for site in sites]),
        )
    except (_Misfit, KeyError, TypeError, ValueError, AttributeError, OverflowError):
        return None


_PERIODIC = (True, True, True)


def _symbol(species: list[dict[str, Any]]) -> str:
    """The one element that fully occupies a site."""
    (specie,) = species
    if len(specie) != 2 or specie["occu"] != 1:
        raise _Misfit
    symbol: str = specie["element"]
    return symbol


def _three(values: list[Any]) -> list[Any]:
    if len(values) != 3:
        raise _Misfit
    return values


def _floats(values: list[Any]) -> list[float]:
    """Coordinates as floats, the type that pymatgen gives them."""
    kinds = set(map(type, values))
    # The sum tells at once whether any of them is infinite or not a number.
    if not kinds <= {float, int} or not math.isfinite(sum(values)):
        raise _Misfit
    return values if kinds == {float} else [float(value) for value in values]


def _labels(labels: list[Any], symbols: list[str]) -> list[str] | None:
    """The labels, or None where pymatgen would give the same: the symbol is the label of a site without one."""
    filled = [symbol if label is None else label for label, symbol in zip(labels, symbols, strict=True)]
    if filled == symbols:
        return None
    # A lone surrogate is no UTF-8; ASCII is what every real file has.
    if not all(type(label) is str and label.isascii() for label in filled):
        raise _Misfit
    return filled


def _charge(charge: Any) -> float | None:
    if charge is None or type(charge) is float:
        return charge
    # 0 equals 0.0 and is never shown; any other integer shows in a structure's text and keeps its type in `rest`.
    if type(charge) is int and charge == 0:
        return 0.0
    raise _Misfit


def _properties(sites: list[dict[str, Any]]) -> dict[str, list[float]]:
    """Site properties as flat lists: n values for a number per site, 3n for a vector; n > 0 tells them apart."""
    names = sites[0].keys()
    if any(site.keys() != names for site in sites):
        raise _Misfit
    properties = {}
    for name in names:
        values = [site[name] for site in sites]
        if set(map(type, values)) == {list}:
            values = [x for value in values for x in _three(value)]
        if set(map(type, values)) != {float} or not name.isascii():
            raise _Misfit
        properties[name] = values
    return properties


def _whole(structure: Mapping[str, Any], row: int) -> str:
    """A structure as JSON text that is known to build."""
    try:
        text = json.dumps(structure)
        build_whole(text)
    except (TypeError, ValueError, RecursionError) as error:
        raise DataFormatError(f"structure {row} is not plain JSON: {error}") from error
    except DataFormatError as error:
        raise DataFormatError(
            f"structure {row} is malformed: {error}", fix="correct it, or leave the row out"
        ) from error
    return text
