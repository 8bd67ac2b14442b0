"""Everything that boards are made from: computed when it is first asked for, once."""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Iterable, Iterator, Mapping
from functools import cache, cached_property
from types import MappingProxyType

import numpy as np
from numpy.typing import NDArray

from matbench_lite.board import anatomy as anatomies
from matbench_lite.board import result as results
from matbench_lite.board import rows as task_rows
from matbench_lite.board.anatomy import Anatomy
from matbench_lite.board.products import Products
from matbench_lite.board.relatives import read_relatives
from matbench_lite.board.result import Result, higher_is_better
from matbench_lite.board.rows import TargetsState, ordered_predictions, read_rows, row_losses, targets_state
from matbench_lite.board.score_table import Folds, Key, ScoreTable
from matbench_lite.data import derived_directory
from matbench_lite.derived import Shelf, key
from matbench_lite.errors import EntryError, MetricError, unknown_name
from matbench_lite.progress import progress
from matbench_lite.stats import Moments, Pair, Place, TaskPairs, order
from matbench_lite.submission import Reproduced, Submission
from matbench_lite.tasks import Benchmark, Category, Task

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
        reproduced: By slug, what came of training their code again, where that is known.

    Raises:
        EntryError: If an entry is of another benchmark.
        MetricError: If a task has folds or classes for which there is no board yet.
    """

    def __init__(
        self,
        benchmark: Benchmark,
        entries: Mapping[str, Submission],
        *,
        reproduced: Mapping[str, Reproduced] = MappingProxyType({}),
    ) -> None:
        self.benchmark = benchmark
        self.entries = dict(entries)
        self.reproduced = reproduced
        for slug, entry in self.entries.items():
            if entry.benchmark.name != benchmark.name:
                raise EntryError(f"{slug} is an entry of {entry.benchmark.name}, not of {benchmark.name}")
        for task in benchmark:
            if why := _unrankable(task):
                raise MetricError(
                    f"{task.name} has {why}", fix="`mbl score` and `mbl try` score entries and models of this benchmark"
                )
        self._state = cache(targets_state)
        self._results: dict[tuple[str, str], Result | None] = {}
        self._digests: dict[tuple[str, str], str] = {}
        self._complete: dict[str, frozenset[str]] = {}
        self._places: dict[str, list[Place]] = {}
        self._pairs: dict[str, TaskPairs | None] = {}
        folder = derived_directory() / benchmark.name
        self._scores = ScoreTable(benchmark.name, results.__name__)
        self._rows_won = Shelf(folder, "rows_won", task_rows.__name__)
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

    @cached_property
    def references(self) -> frozenset[str]:
        """The entries that are constant guesses on all their regression tasks; without such, on all tasks they have.

        They have a rank on boards and never lead. Without targets nobody is known to be one.
        """
        return frozenset(slug for slug in self.entries if self._is_reference(slug))

    def _is_reference(self, slug: str) -> bool:
        results_of = [(task.kind, result) for task in self.benchmark if (result := self.of(slug, task))]
        known = [(kind, result.is_constant) for kind, result in results_of if result.is_constant is not None]
        regression = [is_constant for kind, is_constant in known if kind == "regression"]
        return bool(known) and all(regression or [is_constant for _, is_constant in known])

    def places(self, task: Task) -> list[Place]:
        """Who is ahead on a task, best first."""
        if task.name not in self._places:
            self._places[task.name] = self._order(task, self.on(task), self.all_pairs(task))
        return self._places[task.name]

    def places_among(self, slugs: Collection[str], task: Task) -> list[Place]:
        """Who is ahead on a task among some of the entries."""
        listed = {slug: result for slug, result in self.on(task).items() if slug in slugs}
        if len(listed) == len(self.on(task)):
            return self.places(task)
        every = self.all_pairs(task)
        return self._order(task, listed, every.among(listed) if every else None)

    def _order(self, task: Task, listed: Mapping[str, Result], pairs: TaskPairs | None) -> list[Place]:
        scores = {slug: result.ranking.mean for slug, result in listed.items()}
        return order(scores, pairs, self.references, higher_is_better=higher_is_better(task.kind))

    def pair(self, first: str, second: str, task: Task) -> Pair | None:
        """What is said of two entries on a task; None if one has no result, or without targets."""
        if self.of(first, task) is None or self.of(second, task) is None:
            return None
        every = self.all_pairs(task)
        return every.pair(first, second) if every else None

    def all_pairs(self, task: Task) -> TaskPairs | None:
        """All pairs of the entries that have a result on a task; None without targets, or without such entries."""
        if task.name not in self._pairs:
            self._pairs[task.name] = self._known_pairs(task)
            if self._pairs[task.name] is None and self._state(task) is not None and self.on(task):
                self._complete_pairs()
        return self._pairs[task.name]

    def _known_pairs(self, task: Task) -> TaskPairs | None:
        """All pairs, if the products of all are kept."""
        state, listed = self._state(task), self.on(task)
        if state is None or not listed:
            return None
        products = Products(task).of(self._names(listed, task, state))
        return None if np.isnan(products[0]).any() else _task_pairs(task, listed, *products)

    def _complete_pairs(self) -> None:
        """Multiply the losses of all entries that are new with those of all others, task by task."""
        with progress("comparing entries", len(self.benchmark)) as advance:
            for task in self.benchmark:
                state, listed = self._state(task), self.on(task)
                if state is not None and listed and self._known_pairs(task) is None:
                    products = Products(task).completed(
                        self._names(listed, task, state),
                        read_rows(task, state.digest),
                        np.array([result.errors for result in listed.values()]),
                        [self.entry(slug).recorded(task.name) for slug in listed],
                    )
                    self._pairs[task.name] = _task_pairs(task, listed, *products)
                advance(1)

    def _names(self, slugs: Iterable[str], task: Task, state: TargetsState) -> list[str]:
        """What the products of each entry are kept under."""
        return [key(state.digest, self._digest(slug, task))[:32] for slug in slugs]

    def rows_won(self, slugs: Collection[tuple[str, str]], task: Task) -> list[tuple[float, float] | None]:
        """The share of rows on which each of two entries has the smaller error; None for those that have no result."""
        state = self._state(task)
        if state is None:
            return [None for _ in slugs]
        keys = {
            (first, second): key(state.digest, self._digest(first, task), self._digest(second, task))
            for first, second in slugs
            if self.is_complete(first, task) and self.is_complete(second, task)
        }
        missing = set(self._rows_won.missing(keys.values()))
        self._rows_won.put(
            {
                name: task_rows.rows_won(*(self._losses(slug, task, state) for slug in both))
                for both, name in keys.items()
                if name in missing
            }
        )
        return [tuple(self._rows_won.get(keys[both])) if both in keys else None for both in slugs]

    def anatomy(self, slug: str, task: Task) -> Anatomy | None:
        """Where an entry fails on a task; None if it has no result, or without targets."""
        state = self._state(task)
        if state is None or not self.is_complete(slug, task):
            return None
        name = key(state.digest, self._digest(slug, task))
        if self._anatomies.missing([name]):
            # Of all its tasks: an entry that is looked at is looked at as a whole.
            self._anatomies.put(
                {
                    key(here.digest, self._digest(slug, each)): anatomies.dissect(
                        each,
                        read_rows(each, here.digest),
                        read_relatives(each, here.digest),
                        self.entry(slug).recorded(each.name),
                    )
                    for each, here in self._measurable(slug)
                }
            )
        return anatomies.from_computed(self._anatomies.get(name))

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
        for task, state in {each for tasks in missing.values() for each in tasks}:
            read_relatives(task, state.digest)  # which may take a while, and shows that by a bar of its own
        waiting: dict[Key, Folds] = {}
        with progress("scoring entries", len(missing)) as advance:
            for number, (slug, tasks) in enumerate(missing.items(), 1):
                for task, state in tasks:
                    recorded = self.entry(slug).recorded(task.name)
                    relatives = read_relatives(task, state.digest)
                    computed = results.computed(task, read_rows(task, state.digest), relatives, recorded)
                    waiting[self._key(slug, task, state)] = computed
                if number % _MANY == 0 or number == len(missing):
                    self._scores.put(waiting)
                    waiting = {}
                advance(1)

    def _measurable(self, slug: str) -> Iterator[tuple[Task, TargetsState]]:
        """The complete tasks of an entry whose targets are here."""
        for task in self.benchmark:
            if self.is_complete(slug, task) and (state := self._state(task)) is not None:
                yield task, state

    def _key(self, slug: str, task: Task, state: TargetsState) -> Key:
        return Key(entry=self._digest(slug, task), task=task.name, facts=state.digest)

    def _losses(self, slug: str, task: Task, state: TargetsState) -> NDArray[np.float64]:
        """The losses of an entry on all rows of a task, fold after fold."""
        predictions = ordered_predictions(self.entry(slug).recorded(task.name))
        return row_losses(read_rows(task, state.digest).ordered_targets, predictions)

    def _digest(self, slug: str, task: Task) -> str:
        """Identity of an entry's predictions on one task: what they are, and every number."""
        if (slug, task.name) not in self._digests:
            folds = self.entry(slug).recorded(task.name)
            lines = [f"{fold} {held.predictions.type} {held.predictions.sha256}" for fold, held in folds.items()]
            self._digests[slug, task.name] = hashlib.sha256("\n".join(lines).encode()).hexdigest()
        return self._digests[slug, task.name]


def _task_pairs(
    task: Task, listed: Mapping[str, Result], rows: NDArray[np.float64], clusters: NDArray[np.float64]
) -> TaskPairs:
    means = np.array([result.errors for result in listed.values()])
    return TaskPairs(
        slugs=tuple(listed),
        higher=results.higher_is_better(task.kind),
        moments=Moments(
            scatter=task.fold_scatter,
            cluster_count=next(iter(listed.values())).cluster_count,
            fold_means=means,
            rows=rows,
            clusters=clusters,
        ),
    )


def _unrankable(task: Task) -> str | None:
    """What a task has for which there is no board yet, in words."""
    if task.n_folds < 2:
        return "one fold: a leaderboard compares entries over several"
    if task.scored_as == "multiclass":
        return f"{len(task.classes)} classes: a leaderboard compares entries on numbers or on two classes"
    if not task.is_partition:
        return "folds that do not test every row once: a leaderboard compares entries row by row"
    return None
