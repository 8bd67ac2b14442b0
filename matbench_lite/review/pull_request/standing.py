"""Where an entry stands on the boards, before a change and after it, and who else moves."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from functools import cached_property

from matbench_lite.board import Results, general_board, higher_is_better
from matbench_lite.metrics import Summary, ranking_metric
from matbench_lite.stats import Interval
from matbench_lite.submission import Submission
from matbench_lite.tasks import Benchmark, Task

_PREVIOUS = "the version before"


@dataclass(frozen=True, kw_only=True)
class Position:
    """A place on a board.

    Args:
        rank: 1 is best.
        of: Number of entries that are ranked.
        tie_group: "a" holds the best and all that cannot be told apart from it; None on the general-purpose board.
    """

    rank: int
    of: int
    tie_group: str | None


@dataclass(frozen=True, kw_only=True)
class Delta:
    """The score of an entry less another one.

    Args:
        to: The other entry's slug.
        difference: In the unit of the metric.
        interval: 95 % paired bootstrap interval over test rows; None without targets.
        better: Whether the entry is the better one.
    """

    to: str
    difference: float
    interval: Interval | None
    better: bool

    @property
    def clear(self) -> bool:
        """Whether the interval leaves no doubt about the sign."""
        return self.interval is None or not self.interval.low <= 0 <= self.interval.high


@dataclass(frozen=True, kw_only=True)
class Standing:
    """One entry on one task.

    Args:
        task: Name of the task.
        metric: Name of the ranking metric.
        unit: Unit of the target; "" for classification.
        score: The ranking metric over the folds; None if the change takes the entry off this board.
        verified: Whether the score was computed from the predictions, with targets proven to be the published ones.
        before: Its place before the change; None if it had none.
        after: Its place after the change; None if it has none.
        to_best: Against the best of the others; None if there are no others.
        to_previous: Against its own previous version; None if there was none.
    """

    task: str
    metric: str
    unit: str
    score: Summary | None
    verified: bool
    before: Position | None
    after: Position | None
    to_best: Delta | None
    to_previous: Delta | None


@dataclass(frozen=True, kw_only=True)
class Move:
    """An entry that the change does not touch, and that moves because of it.

    Args:
        board: Name of the task, or e.g. "general-purpose on mini".
        slug: The entry.
        before: Its place before the change; None if it had none.
        after: Its place after the change; None if it has none.
    """

    board: str
    slug: str
    before: Position | None
    after: Position | None


class Boards:
    """The boards of one benchmark before and after a change.

    Args:
        benchmark: The benchmark.
        before: Its entries in the base.
        after: Its entries when the change is merged.
    """

    def __init__(self, benchmark: Benchmark, before: Mapping[str, Submission], after: Mapping[str, Submission]) -> None:
        self._benchmark = benchmark
        self._before, self._after = _Side(benchmark, before), _Side(benchmark, after)

    def standings(self, slug: str, old_slug: str) -> tuple[Standing, ...]:
        """One entry on every task that it has, or had.

        Args:
            slug: The entry.
            old_slug: The name it had before; the same, unless it is renamed.
        """
        found = (self._standing(task, slug, old_slug) for task in self._benchmark)
        return tuple(standing for standing in found if standing is not None)

    def general(self, slug: str, old_slug: str) -> tuple[Position | None, Position | None]:
        """The place of an entry among the general-purpose ones, before and after."""
        board = _general(self._benchmark)
        return self._before.boards[board].get(old_slug), self._after.boards[board].get(slug)

    def moves(self, touched: Collection[str]) -> tuple[Move, ...]:
        """All entries that move without being touched, board by board."""
        return tuple(
            Move(board=board, slug=slug, before=before.get(slug), after=after.get(slug))
            for board, after in self._after.boards.items()
            for before in [self._before.boards[board]]
            for slug in dict.fromkeys((*after, *before))
            if slug not in touched and _moved(before.get(slug), after.get(slug))
        )

    def _standing(self, task: Task, slug: str, old: str) -> Standing | None:
        before, after = self._before.boards[task.name].get(old), self._after.boards[task.name].get(slug)
        if before is None and after is None:
            return None
        result = self._after.results.of(slug, task) if after else None
        best = next((other for other in self._after.boards[task.name] if other != slug), None)
        return Standing(
            task=task.name,
            metric=ranking_metric(task.kind),
            unit=task.unit,
            score=result.ranking if result else None,
            verified=bool(result and result.verified),
            before=before,
            after=after,
            to_best=_delta(self._after.results, task, slug, best) if result and best else None,
            to_previous=self._to_previous(task, slug, old) if result and before else None,
        )

    def _to_previous(self, task: Task, slug: str, old: str) -> Delta:
        versions = {slug: self._after.results.entry(slug), _PREVIOUS: self._before.results.entry(old)}
        return _delta(Results(self._benchmark, versions), task, slug, _PREVIOUS)


class _Side:
    """All boards of some entries: the place of each entry by slug, best first."""

    def __init__(self, benchmark: Benchmark, entries: Mapping[str, Submission]) -> None:
        self.results = Results(benchmark, entries)

    @cached_property
    def boards(self) -> dict[str, dict[str, Position]]:
        boards = {task.name: self._positions(task) for task in self.results.benchmark}
        ranked = general_board(self.results).ranked
        boards[_general(self.results.benchmark)] = {
            row.slug: Position(rank=row.rank, of=len(ranked), tie_group=None) for row in ranked if row.rank is not None
        }
        return boards

    def _positions(self, task: Task) -> dict[str, Position]:
        places = self.results.places(task)
        return {place.slug: Position(rank=place.rank, of=len(places), tie_group=place.tie_group) for place in places}


def _general(benchmark: Benchmark) -> str:
    """Name of the board of all general-purpose entries, among those of the tasks."""
    return f"general-purpose on {benchmark.name}"


def _delta(results: Results, task: Task, slug: str, other: str) -> Delta:
    ours, theirs = results.of(slug, task), results.of(other, task)
    # Both are on the board.
    assert ours is not None
    assert theirs is not None
    rows = results.pair(slug, other, task)
    difference = ours.ranking.mean - theirs.ranking.mean
    return Delta(
        to=other,
        difference=difference,
        interval=rows.interval if rows else None,
        better=difference > 0 if higher_is_better(task.kind) else difference < 0,
    )


def _moved(before: Position | None, after: Position | None) -> bool:
    if before is None or after is None:
        return before is not after
    return (before.rank, before.tie_group) != (after.rank, after.tie_group)
