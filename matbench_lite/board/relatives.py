"""How near the training data is to every tested row: the nearest composition, and whether the elements are new."""

from __future__ import annotations

from dataclasses import dataclass, fields
from functools import cached_property, lru_cache

import numpy as np
from numpy.typing import NDArray

from matbench_lite.board.composition_search import Compositions, compositions, nearest
from matbench_lite.data import derived_directory, load_formulas, numbers
from matbench_lite.derived import Parts, key
from matbench_lite.errors import DataFormatError
from matbench_lite.progress import Advance, progress
from matbench_lite.tasks import Task

NEAR = 0.05
"""A training composition within this distance, 5 at.%, is a relative; one of the same formula always is."""
NOWHERE = -1
"""In place of a row's position: none is within the distance up to which is searched."""


@dataclass(frozen=True, kw_only=True, eq=False)
class Relatives:
    """The tested rows of a task, fold after fold, in the order in which predictions are recorded.

    A row that several folds test is there as often.

    Args:
        folds: The fold that tests each row.
        rows: Its position in the file.
        distances: From its composition to the nearest of that fold's training part, half the sum of |difference| over
            the fractions of all elements: from 0 (the same) to 0.25; infinite for all that is beyond.
        nearest: Position of a training row of that composition, the first in the file; `NOWHERE` where there is none.
        new_system: Whether no row of that training part has the same elements.
    """

    folds: NDArray[np.uint8]
    rows: NDArray[np.intp]
    distances: NDArray[np.float64]
    nearest: NDArray[np.intp]
    new_system: NDArray[np.bool_]

    @cached_property
    def without(self) -> NDArray[np.bool_]:
        """Which of them have no relative in training."""
        return self.distances > NEAR


_COLUMNS = tuple(field.name for field in fields(Relatives))


def find_relatives(task: Task) -> Relatives | None:
    """Search the training part of every fold of a task whose targets are here; None where rows have no formulas.

    Examples:
        >>> from matbench_lite import load_benchmark
        >>> found = find_relatives(load_benchmark("mini")["mini_gap"])
        >>> len(found.rows), int(found.without.sum()), int(found.new_system.sum())
        (500, 500, 464)
    """
    import pandas as pd

    if task.input == "table":
        return None
    codes, formulas = pd.factorize(np.array(load_formulas(task), dtype=object))
    try:
        among = compositions(formulas.tolist())
    except DataFormatError:  # a structure may have sites that are no elements
        return None
    searches = [_Search(task.test_rows(fold), task.train_rows(fold), codes) for fold in task.folds]
    with progress(f"relatives in training of {task.name}", sum(len(each.queries) for each in searches)) as advance:
        parts = [each.found(fold, among, advance) for fold, each in enumerate(searches)]
    return Relatives(**{name: np.concatenate([getattr(part, name) for part in parts]) for name in _COLUMNS})


class _Search:
    """What is asked about one fold: its compositions by number, and those that its training part does not have."""

    def __init__(self, tested: NDArray[np.intp], trained: NDArray[np.intp], codes: NDArray[np.intp]) -> None:
        self.tested, self.wanted = tested, codes[tested]
        self.known, first = np.unique(codes[trained], return_index=True)
        self.known_rows = trained[first]
        self.queries = np.setdiff1d(self.wanted, self.known)

    def found(self, fold: int, among: Compositions, advance: Advance) -> Relatives:
        distances, found = np.zeros(len(among)), np.arange(len(among))  # one that is known is its own nearest
        distances[self.queries], found[self.queries] = nearest(self.queries, self.known, among, advance)
        row_of = np.full(len(among) + 1, NOWHERE)  # the last place is that of none
        row_of[self.known] = self.known_rows
        return Relatives(
            folds=np.full(len(self.tested), fold, dtype=np.uint8),
            rows=self.tested,
            distances=distances[self.wanted],
            nearest=row_of[found[self.wanted]],
            new_system=~np.isin(among.systems[self.wanted], among.systems[self.known]),
        )


@lru_cache(maxsize=16)
def read_relatives(task: Task, digest: str) -> Relatives | None:
    """The relatives of a task whose targets are here: as kept, else found now, and kept.

    The digest is that of `targets_state`: of targets, formulas and folds.
    """
    import pyarrow as pa

    parts = Parts(derived_directory() / task.benchmark / "relatives", task.name, __name__)
    name = key(digest)
    kept = parts.read(dictionaries=["key"])
    if kept is not None and kept.num_rows and kept["key"][0].as_py() == name:
        return Relatives(**{column: numbers(kept[column]) for column in _COLUMNS})
    found = find_relatives(task)
    if found is not None:
        keys = pa.DictionaryArray.from_arrays(np.zeros(len(found.rows), dtype=np.int8), [name])
        # Of other data, there is nothing left to ask for.
        parts.replace(pa.table({"key": keys, **{column: getattr(found, column) for column in _COLUMNS}}))
    return found
