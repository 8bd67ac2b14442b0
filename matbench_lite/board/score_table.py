"""The score table of a benchmark: every metric of every fold of every entry, computed once, as one Parquet table."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from matbench_lite.data import derived_directory
from matbench_lite.derived import Parts

if TYPE_CHECKING:
    import pyarrow as pa

WHOLE = -1
"""In place of a fold's number: a value of the task as a whole, e.g. an end of an interval."""

Folds = Mapping[int, Mapping[str, float]]
"""Values by fold number and name."""


class Key(NamedTuple):
    """What the values of one entry on one task follow from.

    Args:
        entry: Digest of its predictions on the task.
        task: Name of the task.
        facts: Digest of the targets, formulas and folds.
    """

    entry: str
    task: str
    facts: str


class ScoreTable:
    """The values that are known; predictions are opened only for what is not here.

    Args:
        benchmark: Name of the benchmark.
        module: The module that computes the values.
    """

    def __init__(self, benchmark: str, module: str) -> None:
        self._parts = Parts(derived_directory() / benchmark, "scores", module)
        self._known: dict[Key, Folds] | None = None

    def get(self, key: Key) -> Folds | None:
        """The values of one entry on one task; None if they are not known."""
        return self._loaded().get(key)

    def put(self, values: Mapping[Key, Folds]) -> None:
        """Keep the values of some entries."""
        if values:
            self._loaded().update(
                {key: {fold: dict(held) for fold, held in kept.items()} for key, kept in values.items()}
            )
            self._parts.append(_encoded(values.items()))

    def _loaded(self) -> dict[Key, Folds]:
        if self._known is None:
            table = self._parts.read()
            self._known = {} if table is None else dict(_decoded(table))
        return self._known


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


def _decoded(table: pa.Table) -> dict[Key, dict[int, dict[str, float]]]:
    """The rows by key; those of a key stand together."""
    texts, codes = {}, {}
    for name in ("entry", "task", "facts", "metric"):
        column = table[name].dictionary_encode().unify_dictionaries().combine_chunks()
        texts[name], codes[name] = column.dictionary.to_pylist(), column.indices.to_numpy()
    folds, values = table["fold"].to_numpy(), table["value"].to_numpy()
    changes = [np.diff(codes[name]) for name in ("entry", "task", "facts")] + [np.diff(folds)]
    starts = [0, *(np.flatnonzero(np.any(changes, axis=0)) + 1).tolist()]
    names, numbers = np.array(texts["metric"], dtype=object)[codes["metric"]].tolist(), values.tolist()
    ends = [*starts[1:], len(numbers)]
    columns = [np.array(texts[name], dtype=object)[codes[name][starts]].tolist() for name in ("entry", "task", "facts")]
    known: dict[Key, dict[int, dict[str, float]]] = {}
    for start, end, fold, *key in zip(starts, ends, folds[starts].tolist(), *columns, strict=True):
        known.setdefault(Key(*key), {})[fold] = dict(zip(names[start:end], numbers[start:end], strict=True))
    return known
