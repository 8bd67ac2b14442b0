"""The task leaderboard: which entry is best for one property, and is it really better?"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from matbench_lite.board.pairs import Pair, Place
from matbench_lite.board.result import Result, higher_is_better, scaled_error
from matbench_lite.board.results import Results
from matbench_lite.board.table import to_frame
from matbench_lite.memory import collector_paused
from matbench_lite.metrics import Summary, ranking_metric, shown_metrics
from matbench_lite.stats import Interval
from matbench_lite.submission import Submission
from matbench_lite.tasks import Task

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True, kw_only=True)
class TaskRow:
    """One entry on a task leaderboard.

    Args:
        rank: 1 is best; entries of equal score share a rank.
        tie_group: "a" holds the best and all that cannot be told apart from it.
        slug: The entry.
        algorithm: Its name for people.
        category: E.g. "general-purpose, requires-structure".
        score: The ranking metric over the folds, in the unit of the metric.
        scaled_error: The score on the scale that all tasks share.
        interval: 95 % bootstrap interval of the score over test rows; None without targets.
        difference: Score less that of the first.
        difference_interval: 95 % paired bootstrap interval of the difference over test rows; None without targets, and
            for the first itself.
        p: P-value of the paired test over folds against the first, Holm-corrected; None for the first itself.
        metrics: The other metrics over the folds.
        mape_share: Share of the rows that mape* uses, from 0 to 1.
        unseen: The ranking metric on rows whose formula the training part does not have.
        labels_only: Whether it recorded labels, so that it has no ROC-AUC.
        seconds: Training time of all folds, in seconds, where recorded.
        hardware: What it was trained on, where recorded.
        verified: Whether the scores were computed from the predictions, with targets proven to be the published ones.
    """

    rank: int
    tie_group: str
    slug: str
    algorithm: str
    category: str
    score: Summary
    scaled_error: float
    interval: Interval | None
    difference: float
    difference_interval: Interval | None
    p: float | None
    metrics: Mapping[str, Summary]
    mape_share: float | None
    unseen: Summary | None
    labels_only: bool
    seconds: float | None
    hardware: str | None
    verified: bool


@dataclass(frozen=True, kw_only=True)
class TaskBoard:
    """The leaderboard of one task.

    Args:
        task: Name of the task.
        metric: Name of the ranking metric.
        unit: Unit of the target; "" for classification.
        rows: The entries, best first.
        unseen_share: Share of the rows whose formula the training part does not have, from 0 to 1; None without
            targets. Where it is 1, there is no column of its own for such rows: all of them are.
        left_out: Entries that recorded the task but are not listed, with the reason.
    """

    task: str
    metric: str
    unit: str
    rows: tuple[TaskRow, ...]
    unseen_share: float | None
    left_out: Mapping[str, str]

    @property
    def headline(self) -> str:
        """What a reader should know first, in one sentence."""
        if not self.rows:
            return "No entry yet."
        first, tied = self.rows[0].algorithm, [row for row in self.rows if row.tie_group == "a"]
        if len(self.rows) == 1:
            return f"{first} is the only entry so far."
        if len(tied) == len(self.rows):
            return f"All {len(tied)} entries are statistically tied."
        if len(tied) == 1:
            return f"{first} is first, and statistically ahead of all others."
        return f"{len(tied)} entries are statistically tied for first."

    def to_frame(self) -> pd.DataFrame:
        """One row per entry."""
        return to_frame(self.rows)


@collector_paused()
def task_board(results: Results, task: Task) -> TaskBoard:
    """Make the leaderboard of one task, of all entries that recorded all its folds.

    Args:
        results: The entries.
        task: A task of their benchmark.

    Examples:
        >>> from matbench_lite import Submission, load_benchmark
        >>> bench = load_benchmark("mini")
        >>> task = bench["mini_gap"]
        >>> zero = Submission(bench, algorithm="Zero")
        >>> for fold in task.folds:
        ...     zero.record(task.name, fold, [0.0] * 100)
        >>> board = task_board(Results(bench, {"zero": zero}), task)
        >>> board.headline
        'Zero is the only entry so far.'
        >>> board.rows[0].tie_group, round(board.rows[0].score.mean, 2)
        ('a', 2.05)
    """
    listed = results.on(task)
    places = results.places(task)
    pairs = [None, *results.pairs_with_best(task)]
    rows = [
        _row(results, task, place, listed[place.slug], listed[places[0].slug], pair)
        for place, pair in zip(places, pairs, strict=False)
    ]
    shares = {result.unseen_share for result in listed.values()}
    return TaskBoard(
        task=task.name,
        metric=ranking_metric(task.kind),
        unit=task.unit,
        rows=tuple(rows),
        unseen_share=shares.pop() if shares else None,
        left_out=_left_out(results, task, listed),
    )


def _row(results: Results, task: Task, place: Place, result: Result, first: Result, pair: Pair | None) -> TaskRow:
    entry = results.entries[place.slug]
    metrics = result.scores.metrics
    return TaskRow(
        rank=place.rank,
        tie_group=place.tie_group,
        slug=place.slug,
        algorithm=entry.algorithm,
        category=str(results.categories[place.slug]),
        score=result.ranking,
        scaled_error=scaled_error(task, result.ranking.mean),
        interval=result.interval,
        difference=result.ranking.mean - first.ranking.mean,
        difference_interval=pair.interval if pair else None,
        p=place.p,
        metrics={
            metric.name: metrics[metric.name]
            for metric in shown_metrics(task.kind, "board")
            if metric.name in metrics and metric.name != ranking_metric(task.kind)
        },
        mape_share=result.mape_share,
        unseen=result.unseen,
        labels_only=entry.recorded(task.name)[0].predictions.type == "label",
        seconds=training_seconds(entry, task),
        hardware=hardware(entry.provenance),
        verified=result.verified,
    )


def training_seconds(entry: Submission, task: Task) -> float | None:
    """Training time of all folds of a task, in seconds; None if it is not recorded for each of them."""
    seconds = [held.seconds for held in entry.recorded(task.name).values()]
    known = [value for value in seconds if value is not None]
    return sum(known) if known and len(known) == len(seconds) else None


def hardware(provenance: Mapping[str, Any]) -> str | None:
    """What an entry was made on, in a few words; None if that is not recorded, or not as we record it."""
    machine = provenance.get("hardware")
    if not isinstance(machine, Mapping):
        return None
    gpus = machine.get("gpus")
    parts = [str(gpu) for gpu in gpus] if isinstance(gpus, list) else []
    if machine.get("cpu"):
        parts.append(f"{machine['cpu']}, {machine['cores']} cores" if machine.get("cores") else str(machine["cpu"]))
    return "; ".join(parts) or None


def _left_out(results: Results, task: Task, listed: Mapping[str, Result]) -> dict[str, str]:
    reasons = {}
    for slug, entry in results.entries.items():
        recorded = len(entry.recorded(task.name))
        if recorded and recorded < task.n_folds:
            reasons[slug] = f"{recorded} of {task.n_folds} folds recorded"
        elif recorded and slug not in listed:
            reasons[slug] = "no targets on this machine, and the entry states no scores"
    return reasons


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
