"""Where an entry stands on the boards, before a change and after it, and who else moves."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby

from matbench_lite.board import RankedTask, Results, general_board, ranked_task
from matbench_lite.metrics import Summary
from matbench_lite.stats import Interval, Word
from matbench_lite.submission import Submission
from matbench_lite.tasks import Benchmark, Task
from matbench_lite.text import place_range

_PREVIOUS = "the version before"


@dataclass(frozen=True, kw_only=True)
class Position:
    """A rank on a board with `of` ranked entries, 1 is best, and the first and the last place that it may have.

    In the leading group are the best, and all that are not told apart from it or are equivalent to it. Places and group
    are None on the general-purpose board, and without targets.
    """

    rank: int
    of: int
    first_place: int | None = None
    last_place: int | None = None
    leading: bool | None = None
    wide: bool = False

    @property
    def places(self) -> str | None:
        """Between which places it is, in words."""
        if self.first_place is None or self.last_place is None:
            return None
        return place_range(self.first_place, self.last_place)


@dataclass(frozen=True, kw_only=True)
class Delta:
    """The score of an entry less that of the entry `to`, in the unit of the metric, and what is said of the two.

    The word, e.g. "better", is from the point of view of the entry; the interval of the difference is one of 99 %. Both
    are None without targets.
    """

    to: str
    difference: float
    word: Word | None
    interval: Interval | None


@dataclass(frozen=True, kw_only=True)
class Standing(RankedTask):
    """One entry on one task, and its ranking metric over the folds: None if the change takes it off this board.

    A score is verified if it was computed from the predictions, with targets proven
    to be the published ones. Places are None where it has none; so are `to_best`, the difference to the best of the
    others, and `to_previous`, that to its own version before, where there is nothing to compare with.
    """

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
        self.benchmark = benchmark
        self._results_before, self._results = Results(benchmark, before), Results(benchmark, after)
        self._before, self._after = _boards(self._results_before), _boards(self._results)

    def standings(self, slug: str, old_slug: str) -> tuple[Standing, ...]:
        """One entry on every task that it has, or had; its old slug is the same, unless it is renamed."""
        found = (self._standing(task, slug, old_slug) for task in self.benchmark)
        return tuple(standing for standing in found if standing is not None)

    def general(self, slug: str, old_slug: str) -> tuple[Position | None, Position | None]:
        """The place of an entry among the general-purpose ones, before and after."""
        board = _general(self.benchmark)
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
            score=result.ranking if result else None,
            verified=bool(result and result.verified),
            before=before,
            after=after,
            to_best=_delta(self._results, task, slug, best) if result and best else None,
            to_previous=self._to_previous(task, slug, old) if result and before else None,
            **ranked_task(task),
        )

    def _to_previous(self, task: Task, slug: str, old: str) -> Delta:
        versions = {slug: self._results.entry(slug), _PREVIOUS: self._results_before.entry(old)}
        return _delta(Results(self.benchmark, versions), task, slug, _PREVIOUS)


def _boards(results: Results) -> dict[str, dict[str, Position]]:
    """All boards of some entries: the place of each entry by slug, best first."""
    boards = {}
    for task in results.benchmark:
        places = results.places(task)
        boards[task.name] = {
            place.slug: Position(
                rank=place.rank,
                of=len(places),
                first_place=place.first_place,
                last_place=place.last_place,
                leading=None if place.first_place is None else place.leading,
                wide=place.wide,
            )
            for place in places
        }
    ranked = general_board(results).ranked
    boards[_general(results.benchmark)] = {
        row.slug: Position(rank=row.rank, of=len(ranked)) for row in ranked if row.rank is not None
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
    pair = results.pair(slug, other, task)
    return Delta(
        to=other,
        difference=pair.difference if pair else ours.ranking.mean - theirs.ranking.mean,
        word=pair.word if pair else None,
        interval=pair.interval if pair else None,
    )


def _moved(before: Position | None, after: Position | None) -> bool:
    if before is None or after is None:
        return before is not after
    return (before.rank, before.leading) != (after.rank, after.leading)


def moves_by_board(moves: Sequence[Move]) -> list[tuple[list[str], dict[str, list[str]]]]:
    """The boards on which the same happens, and who moves there, by what happens in words: "first now", "down by 1".

    The moves of one board are together.
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
    leading = [(slug, before.leading, after.leading) for slug, before, after in both]
    news = {
        "no longer first": [slug for slug, was, now in first if was and not now],
        "first now": [slug for slug, was, now in first if now and not was],
        "no longer in the leading group": [slug for slug, was, now in leading if was and now is False],
        "in the leading group now": [slug for slug, was, now in leading if now and was is False],
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
