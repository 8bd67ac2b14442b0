"""Structures in Arrow columns, opened so that any one of them can be built quickly; written and read as Parquet."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
from numpy.typing import NDArray

from matbench_lite.data.elements import SYMBOLS
from matbench_lite.data.structures.encoding import FIELDS, PROPERTY_PREFIX
from matbench_lite.data.structures.whole import build_whole
from matbench_lite.errors import DataFormatError

if TYPE_CHECKING:
    from pymatgen.core import Composition, Structure


class StructureColumns:
    """A table of structures, opened so that any one of them can be built quickly.

    Args:
        table: Structures as columns, from `encode_structures` or `read_structures`.

    Raises:
        DataFormatError: If the table does not have these columns, or they contradict each other.

    Examples:
        >>> site = {"species": [{"element": "Po", "occu": 1}], "abc": [0.0, 0.0, 0.0]}
        >>> cell = {"matrix": [[3.35, 0.0, 0.0], [0.0, 3.35, 0.0], [0.0, 0.0, 3.35]]}
        >>> from matbench_lite.data.structures import encode_structures
        >>> columns = StructureColumns(encode_structures([{"lattice": cell, "sites": [site]}]))
        >>> len(columns), columns.build(0).formula
        (1, 'Po1')
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
        """Build the pymatgen `Structure` of one row: a new object at every call.

        Args:
            row: Row number, from 0.
        """
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
    """Write structures to a Parquet file that `read_structures` reads back unchanged.

    Args:
        table: Structures as columns.
        path: The file to make or replace; not atomic, that is the caller's part.
    """
    # Coordinates repeat (0.5, 1/3, equal lattice vectors): compressed as plain values they take a quarter less than
    # as BYTE_STREAM_SPLIT and a fifth less than through a dictionary, measured on three real tasks.
    pq.write_table(table, path, compression="zstd", compression_level=9, use_dictionary=["label.list.element"])


def read_structures(path: Path | pa.BufferReader) -> pa.Table:
    """Read structures from a Parquet file; `StructureColumns` builds them.

    Examples:
        >>> import tempfile
        >>> from matbench_lite.data.structures import encode_structures
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     write_structures(encode_structures([]), Path(folder) / "none.parquet")
        ...     len(StructureColumns(read_structures(Path(folder) / "none.parquet")))
        0
    """
    return pq.read_table(path)


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
