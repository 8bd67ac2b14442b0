"""Products of the losses of every two entries of a task: all that comparing them needs, kept, and added to."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from matbench_lite.board.rows import Rows, ordered_predictions
from matbench_lite.data import derived_directory, numbers
from matbench_lite.derived import Parts
from matbench_lite.submission import RecordedFold
from matbench_lite.tasks import Task

_ROOM = 2**22
"""Losses that are in memory at once: 32 MB."""
_FEW = 10_000
"""So many pairs are kept in any case, even if most are of entries that nobody asks for any more."""


@dataclass(frozen=True, kw_only=True, eq=False)
class _Block:
    """Some pairs: the names of entries, which two of them each pair is, and both products."""

    names: Sequence[str]
    first: NDArray[np.integer]
    second: NDArray[np.integer]
    rows: NDArray[np.float64]
    clusters: NDArray[np.float64]


class Products:
    """The products that are known of a task, each entry under a name that says what it predicts, and of what data.

    Of two entries there is the sum, over rows, of the product of what each adds to the error of its score, and the same
    over clusters of rows: `Moments.rows` and `Moments.clusters`.
    """

    def __init__(self, task: Task) -> None:
        self._parts = Parts(derived_directory() / task.benchmark / "products", task.name, __name__)

    def of(self, names: Sequence[str]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """The products of all pairs of some entries, by rows and by clusters; NaN where they are not known."""
        places = {name: place for place, name in enumerate(dict.fromkeys(names))}
        rows, clusters = np.full((2, len(places), len(places)), np.nan)
        for block in self._read():
            found = np.array([places.get(name, -1) for name in block.names], dtype=np.intp)
            first, second = found[block.first], found[block.second]
            both = (first >= 0) & (second >= 0)
            for matrix, values in ((rows, block.rows), (clusters, block.clusters)):
                matrix[first[both], second[both]] = matrix[second[both], first[both]] = values[both]
        return _repeated((rows, clusters), list(places), names)

    def completed(
        self,
        names: Sequence[str],
        rows: Rows,
        errors: NDArray[np.float64],
        recorded: Sequence[Mapping[int, RecordedFold]],
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """The products of all pairs of some entries: what is not known of them is computed, and kept.

        Args:
            names: The entries.
            rows: The rows of the task.
            errors: The mean loss of each in every fold.
            recorded: What each predicts, by fold.
        """
        from threadpoolctl import threadpool_limits

        whole = names
        names = list(dict.fromkeys(names))  # entries that predict the same are one here
        known = self.of(names)
        new = _unknown(known[0])
        others = np.setdiff1d(np.arange(len(names)), new)
        order = np.concatenate([new, others])
        asked = np.array([whole.index(name) for name in names])[order]
        by_rows, by_clusters = np.zeros((2, len(new), len(names)))
        with threadpool_limits(1):  # BLAS waits for its other threads by turning round and round
            for part, starts in _parts(rows, len(names)):
                residuals = _residuals(rows, part, asked, errors, recorded)
                by_rows += residuals[: len(new)] @ residuals.T
                sums = np.add.reduceat(residuals, starts, axis=1) if len(starts) < len(part) else residuals
                by_clusters += sums[: len(new)] @ sums.T
        folds = len(rows.design.sizes)
        # Each pair once: the products of two new entries are there twice, and may differ in the last bit.
        first, second = np.nonzero(np.arange(len(names)) >= np.arange(len(new))[:, np.newaxis])
        block = _Block(
            names=[names[place] for place in order],
            first=first,
            second=second,
            rows=by_rows[first, second] / folds,
            clusters=by_clusters[first, second] * rows.design.small_sample / folds**2,
        )
        for matrix, products in zip(known, (block.rows, block.clusters), strict=True):
            a, b = order[first], order[second]
            matrix[a, b] = matrix[b, a] = products
        self._keep(block, names, known)
        return _repeated(known, names, whole)

    def _keep(
        self, block: _Block, names: Sequence[str], known: tuple[NDArray[np.float64], NDArray[np.float64]]
    ) -> None:
        import pyarrow as pa

        def table(of: _Block) -> pa.Table:
            columns = {
                name: pa.DictionaryArray.from_arrays(pa.array(codes, pa.int32()), pa.array(of.names, pa.string()))
                for name, codes in (("first", of.first), ("second", of.second))
            }
            return pa.table({**columns, "rows": of.rows, "clusters": of.clusters})

        pairs = len(block.rows) + sum(len(each.rows) for each in self._read())
        wanted = len(names) * (len(names) + 1) // 2
        if pairs <= max(4 * wanted, _FEW):
            self._parts.append(table(block))
            return
        by_rows, by_clusters = known
        first, second = np.triu_indices(len(names))
        kept = _Block(
            names=names, first=first, second=second, rows=by_rows[first, second], clusters=by_clusters[first, second]
        )
        self._parts.replace(table(kept))

    def _read(self) -> list[_Block]:
        table = self._parts.read(dictionaries=("first", "second"))
        if table is None:
            return []
        blocks = []
        for batch in table.to_batches():
            first, second = batch["first"], batch["second"]
            names = [*first.dictionary.to_pylist(), *second.dictionary.to_pylist()]
            blocks.append(
                _Block(
                    names=names,
                    first=numbers(first.indices),
                    second=numbers(second.indices) + len(first.dictionary),
                    rows=numbers(batch["rows"]),
                    clusters=numbers(batch["clusters"]),
                )
            )
        return blocks


def _repeated(
    products: tuple[NDArray[np.float64], NDArray[np.float64]], distinct: Sequence[str], names: Sequence[str]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """The products of entries of which some predict the same, from those of distinct ones."""
    if len(distinct) == len(names):
        return products
    places = {name: place for place, name in enumerate(distinct)}
    grid = np.ix_(*[[places[name] for name in names]] * 2)
    return products[0][grid], products[1][grid]


def _unknown(products: NDArray[np.float64]) -> NDArray[np.intp]:
    """The positions of the entries that have to be multiplied with all others, so that all products are known."""
    missing = np.isnan(products)
    new = missing.diagonal().copy()
    return np.flatnonzero(new | missing[:, ~new].any(axis=1))


def _parts(rows: Rows, entries: int) -> Iterator[tuple[NDArray[np.intp], NDArray[np.intp]]]:
    """The rows of a task by cluster, as many at a time as there is room for: their places, and where clusters begin."""
    clusters = rows.design.clusters
    by_cluster = np.argsort(clusters, kind="stable")
    starts = np.flatnonzero(np.diff(clusters[by_cluster], prepend=-1))
    ends = np.append(starts[1:], len(clusters))
    room = max(1, _ROOM // entries)
    begin = 0
    while begin < len(starts):
        # One cluster at least, however large it is.
        end = max(begin + 1, int(np.searchsorted(ends, starts[begin] + room, side="right")))
        yield by_cluster[starts[begin] : ends[end - 1]], starts[begin:end] - starts[begin]
        begin = end


def _residuals(
    rows: Rows,
    part: NDArray[np.intp],
    order: NDArray[np.intp],
    errors: NDArray[np.float64],
    recorded: Sequence[Mapping[int, RecordedFold]],
) -> NDArray[np.float64]:
    """The losses of entries on some rows, less the mean of the fold, and divided by its size."""
    folds = rows.design.folds[part]
    sizes = rows.design.sizes[folds].astype(np.float64)
    found = np.empty((len(order), len(part)))
    for into, place in zip(found, order.tolist(), strict=True):
        np.subtract(rows.score_losses(ordered_predictions(recorded[place]), part), errors[place][folds], out=into)
        into /= sizes
    return found
