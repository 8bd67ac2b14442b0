"""The history of a task: which entry was the best, from when on."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

from matbench_lite.board.result import higher_is_better
from matbench_lite.board.results import Results
from matbench_lite.board.scaling import scaled_error
from matbench_lite.board.table import to_frame
from matbench_lite.metrics import Summary, ranking_metric
from matbench_lite.tasks import Task

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True, kw_only=True)
class HistoryRow:
    """An entry that was the best when it came.

    Args:
        date: When it was made, ISO 8601.
        slug: The entry.
        algorithm: Its name for people.
        score: The ranking metric over the folds, in its unit.
        scaled_error: The score on the scale that all tasks share.
        verified: Whether the score was computed from the predictions, with targets proven to be the published ones.
    """

    date: str
    slug: str
    algorithm: str
    score: Summary
    scaled_error: float
    verified: bool


@dataclass(frozen=True, kw_only=True)
class History:
    """The best score of a task by date.

    Args:
        task: Name of the task.
        metric: Name of the ranking metric.
        unit: Unit of the target; "" for classification.
        rows: Each entry that was better than all before it, oldest first.
    """

    task: str
    metric: str
    unit: str
    rows: tuple[HistoryRow, ...]

    def to_frame(self) -> pd.DataFrame:
        """One row per step."""
        return to_frame(self.rows)


def history(results: Results, task: Task) -> History:
    """Find the entries that were the best when they came; entries without a date are left out."""
    sign = -1 if higher_is_better(task.kind) else 1
    listed = results.on(task)
    dated = [
        (created, sign * result.ranking.mean, slug)
        for slug, result in listed.items()
        if (created := results.entries[slug].created) is not None
    ]
    rows: list[HistoryRow] = []
    best = math.inf
    for date, loss, slug in sorted(dated):
        if loss < best:
            best = loss
            score = listed[slug].ranking
            rows.append(
                HistoryRow(
                    date=date,
                    slug=slug,
                    algorithm=results.entries[slug].algorithm,
                    score=score,
                    scaled_error=scaled_error(task, score.mean),
                    verified=listed[slug].verified,
                )
            )
    return History(task=task.name, metric=ranking_metric(task.kind), unit=task.unit, rows=tuple(rows))
