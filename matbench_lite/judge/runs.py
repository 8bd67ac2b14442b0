"""Runs: what one algorithm did on one dataset with one seed, and all of them side by side."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from matbench_lite.errors import JudgingError

if TYPE_CHECKING:
    from numpy.typing import NDArray

CRITERIA = ("accuracy", "simplicity", "property")
"""The three criteria, in the order in which arrays hold them."""

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

    Args:
        dataset: Name of the dataset.
        numbers: Numbers of the runs.
        r2: R2 on test rows.
        r2_train: R2 on training rows; NaN where it is not known.
        components: Sizes of the models.
        property_value: Values of the property.
    """

    dataset: str
    numbers: tuple[int, ...]
    r2: NDArray[np.float64]
    r2_train: NDArray[np.float64]
    components: NDArray[np.float64]
    property_value: NDArray[np.float64]

    def take(self, rows: NDArray[np.intp]) -> DatasetRuns:
        """Some runs again, shape (..., runs); for draws with replacement."""
        arrays = {name: getattr(self, name)[rows] for name in ("r2", "r2_train", "components", "property_value")}
        return DatasetRuns(dataset=self.dataset, numbers=self.numbers, **arrays)


@dataclass(frozen=True, kw_only=True)
class Field:
    """All algorithms on all datasets, in a fixed order, whatever the order of the input.

    Args:
        algorithms: Names, sorted.
        datasets: The runs of each dataset, sorted by name.
        runs: Every run by algorithm, dataset and number.
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
    runs: Iterable[Run],
    *,
    algorithms: Sequence[str] = (),
    datasets: Sequence[str] = (),
    n_runs: int = 0,
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
    places = tuple(sorted({run.dataset for run in known.values()} | set(datasets)))
    return Field(
        algorithms=names,
        datasets=tuple(_dataset_runs(place, names, known, n_runs) for place in places),
        runs=known,
    )


def without(field: Field, algorithms: Iterable[str]) -> Field:
    """The field without some algorithms.

    Raises:
        JudgingError: If nobody is left.
    """
    gone = set(algorithms)
    if not gone:
        return field
    numbers = {item.dataset: len(item.numbers) for item in field.datasets}
    kept = [name for name in field.algorithms if name not in gone]
    runs = [run for run in field.runs.values() if run.algorithm not in gone]
    if not runs:
        raise JudgingError("no algorithm is left to judge", fix='set qualify = "none", or add algorithms')
    smaller = arrange(runs, algorithms=kept, datasets=tuple(numbers))
    whole = {item.dataset: item.numbers for item in field.datasets}
    # The runs of those that are gone stay missing for those that are left.
    return Field(
        algorithms=smaller.algorithms,
        datasets=tuple(
            _dataset_runs(item, smaller.algorithms, smaller.runs, 0, numbers=whole[item]) for item in sorted(numbers)
        ),
        runs=smaller.runs,
    )


def _dataset_runs(
    dataset: str,
    algorithms: tuple[str, ...],
    runs: Mapping[tuple[str, str, int], Run],
    n_runs: int,
    *,
    numbers: tuple[int, ...] | None = None,
) -> DatasetRuns:
    if numbers is None:
        there = {run.run for run in runs.values() if run.dataset == dataset}
        spare = (number for number in range(n_runs + len(there)) if number not in there)
        while len(there) < max(n_runs, 1):
            there.add(next(spare))
        numbers = tuple(sorted(there))
    # One array for all four: a flawed run is NaN in each.
    values = np.full((4, len(numbers), len(algorithms)), np.nan)
    for row, number in enumerate(numbers):
        for column, algorithm in enumerate(algorithms):
            run = runs.get((algorithm, dataset, number))
            if run is not None and run.flaw is None:
                values[:, row, column] = (run.r2, run.r2_train, run.components, run.property_value)
    r2, r2_train, components, prop = values
    return DatasetRuns(
        dataset=dataset, numbers=numbers, r2=r2, r2_train=r2_train, components=components, property_value=prop
    )
