"""Products of the losses of every two entries of a task: all that comparing them needs, kept, and added to."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from matbench_lite.board.rows import Rows, ordered_predictions
from matbench_lite.data import derived_directory, numbers
from matbench_lite.derived import Parts
from matbench_lite.submission import RecordedFold
from matbench_lite.tasks import Task

if TYPE_CHECKING:
    import pyarrow as pa

_ROOM = 2**22
"""Losses that are in memory at once: 32 MB."""
_FEW = 10_000
"""So many pairs are kept in any case, even if most are of entries that nobody asks for any more."""


_Pair = tuple[NDArray[np.float64], NDArray[np.float64]]
"""Products by rows, and by clusters."""
_ENTRIES = ("first", "second")
"""The columns of the kept table that name the two entries of a pair."""


class Products:
    """The products that are known of a task, each entry under a name that says what it predicts, and of what data.

    Of two entries there is the sum, over rows, of the product of what each adds to the error of its score, and the same
    over clusters of rows: `Moments.rows` and `Moments.clusters`.
    """

    def __init__(self, task: Task) -> None:
        self._parts = Parts(derived_directory() / task.benchmark / "products", task.name, __name__)

    def of(self, names: Sequence[str]) -> _Pair:
        """The products of all pairs of some entries, by rows and by clusters; NaN where they are not known."""
        places = {name: place for place, name in enumerate(dict.fromkeys(names))}
        rows, clusters = np.full((2, len(places), len(places)), np.nan)
        table = self._parts.read(dictionaries=_ENTRIES)
        for batch in table.to_batches() if table else ():
            first, second = (_found(batch[side], places) for side in _ENTRIES)
            both = (first >= 0) & (second >= 0)
            for matrix, column in ((rows, "rows"), (clusters, "clusters")):
                matrix[first[both], second[both]] = matrix[second[both], first[both]] = numbers(batch[column])[both]
        return _repeated((rows, clusters), list(places), names)

    def completed(
        self,
        names: Sequence[str],
        rows: Rows,
        errors: NDArray[np.float64],
        recorded: Sequence[Mapping[int, RecordedFold]],
    ) -> _Pair:
        """The products of all pairs of some entries: what is not known of them is computed, and kept.

        There are, of each, its mean loss in every fold, and what it predicts, by fold.
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
        found = (by_rows[first, second] / folds, by_clusters[first, second] * rows.design.small_sample / folds**2)
        first, second = order[first], order[second]
        for matrix, products in zip(known, found, strict=True):
            matrix[first, second] = matrix[second, first] = products
        self._keep(names, known, first, second)
        return _repeated(known, names, whole)

    def _keep(self, names: Sequence[str], known: _Pair, first: NDArray[np.intp], second: NDArray[np.intp]) -> None:
        """Keep the new pairs, by the positions of their entries, too; or those of `names` and no others."""
        import pyarrow as pa

        kept = self._parts.read(dictionaries=_ENTRIES)
        wanted = len(names) * (len(names) + 1) // 2
        is_few = len(first) + (kept.num_rows if kept else 0) <= max(4 * wanted, _FEW)
        if not is_few:
            first, second = np.triu_indices(len(names))
        by_name = pa.array(names, pa.string())
        columns = {
            side: pa.DictionaryArray.from_arrays(pa.array(places, pa.int32()), by_name)
            for side, places in zip(_ENTRIES, (first, second), strict=True)
        }
        by_rows, by_clusters = known
        table = pa.table({**columns, "rows": by_rows[first, second], "clusters": by_clusters[first, second]})
        keep = self._parts.append if is_few else self._parts.replace
        keep(table)


def _found(entries: pa.DictionaryArray, places: Mapping[str, int]) -> NDArray[np.intp]:
    """The positions of named entries; -1 for those that nobody asks for."""
    known = np.array([places.get(name, -1) for name in entries.dictionary.to_pylist()], dtype=np.intp)
    return known.take(numbers(entries.indices))


def _repeated(products: _Pair, distinct: Sequence[str], names: Sequence[str]) -> _Pair:
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
