"""The general-purpose leaderboard: which model should I use for all kinds of properties?"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

import numpy as np

from matbench_lite.board.pairs import Place, order
from matbench_lite.board.result import Result, scaled_error
from matbench_lite.board.results import Results
from matbench_lite.board.table import to_frame
from matbench_lite.errors import UnknownNameError, unknown_name
from matbench_lite.memory import collector_paused
from matbench_lite.metrics import Summary, ranking_metric
from matbench_lite.stats import (
    Friedman,
    Interval,
    RankInterval,
    average_ranks,
    critical_difference,
    friedman,
    rank_intervals,
)
from matbench_lite.tasks import Benchmark, Task

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True, kw_only=True)
class BestRow:
    """A task and the best general-purpose entry on it.

    Args:
        task: Name of the task.
        samples: Number of rows.
        metric: Name of the ranking metric.
        unit: Unit of the target; "" for classification.
        slug: The best entry; None if no general-purpose entry has the task.
        algorithm: Its name for people.
        score: The ranking metric over the folds, in its unit.
        interval: 95 % bootstrap interval of the score over test rows; None without targets.
        scaled_error: The score on the scale that all tasks share.
        tied: How many general-purpose entries cannot be told apart from it, itself not counted.
        others: How many other general-purpose entries have the task.
        verified: Whether the score was computed from the predictions, with targets proven to be the published ones.
    """

    task: str
    samples: int
    metric: str
    unit: str
    slug: str | None = None
    algorithm: str | None = None
    score: Summary | None = None
    interval: Interval | None = None
    scaled_error: float | None = None
    tied: int = 0
    others: int = 0
    verified: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Cell:
    """One entry on one task.

    Args:
        scaled_error: The score on the scale that all tasks share.
        scaled_std: Its standard deviation over the folds, on the same scale.
        best: Whether no entry of the board is better.
        tie_group: "a" holds the best and all that cannot be told apart from it.
        verified: Whether the score was computed from the predictions, with targets proven to be the published ones.
    """

    scaled_error: float
    scaled_std: float
    best: bool
    tie_group: str
    verified: bool


@dataclass(frozen=True, kw_only=True)
class GeneralRow:
    """One general-purpose entry.

    Args:
        slug: The entry.
        algorithm: Its name for people.
        category: E.g. "general-purpose, requires-structure".
        rank: Its place by mean rank over the task set; None, as all that follows, if it lacks one of the tasks.
        rank_interval: 95 % interval of the place: the tasks are drawn again.
        mean_rank: Mean of its ranks over the tasks of the set, among the entries that have them all.
        mean_rank_interval: 95 % interval of the mean rank.
        led: Number of tasks of the set on which none of those entries is better.
        tasks: Its tasks; one that it does not have is not there.
    """

    slug: str
    algorithm: str
    category: str
    rank: int | None = None
    rank_interval: Interval | None = None
    mean_rank: float | None = None
    mean_rank_interval: Interval | None = None
    led: int | None = None
    tasks: Mapping[str, Cell] = field(default_factory=dict)


@dataclass(frozen=True, kw_only=True)
class GeneralBoard:
    """The general-purpose leaderboard.

    Args:
        task_set: Name of the task set that entries are ranked on.
        ranked_tasks: Its tasks.
        best: One row per task of the benchmark: the best general-purpose entry.
        rows: The general-purpose entries: those that are ranked, best first, then the others by name.
        friedman: Friedman's test of all ranked entries; None with fewer than two.
    """

    task_set: str
    ranked_tasks: tuple[str, ...]
    best: tuple[BestRow, ...]
    rows: tuple[GeneralRow, ...]
    friedman: Friedman | None

    @property
    def ranked(self) -> tuple[GeneralRow, ...]:
        """The entries that have all tasks of the set."""
        return tuple(row for row in self.rows if row.rank is not None)

    @property
    def critical_difference(self) -> float | None:
        """The difference of mean ranks that Nemenyi's test calls significant; None with fewer than two entries."""
        return critical_difference(len(self.ranked), len(self.ranked_tasks)) if len(self.ranked) > 1 else None

    @property
    def headline(self) -> str:
        """What a reader should know first, in one sentence."""
        tasks = f"{len(self.ranked_tasks)} tasks" if len(self.ranked_tasks) > 1 else "one task"
        if not self.rows:
            return "No general-purpose entry yet."
        if not self.ranked:
            return f"No general-purpose entry has all of the {tasks} of the set {self.task_set!r}: none is ranked."
        count = f"{len(self.ranked)} of {len(self.rows)} general-purpose entries"
        if self.friedman is None:
            return f"{count} is ranked: it alone has all of the {tasks}."
        verdict = "differ significantly" if self.friedman.p < 0.05 else "cannot be told apart over the tasks"
        return f"{count} have all of the {tasks} and are ranked; they {verdict} (Friedman, p = {self.friedman.p:.2g})."

    def to_frame(self) -> pd.DataFrame:
        """One row per entry, one column per task and number; empty where an entry lacks the task."""
        return to_frame(self.rows)


@collector_paused()
def general_board(results: Results, task_set: str | None = None) -> GeneralBoard:
    """Make the general-purpose leaderboard.

    Args:
        results: The entries; task-specific ones are left out.
        task_set: Which tasks decide about ranks: "all", "regression", "structure" or "common"; by default the last,
            where the benchmark has such tasks, because every general-purpose entry has them all.

    Raises:
        UnknownNameError: If there is no such set, or the benchmark has no task in it.
    """
    task_set = task_set or default_task_set(results.benchmark)
    ranked_tasks = select_tasks(results.benchmark, task_set)
    slugs = [slug for slug in sorted(results.entries) if results.categories[slug].general_purpose]
    cells: dict[str, dict[str, Cell]] = {slug: {} for slug in slugs}
    best = []
    for task in results.benchmark:
        every = results.on(task)
        listed = {slug: every[slug] for slug in slugs if slug in every}
        # Most often all are general-purpose: then it is the order on the board of the task.
        places = results.places(task) if len(listed) == len(every) else order(task, listed)
        best.append(_best(results, task, places, listed))
        for place in places:
            cells[place.slug][task.name] = _cell(task, place, listed[place.slug])
    rows, outcome = _ranked_rows(results, ranked_tasks, cells)
    return GeneralBoard(
        task_set=task_set,
        ranked_tasks=tuple(task.name for task in ranked_tasks),
        best=tuple(best),
        rows=tuple(rows),
        friedman=outcome,
    )


def _best(results: Results, task: Task, places: list[Place], listed: Mapping[str, Result]) -> BestRow:
    row = BestRow(task=task.name, samples=task.rows, metric=ranking_metric(task.kind), unit=task.unit)
    if not places:
        return row
    slug = places[0].slug
    result = listed[slug]
    return replace(
        row,
        slug=slug,
        algorithm=results.entries[slug].algorithm,
        score=result.ranking,
        interval=result.interval,
        scaled_error=scaled_error(task, result.ranking.mean),
        tied=sum(place.tie_group == "a" for place in places[1:]),
        others=len(places) - 1,
        verified=result.verified,
    )


def _cell(task: Task, place: Place, result: Result) -> Cell:
    score = result.ranking
    return Cell(
        scaled_error=scaled_error(task, score.mean),
        scaled_std=abs(scaled_error(task, score.mean + score.std) - scaled_error(task, score.mean)),
        best=place.rank == 1,
        tie_group=place.tie_group,
        verified=result.verified,
    )


def _ranked_rows(
    results: Results, tasks: tuple[Task, ...], cells: Mapping[str, Mapping[str, Cell]]
) -> tuple[list[GeneralRow], Friedman | None]:
    complete = [slug for slug, held in cells.items() if all(task.name in held for task in tasks)]
    # By the score itself: the scale of a task may be unknown.
    losses = np.array([[_loss(task, results, slug) for task in tasks] for slug in complete])
    ranks = average_ranks(losses) if complete else losses
    places = dict(zip(complete, rank_intervals(ranks), strict=True)) if complete else {}
    led = dict(zip(complete, (losses == losses.min(axis=0)).sum(axis=1).tolist(), strict=True)) if complete else {}
    rows = [_general_row(results, slug, held, places.get(slug), led.get(slug)) for slug, held in cells.items()]
    rows.sort(key=lambda row: (row.rank is None, row.rank, row.algorithm.lower(), row.slug))
    return rows, friedman(ranks) if len(complete) > 1 else None


def _loss(task: Task, results: Results, slug: str) -> float:
    result = results.of(slug, task)
    assert result is not None
    return -result.ranking.mean if task.kind == "classification" else result.ranking.mean


def _general_row(
    results: Results, slug: str, cells: Mapping[str, Cell], place: RankInterval | None, led: int | None
) -> GeneralRow:
    row = GeneralRow(
        slug=slug, algorithm=results.entries[slug].algorithm, category=str(results.categories[slug]), tasks=cells
    )
    if place is None:
        return row
    return replace(
        row,
        rank=place.rank,
        rank_interval=place.rank_interval,
        mean_rank=place.mean,
        mean_rank_interval=place.mean_interval,
        led=led,
    )


TASK_SETS = {
    "all": "all tasks",
    "regression": "the regression tasks",
    "structure": "the structure tasks",
    "common": "the regression tasks on structures, which every general-purpose entry has",
}
"""What each set holds, by name."""


def select_tasks(benchmark: Benchmark, task_set: str) -> tuple[Task, ...]:
    """The tasks of a set.

    Args:
        benchmark: The benchmark.
        task_set: A key of `TASK_SETS`.

    Raises:
        UnknownNameError: If there is no such set, or the benchmark has no task in it.

    Examples:
        >>> from matbench_lite import load_benchmark
        >>> {name: len(select_tasks(load_benchmark("matbench_v0.1"), name)) for name in TASK_SETS}
        {'all': 13, 'regression': 10, 'structure': 9, 'common': 8}
    """
    if task_set not in TASK_SETS:
        raise unknown_name("task set", task_set, TASK_SETS)
    tasks = _selected(benchmark, task_set)
    if not tasks:
        raise UnknownNameError(f"{benchmark.name} has no task in the set {task_set!r}", fix="use the set 'all'")
    return tasks


def default_task_set(benchmark: Benchmark) -> str:
    """The set on which every general-purpose entry can be ranked: "common", or "all" where that is empty.

    An entry is general-purpose if it has all tasks, all regression tasks or all structure tasks, and so, each time, the
    tasks that are both.
    """
    return "common" if _selected(benchmark, "common") else "all"


def _selected(benchmark: Benchmark, task_set: str) -> tuple[Task, ...]:
    return benchmark.select(
        kind="regression" if task_set in ("regression", "common") else None,
        input="structure" if task_set in ("structure", "common") else None,
    )
