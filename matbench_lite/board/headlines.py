"""Who leads, on one task and over several, in sentences that are true."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from matbench_lite.cleaner import brief
from matbench_lite.stats import MANY_TASKS, Place
from matbench_lite.text import count, ends, in_words, number

if TYPE_CHECKING:
    from matbench_lite.board.general_boards import GeneralRow

_NAMED = 3
"""So many entries are named; of more, these, and how many they are."""
_UNCERTAINTY = 0.01
"""A scaled error has three decimals, as in tables."""


def headline(places: Sequence[Place], names: Mapping[str, str]) -> str:
    """What a reader should know first of those who are compared, best first, in one sentence: who leads, and who might.

    Names are what they are called, by slug.

    Examples:
        >>> best, worse = Place(slug="a", rank=1, first_place=1, best=True), Place(slug="d", rank=4, word="worse")
        >>> close = [Place(slug=slug, rank=2, word="not told apart") for slug in "bc"]
        >>> wide, names = Place(slug="d", rank=4, word="not told apart", wide=True), dict(zip("abcd", "ABCD"))
        >>> headline([best, *close, worse], names)
        'A leads; B and C cannot be told apart from it.'
        >>> headline([best, worse], names)
        'A leads, and is told apart from all others.'
        >>> headline([best, *close, *close, wide], names)
        'A leads; 4 others (B, C, B, …) cannot be told apart from it; D scatters too widely to say.'
    """
    first = brief(names[places[0].slug])
    if len(places) == 1:
        return f"{first} is the only one so far."
    if places[0].first_place is None:
        return f"{first} has the best score of {len(places)}; nothing says how sure that is."
    best = brief(names[next(place.slug for place in places if place.best)])
    alike: dict[str | None, list[str]] = {}
    for place in places:
        if not place.reference:
            wide = place.wide and place.word == "not told apart"
            alike.setdefault("wide" if wide else place.word, []).append(brief(names[place.slug]))
    clauses = [
        *(_clause(alike.get(word, []), one, more) for word, (one, more) in _BESIDE.items()),
        *(
            f"{brief(names[place.slug])}, a constant guess, {_BESIDE[place.word][0]}"
            for place in places
            if place.reference and place.word in _BESIDE
        ),
    ]
    said = [clause for clause in clauses if clause]
    return f"{best} leads; {'; '.join(said)}." if said else f"{best} leads, and is told apart from all others."


_BESIDE: dict[str | None, tuple[str, str]] = {
    "better": ("is better", "are better"),
    "equivalent": ("is equivalent to it", "are equivalent to it"),
    "not told apart": ("cannot be told apart from it", "cannot be told apart from it"),
    "wide": ("scatters too widely to say", "scatter too widely to say"),
}
"""What is said of one entry beside the best, and of several; only a constant guess can be better."""


def _clause(names: Sequence[str], one: str, more: str) -> str:
    if len(names) > _NAMED:
        return f"{len(names)} others ({', '.join(names[:_NAMED])}, …) {more}"
    return f"{in_words(names)} {one if len(names) == 1 else more}" if names else ""


def over_tasks_words(ranked: Sequence[GeneralRow], tasks: int) -> str:
    """Who is ahead over several tasks, and what that says of others: the one statement of it, wherever it is made.

    There is at least one entry that is ranked, and the best is first.

    Examples:
        >>> from matbench_lite.board import GeneralRow
        >>> about = {"category": "general-purpose", "first_place": 1, "last_place": 2}
        >>> first = GeneralRow(slug="a", algorithm="A", rank=1, geometric_mean=0.1261, led=7, **about)
        >>> other = GeneralRow(slug="b", algorithm="B", rank=2, geometric_mean=0.2, **about)
        >>> over_tasks_words([first], 8)
        'A alone is ranked over 8 tasks: geometric mean of scaled errors 0.126.'
        >>> over_tasks_words([first, other], 8).removeprefix("A is first over 8 tasks: ")
        'geometric mean of scaled errors 0.126, best on 7 of them. 8 tasks are few: nothing is said of the order ...'
        >>> over_tasks_words([first, other], 10).split(". ", 1)[1]
        'On other tasks like these, B could be first as well (95 %).'
    """
    first, over = ranked[0], "one task" if tasks == 1 else f"{tasks} tasks"
    if len(ranked) == 1:
        return f"{brief(first.algorithm)} alone is ranked over {over}: {_mean(first)}."
    leaders = [row for row in ranked if row.rank == 1]
    if len(leaders) > 1:
        said = f"{_some([row.algorithm for row in leaders])} share the first place over {over}: {_mean(first)}."
    else:
        led = "" if first.led is None or tasks == 1 else f", best on {first.led or 'none'} of them"
        said = f"{brief(first.algorithm)} is first over {over}: {_mean(first)}{led}."
    return f"{said} {_on_others(ranked, tasks)}{_without_structure(ranked)}"


def _mean(row: GeneralRow) -> str:
    interval = f" (95 %: {ends(row.interval)})" if row.interval else ""
    return f"geometric mean of scaled errors {number(row.geometric_mean, _UNCERTAINTY)}{interval}"


def _on_others(ranked: Sequence[GeneralRow], tasks: int) -> str:
    """What these tasks say of others like them."""
    if tasks < MANY_TASKS:
        return f"{'One task is' if tasks == 1 else f'{tasks} tasks are'} few: nothing is said of the order on others."
    rivals = [row.algorithm for row in ranked if row.rank != 1 and row.first_place == 1]
    said = f"{_some(rivals)} could be first as well" if rivals else "no other would be first"
    return f"On other tasks like these, {said} (95 %)."


def _without_structure(ranked: Sequence[GeneralRow]) -> str:
    """The first that every material has the input for, where that is another one."""
    if not ranked[0].requires_structure:
        return ""
    row = next((row for row in ranked if not row.requires_structure), None)
    if row is None:
        return ""
    error = number(row.geometric_mean, _UNCERTAINTY)
    return f" The first that does not require a structure is {brief(row.algorithm)}, with {error}."


def _some(names: Sequence[str]) -> str:
    shown = [brief(name) for name in names]
    if len(shown) <= _NAMED:
        return in_words(shown)
    return f"{', '.join(shown[:_NAMED])} and {count(len(shown) - _NAMED, 'other')}"
