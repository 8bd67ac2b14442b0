"""Datasets as algorithms and judges see them: drawn from a known formula, or a task of the registry as a table."""

from __future__ import annotations

import hashlib
import re
import tomllib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, cast

import numpy as np
from numpy.typing import NDArray

from matbench_lite.errors import JudgingError
from matbench_lite.judge.expression import evaluate, parse
from matbench_lite.judge.properties import PropertySpec
from matbench_lite.tasks import Task
from matbench_lite.train import data_digest, derived_seed

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True, kw_only=True)
class Feature:
    """A column of numbers, drawn from a range in its unit ("" for none); `log`: its logarithm is drawn evenly."""

    low: float
    high: float
    unit: str = ""
    about: str = ""
    log: bool = False


@dataclass(frozen=True, kw_only=True)
class Decoy:
    """A feature that follows the target closely, but is not its cause: a search that takes it is in a local optimum.

    It follows a formula over the relevant features, with noise as a share of its standard deviation.
    """

    formula: str
    noise: float
    unit: str = ""
    about: str = ""


@dataclass(frozen=True, kw_only=True)
class KnownFormula:
    """What a synthetic set is made from.

    The formula, over the `relevant` features, is the truth; others are `irrelevant`, or `decoys` that follow the target
    closely. `noise`, on the targets that algorithms learn from, is a share of the standard deviation of the truth;
    `beyond` has ranges outside those of the training rows, for extrapolation; `rows` counts the training rows. `title`
    says what is asked, for people.
    """

    name: str
    title: str
    formula: str
    target: str
    unit: str
    relevant: Mapping[str, Feature]
    property_spec: PropertySpec
    irrelevant: Mapping[str, Feature] = field(default_factory=dict)
    decoys: Mapping[str, Decoy] = field(default_factory=dict)
    noise: float = 0.0
    beyond: Mapping[str, tuple[float, float]] = field(default_factory=dict)
    rows: int = 200


def _known(name: str, about: dict[str, Any]) -> KnownFormula:
    for part, kind in (("relevant", Feature), ("irrelevant", Feature), ("decoys", Decoy)):
        about[part] = {column: kind(**item) for column, item in about.get(part, {}).items()}
    return KnownFormula(name=name, property_spec=PropertySpec(**about.pop("property")), **about)


_FILE = Path(__file__).with_name("known_formulas.toml")
FORMULAS = tuple(_known(name, about) for name, about in tomllib.loads(_FILE.read_text(encoding="utf-8")).items())
"""The synthetic sets, in the order in which they are listed."""


TRAINING_SHARE = 0.8
"""Share of the training rows of a synthetic set that a run learns from, drawn anew for each run."""


class Rows(NamedTuple):
    """Some rows: features, or what else a model takes, and targets."""

    X: pd.DataFrame
    y: pd.Series


@dataclass(frozen=True, kw_only=True)
class Truth:
    """What is known about a synthetic set, and kept from the algorithms.

    `irrelevant` features are those a model should not use, decoys included; `noise` on the training targets is a share
    of the standard deviation of the truth; `ranges` are in the features' units.
    """

    formula: str
    relevant: tuple[str, ...]
    irrelevant: tuple[str, ...]
    noise: float
    ranges: Mapping[str, tuple[float, float]]


@dataclass(frozen=True, kw_only=True, eq=False)
class Dataset:
    """A table to learn from and rows to be judged on; `task` is what a model is told, `title` is for people.

    `property_spec` is judged besides accuracy and simplicity. A synthetic set has a `truth`, its `test` rows have the
    true values without noise, and rows `beyond` the range of the training rows may be there. A task of the registry has
    a `feature_set`, and its folds say which rows of `train` a run learns from and is judged on.
    """

    name: str
    title: str
    task: Task
    train: Rows
    property_spec: PropertySpec
    test: Rows | None = None
    beyond: Rows | None = None
    truth: Truth | None = None
    feature_set: str = ""

    @property
    def track(self) -> str:
        """`synthetic`, or `real` for a task of the registry."""
        return "real" if self.feature_set else "synthetic"

    @cached_property
    def positive(self) -> frozenset[str]:
        """Features that are above 0 in every row."""
        above = [(rows.X > 0).all() for rows in self._parts]
        return frozenset(name for name in self.features if all(column[name] for column in above))

    @cached_property
    def digest(self) -> str:
        """Changes when the rows do."""
        if self.feature_set:
            return hashlib.sha256(f"{data_digest(self.task)}{self.feature_set}".encode()).hexdigest()
        digest = hashlib.sha256()
        for rows in self._parts:
            digest.update(",".join(rows.X.columns).encode())
            for array in cast("tuple[Any, ...]", rows):
                digest.update(np.ascontiguousarray(array, dtype="<f8").tobytes())
        return digest.hexdigest()

    @property
    def _parts(self) -> list[Rows]:
        return [rows for rows in (self.train, self.test, self.beyond) if rows is not None]

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
        """What a run learns from; the seed is that of the competition."""
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


TEST_ROWS = 200
BEYOND_ROWS = 100


def make_dataset(known: KnownFormula, *, seed: int = 0) -> Dataset:
    """Draw the rows of a synthetic set; the same seed gives the same rows."""
    rng = np.random.default_rng(derived_seed(seed, known.name, "rows"))
    train, test = (_drawn(known, rng, rows, {}) for rows in (known.rows, TEST_ROWS))
    beyond = _drawn(known, rng, BEYOND_ROWS, known.beyond) if known.beyond else None
    noise = known.noise * float(train.y.std(ddof=0)) * rng.standard_normal(len(train.y))
    return Dataset(
        name=known.name,
        title=known.title,
        task=table_task(known.name, known.target, known.unit, known.rows),
        train=Rows(train.X, train.y + noise),
        test=test,
        beyond=beyond,
        truth=Truth(
            formula=known.formula,
            relevant=tuple(known.relevant),
            irrelevant=(*known.irrelevant, *known.decoys),
            noise=known.noise,
            ranges={name: (item.low, item.high) for name, item in {**known.relevant, **known.irrelevant}.items()},
        ),
        property_spec=known.property_spec,
    )


def table_task(name: str, target: str, unit: str, rows: int) -> Task:
    """What a model is told of a synthetic set: columns of numbers, as of a table."""
    return Task(
        benchmark="synthetic",
        name=name,
        input="table",
        kind="regression",
        target=target,
        unit=unit,
        rows=rows,
        description="",  # the title may say what is looked for
        references=(),
        n_folds=0,
        seed=0,
    )


def _drawn(known: KnownFormula, rng: np.random.Generator, rows: int, ranges: Mapping[str, tuple[float, float]]) -> Rows:
    import pandas as pd

    columns: dict[str, NDArray[np.float64]] = {}
    for name, feature in {**known.relevant, **known.irrelevant}.items():
        low, high = ranges.get(name, (feature.low, feature.high))
        if feature.log:
            columns[name] = np.exp(rng.uniform(np.log(low), np.log(high), rows))
        else:
            columns[name] = rng.uniform(low, high, rows)
    for name, decoy in known.decoys.items():
        exact = evaluate(parse(decoy.formula, known.relevant), columns)
        columns[name] = exact + decoy.noise * exact.std() * rng.standard_normal(rows)
    y = evaluate(parse(known.formula, known.relevant), columns)
    # In alphabetical order: the place of a column says nothing about its part.
    X = pd.DataFrame({name: columns[name] for name in sorted(columns)})
    return Rows(X, pd.Series(y, name=known.target))


_NOT_A_NAME = re.compile(r"[^A-Za-z0-9]+")


def task_dataset(task: Task, *, features: str | None = None) -> Dataset:
    """A regression task as a table of features; by default `magpie` for compositions, `structure` for structures.

    The features of a table are its columns.

    A run takes the fold that its number says, 0 after the last, so that results are on the official test parts.
    """
    if task.kind != "regression":
        raise JudgingError(f"{task.name} is a classification task", fix="judge regression tasks; see `mbl tasks`")
    possible = _FEATURES_OF[task.input]
    kind = features or possible[0]
    if kind not in possible:
        raise JudgingError(f"{task.name} has no features {kind!r}", fix=f"use features = {' or '.join(possible)}")
    return Dataset(
        name=task.name,
        title=task.description or task.target,
        task=task,
        train=Rows(FEATURE_SETS[kind](task), task.targets["target"].astype(np.float64)),
        property_spec=PropertySpec(),
        feature_set=kind,
    )


def feature_name(text: str) -> str:
    """A name that a formula can use.

    Examples:
        >>> feature_name("MagpieData mean Number"), feature_name("nearest distance, mean")
        ('mean_Number', 'nearest_distance_mean')
    """
    return _NOT_A_NAME.sub("_", text.removeprefix("MagpieData ")).strip("_")


def _elements(task: Task) -> pd.DataFrame:
    import pandas as pd

    from matbench_lite.data import SYMBOLS, element_amounts

    amounts = [element_amounts(formula) for formula in task.targets["formula"]]
    shares = pd.DataFrame(amounts, index=task.ids).div([sum(row.values()) for row in amounts], axis=0)
    return shares.fillna(0.0).sort_index(axis=1).rename(columns=lambda element: SYMBOLS[element - 1])


def _magpie(task: Task) -> pd.DataFrame:
    import pandas as pd

    from matbench_lite.train import MAGPIE_NAMES, magpie_array

    inputs = task.inputs if task.input == "composition" else task.targets["formula"]
    return pd.DataFrame(magpie_array(inputs), task.ids, MAGPIE_NAMES).rename(columns=feature_name)


def _structure(task: Task) -> pd.DataFrame:
    import pandas as pd

    from matbench_lite.train import STRUCTURE_NAMES, structure_array

    features = pd.DataFrame(structure_array(task.inputs), task.ids, STRUCTURE_NAMES)
    return features.rename(columns=feature_name).join(_magpie(task))


def _columns(task: Task) -> pd.DataFrame:
    inputs = task.inputs.rename(columns=feature_name)
    for name, column in inputs.items():
        if column.dtype.kind not in "iufb" or not np.isfinite(column.to_numpy(dtype=np.float64)).all():
            raise JudgingError(
                f"{task.name}: the column {name!r} has texts or missing values",
                fix="a formula takes numbers: leave the column out, or fill it in",
            )
    if not inputs.columns.is_unique or not all(re.fullmatch(r"[A-Za-z]\w*", name) for name in inputs.columns):
        raise JudgingError(
            f"{task.name}: {', '.join(inputs.columns)} cannot all be names in a formula",
            fix="rename the columns: letters, digits and _, a letter first, no two alike",
        )
    return inputs.astype(np.float64)


FEATURE_SETS: dict[str, Callable[[Task], pd.DataFrame]] = {
    "elements": _elements,
    "magpie": _magpie,
    "structure": _structure,
    "table": _columns,
}
"""Features of a task: fractions of the elements, statistics of their properties, these and of the crystal structure, or
the columns of a table."""
_FEATURES_OF = {
    "composition": ("magpie", "elements"), "structure": ("structure", "magpie", "elements"), "table": ("table",),
}  # fmt: skip
"""The features that tasks of an input have, the usual ones first."""
