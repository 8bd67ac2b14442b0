"""Making a synthetic set from a known formula: the same numbers from the same seed."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from matbench_lite.judge.datasets.dataset import Dataset, Rows, Truth, positive_features
from matbench_lite.judge.datasets.formulas import Feature, KnownFormula
from matbench_lite.judge.expression import evaluate, parse
from matbench_lite.judge.properties.spec import PropertySpec
from matbench_lite.run.seeds import derived_seed
from matbench_lite.tasks import Input, Task

if TYPE_CHECKING:
    from numpy.typing import NDArray

TEST_ROWS = 200
BEYOND_ROWS = 100


def make_dataset(known: KnownFormula, *, seed: int = 0) -> Dataset:
    """Draw the rows of a synthetic set.

    Args:
        known: The formula, its features and its noise.
        seed: The same seed gives the same rows.

    Examples:
        >>> from matbench_lite.judge.datasets import FORMULAS
        >>> dataset = make_dataset(FORMULAS[0])
        >>> dataset.name, dataset.features[:3], len(dataset.training(0).y), len(dataset.testing(0).y)
        ('hall_petch', ('batch', 'furnace_temperature', 'grain_size'), 160, 200)
    """
    rng = np.random.default_rng(derived_seed(seed, known.name, "rows"))
    train, test = (_drawn(known, rng, rows, {}) for rows in (known.rows, TEST_ROWS))
    beyond = _drawn(known, rng, BEYOND_ROWS, known.beyond) if known.beyond else None
    noise = known.noise * float(train.y.std(ddof=0)) * rng.standard_normal(len(train.y))
    return assembled(
        name=known.name,
        title=known.title,
        target=known.target,
        unit=known.unit,
        train=Rows(train.X, train.y + noise),
        test=test,
        beyond=beyond,
        truth=Truth(
            formula=known.formula,
            relevant=tuple(known.relevant),
            irrelevant=(*known.irrelevant, *known.decoys),
            noise=known.noise,
            ranges={name: (item.low, item.high) for name, item in _features(known).items()},
        ),
        property_spec=known.property_spec,
    )


def assembled(
    *,
    name: str,
    title: str,
    target: str,
    unit: str,
    train: Rows,
    test: Rows,
    beyond: Rows | None,
    truth: Truth,
    property_spec: PropertySpec,
) -> Dataset:
    """A synthetic set from its parts, as they were made or read."""
    task = Task(
        benchmark="synthetic",
        name=name,
        # Neither formulas nor structures, as the registry has them: columns of numbers.
        input=cast("Input", "table"),
        kind="regression",
        target=target,
        unit=unit,
        rows=len(train.y),
        description="",  # the title may say what is looked for
        references=(),
        n_folds=0,
        seed=0,
    )
    parts = [rows for rows in (train, test, beyond) if rows is not None]
    return Dataset(
        name=name,
        title=title,
        track="synthetic",
        task=task,
        train=train,
        test=test,
        beyond=beyond,
        truth=truth,
        property_spec=property_spec,
        positive=positive_features(*(rows.X for rows in parts)),
        digest=_digest(parts),
    )


def _features(known: KnownFormula) -> dict[str, Feature]:
    return {**known.relevant, **known.irrelevant}


def _drawn(known: KnownFormula, rng: np.random.Generator, rows: int, ranges: Mapping[str, tuple[float, float]]) -> Rows:
    import pandas as pd

    columns = {name: _column(feature, rng, rows, ranges.get(name)) for name, feature in _features(known).items()}
    for name, decoy in known.decoys.items():
        exact = evaluate(parse(decoy.formula, known.relevant), columns)
        columns[name] = exact + decoy.noise * exact.std() * rng.standard_normal(rows)
    y = evaluate(parse(known.formula, known.relevant), columns)
    # In alphabetical order: the place of a column says nothing about its part.
    X = pd.DataFrame({name: columns[name] for name in sorted(columns)})
    return Rows(X, pd.Series(y, name=known.target))


def _column(
    feature: Feature, rng: np.random.Generator, rows: int, other: tuple[float, float] | None
) -> NDArray[np.float64]:
    low, high = other or (feature.low, feature.high)
    if feature.log:
        return np.exp(rng.uniform(np.log(low), np.log(high), rows))
    return rng.uniform(low, high, rows)


def _digest(parts: list[Rows]) -> str:
    digest = hashlib.sha256()
    for rows in parts:
        digest.update(",".join(rows.X.columns).encode())
        for array in cast("tuple[Any, ...]", (rows.X, rows.y)):
            digest.update(np.ascontiguousarray(array, dtype="<f8").tobytes())
    return digest.hexdigest()
