"""The score table of a benchmark: every metric of every fold of every entry, computed once, as one Parquet table."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from matbench_lite.data import derived_directory, numbers
from matbench_lite.derived import Parts

if TYPE_CHECKING:
    import pyarrow as pa

WHOLE = -1
"""In place of a fold's number: a value of the task as a whole, e.g. an end of an interval."""

_TEXTS = ("entry", "task", "facts", "metric")
"""The columns of which few values occur again and again."""

Folds = Mapping[int, Mapping[str, float]]
"""Values by fold number and name."""


class Key(NamedTuple):
    """What the values of one entry on one task follow from: digests of its predictions, and of targets and folds."""

    entry: str
    task: str
    facts: str


class ScoreTable:
    """The values of a benchmark that are known, as some module computes them; the others need predictions."""

    def __init__(self, benchmark: str, module: str) -> None:
        self._parts = Parts(derived_directory() / benchmark, "scores", module)
        self._new: dict[Key, Folds] = {}

    def __contains__(self, key: Key) -> bool:
        return key in self._new or key in self._stored.places

    def get(self, key: Key) -> Folds | None:
        """The values of one entry on one task; None if they are not known."""
        return self._new.get(key) or self._stored.get(key)

    def put(self, values: Mapping[Key, Folds]) -> None:
        """Keep the values of some entries."""
        if values:
            self._new.update(values)
            self._parts.append(_encoded(values.items()))

    @cached_property
    def _stored(self) -> _Stored:
        table = self._parts.read(dictionaries=_TEXTS)
        return _Stored() if table is None else _decoded(table)


def _encoded(values: Iterable[tuple[Key, Folds]]) -> pa.Table:
    import pyarrow as pa

    rows = [
        (*key, fold, metric, value)
        for key, folds in values
        for fold, held in folds.items()
        for metric, value in held.items()
    ]
    names = ("entry", "task", "facts", "fold", "metric", "value")
    types = (pa.string(), pa.string(), pa.string(), pa.int16(), pa.string(), pa.float64())
    columns = zip(*rows, strict=True)
    return pa.table([pa.array(column, kind) for column, kind in zip(columns, types, strict=True)], names=names)


@dataclass(frozen=True, kw_only=True)
class _Stored:
    """The rows of the table; those of a key, which stand together, become values when they are asked for."""

    places: Mapping[Key, tuple[int, int]] = field(default_factory=dict)
    folds: Sequence[int] = ()
    metrics: Sequence[str] = ()
    values: Sequence[float] = ()

    def get(self, key: Key) -> Folds | None:
        if key not in self.places:
            return None
        rows = slice(*self.places[key])
        found: dict[int, dict[str, float]] = {}
        for fold, metric, value in zip(self.folds[rows], self.metrics[rows], self.values[rows], strict=True):
            found.setdefault(fold, {})[metric] = value
        return found


def _decoded(table: pa.Table) -> _Stored:
    texts, codes = {}, {}
    for name in _TEXTS:
        column = table[name].unify_dictionaries().combine_chunks()
        texts[name] = np.array(column.dictionary.to_pylist(), dtype=object)
        codes[name] = numbers(column.indices)
    of_key = ("entry", "task", "facts")
    starts = np.flatnonzero(np.any([np.diff(codes[name], prepend=-1) for name in of_key], axis=0))
    keys = map(Key, *(texts[name][codes[name][starts]].tolist() for name in of_key))
    ends = [*starts[1:].tolist(), table.num_rows]
    return _Stored(
        places=dict(zip(keys, zip(starts.tolist(), ends, strict=True), strict=True)),
        folds=numbers(table["fold"]).tolist(),
        metrics=texts["metric"][codes["metric"]].tolist(),
        values=numbers(table["value"]).tolist(),
    )
