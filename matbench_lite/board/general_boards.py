"""The general-purpose leaderboard: which model should I use for all kinds of properties?"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from matbench_lite.board.headlines import over_tasks_words
from matbench_lite.board.result import RankedTask, Result, ranked_task, scaled_error
from matbench_lite.board.results import Results
from matbench_lite.board.table import to_frame
from matbench_lite.board.task_sets import default_task_set, select_tasks
from matbench_lite.memory import collector_paused
from matbench_lite.metrics import Summary
from matbench_lite.stats import (
    MANY_TASKS,
    Friedman,
    GeometricMean,
    Interval,
    Place,
    average_ranks,
    critical_difference,
    friedman,
    geometric_means,
    places_over_tasks,
    ranked,
)
from matbench_lite.submission import Reproduced
from matbench_lite.tasks import Task
from matbench_lite.text import in_words

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True, kw_only=True)
class BestRow(RankedTask):
    """A task and the best general-purpose entry on it.

    Args:
        samples: Number of rows.
        slug: The best entry; None if no general-purpose entry has the task.
        algorithm: Its name for people.
        score: The ranking metric over the folds, in its unit.
        interval: 95 % interval of the score on other rows, for these trained models; None without targets.
        scaled_error: The score on the scale that all tasks share.
        leading: How many general-purpose entries are in the leading group, itself counted; None without targets.
        wide: How many of those are in it below an entry that is not: they scatter too widely to say more.
        others: How many other general-purpose entries have the task.
        verified: Whether the score was computed from the predictions, with targets proven to be the published ones.
    """

    samples: int
    slug: str | None = None
    algorithm: str | None = None
    score: Summary | None = None
    interval: Interval | None = None
    scaled_error: float | None = None
    leading: int | None = None
    wide: int = 0
    others: int = 0
    verified: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Cell:
    """One entry on one task.

    Args:
        scaled_error: The score on the scale that all tasks share.
        scaled_std: Its standard deviation over the folds, on the same scale.
        best: Whether no entry of the board, constant guesses aside, has a better score.
        leading: Whether it is in the leading group: the best, and all that are not told apart from it or equivalent.
        wide: Whether it is in that group below an entry that is not.
        verified: Whether the score was computed from the predictions, with targets proven to be the published ones.
    """

    scaled_error: float
    scaled_std: float
    best: bool
    leading: bool
    wide: bool
    verified: bool


@dataclass(frozen=True, kw_only=True)
class GeneralRow:
    """One general-purpose entry.

    Args:
        slug: The entry.
        algorithm: Its name for people.
        category: E.g. "general-purpose, requires-structure".
        requires_structure: Whether it has the structure tasks and no others.
        reference: Whether it is a constant guess, which is listed and has no rank.
        rank: Its place by the geometric mean; None for a constant guess, and if it lacks one of the tasks of the set.
        geometric_mean: Of its scaled errors over the tasks of the set; None if it lacks one of them.
        interval: 95 % interval of it on other tasks like these; None with one task, without targets, and for a constant
            guess.
        first_place: The first place that it may have, at 95 %, if the tasks are drawn again; None with few tasks.
        last_place: The last one.
        mean_rank: Mean of its ranks over the tasks of the set, among the entries that are ranked.
        led: Number of tasks of the set on which none of those entries is better.
        tasks: Its tasks; one that it does not have is not there.
        reproduced: What came of training its code again; None if nobody has.
    """

    slug: str
    algorithm: str
    category: str
    requires_structure: bool = False
    reference: bool = False
    rank: int | None = None
    geometric_mean: float | None = None
    interval: Interval | None = None
    first_place: int | None = None
    last_place: int | None = None
    mean_rank: float | None = None
    led: int | None = None
    tasks: Mapping[str, Cell] = field(default_factory=dict)
    reproduced: Reproduced | None = None


@dataclass(frozen=True, kw_only=True)
class GeneralBoard:
    """The general-purpose leaderboard.

    Args:
        task_set: Name of the task set that entries are ranked on.
        ranked_tasks: Its tasks.
        best: One row per task of the benchmark: the best general-purpose entry.
        rows: The general-purpose entries: those that are ranked, best first, then the others by name, and last the
            constant guesses.
        friedman: Friedman's test of all ranked entries; None with fewer than two.
        unscaled: Tasks of the set that do not count, because the deviation of their targets is unknown or zero.
        left_out: Entries that have all tasks of the set and are not ranked, and why.
    """

    task_set: str
    ranked_tasks: tuple[str, ...]
    best: tuple[BestRow, ...]
    rows: tuple[GeneralRow, ...]
    friedman: Friedman | None
    unscaled: tuple[str, ...] = ()
    left_out: Mapping[str, str] = field(default_factory=dict)

    @property
    def ranked(self) -> tuple[GeneralRow, ...]:
        """The entries that have all tasks of the set, but for constant guesses."""
        return tuple(row for row in self.rows if row.rank is not None)

    @property
    def critical_difference(self) -> float | None:
        """The difference of mean ranks that Nemenyi's test calls significant; None with fewer than two entries."""
        return critical_difference(len(self.ranked), len(self.ranked_tasks)) if len(self.ranked) > 1 else None

    @property
    def headline(self) -> str:
        """What a reader should know first: who is ahead, and how sure that is."""
        tasks = f"all of the {len(self.ranked_tasks)} tasks" if len(self.ranked_tasks) > 1 else "the one task"
        if not self.rows:
            return "No general-purpose entry yet."
        if all(row.reference for row in self.rows):
            return "A constant guess is all that there is yet: none is ranked."
        if not self.ranked_tasks:
            return f"No task of the set {self.task_set!r} has a scale: none is ranked."
        if not self.ranked:
            return f"No general-purpose entry has {tasks} of the set {self.task_set!r}: none is ranked."
        said = over_tasks_words(self.ranked, len(self.ranked_tasks))
        return f"{said} Not counted, for want of a scale: {in_words(self.unscaled)}." if self.unscaled else said

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
    chosen = select_tasks(results.benchmark, task_set)
    scaled = tuple(task for task in chosen if math.isfinite(_scale(task)))
    slugs = [slug for slug in sorted(results.entries) if results.categories[slug].general_purpose]
    cells: dict[str, dict[str, Cell]] = {slug: {} for slug in slugs}
    best = []
    for task in results.benchmark:
        every = results.on(task)
        places = results.places_among(slugs, task)
        best.append(best_row(results, task, places))
        first = min((place.rank for place in places if not place.reference), default=1)
        for place in places:
            cells[place.slug][task.name] = _cell(task, place, every[place.slug], first)
    rows, outcome = _rows(results, scaled, cells)
    return GeneralBoard(
        task_set=task_set,
        ranked_tasks=tuple(task.name for task in scaled),
        best=tuple(best),
        rows=tuple(rows),
        friedman=outcome,
        unscaled=tuple(task.name for task in chosen if task not in scaled),
        left_out={
            slug: f"{category.name}: {category.reason}"
            for slug, category in results.categories.items()
            if not category.general_purpose and scaled and all(results.of(slug, task) for task in scaled)
        },
    )


def best_row(results: Results, task: Task, places: Sequence[Place]) -> BestRow:
    """The best of those who have places on a task."""
    row = BestRow(samples=task.rows, **ranked_task(task))
    if not places:
        return row
    slug = next((place.slug for place in places if place.best), places[0].slug)
    result = results.on(task)[slug]
    return replace(
        row,
        slug=slug,
        algorithm=results.entries[slug].algorithm,
        score=result.ranking,
        interval=result.interval,
        scaled_error=scaled_error(task, result.ranking.mean),
        leading=sum(place.leading for place in places) if places[0].first_place is not None else None,
        wide=sum(place.wide for place in places),
        others=len(places) - 1,
        verified=result.verified,
    )


def _cell(task: Task, place: Place, result: Result, first: int) -> Cell:
    score = result.ranking
    return Cell(
        scaled_error=scaled_error(task, score.mean),
        scaled_std=abs(scaled_error(task, score.mean + score.std) - scaled_error(task, score.mean)),
        best=place.rank == first and not place.reference,
        leading=place.leading and not place.reference,
        wide=place.wide,
        verified=result.verified,
    )


def _scale(task: Task) -> float:
    """By how much a score is multiplied to be on the common scale; NaN where that is not known."""
    return abs(scaled_error(task, 1.0) - scaled_error(task, 0.0))


def _rows(
    results: Results, tasks: tuple[Task, ...], cells: Mapping[str, Mapping[str, Cell]]
) -> tuple[list[GeneralRow], Friedman | None]:
    complete = [slug for slug, held in cells.items() if tasks and all(task.name in held for task in tasks)]
    errors = np.array([[cells[slug][task.name].scaled_error for task in tasks] for slug in complete], dtype=np.float64)
    means = dict(zip(complete, _geometric_means(results, tasks, complete, errors), strict=True))
    in_order = [slug for slug in complete if slug not in results.references]
    ranks = ranked({slug: means[slug].mean for slug in in_order})
    errors = errors[[slug in ranks for slug in complete]]
    by_task = average_ranks(errors) if in_order else errors
    about: dict[str, dict[str, Any]] = {slug: {} for slug in cells}
    for place, slug in enumerate(in_order):
        led = int((errors[place] == errors.min(axis=0)).sum())
        about[slug] = {"rank": ranks[slug], "mean_rank": float(by_task[place].mean()), "led": led}
    if len(tasks) >= MANY_TASKS and len(in_order) > 1:
        for slug, (first, last) in zip(in_order, places_over_tasks(errors), strict=True):
            about[slug] |= {"first_place": first, "last_place": last}
    rows = []
    for slug, held in cells.items():
        category, mean, is_reference = results.categories[slug], means.get(slug), slug in results.references
        rows.append(
            GeneralRow(
                slug=slug,
                algorithm=results.entries[slug].algorithm,
                category=str(category),
                requires_structure=category.requires_structure,
                reference=is_reference,
                geometric_mean=mean.mean if mean else None,
                interval=mean.interval if mean and not is_reference else None,
                tasks=held,
                reproduced=results.reproduced.get(slug),
                **about[slug],
            )
        )
    rows.sort(key=lambda row: (row.reference, row.rank is None, row.rank, row.algorithm.lower(), row.slug))
    return rows, friedman(by_task) if len(in_order) > 1 else None


def _geometric_means(
    results: Results, tasks: tuple[Task, ...], slugs: list[str], errors: NDArray[np.float64]
) -> list[GeometricMean]:
    if not slugs:
        return []
    variances = np.full(errors.shape, np.nan)
    for place, task in enumerate(tasks):
        if (every := results.all_pairs(task)) is not None:
            variances[:, place] = [_scale(task) ** 2 * every.variances[slug] for slug in slugs]
    return geometric_means(errors, variances)
