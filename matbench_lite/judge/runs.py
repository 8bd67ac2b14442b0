"""Runs: what one algorithm did on one dataset with one seed, and all of them side by side."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import count, islice

import numpy as np
from numpy.typing import NDArray

from matbench_lite.errors import JudgingError

CRITERIA = ("accuracy", "simplicity", "property")
"""The three criteria, in the order in which arrays hold them."""
ARRAYS = ("r2", "r2_train", "components", "property_value")
"""What is known of a run in numbers."""
_NAN = float("nan")


@dataclass(frozen=True, kw_only=True)
class Run:
    """One run of one algorithm on one dataset.

    Args:
        algorithm: Name of the algorithm.
        dataset: Name of the dataset.
        run: Number of the run; runs of one number are compared with each other.
        r2: R2 on the test rows, at most 1.
        components: Size of the model: nodes of its simplified formula, or the number of parameters or features that it
            declares, 1 or more.
        property_value: How far the model has the property that the dataset asks for; larger is better.
        r2_train: R2 on the training rows.
        expression: The formula as the algorithm gave it.
        simplified: The formula as it was counted.
        predictions: Predictions for the test rows, in the target's unit.
        beyond: Predictions for the rows outside the training range, in the target's unit.
        seconds: Time to train and predict, s.
        problem: Why the run cannot count, where that is known.
        asked: The property that was measured, in words.
        notes: What a reader should know about the numbers.

    Examples:
        >>> run = Run(algorithm="a", dataset="d", run=0, r2=0.9, components=5.0, property_value=1.0)
        >>> run.flaw is None, Run(algorithm="a", dataset="d", run=1, r2=0.9).flaw
        (True, 'no number for simplicity and property')
    """

    algorithm: str
    dataset: str
    run: int
    r2: float = _NAN
    components: float = _NAN
    property_value: float = _NAN
    r2_train: float = _NAN
    expression: str | None = None
    simplified: str | None = None
    predictions: tuple[float, ...] | None = None
    beyond: tuple[float, ...] | None = None
    seconds: float | None = None
    problem: str | None = None
    asked: str | None = None
    notes: tuple[str, ...] = ()

    @property
    def values(self) -> tuple[float, float, float]:
        """R2, components and property."""
        return self.r2, self.components, self.property_value

    @property
    def flaw(self) -> str | None:
        """Why the run cannot count on any criterion; None if it can."""
        if self.problem:
            return self.problem
        missing = [name for name, value in zip(CRITERIA, self.values, strict=True) if not math.isfinite(value)]
        if missing:
            return f"no number for {' and '.join(missing)}"
        return None if self.components >= 1 else f"{self.components:g} components, at least 1 are possible"


@dataclass(frozen=True, kw_only=True)
class DatasetRuns:
    """All runs on one dataset as arrays of shape (runs, algorithms); what is missing or flawed is NaN everywhere.

    `numbers` are those of the runs; an R2 on training rows that is not known is NaN, too.
    """

    dataset: str
    numbers: tuple[int, ...]
    r2: NDArray[np.float64]
    r2_train: NDArray[np.float64]
    components: NDArray[np.float64]
    property_value: NDArray[np.float64]

    def take(self, rows: NDArray[np.intp]) -> DatasetRuns:
        """Some runs again, shape (..., runs); for draws with replacement."""
        arrays = {name: getattr(self, name)[rows] for name in ARRAYS}
        return DatasetRuns(dataset=self.dataset, numbers=self.numbers, **arrays)


@dataclass(frozen=True, kw_only=True)
class Field:
    """All algorithms on all datasets, both sorted by name, whatever the order of the input.

    `runs` has every run by algorithm, dataset and number.
    """

    algorithms: tuple[str, ...]
    datasets: tuple[DatasetRuns, ...]
    runs: Mapping[tuple[str, str, int], Run]

    def of(self, algorithm: str, dataset: str) -> tuple[Run, ...]:
        """The runs of one algorithm on one dataset, by number."""
        numbers = next(item.numbers for item in self.datasets if item.dataset == dataset)
        found = (self.runs.get((algorithm, dataset, number)) for number in numbers)
        return tuple(run for run in found if run is not None)


def arrange(
    runs: Iterable[Run], *, algorithms: Sequence[str] = (), datasets: Sequence[str] = (), n_runs: int = 0
) -> Field:
    """Put runs side by side. Nothing is skipped: what is missing is there as NaN.

    Args:
        runs: The runs.
        algorithms: Algorithms that should be there, besides those that are.
        datasets: Datasets that should be there; those that are not among them are left out. Empty: all there are.
        n_runs: How many runs each dataset should have at least; 0: as many as any algorithm has on it.

    Raises:
        JudgingError: If a run is there twice, or there is no run.

    Examples:
        >>> field = arrange([Run(algorithm="b", dataset="d", run=0, r2=0.9, components=3, property_value=1)], n_runs=2)
        >>> field.algorithms, field.datasets[0].r2.tolist()
        (('b',), [[0.9], [nan]])
    """
    known: dict[tuple[str, str, int], Run] = {}
    for run in runs:
        if datasets and run.dataset not in datasets:
            continue
        key = (run.algorithm, run.dataset, run.run)
        if key in known:
            raise JudgingError(
                f"run {run.run} of {run.algorithm} on {run.dataset} is there twice", fix="keep one of the two"
            )
        known[key] = run
    if not known:
        raise JudgingError(
            "there are no runs to judge", fix="run `mbl judge run` first, or check the names of datasets"
        )
    names = tuple(sorted({run.algorithm for run in known.values()} | set(algorithms)))
    found = []
    for dataset in sorted({run.dataset for run in known.values()} | set(datasets)):
        there = {run.run for run in known.values() if run.dataset == dataset}
        # Where there are too few runs, those with the lowest numbers that are free are missing.
        spare = (number for number in count() if number not in there)
        numbers = sorted({*there, *islice(spare, max(0, max(n_runs, 1) - len(there)))})
        found.append(_dataset_runs(dataset, names, known, tuple(numbers)))
    return Field(algorithms=names, datasets=tuple(found), runs=known)


def without(field: Field, algorithms: Iterable[str]) -> Field:
    """The field without some algorithms."""
    gone = set(algorithms)
    kept = tuple(name for name in field.algorithms if name not in gone)
    runs = {key: run for key, run in field.runs.items() if run.algorithm not in gone}
    # The runs of those that are gone stay missing for those that are left.
    datasets = tuple(_dataset_runs(item.dataset, kept, runs, item.numbers) for item in field.datasets)
    return Field(algorithms=kept, datasets=datasets, runs=runs)


def _dataset_runs(
    dataset: str, algorithms: tuple[str, ...], runs: Mapping[tuple[str, str, int], Run], numbers: tuple[int, ...]
) -> DatasetRuns:
    # One array for all four: a flawed run is NaN in each.
    values = np.full((4, len(numbers), len(algorithms)), np.nan)
    for row, number in enumerate(numbers):
        for column, algorithm in enumerate(algorithms):
            run = runs.get((algorithm, dataset, number))
            if run is not None and run.flaw is None:
                values[:, row, column] = [getattr(run, name) for name in ARRAYS]
    return DatasetRuns(dataset=dataset, numbers=numbers, **dict(zip(ARRAYS, values, strict=True)))
