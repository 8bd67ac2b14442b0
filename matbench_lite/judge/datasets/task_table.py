"""The real-world track: a regression task of the registry as a table of features with names that formulas can use."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np

from matbench_lite.errors import JudgingError
from matbench_lite.judge.datasets.dataset import Dataset, Rows, positive_features
from matbench_lite.judge.properties.spec import PropertySpec
from matbench_lite.tasks import Task

if TYPE_CHECKING:
    import pandas as pd

_NOT_A_NAME = re.compile(r"[^A-Za-z0-9]+")


def task_dataset(task: Task, *, features: str | None = None, property_spec: PropertySpec | None = None) -> Dataset:
    """A regression task as a table.

    A run takes the fold that its number says, 0 after the last, so that results are on the official test parts.

    Args:
        task: The task; its inputs must be on this machine.
        features: `elements`: fractions of the elements that occur; `magpie`: statistics of element properties;
            `structure`: of the crystal structure, and the latter. By default `magpie` for compositions.
        property_spec: What is judged besides accuracy and simplicity; nothing by default.

    Raises:
        JudgingError: If it is not a regression task, or has no structures to make features of.

    Examples:
        >>> from matbench_lite import load_benchmark
        >>> dataset = task_dataset(load_benchmark("mini")["mini_log_kvrh"], features="magpie")
        >>> len(dataset.features), dataset.features[:2]
        (132, ('minimum_Number', 'maximum_Number'))
    """
    if task.kind != "regression":
        raise JudgingError(f"{task.name} is a classification task", fix="judge regression tasks; see `mbl tasks`")
    kind = features or ("magpie" if task.input == "composition" else "structure")
    if kind not in FEATURE_SETS:
        raise JudgingError(f"there are no features {kind!r}", fix=f"use one of {', '.join(FEATURE_SETS)}")
    if kind == "structure" and task.input != "structure":
        raise JudgingError(f"{task.name} has no structures", fix="use features = magpie or elements")
    X = FEATURE_SETS[kind](task)
    return Dataset(
        name=task.name,
        title=task.description or task.target,
        track="real",
        task=task,
        train=Rows(X, task.targets["target"].astype(np.float64)),
        property_spec=property_spec or PropertySpec(),
        positive=positive_features(X),
        digest=hashlib.sha256(f"{task.targets_sha256}{task.folds_sha256}{kind}".encode()).hexdigest(),
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

    from matbench_lite.data.elements import SYMBOLS
    from matbench_lite.run.features.amounts import element_amounts

    amounts = [element_amounts(formula) for formula in task.targets["formula"]]
    present = sorted({element for row in amounts for element in row})
    totals = [sum(row.values()) for row in amounts]
    columns = {
        SYMBOLS[element - 1]: [row.get(element, 0.0) / total for row, total in zip(amounts, totals, strict=True)]
        for element in present
    }
    return pd.DataFrame(columns, index=task.ids)


def _magpie(task: Task) -> pd.DataFrame:
    import pandas as pd

    from matbench_lite.run.features import MAGPIE_NAMES, magpie_array

    inputs = task.inputs if task.input == "composition" else task.targets["formula"]
    return pd.DataFrame(magpie_array(inputs), columns=[feature_name(name) for name in MAGPIE_NAMES], index=task.ids)


def _structure(task: Task) -> pd.DataFrame:
    import pandas as pd

    from matbench_lite.run.features import STRUCTURE_NAMES, structure_array

    names = [feature_name(name) for name in STRUCTURE_NAMES]
    return pd.DataFrame(structure_array(task.inputs), columns=names, index=task.ids).join(_magpie(task))


FEATURE_SETS: dict[str, Callable[[Task], pd.DataFrame]] = {
    "elements": _elements,
    "magpie": _magpie,
    "structure": _structure,
}
"""Features that a task can be given as, by name."""
