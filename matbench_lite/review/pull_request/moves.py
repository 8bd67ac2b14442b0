"""Who else moves on the boards, in few words."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import groupby

from matbench_lite.review.pull_request.standing import Move, Position

_BEST = "a"


@dataclass(frozen=True, kw_only=True)
class BoardMoves:
    """All that moves on a board without being touched, best entries first.

    Args:
        boards: The boards where just this happens: names of tasks, or e.g. "general-purpose on mini".
        dethroned: Entries that were first and are not any more.
        promoted: Entries that become first.
        untied: Entries that can now be told apart from the best.
        tied: Entries that cannot be told apart from the best any more.
        shifts: Entries by the number of places that they move, in words: "down by 1".
    """

    boards: tuple[str, ...]
    dethroned: tuple[str, ...]
    promoted: tuple[str, ...]
    untied: tuple[str, ...]
    tied: tuple[str, ...]
    shifts: dict[str, tuple[str, ...]]


def moves_by_board(moves: Sequence[Move]) -> list[BoardMoves]:
    """Put all that moves on a board together, and boards on which the same happens.

    A tie group whose letter only follows another letter is no news.

    Args:
        moves: The moves, those of one board together.
    """
    alike: dict[str, BoardMoves] = {}
    for board, group in groupby(moves, key=lambda move: move.board):
        summary = _summary(list(group))
        if summary.untied or summary.tied or summary.shifts:
            known = alike.setdefault(str(summary), summary)
            alike[str(summary)] = replace(known, boards=(*known.boards, board))
    return list(alike.values())


def _summary(moves: list[Move]) -> BoardMoves:
    shifts: dict[str, list[str]] = defaultdict(list)
    for move in moves:
        if shift := _shift(move.before, move.after):
            shifts[shift].append(move.slug)
    return BoardMoves(
        boards=(),
        dethroned=_leaving(moves, _is_first),
        promoted=_joining(moves, _is_first),
        untied=_leaving(moves, _is_tied_with_best),
        tied=_joining(moves, _is_tied_with_best),
        shifts={shift: tuple(slugs) for shift, slugs in shifts.items()},
    )


def _is_first(place: Position) -> bool:
    return place.rank == 1


def _is_tied_with_best(place: Position) -> bool:
    return place.tie_group == _BEST


def _leaving(moves: list[Move], is_so: Callable[[Position], bool]) -> tuple[str, ...]:
    return tuple(
        move.slug for move in moves if move.before and move.after and is_so(move.before) and not is_so(move.after)
    )


def _joining(moves: list[Move], is_so: Callable[[Position], bool]) -> tuple[str, ...]:
    return tuple(
        move.slug for move in moves if move.before and move.after and is_so(move.after) and not is_so(move.before)
    )


def _shift(before: Position | None, after: Position | None) -> str:
    if before is None or after is None:
        return "ranked now" if after else "not ranked any more"
    places = after.rank - before.rank
    return "" if not places else f"down by {places}" if places > 0 else f"up by {-places}"
