"""What the models of the inner folds predict: rows that were held out, and the private test rows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from matbench_lite.event.settings import Event
from matbench_lite.run.inner import InnerFold, inner_folds

if TYPE_CHECKING:
    from matbench_lite.run.bagging import RowPredictions
    from matbench_lite.tasks import Task

PARTS = ("valid", "test")
"""What a submission predicts: rows that an inner fold holds out, and the private test rows."""


@dataclass(frozen=True, kw_only=True)
class FoldPredicted:
    """What the model of one inner fold predicts.

    Args:
        number: The inner fold.
        valid: The rows that it held out.
        test: The private test rows.
    """

    number: int
    valid: RowPredictions
    test: RowPredictions


def event_folds(event: Event, task: Task) -> tuple[InnerFold, ...]:
    """The inner folds of an event in its public or private data: those of `mbl try`."""
    return inner_folds(task, 0, n_folds=event.inner_folds, seed=event.seed)
