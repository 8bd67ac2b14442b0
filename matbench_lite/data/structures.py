"""Structures as Arrow columns and back, without losing anything.

One row per structure:

- `lattice`: the 9 numbers of the lattice matrix, row by row, in angstrom.
- `species`: atomic numbers, one per site.
- `abc`: fractional coordinates, three per site, as written in the file.
- `label`: site labels; null where every label is the element's symbol.
- `charge`: null where the structure has none.
- `site:<name>`: a site property of floats; null where the structure does not have it. As many values as sites mean
  a number per site, three times as many a vector per site.
- `rest`: null, or the whole structure dict as JSON for a structure that does not fit in full: disorder, oxidation
  states, isotopes, partial periodicity, structure properties, site properties that are not floats or not on every
  site. The other columns are null then.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Mapping
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
from numpy.typing import NDArray

from matbench_lite.data.chemistry import ATOMIC_NUMBERS, SYMBOLS, build_whole
from matbench_lite.errors import DataFormatError, raising

if TYPE_CHECKING:
    from pymatgen.core import Composition, Structure


class StructureColumns:
    """A table of structures, as `encode_structures` makes it, opened so that any one of them can be built quickly.

    A `DataFormatError` if the table does not have these columns, or they contradict each other.
    """

    def __init__(self, table: pa.Table) -> None:
        for field in FIELDS:
            if field.name not in table.column_names or table.schema.field(field.name).type != field.type:
                raise DataFormatError(f"not a table of structures: no column {field.name!r} of type {field.type}")
        self.table = table
        self._is_whole = table["rest"].is_valid().to_numpy()
        self._starts, species = _rows(table["species"])
        self._species = species.tobytes()
        coordinate_starts, coordinates = _rows(table["abc"])
        if not np.array_equal(coordinate_starts, 3 * self._starts):
            raise DataFormatError("damaged table of structures: `abc` does not have three numbers per site")
        if len(species) and not 1 <= species.min() <= species.max() <= len(SYMBOLS):
            raise DataFormatError("damaged table of structures: `species` has an atomic number that does not exist")
        if not np.array_equal(np.diff(self._starts) == 0, self._is_whole):
            raise DataFormatError("damaged table of structures: a row needs either sites or `rest`")
        self._coordinates = coordinates.reshape(-1, 3)
        self._lattices = _lattices(table["lattice"], self._is_whole)
        self._labels = _unless_null(table["label"])
        self._charges = _unless_null(table["charge"])
        self._properties = {
            name.removeprefix(PROPERTY_PREFIX): _rows(table[name])
            for name in table.column_names
            if name.startswith(PROPERTY_PREFIX)
        }

    def __len__(self) -> int:
        return len(self._is_whole)

    def __reduce__(self) -> tuple[object, ...]:
        return StructureColumns, (self.table,)

    @property
    def nbytes(self) -> int:
        """Size of the columns in memory, in bytes."""
        size: int = self.table.nbytes
        return size

    def take(self, rows: NDArray[np.int64]) -> StructureColumns:
        """Copy some rows, in the order given, into columns of their own."""
        return StructureColumns(self.table.take(pa.array(rows)))

    def build(self, row: int) -> Structure:
        """Build the pymatgen `Structure` of one row, counted from 0: a new object at every call."""
        from pymatgen.core import Lattice, Structure

        if self._is_whole[row]:
            return build_whole(self.table["rest"][row].as_py())
        first, last = self._starts[row], self._starts[row + 1]
        numbers = self._species[first:last]
        labels = self._labels[row].as_py() if self._labels is not None else None
        compositions = _compositions()
        return Structure(
            Lattice(self._lattices[row]),
            [compositions[number] for number in numbers],
            self._coordinates[first:last],
            charge=self._charges[row].as_py() if self._charges is not None else None,
            site_properties=self._site_properties(row, len(numbers)),
            # Given even where it is the symbol: a label read from a file stays when the species is replaced.
            labels=labels or [SYMBOLS[number - 1] for number in numbers],
        )

    def _site_properties(self, row: int, sites: int) -> dict[str, list[Any]]:
        properties = {}
        for name, (starts, flat) in self._properties.items():
            values = flat[starts[row] : starts[row + 1]]
            if len(values) == sites:
                properties[name] = values.tolist()
            elif len(values) == 3 * sites:
                properties[name] = values.reshape(-1, 3).tolist()
            elif len(values):
                raise DataFormatError(f"damaged table of structures: row {row} has {len(values)} values of {name!r}")
        return properties


def write_structures(table: pa.Table, path: Path) -> None:
    """Write structures to a Parquet file that `read_columns` reads back unchanged; not atomic."""
    # Coordinates repeat (0.5, 1/3, equal lattice vectors): compressed as plain values they take a quarter less than
    # as BYTE_STREAM_SPLIT and a fifth less than through a dictionary, measured on three real tasks.
    pq.write_table(table, path, compression="zstd", compression_level=9, use_dictionary=["label.list.element"])


@cache
def _compositions() -> tuple[Composition | None, ...]:
    """One composition per element, at its atomic number: immutable, so all structures share them."""
    from pymatgen.core import Composition, Element

    return (None, *(Composition({Element(symbol): 1}) for symbol in SYMBOLS))


def _rows(column: pa.ChunkedArray) -> tuple[NDArray[np.int64], NDArray[Any]]:
    """Where each row's list starts (and the last ends), and the values of all rows; a null row has none."""
    lists = column.combine_chunks()
    lengths = pc.fill_null(pc.list_value_length(lists), 0).to_numpy()
    starts = np.zeros(len(lists) + 1, dtype=np.int64)
    np.cumsum(lengths, out=starts[1:])
    return starts, lists.flatten().to_numpy()


def _lattices(column: pa.ChunkedArray, is_whole: NDArray[np.bool_]) -> NDArray[np.float64]:
    matrices: NDArray[np.float64] = column.combine_chunks().flatten().to_numpy().reshape(-1, 9)
    if len(matrices) != np.count_nonzero(~is_whole):
        raise DataFormatError("damaged table of structures: a row needs either `lattice` or `rest`")
    if len(matrices) == len(is_whole):
        return matrices
    spread = np.zeros((len(is_whole), 9))
    spread[~is_whole] = matrices
    return spread


def _unless_null(column: pa.ChunkedArray) -> pa.Array | None:
    """The column in one piece, or None where it says nothing, so that building need not look."""
    return None if column.null_count == len(column) else column.combine_chunks()


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


def encode_structures(structures: Iterable[Mapping[str, Any]], *, first_row: int = 0) -> pa.Table:
    """Turn pymatgen `Structure` dicts, as parsed from JSON, into a table, one row per structure.

    Tables with different site properties are put together by `pa.concat_tables(promote_options="default")`. A
    `DataFormatError` says which dict is no structure, counted from `first_row`, and what is wrong with it.

    Examples:
        >>> site = {"species": [{"element": "Po", "occu": 1}], "abc": [0.0, 0.0, 0.0]}
        >>> cell = {"matrix": [[3.35, 0.0, 0.0], [0.0, 3.35, 0.0], [0.0, 0.0, 3.35]]}
        >>> table = encode_structures([{"lattice": cell, "sites": [site]}])
        >>> table["species"].to_pylist(), StructureColumns(table).build(0).formula
        ([[84]], 'Po1')
    """
    columns: dict[str, list[Any]] = {field.name: [] for field in FIELDS}
    properties: dict[str, dict[int, list[float]]] = {}
    count = 0
    for count, structure in enumerate(structures, start=1):
        row, own = _plain(structure)
        if row is None or len(properties | own) > _MOST_PROPERTIES:
            row, own = {"rest": _whole(structure, first_row + count - 1)}, {}
        for name, cells in columns.items():
            cells.append(row.get(name))
        for name, values in own.items():
            properties.setdefault(name, {})[count - 1] = values
    arrays = {field.name: pa.array(columns[field.name], type=field.type) for field in FIELDS}
    for name, found in properties.items():
        arrays[PROPERTY_PREFIX + name] = pa.array(map(found.get, range(count)), type=pa.list_(pa.float64()), size=count)
    return pa.table(arrays)


def _plain(structure: Mapping[str, Any]) -> tuple[dict[str, Any] | None, dict[str, list[float]]]:
    """What the columns hold of a structure, and its site properties; None where something would be lost or is wrong."""
    try:
        if structure.get("properties") or structure["lattice"].get("pbc", _PERIODIC) not in (_PERIODIC, [*_PERIODIC]):
            return None, {}
        sites = structure["sites"]
        symbols = [_symbol(site["species"]) for site in sites]
        if not symbols:
            return None, {}
        row = {
            "lattice": _floats([x for a, b, c in _three(structure["lattice"]["matrix"]) for x in (a, b, c)]),
            "species": [ATOMIC_NUMBERS[symbol] for symbol in symbols],
            "abc": _floats([x for site in sites for x in _three(site["abc"])]),
            "label": _labels([site.get("label") for site in sites], symbols),
            "charge": _charge(structure.get("charge")),
        }
        return row, _properties([site.get("properties") or {} for site in sites])
    except (KeyError, TypeError, ValueError, AttributeError, OverflowError):
        return None, {}


_PERIODIC = (True, True, True)


def _symbol(species: list[dict[str, Any]]) -> str:
    """The one element that fully occupies a site."""
    (specie,) = species
    if len(specie) != 2 or specie["occu"] != 1:
        raise ValueError
    symbol: str = specie["element"]
    return symbol


def _three(values: list[Any]) -> list[Any]:
    if len(values) != 3:
        raise ValueError
    return values


def _floats(values: list[Any]) -> list[float]:
    """Coordinates as floats, the type that pymatgen gives them."""
    kinds = set(map(type, values))
    # The sum tells at once whether any of them is infinite or not a number.
    if not kinds <= {float, int} or not math.isfinite(sum(values)):
        raise ValueError
    return values if kinds == {float} else [float(value) for value in values]


def _labels(labels: list[Any], symbols: list[str]) -> list[str] | None:
    """The labels, or None where pymatgen would give the same: the symbol is the label of a site without one."""
    filled = [symbol if label is None else label for label, symbol in zip(labels, symbols, strict=True)]
    if filled == symbols:
        return None
    # A lone surrogate is no UTF-8; ASCII is what every real file has.
    if not all(type(label) is str and label.isascii() for label in filled):
        raise ValueError
    return filled


def _charge(charge: Any) -> float | None:
    if charge is None or type(charge) is float:
        return charge
    # 0 equals 0.0 and is never shown; any other integer shows in a structure's text and keeps its type in `rest`.
    if type(charge) is int and charge == 0:
        return 0.0
    raise ValueError


def _properties(sites: list[dict[str, Any]]) -> dict[str, list[float]]:
    """Site properties as flat lists: n values for a number per site, 3n for a vector; n > 0 tells them apart."""
    names = sites[0].keys()
    if any(site.keys() != names for site in sites):
        raise ValueError
    properties = {}
    for name in names:
        values = [site[name] for site in sites]
        if set(map(type, values)) == {list}:
            values = [x for value in values for x in _three(value)]
        if set(map(type, values)) != {float} or not name.isascii():
            raise ValueError
        properties[name] = values
    return properties


def _whole(structure: Mapping[str, Any], row: int) -> str:
    """A structure as JSON text that is known to build."""
    wrong = (TypeError, ValueError, RecursionError)
    with raising(DataFormatError, f"structure {row} is not plain JSON", on=wrong):
        text = json.dumps(structure)
    fix = "correct it, or leave the row out"
    with raising(DataFormatError, f"structure {row} is malformed", fix=fix, on=DataFormatError):
        build_whole(text)
    return text
