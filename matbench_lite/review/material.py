"""What the checks look at: an entry's folder, read once, and what there is to compare it with."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from matbench_lite.board import TargetsState, targets_state
from matbench_lite.review.findings import MAX_ROWS
from matbench_lite.submission import Examined, Problem, RecordedFold, Submission, as_entry, examine
from matbench_lite.tasks import Benchmark, Task

if TYPE_CHECKING:
    from numpy.typing import NDArray


@dataclass(frozen=True, kw_only=True, eq=False)
class Targets:
    """The published targets of a task.

    Args:
        values: In file order, in the unit of the task, or booleans.
    """

    values: NDArray[np.float64] | NDArray[np.bool_]

    @cached_property
    def unique(self) -> NDArray[np.bool_]:
        """Whether each value occurs once in the task: such a row cannot be hit by chance."""
        order = np.argsort(self.values, kind="stable")
        ranked = self.values[order]
        same = ranked[1:] == ranked[:-1]
        alone = np.ones(len(self.values), dtype=bool)
        alone[order[1:][same]] = alone[order[:-1][same]] = False
        return alone


@dataclass(frozen=True, kw_only=True)
class Material:
    """One entry under check. Nothing in it was executed, unpickled or decoded into objects.

    Args:
        examined: What is in its folder.
        problems: What was wrong with it when it was read.
        others: The other entries by slug; None where they are not known.
        committed: Whether the folder is what a commit holds, so that nothing in it is a leftover of work.
    """

    examined: Examined
    problems: tuple[Problem, ...]
    others: Mapping[str, Submission] | None = None
    committed: bool = False

    @property
    def folder(self) -> Path:
        """The entry's folder."""
        return self.examined.folder

    @property
    def slug(self) -> str:
        """Name of the folder."""
        # Not resolve(): a link is not to be followed.
        return Path(os.path.abspath(self.folder)).name  # noqa: PTH100

    @cached_property
    def document(self) -> Mapping[str, Any]:
        """`submission.json`, if it is in form; else empty: what is out of form is said once, not by every check."""
        return self.examined.document or {} if self.examined.form == () else {}

    @property
    def imported(self) -> bool:
        """Whether the entry says that it was imported from Matbench."""
        about = (self.examined.document or {}).get("imported")
        return isinstance(about, dict) and about.get("from") == "matbench"

    @cached_property
    def submission(self) -> Submission | None:
        """The entry, if all that it records is sound."""
        return Submission.from_entry(as_entry(self.examined)) if self.examined.whole else None

    def beside(self, others: Mapping[str, Submission] | None) -> Material:
        """The same entry beside others; what is known of it already is kept."""
        beside = replace(self, others=others)
        if "submission" in self.__dict__:
            beside.__dict__["submission"] = self.submission
        return beside

    @cached_property
    def tasks(self) -> tuple[Task, ...]:
        """The tasks with a sound fold, in registry order."""
        return tuple(task for task in self.examined.benchmark or () if self.examined.folds.get(task.name))

    def recorded(self, task: Task) -> Mapping[int, RecordedFold]:
        """The sound folds of a task."""
        return self.examined.folds[task.name]

    @cached_property
    def targets(self) -> dict[str, Targets]:
        """The published targets that are on this machine, by task: no entry is judged by others.

        Nothing is fetched: a stranger's entry is no reason to.

        Raises:
            DataError: If targets are not what was added: that is no fault of the entry.
        """
        return {task.name: _read_targets(task, state) for task, state in self._states() if state.verified}

    @cached_property
    def unproven(self) -> tuple[str, ...]:
        """The tasks whose targets on this machine are not proven to be the published ones."""
        return tuple(task.name for task, state in self._states() if not state.verified)

    def _states(self) -> Iterator[tuple[Task, TargetsState]]:
        for task in self.tasks:
            if (state := targets_state(task)) is not None:
                yield task, state

    def with_targets(self) -> Iterator[tuple[Task, Targets]]:
        """The tasks whose published targets are here, and these."""
        for task in self.tasks:
            if task.name in self.targets:
                yield task, self.targets[task.name]

    def row_ids(self, task: Task, fold: int, positions: Any) -> dict[str, Any]:
        """The rows at some positions of a fold, as a finding names them."""
        rows = tuple(map(str, task.test_ids(fold)[list(positions[:MAX_ROWS])]))
        return {"task": task.name, "fold": fold, "rows": rows, "row_count": len(positions)}


def read_material(folder: Path, benchmark: Benchmark | None, *, committed: bool = False) -> Material:
    """Read an entry's folder once; everything that is wrong with it is kept."""
    problems: list[Problem] = []
    examined = examine(folder, benchmark, problems.append, as_it_is=committed)
    return Material(examined=examined, problems=tuple(problems), committed=committed)


@lru_cache(maxsize=32)
def _read_targets(task: Task, _state: TargetsState) -> Targets:
    """Kept, because all entries of a folder are checked against the same targets."""
    return Targets(values=task.target_values)
