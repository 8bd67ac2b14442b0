"""How wrong an entry is, row by row."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from matbench_lite.board.rows import Rows
from matbench_lite.metrics import DECISION_THRESHOLD
from matbench_lite.submission import RecordedFold

if TYPE_CHECKING:
    from numpy.typing import NDArray


@dataclass(frozen=True, kw_only=True, eq=False)
class Losses:
    """Predictions and losses of one entry on one task, in file order.

    Args:
        predictions: Values, labels or probabilities.
        losses: The absolute error in the unit of the task; for classification 1 where the class is wrong, else 0.
    """

    predictions: NDArray[np.float64]
    losses: NDArray[np.float64]


def row_losses(rows: Rows, recorded: Mapping[int, RecordedFold]) -> Losses:
    """The loss of every row of a task whose folds are all recorded."""
    predictions = np.empty(len(rows.targets))
    predictions[rows.by_fold] = np.concatenate([recorded[fold].predictions.prediction for fold in sorted(recorded)])
    if rows.targets.dtype == bool:
        wrong = (predictions > DECISION_THRESHOLD) != rows.targets
        return Losses(predictions=predictions, losses=wrong.astype(np.float64))
    return Losses(predictions=predictions, losses=np.abs(predictions - rows.targets))


def by_fold(values: NDArray[np.generic], rows: Rows) -> list[NDArray[np.generic]]:
    """A column of all rows, cut into the test parts of the folds."""
    return np.split(values[rows.by_fold], rows.ends)
