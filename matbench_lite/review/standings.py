"""Where an entry stands on the boards, before a change and after it, and who else moves."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby

from matbench_lite.board import Results, general_board, higher_is_better
from matbench_lite.metrics import Summary, ranking_metric
from matbench_lite.stats import Interval
from matbench_lite.submission import Submission
from matbench_lite.tasks import Benchmark, Task

_PREVIOUS = "the version before"
_BEST = "a"


@dataclass(frozen=True, kw_only=True)
class Position:
    """A place on a board with `of` ranked entries, 1 is best.

    The tie group "a" holds the best and all that cannot be told apart from it; None on the general-purpose board.
    """

    rank: int
    of: int
    tie_group: str | None


@dataclass(frozen=True, kw_only=True)
class Delta:
    """The score of an entry less that of the entry `to`, in the unit of the metric.

    The interval is the 95 % paired bootstrap interval over test rows; None without targets.
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
    """One entry on one task, and its ranking metric over the folds: None if the change takes it off this board.

    The unit is "" for classification. A score is verified if it was computed from the predictions, with targets proven
    to be the published ones. Places are None where it has none; so are `to_best`, the difference to the best of the
    others, and `to_previous`, that to its own version before, where there is nothing to compare with.
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
    """An entry that the change does not touch, and that moves because of it; None is no place.

    The board is named after its task, or e.g. "general-purpose on mini".
    """

    board: str
    slug: str
    before: Position | None
    after: Position | None


class Boards:
    """The boards of one benchmark before a change, and when it is merged."""

    def __init__(self, benchmark: Benchmark, before: Mapping[str, Submission], after: Mapping[str, Submission]) -> None:
        self._benchmark = benchmark
        self._results_before, self._results = Results(benchmark, before), Results(benchmark, after)
        self._before, self._after = _boards(self._results_before), _boards(self._results)

    def standings(self, slug: str, old_slug: str) -> tuple[Standing, ...]:
        """One entry on every task that it has, or had; its old slug is the same, unless it is renamed."""
        found = (self._standing(task, slug, old_slug) for task in self._benchmark)
        return tuple(standing for standing in found if standing is not None)

    def general(self, slug: str, old_slug: str) -> tuple[Position | None, Position | None]:
        """The place of an entry among the general-purpose ones, before and after."""
        board = _general(self._benchmark)
        return self._before[board].get(old_slug), self._after[board].get(slug)

    def moves(self, touched: Collection[str]) -> tuple[Move, ...]:
        """All entries that move without being touched, board by board."""
        return tuple(
            Move(board=board, slug=slug, before=before.get(slug), after=after.get(slug))
            for board, after in self._after.items()
            for before in [self._before[board]]
            for slug in dict.fromkeys((*after, *before))
            if slug not in touched and _moved(before.get(slug), after.get(slug))
        )

    def _standing(self, task: Task, slug: str, old: str) -> Standing | None:
        before, after = self._before[task.name].get(old), self._after[task.name].get(slug)
        if before is None and after is None:
            return None
        result = self._results.of(slug, task) if after else None
        best = next((other for other in self._after[task.name] if other != slug), None)
        return Standing(
            task=task.name,
            metric=ranking_metric(task.kind),
            unit=task.unit,
            score=result.ranking if result else None,
            verified=bool(result and result.verified),
            before=before,
            after=after,
            to_best=_delta(self._results, task, slug, best) if result and best else None,
            to_previous=self._to_previous(task, slug, old) if result and before else None,
        )

    def _to_previous(self, task: Task, slug: str, old: str) -> Delta:
        versions = {slug: self._results.entry(slug), _PREVIOUS: self._results_before.entry(old)}
        return _delta(Results(self._benchmark, versions), task, slug, _PREVIOUS)


def _boards(results: Results) -> dict[str, dict[str, Position]]:
    """All boards of some entries: the place of each entry by slug, best first."""
    boards = {}
    for task in results.benchmark:
        places = results.places(task)
        boards[task.name] = {p.slug: Position(rank=p.rank, of=len(places), tie_group=p.tie_group) for p in places}
    ranked = general_board(results).ranked
    boards[_general(results.benchmark)] = {
        row.slug: Position(rank=row.rank, of=len(ranked), tie_group=None) for row in ranked if row.rank is not None
    }
    return boards


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


def moves_by_board(moves: Sequence[Move]) -> list[tuple[list[str], dict[str, list[str]]]]:
    """The boards on which the same happens, and who moves there, by what happens in words: "first now", "down by 1".

    The moves of one board are together. A tie group whose letter only follows another letter is no news.
    """
    alike: dict[str, tuple[list[str], dict[str, list[str]]]] = {}
    for board, group in groupby(moves, key=lambda move: move.board):
        if news := _news(list(group)):
            alike.setdefault(str(news), ([], news))[0].append(board)
    return list(alike.values())


def _news(moves: list[Move]) -> dict[str, list[str]]:
    """What is told of a board, and of which entries, best first."""
    both = [(move.slug, move.before, move.after) for move in moves if move.before and move.after]
    first = [(slug, before.rank == 1, after.rank == 1) for slug, before, after in both]
    tied = [(slug, before.tie_group == _BEST, after.tie_group == _BEST) for slug, before, after in both]
    news = {
        "no longer first": [slug for slug, was, now in first if was and not now],
        "first now": [slug for slug, was, now in first if now and not was],
        "no longer tied with the best": [slug for slug, was, now in tied if was and not now],
        "tied with the best now": [slug for slug, was, now in tied if now and not was],
    }
    for move in moves:
        if shift := _shift(move.before, move.after):
            news.setdefault(shift, []).append(move.slug)
    return {what: slugs for what, slugs in news.items() if slugs}


def _shift(before: Position | None, after: Position | None) -> str:
    if before is None or after is None:
        return "ranked now" if after else "not ranked any more"
    places = after.rank - before.rank
    return "" if not places else f"down by {places}" if places > 0 else f"up by {-places}"
