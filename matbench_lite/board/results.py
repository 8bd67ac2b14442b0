"""Everything that boards are made from: computed when it is first asked for, once."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from functools import cached_property

from matbench_lite.board import anatomy as anatomies
from matbench_lite.board import pair as pairs
from matbench_lite.board import result as results
from matbench_lite.board.anatomy import Anatomy
from matbench_lite.board.cache import kept
from matbench_lite.board.losses import Losses, row_losses
from matbench_lite.board.pair import Pair
from matbench_lite.board.result import Result
from matbench_lite.board.rows import Rows, TargetsState, read_rows, targets_state
from matbench_lite.errors import EntryError, MetricError
from matbench_lite.stats import Interval
from matbench_lite.submission import Submission
from matbench_lite.tasks import Benchmark, Category, Task
from matbench_lite.tasks.benchmark import unknown_name


class Results:
    """Entries of one benchmark and what is known of them.

    With targets on this machine, everything follows from the predictions and is kept beside the data; without, there
    are the scores that the entries state, unverified. Nothing is fetched.

    Args:
        benchmark: The benchmark.
        entries: The entries by slug (folder name). They must not change from here on. All are taken as they are: leave
            out those that fail the check.

    Raises:
        EntryError: If an entry is of another benchmark.
        MetricError: If a task has one fold: ties are tested over folds.
    """

    def __init__(self, benchmark: Benchmark, entries: Mapping[str, Submission]) -> None:
        self.benchmark = benchmark
        self.entries = dict(entries)
        for slug, entry in self.entries.items():
            if entry.benchmark.name != benchmark.name:
                raise EntryError(f"{slug} is an entry of {entry.benchmark.name}, not of {benchmark.name}")
        for task in benchmark:
            if task.n_folds < 2:
                raise MetricError(
                    f"{task.name} has one fold: a leaderboard tests over folds whether entries differ",
                    fix="use a benchmark with two folds or more; `mbl score` scores entries of this one",
                )
        self._targets: dict[str, TargetsState | None] = {}
        self._results: dict[tuple[str, str], Result | None] = {}
        self._digests: dict[tuple[str, str], str] = {}

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
        return len(self.entry(slug).recorded(task.name)) == task.n_folds

    def of(self, slug: str, task: Task) -> Result | None:
        """One entry on one task; None if a fold is missing, or there are neither targets nor stated scores."""
        if (slug, task.name) not in self._results:
            self._results[slug, task.name] = self._result(slug, task) if self.is_complete(slug, task) else None
        return self._results[slug, task.name]

    def on(self, task: Task) -> dict[str, Result]:
        """Every entry that has a result on a task, by slug."""
        return {slug: result for slug in self.entries if (result := self.of(slug, task)) is not None}

    def pair(self, first: str, second: str, task: Task) -> Pair | None:
        """Two entries row by row; None if one has no result, or without targets."""
        state = self._state(task)
        if state is None or not (self.is_complete(first, task) and self.is_complete(second, task)):
            return None
        content = kept(
            pairs.KIND,
            (state.digest, self._digest(first, task), self._digest(second, task)),
            lambda: pairs.compare_rows(
                self._rows(task, state), self._losses(first, task, state), self._losses(second, task, state)
            ),
        )
        return Pair(**{**content, "interval": Interval(**content["interval"])})

    def anatomy(self, slug: str, task: Task) -> Anatomy | None:
        """Where an entry fails on a task; None if it has no result, or without targets."""
        state = self._state(task)
        if state is None or not self.is_complete(slug, task):
            return None
        content = kept(
            anatomies.KIND,
            (state.digest, self._digest(slug, task)),
            lambda: anatomies.dissect(task, self._rows(task, state), self._losses(slug, task, state)),
        )
        return anatomies.from_computed(content)

    def _result(self, slug: str, task: Task) -> Result | None:
        recorded = self.entry(slug).recorded(task.name)
        state = self._state(task)
        if state is None:
            return results.from_recorded(task, recorded)
        content = kept(
            results.KIND,
            (state.digest, self._digest(slug, task)),
            lambda: results.computed(task, self._rows(task, state), recorded),
        )
        return results.from_computed(task, content, verified=state.verified)

    def _state(self, task: Task) -> TargetsState | None:
        if task.name not in self._targets:
            self._targets[task.name] = targets_state(task)
        return self._targets[task.name]

    def _rows(self, task: Task, state: TargetsState) -> Rows:
        return read_rows(task, state.digest)

    def _losses(self, slug: str, task: Task, state: TargetsState) -> Losses:
        return row_losses(self._rows(task, state), self.entry(slug).recorded(task.name))

    def _digest(self, slug: str, task: Task) -> str:
        """Identity of an entry's predictions on one task: what they are, and every number."""
        if (slug, task.name) not in self._digests:
            folds = self.entry(slug).recorded(task.name)
            lines = [f"{fold} {held.predictions.type} {held.predictions.sha256}" for fold, held in folds.items()]
            self._digests[slug, task.name] = hashlib.sha256("\n".join(lines).encode()).hexdigest()
        return self._digests[slug, task.name]
