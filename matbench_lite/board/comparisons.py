"""A or B? Two or more entries, task by task: who wins, by how much, with what certainty."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING

from matbench_lite.board.result import RankedTask, higher_is_better, ranked_task
from matbench_lite.board.results import Results
from matbench_lite.board.table import to_frame
from matbench_lite.cleaner import brief
from matbench_lite.errors import MatbenchLiteError
from matbench_lite.metrics import Summary
from matbench_lite.stats import Interval, Word
from matbench_lite.tasks import Task
from matbench_lite.text import count

if TYPE_CHECKING:
    import pandas as pd


_EVEN: tuple[Word, ...] = ("equivalent", "not told apart")
"""What is said of two entries of which neither is better."""


@dataclass(frozen=True, kw_only=True)
class CompareRow(RankedTask):
    """Two entries on one task.

    Args:
        first: One entry's slug.
        second: The other's.
        first_score: The ranking metric of the first over the folds, in its unit.
        second_score: That of the second.
        difference: The first less the second.
        word: What is said of the first: better, worse, equivalent, or not told apart; None, as the interval and p,
            without targets.
        interval: 99 % interval of the difference: it excludes zero exactly when the two are told apart.
        p: P-value of the difference; told apart is below 1 %.
        first_wins: Share of the rows on which the first has the smaller error, from 0 to 1; None without targets.
        second_wins: Share of the rows on which the second has.
        ahead: The entry of the better score; None if the scores are equal.
        winner: The entry that is better; None if neither is, or without targets.
        verified: Whether both scores were computed from predictions, with targets proven to be the published ones.
    """

    first: str
    second: str
    first_score: Summary
    second_score: Summary
    difference: float
    word: Word | None
    interval: Interval | None
    p: float | None
    first_wins: float | None
    second_wins: float | None
    ahead: str | None
    winner: str | None
    verified: bool


@dataclass(frozen=True, kw_only=True)
class CompareBoard:
    """Two or more entries side by side.

    Args:
        slugs: The entries, in the order asked for.
        rows: One row per task and pair of entries that have it, in registry order.
    """

    slugs: tuple[str, ...]
    rows: tuple[CompareRow, ...]

    @property
    def headline(self) -> str:
        """What a reader should know first, in one sentence, with slugs as names."""
        return self.summary({slug: slug for slug in self.slugs})

    def summary(self, names: Mapping[str, str]) -> str:
        """What a reader should know first, in one sentence, with the names of the entries by slug."""
        if not self.rows:
            return "There is no task that these entries have in common."
        tasks = count(len({row.task for row in self.rows}), "task")
        said = [row.word for row in self.rows if row.word is not None]
        if not said:
            return f"{tasks} in common; without targets, nothing says who is better."
        even = [f"{said.count(word)} {word}" for word in _EVEN if word in said]
        if len(self.slugs) > 2:
            decided = f"one is better in {sum(word not in _EVEN for word in said)}"
            return f"{tasks}, {count(len(self.rows), 'comparison')}: {', '.join([decided, *even])}."
        wins = {slug: sum(row.winner == slug for row in self.rows) for slug in self.slugs}
        counts = [f"{brief(names[slug])} is better on {number}" for slug, number in wins.items()]
        return f"{tasks} in common: {', '.join([*counts, *even])}."

    def to_frame(self) -> pd.DataFrame:
        """One row per task and pair."""
        return to_frame(self.rows)


def compare(results: Results, slugs: Sequence[str]) -> CompareBoard:
    """Compare two or more entries, by their slugs, pair by pair on the tasks they have in common.

    Raises:
        MatbenchLiteError: If there are fewer than two, or one is named twice.
        UnknownNameError: If there is no entry of a slug.
    """
    chosen = tuple(slugs)
    if len(chosen) < 2 or len(set(chosen)) != len(chosen):
        raise MatbenchLiteError(f"{', '.join(chosen)} cannot be compared", fix="name two or more different entries")
    for slug in chosen:
        results.entry(slug)
    rows = [row for task in results.benchmark for row in _task_rows(results, task, chosen)]
    return CompareBoard(slugs=chosen, rows=tuple(rows))


def _task_rows(results: Results, task: Task, slugs: Sequence[str]) -> Iterator[CompareRow]:
    listed = {slug: result for slug in slugs if (result := results.of(slug, task)) is not None}
    both = list(combinations(listed, 2))
    for (first, second), won in zip(both, results.rows_won(both, task), strict=True):
        ours, theirs, pair = listed[first], listed[second], results.pair(first, second, task)
        difference = pair.difference if pair else ours.ranking.mean - theirs.ranking.mean
        first_ahead = (difference > 0) == higher_is_better(task.kind)
        ahead = None if difference == 0 else first if first_ahead else second
        yield CompareRow(
            first=first,
            second=second,
            first_score=ours.ranking,
            second_score=theirs.ranking,
            difference=difference,
            word=pair.word if pair else None,
            interval=pair.interval if pair else None,
            p=pair.p if pair else None,
            first_wins=won[0] if won else None,
            second_wins=won[1] if won else None,
            ahead=ahead,
            winner=ahead if pair and pair.word in ("better", "worse") else None,
            verified=ours.verified and theirs.verified,
            **ranked_task(task),
        )
