"""The entries that those under check are compared with, and what is seen of all of them at once, task by task."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from functools import cache

import numpy as np
from numpy.typing import NDArray

from matbench_lite.data import targets_here
from matbench_lite.derived import key
from matbench_lite.metrics import DECISION_THRESHOLD
from matbench_lite.stats import Field, least_median
from matbench_lite.submission import Submission
from matbench_lite.tasks import Task

_MOST_ROWS = 6_000
"""Of larger tasks so many rows are compared: which, follows from all that is compared, so nobody can spare them."""


_GUESS, _MARGIN = 0.95, 0.05
"""An entry with this share of the error of a constant guess, or hardly more of its balanced accuracy, is one."""


@dataclass(frozen=True, kw_only=True)
class Kin:
    """The entry that another one resembles most, in one respect, and how much: 1 is the same."""

    slug: str
    likeness: float


@dataclass(frozen=True, kw_only=True)
class Signs:
    """What is seen of an entry on one task beside the others, constant guesses left out.

    Args:
        rivals: How many independent witnesses there are: families of other entries.
        hardness: Whether it errs where others do; 0 is by chance.
        usual_hardness: The median of that over the families.
        pull: How far it goes from what the others agree on to the label, by row, where they agree on something else.
        pulled: The ids of these rows.
        pull_at_least: The lower end of the 99 % interval of the median of these numbers.
        errors, sizes: The entry whose errors, or whose sizes of errors, are most alike: rank correlation.
        equal: The entry that predicts the same on most rows: the share.
        left: What the other entries and the label leave untold of it, fold by fold, as a share of its own error.
        lead: Mean error of the best of the others over its own; above 1 it is ahead.
    """

    rivals: int
    hardness: float
    usual_hardness: float
    pull: NDArray[np.float64]
    pulled: NDArray[np.str_]
    pull_at_least: float
    errors: Kin
    sizes: Kin
    equal: Kin
    left: NDArray[np.float64]
    lead: float


class Rivals(Mapping[str, Submission]):
    """Entries by their slugs, those under check among them.

    Args:
        entries: All that can be read.
        looked_at: The slugs of those under check; all by default.
    """

    def __init__(self, entries: Mapping[str, Submission], looked_at: Collection[str] | None = None) -> None:
        self._entries = dict(entries)
        self._looked_at = set(self._entries if looked_at is None else looked_at)
        self._signs = cache(self._signs_of_all)

    def __getitem__(self, slug: str) -> Submission:
        return self._entries[slug]

    def __iter__(self) -> Iterator[str]:
        return iter(self._entries)

    def __len__(self) -> int:
        return len(self._entries)

    def signs(self, slug: str, task: Task) -> Signs | None:
        """What is seen of an entry; None without verified targets, without others, or of one no better than a guess."""
        return self._signs(task)[0].get(slug)

    def is_guess(self, slug: str, task: Task) -> bool:
        """Whether an entry is no better than a constant guess, so that nothing can be seen beside it."""
        return slug in self._signs(task)[1]

    def _signs_of_all(self, task: Task) -> tuple[dict[str, Signs], frozenset[str]]:
        found = targets_here(task)
        if found is None or not found.verified:
            return {}, frozenset()
        recorded = {
            slug: [entry.recorded(task.name)[fold].predictions for fold in task.folds]
            for slug, entry in self._entries.items()
            if entry.benchmark.name == task.benchmark and task.name in entry.complete_tasks
        }
        rows = np.concatenate([task.test_rows(fold) for fold in task.folds])
        seed = key(*(fold.sha256 for folds in recorded.values() for fold in folds))
        kept = _some(len(rows), int(seed[:16], 16))
        truth = np.asarray(found.target_values, dtype=np.float64)[rows[kept]]
        by_slug = {
            slug: said(task, np.concatenate([fold.prediction for fold in folds]))[kept]
            for slug, folds in recorded.items()
        }
        guesses = frozenset(slug for slug, values in by_slug.items() if _is_guess(task.kind, truth, values))
        slugs = [slug for slug in by_slug if slug not in guesses]
        if len(slugs) < 2 or not self._looked_at.intersection(slugs):
            return {}, guesses
        field = Field(
            kind=task.kind,
            truth=truth,
            folds=np.repeat(task.folds, [len(task.test_rows(fold)) for fold in task.folds])[kept],
            predictions=np.stack([by_slug[slug] for slug in slugs]),
        )
        usual, ids = _usual(field), task.ids[rows[kept]]
        signs = {
            slug: _signs(field, slugs, entry, usual, ids) for entry, slug in enumerate(slugs) if slug in self._looked_at
        }
        return signs, guesses


def _is_guess(kind: str, truth: NDArray[np.float64], predicted: NDArray[np.float64]) -> bool:
    if kind == "regression":
        guess = np.abs(truth - truth.mean()).mean()
        return bool(np.abs(predicted - truth).mean() > _GUESS * guess)
    classes = np.unique(truth)
    return bool(np.mean([(predicted == each)[truth == each].mean() for each in classes]) < _MARGIN + 1 / len(classes))


def said(task: Task, predictions: NDArray[np.float64]) -> NDArray[np.float64]:
    """What is predicted: numbers as they are, or the numbers of classes."""
    two_classes = task.kind == "classification" and task.scored_as != "multiclass"
    return (predictions > DECISION_THRESHOLD).astype(np.float64) if two_classes else predictions


def _some(rows: int, seed: int) -> NDArray[np.intp]:
    """The places of some rows, in order."""
    if rows <= _MOST_ROWS:
        return np.arange(rows)
    return np.sort(np.random.default_rng(seed).choice(rows, _MOST_ROWS, replace=False))


def _usual(field: Field) -> float:
    by_family: dict[int, list[float]] = {}
    for entry, family in enumerate(field.families.tolist()):
        by_family.setdefault(family, []).append(float(field.hardness[entry]))
    return float(np.median([np.mean(found) for found in by_family.values()]))


def _signs(field: Field, slugs: list[str], entry: int, usual: float, ids: NDArray[np.str_]) -> Signs:
    pull, rows = field.pull(entry)
    errors = np.abs(field.errors).mean(axis=1)

    def most(likeness: NDArray[np.float64]) -> Kin:
        other = int(np.argmax(likeness))
        return Kin(slug=slugs[other], likeness=float(likeness[other]))

    best_of_others = float(np.delete(errors, entry).min())
    return Signs(
        rivals=field.rivals(entry),
        hardness=float(field.hardness[entry]),
        usual_hardness=usual,
        pull=pull,
        pulled=ids[rows],
        pull_at_least=least_median(pull),
        errors=most(field.alike[entry]),
        sizes=most(field.sizes_alike[entry]),
        equal=most(field.equal_shares(entry)),
        left=field.left_over(entry) if field.kind == "regression" else np.empty(0),
        lead=best_of_others / float(errors[entry]) if errors[entry] else math.inf,
    )
