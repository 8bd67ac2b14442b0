"""What an entry predicted on one task, beside the truth: the arrays that its plots draw."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from matbench_lite.board import targets_state
from matbench_lite.data import load_formulas
from matbench_lite.submission import RecordedFold
from matbench_lite.tasks import Task

MOST_POINTS = 2000
"""Up to so many rows are drawn one by one, more as a density."""


@dataclass(frozen=True, kw_only=True, eq=False)
class Predicted:
    """Truth and predictions of every row of a task, in file order.

    The type is "value", "label" or "probability"; numbers are in the unit of the task, classes 0 and 1.
    Reduced formulas are there for tasks whose rows are drawn one by one: the others would fill memory. Deviations and
    the ends of 95 % intervals are there where they are recorded for all folds.
    """

    type: str
    truth: NDArray[np.float64]
    prediction: NDArray[np.float64]
    formulas: NDArray[np.object_] | None = None
    std: NDArray[np.float64] | None = None
    lower: NDArray[np.float64] | None = None
    upper: NDArray[np.float64] | None = None

    @cached_property
    def error(self) -> NDArray[np.float64]:
        """Predicted less true value of every row."""
        return self.prediction - self.truth

    @cached_property
    def sorted_size(self) -> NDArray[np.float64]:
        """The errors without their sign, from the smallest to the largest: shares of sorted rows are found sooner."""
        return np.sort(np.abs(self.error))


def read_predicted(task: Task, recorded: Mapping[int, RecordedFold]) -> Predicted | None:
    """Put the recorded folds of a task, `Submission.recorded(task.name)`, beside its targets.

    None if the targets are not on this machine, or a fold is missing.

    Examples:
        >>> from matbench_lite import Submission, load_benchmark
        >>> bench = load_benchmark("mini")
        >>> entry = Submission(bench, algorithm="Zero")
        >>> for fold in range(5):
        ...     entry.record("mini_gap", fold, [0.0] * 100)
        >>> read_predicted(bench["mini_gap"], entry.recorded("mini_gap")).prediction.shape
        (500,)
    """
    if targets_state(task) is None or len(recorded) < task.n_folds:
        return None
    folds = task.fold_of_rows
    kinds = {held.predictions.type for held in recorded.values()}
    return Predicted(
        # Some folds as labels: only what all folds have can be drawn.
        type=kinds.pop() if len(kinds) == 1 else "label",
        truth=task.target_values.astype(np.float64),
        prediction=_column(folds, recorded, "prediction"),
        formulas=np.array(load_formulas(task), dtype=object) if task.rows <= MOST_POINTS else None,
        **{
            name: _column(folds, recorded, name)
            for name in ("std", "lower", "upper")
            if all(name in held.predictions.arrays for held in recorded.values())
        },
    )


def _column(folds: NDArray[np.uint8], recorded: Mapping[int, RecordedFold], name: str) -> NDArray[np.float64]:
    values = np.empty(len(folds))
    for fold, held in recorded.items():
        values[folds == fold] = held.predictions.arrays[name]
    return values
