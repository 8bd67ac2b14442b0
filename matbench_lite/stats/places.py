"""What is known of every two entries of a task, and who is ahead on it."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from matbench_lite.stats.bootstrap import Interval
from matbench_lite.stats.certainty import Pair, Word, leaders, pair, verdicts
from matbench_lite.stats.ranks import ranked
from matbench_lite.stats.variance import Differences, Moments, differences, score_variances


@dataclass(frozen=True, kw_only=True, eq=False)
class TaskPairs:
    """Every two entries of a task, from the products of their losses.

    Args:
        slugs: The entries, by which all arrays go.
        higher: Whether a high score is good, so that a score is one less the error.
        moments: Of their losses.
    """

    slugs: tuple[str, ...]
    higher: bool
    moments: Moments

    @cached_property
    def differences(self) -> Differences:
        """How far apart they are, as mean losses."""
        return differences(self.moments)

    @cached_property
    def place_of(self) -> dict[str, int]:
        """Where each entry is in the arrays."""
        return {slug: place for place, slug in enumerate(self.slugs)}

    @cached_property
    def variances(self) -> dict[str, float]:
        """The variance of the mean loss of each entry: it follows from the entry alone."""
        return dict(zip(self.slugs, score_variances(self.moments).tolist(), strict=True))

    def among(self, slugs: Iterable[str]) -> TaskPairs:
        """Some of the entries alone, in this order: nothing that is said of two of them changes."""
        kept, found = tuple(slugs), self.moments
        places = [self.place_of[slug] for slug in kept]
        moments = Moments(
            scatter=found.scatter,
            cluster_count=found.cluster_count,
            fold_means=found.fold_means[places],
            rows=found.rows[np.ix_(places, places)],
            clusters=found.clusters[np.ix_(places, places)],
        )
        return TaskPairs(slugs=kept, higher=self.higher, moments=moments)

    def pair(self, first: str, second: str) -> Pair:
        """Two of them."""
        # Of the two alone: all pairs of many entries are many.
        two = self.among([first, second]).differences
        return pair(two, verdicts(two), 0, 1, higher_is_better=self.higher)


@dataclass(frozen=True, kw_only=True)
class Place:
    """The place of one entry on one task.

    Args:
        slug: The entry.
        rank: 1 is best; entries of equal score share a rank.
        first_place: The first place that it may have, behind all that are better; None without targets.
        last_place: The last one, before all that are worse.
        leading: Whether it is in the leading group: the best, and all that are not told apart from it or equivalent.
        wide: Whether it is in that group below an entry that is not: it scatters too widely to say more.
        reference: Whether it is a reference, a constant guess: it has a rank, and never leads.
        best: Whether it is the entry that all others are compared with.
        word: What is said of it beside the best, e.g. "worse"; None for the best itself, and without targets.
        difference: Score less that of the best, in the unit of the score; None as `word`.
        difference_interval: 99 % interval of the difference: it excludes zero exactly when the two are told apart.
        p: P-value of the difference.
    """

    slug: str
    rank: int
    first_place: int | None = None
    last_place: int | None = None
    leading: bool = False
    wide: bool = False
    reference: bool = False
    best: bool = False
    word: Word | None = None
    difference: float | None = None
    difference_interval: Interval | None = None
    p: float | None = None


def order(
    scores: Mapping[str, float], pairs: TaskPairs | None, references: Collection[str] = (), *, higher_is_better: bool
) -> list[Place]:
    """Order entries by their scores, best first; equal ones by slug.

    Args:
        scores: The score that ranks, by slug.
        pairs: Every two of them; None where the rows cannot be compared, so that there are ranks and nothing else.
        references: Those that are references.
        higher_is_better: Whether a high score is good.
    """
    if not scores:
        return []
    ranks = ranked({slug: scores[slug] for slug in sorted(scores)}, higher_is_better=higher_is_better)
    if pairs is None:
        return [Place(slug=slug, rank=rank, reference=slug in references) for slug, rank in ranks.items()]
    of_slug = [pairs.place_of[slug] for slug in ranks]
    is_reference = np.array([slug in references for slug in pairs.slugs])
    # Not those that `pairs` would keep: of many entries they are large, and nobody else needs all of them.
    whole = differences(pairs.moments)
    said = verdicts(whole)
    found = leaders(said, order=of_slug, references=is_reference)
    between, places = said.places(), []
    for (slug, rank), at in zip(ranks.items(), of_slug, strict=True):
        is_best = at == found.best
        beside = None if is_best else pair(whole, said, at, found.best, higher_is_better=pairs.higher)
        places.append(
            Place(
                slug=slug,
                rank=rank,
                first_place=between[at][0],
                last_place=between[at][1],
                leading=bool(found.leading[at]),
                wide=bool(found.wide[at]),
                reference=slug in references,
                best=is_best,
                word=beside.word if beside else None,
                difference=beside.difference if beside else None,
                difference_interval=beside.interval if beside else None,
                p=beside.p if beside else None,
            )
        )
    return places
