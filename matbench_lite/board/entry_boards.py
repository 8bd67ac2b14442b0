"""The page of one entry as tables: can I trust it, and where does it fail?"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from matbench_lite.board.anatomy import Anatomy
from matbench_lite.board.result import scaled_error
from matbench_lite.board.results import Results
from matbench_lite.board.table import to_frame
from matbench_lite.board.task_boards import training_seconds
from matbench_lite.metrics import Summary, ranking_metric
from matbench_lite.stats import Interval
from matbench_lite.tasks import Task

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
class EntryTask:
    """One task of the entry.

    Args:
        task: Name of the task.
        metric: Name of the ranking metric.
        unit: Unit of the target; "" for classification.
        predictions: What was recorded: "value", "label" or "probability".
        complete: Whether all folds are recorded; if not, there are no scores.
        seconds: Training time of all folds, in seconds, where recorded.
        folds: The recorded folds.
        verified: Whether the scores were computed from the predictions, with targets proven to be the published ones.
        score: The ranking metric over the folds, in its unit.
        interval: 95 % bootstrap interval of the score over test rows; None without targets.
        scaled_error: The score on the scale that all tasks share.
        metrics: Every metric over the folds, those of uncertainty too.
        mape_share: Share of the rows that mape* uses, from 0 to 1.
        unseen: The ranking metric on rows whose formula the training part does not have.
        unseen_share: Share of such rows, from 0 to 1.
        anatomy: Where it fails; None without targets.
    """

    task: str
    metric: str
    unit: str
    predictions: str
    complete: bool
    seconds: float | None
    folds: tuple[FoldRow, ...]
    verified: bool = False
    score: Summary | None = None
    interval: Interval | None = None
    scaled_error: float | None = None
    metrics: Mapping[str, Summary] = field(default_factory=dict)
    mape_share: float | None = None
    unseen: Summary | None = None
    unseen_share: float | None = None
    anatomy: Anatomy | None = None


@dataclass(frozen=True, kw_only=True)
class EntryBoard:
    """One entry: who, how, with what, and how well.

    Args:
        slug: Its folder's name.
        algorithm: Its name for people.
        authors: Who made it.
        description: What it does.
        references: BibTeX entries.
        requirements: Packages needed to run the code.
        category: E.g. "general-purpose, requires-structure".
        reason: Why it has this category.
        single_configuration: Whether it declares one configuration for all tasks; None: not declared.
        external_data: What else it was trained on; False: nothing; None: not declared.
        created: When it was made, ISO 8601.
        provenance: Python, packages, git commit, hardware.
        metadata: What else the authors kept.
        imported: Where an imported entry comes from; None for one made here.
        rows: Its tasks, in registry order.
    """

    slug: str
    algorithm: str
    authors: tuple[str, ...]
    description: str
    references: tuple[str, ...]
    requirements: tuple[str, ...]
    category: str
    reason: str
    single_configuration: bool | None
    external_data: bool | str | None
    created: str | None
    provenance: Mapping[str, Any]
    metadata: Mapping[str, Any]
    imported: Mapping[str, Any] | None
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
    category = results.categories[slug]
    return EntryBoard(
        slug=slug,
        algorithm=entry.algorithm,
        authors=tuple(entry.authors),
        description=entry.description,
        references=tuple(entry.references),
        requirements=tuple(entry.requirements),
        category=str(category),
        reason=category.reason,
        single_configuration=entry.single_configuration,
        external_data=entry.external_data,
        created=entry.created,
        provenance=entry.provenance,
        metadata=entry.metadata,
        imported=entry.imported,
        rows=tuple(_task(results, slug, task) for task in entry.tasks),
    )


def _task(results: Results, slug: str, task: Task) -> EntryTask:
    entry, result = results.entry(slug), results.of(slug, task)
    recorded = entry.recorded(task.name)
    scores = result.scores.folds if result else {}
    row = EntryTask(
        task=task.name,
        metric=ranking_metric(task.kind),
        unit=task.unit,
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
    )
    if result is None:
        return row
    return replace(
        row,
        verified=result.verified,
        score=result.ranking,
        interval=result.interval,
        scaled_error=scaled_error(task, result.ranking.mean),
        metrics=result.scores.metrics,
        mape_share=result.mape_share,
        unseen=result.unseen,
        unseen_share=result.unseen_share,
        anatomy=results.anatomy(slug, task),
    )
