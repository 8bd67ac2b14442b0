"""Everything that boards are made from: computed when it is first asked for, once."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Mapping
from functools import cached_property
from typing import TYPE_CHECKING, Any

from matbench_lite.board import anatomy as anatomies
from matbench_lite.board import pairs
from matbench_lite.board import result as results
from matbench_lite.board.anatomy import Anatomy
from matbench_lite.board.pairs import Pair, Place, order
from matbench_lite.board.result import Result
from matbench_lite.board.rows import Rows, TargetsState, ordered_predictions, read_rows, row_losses, targets_state
from matbench_lite.board.score_table import Folds, Key, ScoreTable
from matbench_lite.data import derived_directory
from matbench_lite.derived import Shelf, key
from matbench_lite.errors import EntryError, MetricError, unknown_name
from matbench_lite.progress import progress
from matbench_lite.stats import Interval
from matbench_lite.submission import Submission
from matbench_lite.tasks import Benchmark, Category, Task

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_MANY = 25
"""Entries after which what was computed is put on disk: a board that is interrupted goes on from there."""


class Results:
    """Entries of one benchmark and what is known of them.

    With targets on this machine, everything follows from the predictions and is kept as derived data; without, there
    are the scores that the entries state, unverified. Nothing is fetched.

    Args:
        benchmark: The benchmark.
        entries: The entries by slug (folder name). They must not change from here on. All are taken as they are: leave
            out those that fail the check.

    Raises:
        EntryError: If an entry is of another benchmark.
        MetricError: If a task has folds or classes for which there is no board yet.
    """

    def __init__(self, benchmark: Benchmark, entries: Mapping[str, Submission]) -> None:
        self.benchmark = benchmark
        self.entries = dict(entries)
        for slug, entry in self.entries.items():
            if entry.benchmark.name != benchmark.name:
                raise EntryError(f"{slug} is an entry of {entry.benchmark.name}, not of {benchmark.name}")
        for task in benchmark:
            if why := _unrankable(task):
                raise MetricError(
                    f"{task.name} has {why}", fix="`mbl score` and `mbl try` score entries and models of this benchmark"
                )
        self._targets: dict[str, TargetsState | None] = {}
        self._results: dict[tuple[str, str], Result | None] = {}
        self._digests: dict[tuple[str, str], str] = {}
        self._complete: dict[str, frozenset[str]] = {}
        self._places: dict[str, list[Place]] = {}
        self._filled = False
        folder = derived_directory() / benchmark.name
        self._scores = ScoreTable(benchmark.name, results.__name__)
        self._pairs = Shelf(folder, "pairs", pairs.__name__)
        self._anatomies = Shelf(folder, "anatomies", anatomies.__name__)

    @cached_property
    def categories(self) -> dict[str, Category]:
        """The category of every entry."""
        return {slug: entry.category for slug, entry in self.entries.items()}

    def entry(self, slug: str) -> Submission:
        """One entry.

        Raises:
            UnknownNameError: If there is none of that slug.
        """
        if slug not in self.entries:
            raise unknown_name("entry", slug, self.entries)
        return self.entries[slug]

    def is_complete(self, slug: str, task: Task) -> bool:
        """Whether all folds of a task are recorded: what a board asks for."""
        if slug not in self._complete:
            self._complete[slug] = frozenset(self.entry(slug).complete_tasks)
        return task.name in self._complete[slug]

    def of(self, slug: str, task: Task) -> Result | None:
        """One entry on one task; None if a fold is missing, or there are neither targets nor stated scores."""
        if (slug, task.name) not in self._results:
            self._results[slug, task.name] = self._result(slug, task) if self.is_complete(slug, task) else None
        return self._results[slug, task.name]

    def on(self, task: Task) -> dict[str, Result]:
        """Every entry that has a result on a task, by slug."""
        return {slug: result for slug in self.entries if (result := self.of(slug, task)) is not None}

    def places(self, task: Task) -> list[Place]:
        """Who is ahead on a task, best first."""
        if task.name not in self._places:
            self._places[task.name] = order(task, self.on(task))
        return self._places[task.name]

    def pair(self, first: str, second: str, task: Task) -> Pair | None:
        """Two entries row by row; None if one has no result, or without targets."""
        return self.pairs([(first, second)], task)[0]

    def pairs(self, slugs: Iterable[tuple[str, str]], task: Task) -> list[Pair | None]:
        """Pairs of entries row by row; None for those of which one has no result, and without targets."""
        state = self._state(task)
        if state is None:
            return [None for _ in slugs]
        keys = self._pair_keys(slugs, task, state)
        missing = set(self._pairs.missing(keys.values()))
        self._pairs.put(
            {
                name: pairs.compare_rows(self._rows(task, state), *(self._losses(slug, task, state) for slug in both))
                for both, name in keys.items()
                if name in missing
            }
        )
        found = (self._pairs.get(keys[both]) if both in keys else None for both in slugs)
        return [content and Pair(**{**content, "interval": Interval(**content["interval"])}) for content in found]

    def pairs_with_best(self, task: Task) -> list[Pair | None]:
        """Each of the others beside the best of a task, in the order of their places."""
        slugs = [place.slug for place in self.places(task)]
        with_best = [(slug, slugs[0]) for slug in slugs[1:]]
        state = self._state(task)
        if (
            state is not None
            and not self._filled
            and self._pairs.missing(self._pair_keys(with_best, task, state).values())
        ):
            self._fill_pairs()
            self._filled = True
        return self.pairs(with_best, task)

    def _pair_keys(
        self, slugs: Iterable[tuple[str, str]], task: Task, state: TargetsState
    ) -> dict[tuple[str, str], str]:
        """The keys of those pairs of which both have all folds."""
        return {
            (first, second): key(state.digest, self._digest(first, task), self._digest(second, task))
            for first, second in slugs
            if self.is_complete(first, task) and self.is_complete(second, task)
        }

    def anatomy(self, slug: str, task: Task) -> Anatomy | None:
        """Where an entry fails on a task; None if it has no result, or without targets."""
        state = self._state(task)
        if state is None or not self.is_complete(slug, task):
            return None
        content = self._anatomies.get(key(state.digest, self._digest(slug, task)))
        if content is None:
            self._anatomies.put(self._dissected(slug))
            content = self._anatomies.get(key(state.digest, self._digest(slug, task)))
        return anatomies.from_computed(content)

    def _dissected(self, slug: str) -> dict[str, Any]:
        """Where an entry fails on each of its tasks, by key."""
        return {
            key(state.digest, self._digest(slug, task)): anatomies.dissect(
                task, self._rows(task, state), self.entry(slug).recorded(task.name)
            )
            for task, state in self._measurable(slug)
        }

    def _result(self, slug: str, task: Task) -> Result | None:
        state = self._state(task)
        if state is None:
            return results.from_recorded(task, self.entry(slug).recorded(task.name))
        folds = self._scores.get(self._key(slug, task, state))
        if folds is None:
            self._fill()
            folds = self._scores.get(self._key(slug, task, state))
            assert folds is not None
        return results.from_computed(task, folds, verified=state.verified)

    def _fill(self) -> None:
        """Compute all that the score table lacks, entry by entry: each is opened once."""
        missing = {
            slug: tasks
            for slug in self.entries
            if (
                tasks := [
                    (task, state)
                    for task, state in self._measurable(slug)
                    if self._key(slug, task, state) not in self._scores
                ]
            )
        }
        waiting: dict[Key, Folds] = {}
        with progress("scoring entries", len(missing)) as advance:
            for number, (slug, tasks) in enumerate(missing.items(), 1):
                for task, state in tasks:
                    recorded = self.entry(slug).recorded(task.name)
                    computed = results.computed(task, self._rows(task, state), recorded)
                    waiting[self._key(slug, task, state)] = computed
                if number % _MANY == 0 or number == len(missing):
                    self._scores.put(waiting)
                    waiting = {}
                advance(1)

    def _fill_pairs(self) -> None:
        """Compare all entries with the best of every task, entry by entry: each is opened once."""
        best = {task.name: places[0].slug for task in self.benchmark if (places := self.places(task))}
        wanted = {
            slug: {
                key(state.digest, self._digest(slug, task), self._digest(best[task.name], task)): (task, state)
                for task, state in self._measurable(slug)
                if slug != best[task.name]
            }
            for slug in self.entries
        }
        missing = set(self._pairs.missing([name for names in wanted.values() for name in names]))
        leading: dict[str, NDArray[np.float64]] = {}
        waiting: dict[str, Pair] = {}
        with progress("comparing entries", len(missing)) as advance:
            for slug, names in wanted.items():
                for name, (task, state) in names.items():
                    if name not in missing:
                        continue
                    if task.name not in leading:
                        leading[task.name] = self._losses(best[task.name], task, state)
                    ours = self._losses(slug, task, state)
                    waiting[name] = pairs.compare_rows(self._rows(task, state), ours, leading[task.name])
                    advance(1)
                if len(waiting) > _MANY * len(self.benchmark):
                    self._pairs.put(waiting)
                    waiting = {}
        self._pairs.put(waiting)

    def _measurable(self, slug: str) -> Iterator[tuple[Task, TargetsState]]:
        """The complete tasks of an entry whose targets are here."""
        for task in self.benchmark:
            if self.is_complete(slug, task) and (state := self._state(task)) is not None:
                yield task, state

    def _key(self, slug: str, task: Task, state: TargetsState) -> Key:
        return Key(entry=self._digest(slug, task), task=task.name, facts=state.digest)

    def _state(self, task: Task) -> TargetsState | None:
        if task.name not in self._targets:
            self._targets[task.name] = targets_state(task)
        return self._targets[task.name]

    def _rows(self, task: Task, state: TargetsState) -> Rows:
        return read_rows(task, state.digest)

    def _losses(self, slug: str, task: Task, state: TargetsState) -> NDArray[np.float64]:
        """The losses of an entry on all rows of a task, fold after fold."""
        predictions = ordered_predictions(self.entry(slug).recorded(task.name))
        return row_losses(self._rows(task, state).ordered_targets, predictions)

    def _digest(self, slug: str, task: Task) -> str:
        """Identity of an entry's predictions on one task: what they are, and every number."""
        if (slug, task.name) not in self._digests:
            folds = self.entry(slug).recorded(task.name)
            lines = [f"{fold} {held.predictions.type} {held.predictions.sha256}" for fold, held in folds.items()]
            self._digests[slug, task.name] = hashlib.sha256("\n".join(lines).encode()).hexdigest()
        return self._digests[slug, task.name]


def _unrankable(task: Task) -> str | None:
    """What a task has for which there is no board yet, in words."""
    if task.n_folds < 2:
        return "one fold: a leaderboard tests over folds whether entries differ"
    if task.scored_as == "multiclass":
        return f"{len(task.classes)} classes: a leaderboard compares entries on numbers or on two classes"
    if not task.is_partition:
        return "folds that do not test every row once: a leaderboard compares entries row by row"
    return None
