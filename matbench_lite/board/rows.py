"""What boards know of the rows of a task: targets, formulas, space groups, and which formulas are unseen."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from matbench_lite.data import load_formulas, targets_here
from matbench_lite.derived import key
from matbench_lite.metrics import DECISION_THRESHOLD
from matbench_lite.submission import RecordedFold
from matbench_lite.tasks import Task


@dataclass(frozen=True, kw_only=True, eq=False)
class Rows:
    """The rows of a task, in file order.

    Args:
        targets: True values, in the unit of the task, or booleans, or the numbers of classes.
        formulas: Reduced formulas.
        folds: The fold in whose test part each row is.
        unseen: Whether the formula does not occur in the training part of that fold.
        spacegroups: Space-group numbers, 0 where unknown; None if the targets do not have them.
    """

    targets: NDArray[np.float64] | NDArray[np.bool_] | NDArray[np.intp]
    formulas: NDArray[np.object_]
    folds: NDArray[np.uint8]
    unseen: NDArray[np.bool_]
    spacegroups: NDArray[np.int64] | None

    @cached_property
    def by_fold(self) -> NDArray[np.intp]:
        """The positions of all rows, fold after fold, in file order within a fold."""
        return np.argsort(self.folds, kind="stable")

    @cached_property
    def ends(self) -> NDArray[np.intp]:
        """Where in `by_fold` each fold but the last ends."""
        return np.cumsum(np.bincount(self.folds))[:-1]

    @cached_property
    def ordered_targets(self) -> NDArray[Any]:
        """The targets of all rows, fold after fold."""
        return self.targets[self.by_fold]

    @cached_property
    def targets_by_fold(self) -> list[NDArray[Any]]:
        """The targets of the test part of each fold."""
        return self.split(self.ordered_targets)

    @cached_property
    def unseen_by_fold(self) -> list[tuple[NDArray[np.intp], NDArray[Any]]]:
        """Which rows of the test part of each fold have an unseen formula, and their targets."""
        places = [np.flatnonzero(unseen) for unseen in self.split(self.unseen[self.by_fold])]
        return [(rows, targets[rows]) for rows, targets in zip(places, self.targets_by_fold, strict=True)]

    def split(self, values: NDArray[Any]) -> list[NDArray[Any]]:
        """A column of all rows, fold after fold, cut into the folds."""
        return np.split(values, self.ends)


@dataclass(frozen=True, kw_only=True)
class TargetsState:
    """Which targets of a task are on this machine.

    Args:
        digest: What they and the folds are, as a sha256 and the like; changes if any of them does.
        verified: Whether they are proven to be the published ones.
    """

    digest: str
    verified: bool


def targets_state(task: Task) -> TargetsState | None:
    """Which targets are here; None if there are none. Nothing is fetched: a board is no reason to load gigabytes.

    Raises:
        DataFormatError: If they are not what was added, or not the published ones and never accepted as others.
    """
    found = targets_here(task)
    if found is None:
        return None
    parts = (task.benchmark, task.name, task.kind, task.n_folds, task.folds_sha256, found.digest)
    return TargetsState(digest=key(*map(str, parts)), verified=found.verified)


@lru_cache(maxsize=16)
def read_rows(task: Task, _digest: str) -> Rows:
    """Read the rows of a task whose targets are here.

    Args:
        task: The task.
        _digest: That of `targets_state`: with other targets, other rows are read.
    """
    frame = task.targets
    formulas = np.array(load_formulas(task), dtype=object)
    spacegroups = frame["spacegroup"].to_numpy(dtype=np.int64, na_value=0) if "spacegroup" in frame else None
    return Rows(
        targets=task.target_values,
        formulas=formulas,
        folds=task.fold_of_rows,
        unseen=unseen_formulas(formulas, task.fold_of_rows),
        spacegroups=spacegroups,
    )


def unseen_formulas(formulas: NDArray[np.object_], folds: NDArray[np.uint8]) -> NDArray[np.bool_]:
    """Whether each row's formula occurs in no other fold, and so not in the training part of its own.

    Examples:
        >>> formulas = np.array(["NaCl", "NaCl", "MgO", "MgO"], dtype=object)
        >>> unseen_formulas(formulas, np.array([0, 0, 0, 1], dtype=np.uint8))
        array([ True,  True, False, False])
    """
    import pandas as pd

    codes, _ = pd.factorize(formulas)
    pairs, _ = pd.factorize(codes * 256 + folds)  # numbered anew: the counts of mostly absent ones would fill memory
    in_fold = np.bincount(pairs)[pairs]
    unseen: NDArray[np.bool_] = in_fold == np.bincount(codes)[codes]
    return unseen


def ordered_predictions(recorded: Mapping[int, RecordedFold]) -> NDArray[np.float64]:
    """The predictions for a task whose folds are all recorded, fold after fold: values, labels or probabilities."""
    return np.concatenate([recorded[fold].predictions.prediction for fold in sorted(recorded)])


def row_losses(targets: NDArray[Any], predictions: NDArray[np.float64]) -> NDArray[np.float64]:
    """The absolute error of every row in the unit of the task; of a class, 1 where it is wrong, else 0."""
    is_class = targets.dtype == bool
    losses = (predictions > DECISION_THRESHOLD) != targets if is_class else np.abs(predictions - targets)
    return np.asarray(losses, dtype=np.float64)
