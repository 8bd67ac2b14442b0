"""A dataset as algorithms and judges see it."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from matbench_lite.judge.properties.spec import PropertySpec
from matbench_lite.run.seeds import derived_seed
from matbench_lite.tasks import Task

if TYPE_CHECKING:
    import pandas as pd

TRAINING_SHARE = 0.8
"""Share of the training rows of a synthetic set that a run learns from, drawn anew for each run."""


class Rows(NamedTuple):
    """Some rows: features, or what else a model takes, and targets."""

    X: pd.DataFrame
    y: pd.Series


@dataclass(frozen=True, kw_only=True)
class Truth:
    """What is known about a synthetic set, and kept from the algorithms.

    Args:
        formula: The formula that it was made from.
        relevant: Features of the formula.
        irrelevant: Features that a model should not use, decoys included.
        noise: Noise on the training targets, as a share of the standard deviation of the truth.
        ranges: Range of each feature, in its unit.
    """

    formula: str
    relevant: tuple[str, ...]
    irrelevant: tuple[str, ...]
    noise: float
    ranges: Mapping[str, tuple[float, float]]


@dataclass(frozen=True, kw_only=True, eq=False)
class Dataset:
    """A table to learn from and rows to be judged on.

    Args:
        name: Name of the dataset.
        title: What it is, for people.
        track: `synthetic`, or `real` for a task of the registry.
        task: What a model is told; for the real track the task itself.
        train: Rows to learn from. A run of a synthetic set takes a part of them, drawn by its number; a run of a task
            takes the training part of a fold.
        test: Rows to be judged on. A synthetic set has the true values there, without noise.
        beyond: Rows outside the range of the training rows, where there are some.
        property_spec: What is judged besides accuracy and simplicity.
        truth: What is known about a synthetic set.
        positive: Features that are above 0 in every row.
        digest: Changes when the rows do.
    """

    name: str
    title: str
    track: str
    task: Task
    train: Rows
    property_spec: PropertySpec
    digest: str
    test: Rows | None = None
    beyond: Rows | None = None
    truth: Truth | None = None
    positive: frozenset[str] = field(default_factory=frozenset)

    @property
    def features(self) -> tuple[str, ...]:
        """Names of the features."""
        return tuple(map(str, self.train.X.columns))

    @property
    def judged_by(self) -> str:
        """Changes when anything does that a property depends on, the rows apart."""
        path = Path(self.property_spec.path)
        content = path.read_bytes() if self.property_spec.path and path.is_file() else b""
        return hashlib.sha256(repr((self.truth, self.property_spec)).encode() + content).hexdigest()

    def training(self, run: int, *, seed: int = 0) -> Rows:
        """What a run learns from.

        Args:
            run: Number of the run.
            seed: Seed of the competition.
        """
        if self.track == "real":
            return self._rows(self.task.train_rows(run % self.task.n_folds))
        size = len(self.train.y)
        rng = np.random.default_rng(derived_seed(seed, self.name, "training rows", run))
        return self._rows(np.sort(rng.choice(size, round(TRAINING_SHARE * size), replace=False)))

    def testing(self, run: int) -> Rows:
        """What a run is judged on; the same rows for every algorithm."""
        if self.test is not None:
            return self.test
        return self._rows(self.task.test_rows(run % self.task.n_folds))

    def _rows(self, positions: np.ndarray[tuple[int], np.dtype[np.intp]]) -> Rows:
        return Rows(self.train.X.iloc[positions], self.train.y.iloc[positions])


def positive_features(*tables: pd.DataFrame) -> frozenset[str]:
    """Names of the columns that are above 0 in every row of every table."""
    above = [(table > 0).all() for table in tables]
    return frozenset(str(name) for name in tables[0].columns if all(column[name] for column in above))
