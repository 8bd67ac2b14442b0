"""A pandas column of structures that builds each one when it is looked at."""

from __future__ import annotations

import builtins
import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np
import pandas as pd
import pyarrow as pa
from numpy.typing import NDArray
from pandas.api.extensions import ExtensionArray, ExtensionDtype, register_extension_dtype
from pandas.api.indexers import check_array_indexer
from pandas.api.types import is_integer

from matbench_lite.data.structures import StructureColumns, encode_structures
from matbench_lite.errors import DataMissingError
from matbench_lite.memory import collector_paused

if TYPE_CHECKING:
    from pymatgen.core import Structure


@register_extension_dtype
class StructureDtype(ExtensionDtype):  # type: ignore[misc]
    """The dtype `structure` of a pandas column."""

    name: ClassVar[str] = "structure"
    type: ClassVar[builtins.type] = object

    @classmethod
    def construct_array_type(cls) -> builtins.type[StructureArray]:
        """The array that holds this dtype."""
        return StructureArray


class StructureArray(ExtensionArray):  # type: ignore[misc]
    """Structures of a pandas `Series`, built one by one on access, never kept.

    Selecting rows moves row numbers only; pickling ships the selected rows. A structure that comes out is the caller's
    own: changing it changes nothing here. There are no missing values.

    Examples:
        >>> site = {"species": [{"element": "Po", "occu": 1}], "abc": [0.0, 0.0, 0.0]}
        >>> cell = {"matrix": [[3.35, 0.0, 0.0], [0.0, 3.35, 0.0], [0.0, 0.0, 3.35]]}
        >>> array = StructureArray(StructureColumns(encode_structures([{"lattice": cell, "sites": [site]}])))
        >>> pd.Series(array, index=["mb-1"])
        mb-1    Po (1 site)
        dtype: structure
        >>> array[0].volume
        37.595375...
    """

    def __init__(self, columns: StructureColumns, rows: NDArray[np.int64] | None = None) -> None:
        self._columns = columns
        self._rows = np.arange(len(columns), dtype=np.int64) if rows is None else rows

    @classmethod
    def _from_sequence(
        cls,
        scalars: Iterable[Any],
        *,
        dtype: object = None,  # noqa: ARG003 - pandas passes it
        copy: bool = False,
    ) -> Self:
        """Make an array of structures that somebody else built."""
        if isinstance(scalars, cls):
            return scalars.copy() if copy else scalars
        return cls(StructureColumns(encode_structures(map(_plain_dict, scalars))))

    @classmethod
    def _concat_same_type(cls, to_concat: Sequence[Self]) -> Self:
        first = to_concat[0]
        if all(array._columns is first._columns for array in to_concat):
            return cls(first._columns, np.concatenate([array._rows for array in to_concat]))
        tables = [array._columns.take(array._rows).table for array in to_concat]
        return cls(StructureColumns(pa.concat_tables(tables, promote_options="default")))

    @property
    def dtype(self) -> StructureDtype:
        """The dtype `structure`."""
        return StructureDtype()

    @property
    def nbytes(self) -> int:
        """Size in memory, in bytes; arrays selected from one another share most of it."""
        return self._rows.nbytes + self._columns.nbytes

    def __len__(self) -> int:
        return len(self._rows)

    def __getitem__(self, item: Any) -> Any:
        if is_integer(item):
            return self._columns.build(int(self._rows[item]))
        return type(self)(self._columns, self._rows[check_array_indexer(self, item)])

    def __iter__(self) -> Iterator[Structure]:
        return map(self._columns.build, self._rows.tolist())

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> NDArray[Any]:
        if copy is False:
            raise ValueError("structures are built on access: an array of them is always a copy")
        built = np.empty(len(self), dtype=object)
        with collector_paused():
            # Assigned one by one: numpy takes a structure for a sequence of sites.
            for position, structure in enumerate(self):
                built[position] = structure
        return built if dtype is None else built.astype(dtype, copy=False)

    def __eq__(self, other: object) -> Any:
        if isinstance(other, pd.Series | pd.DataFrame | pd.Index):
            return NotImplemented
        others = other if isinstance(other, StructureArray) else [other] * len(self)
        return np.fromiter((a == b for a, b in zip(self, others, strict=True)), dtype=bool, count=len(self))

    def __reduce__(self) -> tuple[object, ...]:
        return type(self), (self._columns.take(self._rows),)

    def isna(self) -> NDArray[np.bool_]:
        """False for every row."""
        return np.zeros(len(self), dtype=bool)

    def take(
        self,
        indices: Any,
        *,
        allow_fill: bool = False,
        fill_value: Any = None,  # noqa: ARG002 - pandas passes it
    ) -> Self:
        """Select rows by position.

        A `DataMissingError` if pandas asks for a missing value, as `reindex` does for a label that is not there.
        """
        positions = np.asarray(indices, dtype=np.int64)
        if allow_fill and (positions < 0).any():
            if (positions < -1).any():
                raise ValueError(f"positions of `take` with `allow_fill` start at -1, got {positions.min()}")
            raise DataMissingError(
                f"{np.count_nonzero(positions == -1)} of the {len(positions)} rows asked for are not there, and a "
                "column of structures has no missing values",
                fix="select labels that exist, for example with `series.index.intersection(labels)`",
            )
        if len(positions) and not len(self):
            raise IndexError("cannot do a non-empty take from an empty array")
        return type(self)(self._columns, self._rows[positions])

    def copy(self) -> Self:
        """An array of its own over the same columns, which never change."""
        return type(self)(self._columns, self._rows.copy())

    def map(self, mapper: Any, na_action: Any = None) -> Any:
        """Apply a function to every structure, holding one structure at a time."""
        if not callable(mapper):
            return super().map(mapper, na_action)
        results = np.empty(len(self), dtype=object)
        for position, structure in enumerate(self):
            results[position] = mapper(structure)
        return pd.Series(results).infer_objects().to_numpy()

    def _formatter(self, boxed: bool = False) -> Callable[[Any], str]:  # noqa: ARG002 - pandas passes it
        return _summary


def _summary(structure: Structure) -> str:
    sites = len(structure)
    return f"{structure.composition.reduced_formula} ({sites} site{'' if sites == 1 else 's'})"


def _plain_dict(structure: Any) -> dict[str, Any]:
    from pymatgen.core import Structure

    if not isinstance(structure, Structure):
        # TypeError, because pandas tries this first and takes an object column when it fails.
        raise TypeError(f"a column of structures holds pymatgen Structure objects, got {type(structure).__name__}")
    plain: dict[str, Any] = json.loads(structure.to_json())
    return plain
