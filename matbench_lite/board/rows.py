"""What boards know of the rows of a task: targets, formulas, space groups and clusters."""

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
from matbench_lite.stats import Design, class_losses
from matbench_lite.submission import RecordedFold
from matbench_lite.tasks import Task


@dataclass(frozen=True, kw_only=True, eq=False)
class Rows:
    """The rows of a task, in file order.

    Args:
        targets: True values, in the unit of the task, or booleans, or the numbers of classes.
        formulas: Reduced formulas.
        folds: The fold in whose test part each row is.
        spacegroups: Space-group numbers, 0 where unknown; None if the targets do not have them.
        clusters: The cluster of each row, numbered from 0: rows of one are no independent witnesses.
        scatter: By how much the folds of the task scatter beyond their rows.
    """

    targets: NDArray[np.float64] | NDArray[np.bool_] | NDArray[np.intp]
    formulas: NDArray[np.object_]
    folds: NDArray[np.uint8]
    spacegroups: NDArray[np.int64] | None
    clusters: NDArray[np.intp]
    scatter: float

    @cached_property
    def design(self) -> Design:
        """How all rows are tested, fold after fold."""
        classes = None if self.targets.dtype.kind == "f" else self.ordered_targets.astype(np.intp)
        folds, clusters = self.folds[self.by_fold], self.clusters[self.by_fold]
        return Design(folds=folds.astype(np.intp), clusters=clusters, scatter=self.scatter, classes=classes)

    @cached_property
    def _weights(self) -> NDArray[np.float64] | None:
        """What a wrong class costs, fold after fold; None for regression."""
        classes = self.design.classes
        return None if classes is None else class_losses(classes, classes + 1, self.design.folds)

    def score_losses(
        self, predictions: NDArray[np.float64], places: NDArray[np.intp] | slice = slice(None)
    ) -> NDArray[np.float64]:
        """What rows add to the score, given predictions fold after fold: the mean over a fold is its error.

        `places` are those rows, of all fold after fold, that are asked for. The error is the mean absolute one, or one
        less the balanced accuracy.
        """
        losses = row_losses(self.ordered_targets[places], predictions[places])
        return losses if self._weights is None else losses * self._weights[places]

    @cached_property
    def by_fold(self) -> NDArray[np.intp]:
        """The positions of all rows, fold after fold, in file order within a fold."""
        return np.argsort(self.folds, kind="stable")

    @cached_property
    def ordered_targets(self) -> NDArray[Any]:
        """The targets of all rows, fold after fold."""
        return self.targets[self.by_fold]

    def split(self, values: NDArray[Any]) -> list[NDArray[Any]]:
        """A column of all rows, fold after fold, cut into the folds."""
        return np.split(values, np.cumsum(self.design.sizes)[:-1])


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
    """Read the rows of a task whose targets are here; with another digest of `targets_state`, they are other rows."""
    frame = task.targets
    spacegroups = frame["spacegroup"].to_numpy(dtype=np.int64, na_value=0) if "spacegroup" in frame else None
    return Rows(
        targets=task.target_values,
        formulas=np.array(load_formulas(task), dtype=object),
        folds=task.fold_of_rows,
        spacegroups=spacegroups,
        clusters=task.clusters,
        scatter=task.fold_scatter,
    )


def ordered_predictions(recorded: Mapping[int, RecordedFold]) -> NDArray[np.float64]:
    """The predictions for a task whose folds are all recorded, fold after fold: values, labels or probabilities."""
    return np.concatenate([recorded[fold].predictions.prediction for fold in sorted(recorded)])


def row_losses(targets: NDArray[Any], predictions: NDArray[np.float64]) -> NDArray[np.float64]:
    """The absolute error of every row in the unit of the task; of a class, 1 where it is wrong, else 0."""
    if targets.dtype.kind == "f":
        losses = np.abs(predictions - targets)
    else:
        losses = (predictions > DECISION_THRESHOLD if targets.dtype == bool else predictions) != targets
    return np.asarray(losses, dtype=np.float64)


def rows_won(first: NDArray[np.float64], second: NDArray[np.float64]) -> tuple[float, float]:
    """The share of the rows on which each of two entries has the smaller loss, from 0 to 1."""
    return float(np.mean(first < second)), float(np.mean(second < first))
