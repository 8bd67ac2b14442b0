"""What the checks look at: an entry's folder, read once, and what there is to compare it with."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from matbench_lite.check.rivals import Rivals, Signs
from matbench_lite.data import targets_here
from matbench_lite.errors import EntryError
from matbench_lite.submission import Examined, Finding, RecordedFold, Submission, as_entry, examine
from matbench_lite.tasks import Benchmark, Task


@dataclass(frozen=True, kw_only=True)
class Material:
    """One entry under check: what is in its folder, and what was wrong when it was read. Nothing in it was executed.

    The submission is there if all that it records is sound. Other entries are None where they are not known. What is
    `committed` holds no leftovers of work.
    """

    examined: Examined
    findings: tuple[Finding, ...]
    submission: Submission | None
    others: Rivals | None = None
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
        """`submission.json`, if it is in form; else empty: what is malformed is said once, not by every check."""
        return self.examined.document or {} if self.examined.in_form else {}

    @property
    def imported(self) -> bool:
        """Whether the entry says that it was imported from Matbench."""
        origin = (self.examined.document or {}).get("imported")
        return isinstance(origin, dict) and origin.get("from") == "matbench"

    @cached_property
    def tasks(self) -> tuple[Task, ...]:
        """The tasks with a sound fold, in registry order."""
        return tuple(task for task in self.examined.benchmark or () if self.examined.folds.get(task.name))

    def recorded(self, task: Task) -> Mapping[int, RecordedFold]:
        """The sound folds of a task."""
        return self.examined.folds[task.name]

    def is_constant(self, task: Task) -> bool:
        """Whether it predicts one value for all rows of every fold, as a constant guess does."""
        return not any(np.ptp(held.predictions.prediction) for held in self.recorded(task).values())

    @cached_property
    def targets(self) -> dict[str, NDArray[Any]]:
        """The published targets that are on this machine, by task, in file order: no entry is judged by others.

        Nothing is fetched: a stranger's entry is no reason to. Damaged ones are a DataError, no fault of the entry.
        """
        here = {task.name: targets_here(task) for task in self.tasks}
        return {name: found.target_values for name, found in here.items() if found and found.verified}

    @cached_property
    def unproven(self) -> tuple[str, ...]:
        """The tasks whose targets on this machine are not proven to be the published ones."""
        return tuple(task.name for task in self.tasks if (found := targets_here(task)) and not found.verified)

    def with_targets(self) -> list[tuple[Task, NDArray[Any]]]:
        """The tasks whose published targets are here, and these."""
        return [(task, self.targets[task.name]) for task in self.tasks if task.name in self.targets]

    def among(self, others: Mapping[str, Submission]) -> Rivals:
        """The entry among others: those that it is compared with, and none that has its slug."""
        own = {} if self.submission is None else {self.slug: self.submission}
        return Rivals({**others, **own}, own)

    def is_guess(self, task: Task) -> bool:
        """Whether the entry is no better than a constant guess; False where it cannot be compared."""
        return self.others is not None and self.others.is_guess(self.slug, task)

    def beside(self, task: Task) -> Signs | None:
        """What is seen of the entry beside the others; None where it cannot be compared."""
        return None if self.others is None else self.others.signs(self.slug, task)


def read_material(folder: Path, benchmark: Benchmark | None, *, committed: bool = False) -> Material:
    """Read an entry's folder once; everything that is wrong with it is kept. An `EntryError` if there is no folder."""
    if not folder.is_dir():
        raise EntryError(f"there is no folder {folder}", fix="give the folder of an entry")
    if not os.access(folder, os.R_OK | os.X_OK):
        raise EntryError(f"the folder {folder} cannot be read", fix="check its permissions")
    found: list[Finding] = []
    examined = examine(folder, benchmark, found.append, as_it_is=committed)
    findings = tuple(part for finding in found for part in finding.parts or (finding,))
    submission = Submission.from_entry(as_entry(examined)) if examined.whole else None
    return Material(examined=examined, findings=findings, submission=submission, committed=committed)
