"""Where an entry fails: its error by target, elements, symmetry and distance from training, and its worst rows."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from matbench_lite.board.relatives import Relatives
from matbench_lite.board.rows import Rows, ordered_predictions, row_losses
from matbench_lite.board.subset_scores import DistanceBin, distance_bins
from matbench_lite.submission import RecordedFold
from matbench_lite.tasks import Task

QUANTILES = 10
WORST = 20

_ELEMENT = re.compile("[A-Z][a-z]?")
_CRYSTAL_SYSTEMS = {
    "triclinic": 2,
    "monoclinic": 15,
    "orthorhombic": 74,
    "tetragonal": 142,
    "trigonal": 167,
    "hexagonal": 194,
    "cubic": 230,
}
"""The last space group of each."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Group:
    """The error on some of the rows.

    Args:
        by: What the rows have in common: "target", "number of elements", "element", "crystal system" or "space group".
        label: Which of those, e.g. "Fe".
        rows: Number of rows.
        error: Mean absolute error in the unit of the task; for classification the share of wrong rows.
    """

    by: str
    label: str
    rows: int
    error: float


@dataclass(frozen=True, slots=True, kw_only=True)
class WorstRow:
    """One of the rows with the largest error.

    Args:
        id: Row id.
        formula: Reduced formula.
        fold: The fold it was tested in.
        target: The true value, in the unit of the task; for classification 0 or 1.
        prediction: What was predicted.
        error: Their absolute difference.
    """

    id: str
    formula: str
    fold: int
    target: float
    prediction: float
    error: float


@dataclass(frozen=True, kw_only=True)
class Anatomy:
    """Where an entry fails on one task.

    Args:
        groups: Errors of groups of rows. Every row is in one group of each kind; for "element", in one per element.
        worst: The rows with the largest errors, largest first; for classification the wrong ones it is surest of.
        distances: Errors by the distance to the nearest training composition, nearest first; none without formulas.
    """

    groups: tuple[Group, ...]
    worst: tuple[WorstRow, ...]
    distances: tuple[DistanceBin, ...] = ()


def dissect(task: Task, rows: Rows, relatives: Relatives | None, recorded: Mapping[int, RecordedFold]) -> Anatomy:
    """Find where an entry fails on a task whose targets are here, and whose folds are all recorded."""
    ordered = ordered_predictions(recorded)
    predictions = np.empty(len(rows.targets))
    predictions[rows.by_fold] = ordered
    losses = row_losses(rows.targets, predictions)
    groups = [
        group
        for by, of_rows, codes, labels in _groupings(rows)
        for group in _groups(by, losses[of_rows], codes, labels)
    ]
    return Anatomy(
        groups=tuple(groups),
        worst=tuple(_worst(task, rows, predictions, losses)),
        distances=() if relatives is None else tuple(distance_bins(rows, relatives, ordered)),
    )


def from_computed(content: dict[str, Any]) -> Anatomy:
    """The record of what was computed."""
    return Anatomy(
        groups=tuple(Group(**group) for group in content["groups"]),
        worst=tuple(WorstRow(**row) for row in content["worst"]),
        distances=tuple(
            DistanceBin(**{**held, "high": math.inf if held["high"] is None else held["high"]})
            for held in content["distances"]
        ),
    )


_Grouping = tuple[str, "NDArray[np.intp]", "NDArray[np.intp]", Sequence[str]]
"""What by, which rows (some may be there more than once), their group, and the labels of the groups."""


@lru_cache(maxsize=16)  # the tasks of Matbench: every entry shares them
def _groupings(rows: Rows) -> list[_Grouping]:
    every = np.arange(len(rows.targets))
    found: list[_Grouping] = [("target", every, *_by_target(rows.targets))]
    owner, symbols = _elements(rows.formulas)
    if not len(owner):  # a table, which has no formulas
        return found
    numbers = np.bincount(owner, minlength=len(every))
    found.append(("number of elements", every, numbers, [str(number) for number in range(int(numbers.max()) + 1)]))
    names, codes = np.unique(symbols, return_inverse=True)
    found.append(("element", owner, codes, names.tolist()))
    if rows.spacegroups is not None:
        known = np.flatnonzero(rows.spacegroups)
        spacegroups = rows.spacegroups[known]
        systems = np.searchsorted(list(_CRYSTAL_SYSTEMS.values()), spacegroups)
        found.append(("crystal system", known, systems, list(_CRYSTAL_SYSTEMS)))
        found.append(("space group", known, spacegroups, [str(number) for number in range(231)]))
    return found


def _groups(by: str, losses: NDArray[np.float64], codes: NDArray[np.intp], labels: Sequence[str]) -> Iterator[Group]:
    counts = np.bincount(codes, minlength=len(labels))
    sums = np.bincount(codes, weights=losses, minlength=len(labels))
    for label, count, total in zip(labels, counts.tolist(), sums.tolist(), strict=True):
        if count:
            yield Group(by=by, label=label, rows=count, error=total / count)


def _by_target(targets: NDArray[Any]) -> tuple[NDArray[np.intp], list[str]]:
    """Tenths of the rows by target, fewer where many targets are equal; for classification the classes."""
    if targets.dtype == bool:
        return targets.astype(np.intp), ["false", "true"]
    edges = np.unique(np.quantile(targets, np.linspace(0, 1, QUANTILES + 1)))
    if len(edges) == 1:
        return np.zeros(len(targets), dtype=np.intp), [f"{edges[0]:.4g}"]
    return np.searchsorted(edges[1:-1], targets), [f"{low:.4g} to {high:.4g}" for low, high in pairwise(edges)]


def _elements(formulas: NDArray[np.object_]) -> tuple[NDArray[np.intp], NDArray[np.str_]]:
    """The elements of all rows one after the other, and the row that each belongs to."""
    found = [sorted(set(_ELEMENT.findall(formula))) for formula in formulas]
    owner = np.repeat(np.arange(len(found)), [len(symbols) for symbols in found])
    return owner, np.array([symbol for symbols in found for symbol in symbols])


def _worst(task: Task, rows: Rows, predictions: NDArray[np.float64], losses: NDArray[np.float64]) -> Iterator[WorstRow]:
    targets = rows.targets.astype(np.float64)
    errors = np.abs(predictions - targets)
    order = np.argsort(-np.where(losses > 0, errors, 0), kind="stable")[:WORST]
    for row in order[losses[order] > 0]:
        yield WorstRow(
            id=str(task.ids[row]),
            formula=str(rows.formulas[row]),
            fold=int(rows.folds[row]),
            target=float(targets[row]),
            prediction=float(predictions[row]),
            error=float(errors[row]),
        )
