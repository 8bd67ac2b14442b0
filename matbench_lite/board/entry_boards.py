"""The page of one entry as tables: can I trust it, and where does it fail?"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from matbench_lite.board.anatomy import Anatomy
from matbench_lite.board.result import Measured, RankedTask, measured, ranked_task
from matbench_lite.board.results import Results
from matbench_lite.board.table import to_frame
from matbench_lite.board.task_boards import training_seconds
from matbench_lite.submission import Submission
from matbench_lite.tasks import Category, Task

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True, kw_only=True)
class FoldRow:
    """One recorded fold.

    Args:
        fold: Its number.
        metrics: Every metric, in its unit; empty if there are neither targets nor stated scores.
        params: Parameters of the model in this fold.
        seconds: Training time, in seconds, where recorded.
        peak_memory_mb: Most memory used, in MB, where recorded.
    """

    fold: int
    metrics: Mapping[str, float]
    params: Mapping[str, Any]
    seconds: float | None
    peak_memory_mb: float | None


@dataclass(frozen=True, kw_only=True)
class EntryTask(Measured, RankedTask):
    """One task of the entry: what was measured, of metrics every one, and this.

    Args:
        predictions: What was recorded: "value", "label" or "probability".
        complete: Whether all folds are recorded; if not, there are no scores.
        seconds: Training time of all folds, in seconds, where recorded.
        folds: The recorded folds.
        anatomy: Where it fails; None without targets.
    """

    predictions: str
    complete: bool
    seconds: float | None
    folds: tuple[FoldRow, ...]
    anatomy: Anatomy | None = None


@dataclass(frozen=True, kw_only=True)
class EntryBoard:
    """One entry: who, how, with what, and how well.

    Args:
        slug: Its folder's name.
        entry: What its authors say of it.
        category: For which kinds of models it counts, and why.
        rows: Its tasks, in registry order.
    """

    slug: str
    entry: Submission
    category: Category
    rows: tuple[EntryTask, ...]

    def to_frame(self) -> pd.DataFrame:
        """One row per task."""
        return to_frame(self.rows).drop(columns=["folds", "anatomy"], errors="ignore")


def entry_board(results: Results, slug: str) -> EntryBoard:
    """Collect all that is known of one entry.

    Raises:
        UnknownNameError: If there is no entry of that slug.
    """
    entry = results.entry(slug)
    rows = tuple(_task(results, slug, task) for task in entry.tasks)
    return EntryBoard(slug=slug, entry=entry, category=results.categories[slug], rows=rows)


def _task(results: Results, slug: str, task: Task) -> EntryTask:
    entry, result = results.entry(slug), results.of(slug, task)
    recorded = entry.recorded(task.name)
    scores = result.scores.folds if result else {}
    return EntryTask(
        predictions=next(iter(recorded.values())).predictions.type,
        complete=results.is_complete(slug, task),
        seconds=training_seconds(entry, task),
        folds=tuple(
            FoldRow(
                fold=fold,
                metrics=scores.get(fold, {}),
                params=held.params,
                seconds=held.seconds,
                peak_memory_mb=held.peak_memory_mb,
            )
            for fold, held in recorded.items()
        ),
        anatomy=results.anatomy(slug, task) if result else None,
        **ranked_task(task),
        **(measured(task, result) if result else {}),
    )
