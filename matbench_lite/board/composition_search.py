"""The nearest of many compositions, exactly, as far as that is near enough to matter.

The distance of two compositions is half the sum of |difference| over the fractions of all elements, which is 1 less
what they share: from 0 (the same) to 1 (no element in common). 0.05 is 5 at.%.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from matbench_lite.data import element_amounts

FAR = 0.25
"""Up to here distances are exact; all that is beyond is far, and infinite."""
_DECIMALS = 7  # amounts in formulas have eight: what is 5 at.% in print is 0.05 here
_SLACK = 1e-6
_BLOCK = 2**20  # distances at a time

Floats = NDArray[np.float64]


@dataclass(frozen=True, kw_only=True, eq=False)
class Compositions:
    """Some compositions, as the fractions of their elements one after the other.

    Args:
        starts: Where the elements of each composition start in the next two, and where the last ends.
        elements: Numbers of elements, ascending within a composition.
        fractions: Their fractions, which sum to 1 within a composition.
        systems: The number of each composition's chemical system: compositions of the same elements have the same.
    """

    starts: NDArray[np.intp]
    elements: NDArray[np.intp]
    fractions: Floats
    systems: NDArray[np.intp]

    def __len__(self) -> int:
        return len(self.systems)

    @property
    def owners(self) -> NDArray[np.intp]:
        """The composition that each fraction is of."""
        return np.repeat(np.arange(len(self)), np.diff(self.starts))


def compositions(formulas: Sequence[str]) -> Compositions:
    """What formulas say of elements.

    Raises:
        DataFormatError: If one is not a formula.

    Examples:
        >>> found = compositions(["Fe2O3", "FeO"])
        >>> found.elements.tolist(), found.fractions.tolist(), found.systems.tolist()
        ([8, 26, 8, 26], [0.6, 0.4, 0.5, 0.5], [0, 0])
    """
    amounts = [sorted(element_amounts(formula).items()) for formula in formulas]
    numbers: dict[tuple[int, ...], int] = {}
    systems = [numbers.setdefault(tuple(element for element, _ in terms), len(numbers)) for terms in amounts]
    starts = np.cumsum([0, *map(len, amounts)])
    values = np.array([amount for terms in amounts for _, amount in terms], dtype=np.float64)
    return Compositions(
        starts=starts,
        elements=np.array([element for terms in amounts for element, _ in terms], dtype=np.intp),
        fractions=values / np.repeat(np.add.reduceat(values, starts[:-1]), np.diff(starts)) if amounts else values,
        systems=np.array(systems, dtype=np.intp),
    )


def nearest(
    queries: NDArray[np.intp],
    known: NDArray[np.intp],
    among: Compositions,
    advance: Callable[[int], None] = lambda _: None,
) -> tuple[Floats, NDArray[np.intp]]:
    """How far the nearest of the `known` compositions is from each query, and which it is.

    Args:
        queries: Numbers of compositions.
        known: Numbers of those that are searched.
        among: All compositions.
        advance: Called with the number of queries that are done.

    Returns:
        Distances, infinite where none is within `FAR`; numbers of compositions, -1 there.

    Examples:
        >>> found = compositions(["Fe2O3", "Fe3O4", "FeO", "NaCl"])
        >>> nearest(np.array([0, 3]), np.array([1, 2]), found)
        (array([0.0285714,       inf]), array([ 1, -1]))
    """
    # The elements are ordered, the rarest first. Two compositions are at least as far apart as either has of elements
    # before the first that they share. So each element is looked at for those queries alone that have less before it
    # than the distance found so far, and for those of the known that have less than FAR: mostly the first, or two.
    ranks = _ranks(among, known)
    distances, found = np.full(len(queries), FAR + _SLACK), np.full(len(queries), -1, dtype=np.intp)
    ours, theirs = (_Terms(some, among, ranks) for some in (queries, known))
    last = np.bincount(ours.ranks[ours.starts + ours.sizes - 1], minlength=len(ranks))
    for rank, done in enumerate(last):
        slots, near = ours.of(rank), theirs.of(rank)
        slots = slots[ours.before[slots] < distances[ours.owners[slots]]]
        if len(slots) and len(near):
            near = near[np.argsort(theirs.fractions[near], kind="stable")]
            beside = _Known(theirs.owners[near], theirs, theirs.fractions[near], len(ranks))
            for group in _by_system(ours.owners[slots], among.systems[queries]):
                apart, which = beside.nearest(*ours.matrix(group), rank, float(distances[group].max()))
                nearer = apart < distances[group]
                distances[group[nearer]], found[group[nearer]] = apart[nearer], known[which[nearer]]
        advance(int(done))
    distances = np.round(np.maximum(distances, 0), _DECIMALS)
    far = (distances > FAR) | (found < 0)
    return np.where(far, np.inf, distances), np.where(far, -1, found)


def _ranks(among: Compositions, known: NDArray[np.intp]) -> NDArray[np.intp]:
    """The place of every element when they are ordered by how many of the known compositions have them."""
    has = np.isin(among.owners, known)
    counts = np.bincount(among.elements[has], minlength=int(among.elements.max()) + 1)
    ranks = np.empty(len(counts), dtype=np.intp)
    ranks[np.argsort(counts, kind="stable")] = np.arange(len(counts))
    return ranks


class _Terms:
    """Elements of some compositions, rarest first within each: whose, which, how much, and how much before it."""

    def __init__(self, some: NDArray[np.intp], among: Compositions, ranks: NDArray[np.intp]) -> None:
        sizes = np.diff(among.starts)[some]
        self.starts = np.cumsum(sizes) - sizes
        self.owners = np.repeat(np.arange(len(some)), sizes)
        slots = np.arange(len(self.owners)) + np.repeat(among.starts[some] - self.starts, sizes)
        slots = slots[np.lexsort((ranks[among.elements[slots]], self.owners))]
        self.ranks, self.fractions, self.sizes = ranks[among.elements[slots]], among.fractions[slots], sizes
        before = np.cumsum(self.fractions) - self.fractions
        self.before = before - np.repeat(before[self.starts], sizes)
        first = np.flatnonzero(self.before <= FAR + _SLACK)
        self._first = first[np.argsort(self.ranks[first], kind="stable")]
        self._edges = np.searchsorted(self.ranks[self._first], np.arange(len(ranks) + 1))

    def of(self, rank: int) -> NDArray[np.intp]:
        """Where the element of a rank is with little enough before it."""
        return self._first[self._edges[rank] : self._edges[rank + 1]]

    def matrix(self, group: NDArray[np.intp]) -> tuple[NDArray[np.intp], Floats]:
        """The elements that compositions of one chemical system have, by rank, and their fractions."""
        slots = self.starts[group][:, np.newaxis] + np.arange(self.sizes[group[0]])
        return self.ranks[slots[0]], self.fractions[slots]


class _Known:
    """Known compositions that have one element, by how much they have of it."""

    def __init__(self, members: NDArray[np.intp], terms: _Terms, amounts: Floats, elements: int) -> None:
        self._members, self._amounts = members, amounts
        sizes = terms.sizes[members]
        slots = np.arange(sizes.sum()) + np.repeat(terms.starts[members] - np.cumsum(sizes) + sizes, sizes)
        self._fractions = np.zeros((elements, len(members)))
        self._fractions[terms.ranks[slots], np.repeat(np.arange(len(members)), sizes)] = terms.fractions[slots]

    def nearest(
        self, elements: NDArray[np.intp], fractions: Floats, of: int, within: float
    ) -> tuple[Floats, NDArray[np.intp]]:
        """How far the nearest is from each of some compositions of the same elements, and which it is."""
        amounts = fractions[:, np.flatnonzero(elements == of)[0]]
        low = int(np.searchsorted(self._amounts, amounts.min() - within - _SLACK))
        high = int(np.searchsorted(self._amounts, amounts.max() + within + _SLACK))
        apart, which = np.full(len(fractions), np.inf), np.zeros(len(fractions), dtype=np.intp)
        step = max(1, _BLOCK // max(1, high - low))
        for start in range(0, len(fractions) if high > low else 0, step):
            some = fractions[start : start + step]
            shared = np.minimum(some[:, [0]], self._fractions[elements[0], low:high])
            for place, element in enumerate(elements[1:].tolist(), 1):
                shared += np.minimum(some[:, [place]], self._fractions[element, low:high])
            most = shared.argmax(axis=1)
            apart[start : start + step] = 1 - shared[np.arange(len(some)), most]
            which[start : start + step] = self._members[low + most]
        return apart, which


def _by_system(some: NDArray[np.intp], systems: NDArray[np.intp]) -> Iterator[NDArray[np.intp]]:
    """Those of one chemical system together."""
    order = some[np.argsort(systems[some], kind="stable")]
    edges = np.flatnonzero(np.diff(systems[order])) + 1
    for start, end in pairwise([0, *edges.tolist(), len(order)]):
        yield order[start:end]
