"""A or B? Two or more entries, task by task: who wins, by how much, with what certainty."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING

from matbench_lite.board.pairs import Pair
from matbench_lite.board.result import Result, higher_is_better
from matbench_lite.board.results import Results
from matbench_lite.board.table import to_frame
from matbench_lite.errors import MatbenchLiteError
from matbench_lite.metrics import Summary, ranking_metric
from matbench_lite.stats import ALPHA, Interval, holm, paired_test
from matbench_lite.tasks import Task
from matbench_lite.text import count

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True, kw_only=True)
class CompareRow:
    """Two entries on one task.

    Args:
        task: Name of the task.
        metric: Name of the ranking metric.
        unit: Unit of the target; "" for classification.
        first: One entry's slug.
        second: The other's.
        first_score: The ranking metric of the first over the folds, in its unit.
        second_score: That of the second.
        difference: The first less the second.
        interval: 95 % paired bootstrap interval of the difference over test rows; None without targets.
        p: P-value of the paired test over folds; Holm-corrected over the pairs of the task.
        first_wins: Share of the rows on which the first has the smaller error, from 0 to 1; None without targets.
        second_wins: Share of the rows on which the second has.
        ahead: The entry of the better score; None if the scores are equal.
        winner: The entry that is ahead, if the test tells the two apart at 5 %; else None.
        verified: Whether both scores were computed from predictions, with targets proven to be the published ones.
    """

    task: str
    metric: str
    unit: str
    first: str
    second: str
    first_score: Summary
    second_score: Summary
    difference: float
    interval: Interval | None
    p: float
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
        tasks = {row.task for row in self.rows}
        wins = {slug: sum(row.winner == slug for row in self.rows) for slug in self.slugs}
        even = sum(row.winner is None for row in self.rows)
        if len(self.slugs) > 2:
            compared = count(len(self.rows), "comparison")
            return f"{count(len(tasks), 'task')}, {compared}: {even} of them cannot be told apart."
        counts = ", ".join(f"{names[slug]} wins {number}" for slug, number in wins.items())
        return f"{count(len(tasks), 'task')} in common: {counts}, {even} cannot be told apart."

    def to_frame(self) -> pd.DataFrame:
        """One row per task and pair."""
        return to_frame(self.rows)


def compare(results: Results, slugs: Sequence[str]) -> CompareBoard:
    """Compare entries pair by pair on the tasks they have in common.

    Args:
        results: The entries.
        slugs: Those to compare, two or more.

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


def _task_rows(results: Results, task: Task, slugs: Sequence[str]) -> list[CompareRow]:
    listed = {slug: result for slug in slugs if (result := results.of(slug, task)) is not None}
    pairs = list(combinations(listed, 2))
    tests = [paired_test(listed[a].by_fold, listed[b].by_fold) for a, b in pairs]
    p_values = holm([test.p for test in tests]).tolist()
    by_rows = results.pairs(pairs, task)
    return [_row(task, both, listed, p, rows) for both, p, rows in zip(pairs, p_values, by_rows, strict=True)]


def _row(task: Task, slugs: tuple[str, str], listed: dict[str, Result], p: float, rows: Pair | None) -> CompareRow:
    first, second = (listed[slug] for slug in slugs)
    difference = first.ranking.mean - second.ranking.mean
    first_ahead = (difference > 0) == higher_is_better(task.kind)
    ahead = None if difference == 0 else slugs[0] if first_ahead else slugs[1]
    return CompareRow(
        task=task.name,
        metric=ranking_metric(task.kind),
        unit=task.unit,
        first=slugs[0],
        second=slugs[1],
        first_score=first.ranking,
        second_score=second.ranking,
        difference=difference,
        interval=rows.interval if rows else None,
        p=p,
        first_wins=rows.first_wins if rows else None,
        second_wins=rows.second_wins if rows else None,
        ahead=ahead,
        winner=ahead if p < ALPHA else None,
        verified=first.verified and second.verified,
    )
