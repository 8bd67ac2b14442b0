"""The task leaderboard: which entry is best for one property, and is it really better?"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from matbench_lite.board.headlines import headline
from matbench_lite.board.result import (
    Measured,
    RankedTask,
    Result,
    higher_is_better,
    measured,
    ranked_task,
    scaled_error,
)
from matbench_lite.board.results import Results
from matbench_lite.board.subset_scores import easier_words
from matbench_lite.board.table import to_frame
from matbench_lite.cleaner import brief
from matbench_lite.memory import collector_paused
from matbench_lite.metrics import Summary, ranking_metric, shown_metrics
from matbench_lite.stats import Place
from matbench_lite.submission import Reproduced, Submission
from matbench_lite.tasks import Task

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True, kw_only=True)
class TaskRow(Measured, Place):
    """One entry on a task leaderboard: its place, what was measured (of metrics, those beside the score), and this.

    Args:
        algorithm: Its name for people.
        category: E.g. "general-purpose, requires-structure".
        difference: Score less that of the best, also without targets.
        labels_only: Whether it recorded labels, so that it has no ROC-AUC.
        seconds: Training time of all folds, in seconds, where recorded.
        hardware: What it was trained on, where recorded.
        reproduced: What came of training its code again, on whatever task; None if nobody has.
    """

    algorithm: str
    category: str
    score: Summary
    scaled_error: float
    difference: float
    labels_only: bool
    seconds: float | None
    hardware: str | None
    reproduced: Reproduced | None


@dataclass(frozen=True, kw_only=True)
class TaskBoard(RankedTask):
    """The leaderboard of one task.

    Args:
        rows: The entries, best first.
        left_out: Entries that recorded the task but are not listed, with the reason.
    """

    rows: tuple[TaskRow, ...]
    left_out: Mapping[str, str]

    @property
    def headline(self) -> str:
        """What a reader should know first, in one sentence."""
        if not self.rows:
            return "No entry yet."
        if len(self.rows) == 1:
            return f"{brief(self.rows[0].algorithm)} is the only entry so far."
        if not self.compared:
            first = f"{brief(self.rows[0].algorithm)} has the best score of {len(self.rows)} entries"
            return f"{first}; without targets, nothing says how sure that is."
        return headline(self.rows, {row.slug: row.algorithm for row in self.rows})

    @property
    def compared(self) -> bool:
        """Whether the entries could be compared row by row; without targets, there are only scores that they state."""
        return all(row.first_place is not None for row in self.rows)

    @property
    def remarks(self) -> list[str]:
        """What has to be said of scores on some of the rows, in sentences."""
        rows = [row for row in self.rows if not row.reference]
        relatives = [(row.without_relatives, row.scaled_error) for row in rows]
        systems = [(row.unseen_systems, row.scaled_error) for row in rows]
        said = (easier_words("Without relatives", relatives), easier_words("On unseen chemical systems", systems))
        return [sentence for sentence in said if sentence]

    def to_frame(self) -> pd.DataFrame:
        """One row per entry."""
        return to_frame(self.rows)


@collector_paused()
def task_board(results: Results, task: Task) -> TaskBoard:
    """Make the leaderboard of one task of the benchmark, of all entries that recorded all its folds.

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
        >>> board.rows[0].leading, round(board.rows[0].score.mean, 2)
        (True, 2.05)
    """
    listed = results.on(task)
    places = results.places(task)
    best = next((place.slug for place in places if place.best), places[0].slug if places else "")
    rows = [_row(results, task, place, listed[place.slug], listed[best]) for place in places]
    return TaskBoard(rows=tuple(rows), left_out=_left_out(results, task, listed), **ranked_task(task))


def _row(results: Results, task: Task, place: Place, result: Result, best: Result) -> TaskRow:
    entry = results.entries[place.slug]
    shown = [metric.name for metric in shown_metrics(task.kind, "board") if metric.name != ranking_metric(task.kind)]
    known = vars(place) | measured(task, result)
    if place.difference is None:
        known["difference"] = result.ranking.mean - best.ranking.mean
    known["metrics"] = {name: result.scores.metrics[name] for name in shown if name in result.scores.metrics}
    return TaskRow(
        algorithm=entry.algorithm,
        category=str(results.categories[place.slug]),
        labels_only=entry.recorded(task.name)[0].predictions.type == "label",
        seconds=training_seconds(entry, task),
        hardware=hardware(entry.provenance),
        reproduced=results.reproduced.get(place.slug),
        **known,
    )


def training_seconds(entry: Submission, *tasks: Task) -> float | None:
    """Training time of all folds of some tasks, in seconds; None if it is not recorded for each of them."""
    seconds = [held.seconds for task in tasks for held in entry.recorded(task.name).values()]
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
class History(RankedTask):
    """The best score of a task by date.

    Args:
        rows: Each entry that was better than all before it, oldest first.
    """

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
    return History(rows=tuple(rows), **ranked_task(task))
