"""Data of an evaluation from a task of a benchmark, in families of materials that a model may never have seen."""

from __future__ import annotations

import re
import warnings
from collections.abc import Callable
from dataclasses import asdict
from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np
import orjson
from numpy.typing import NDArray

from matbench_lite.data import read_table
from matbench_lite.errors import EvaluationError, UnknownNameError
from matbench_lite.evaluate.evaluation_file import Limit, RegistrySource, shown
from matbench_lite.evaluate.items import Origin, plain_value
from matbench_lite.tasks import BUILT_IN, Task, load_benchmark
from matbench_lite.train import derived_seed

if TYPE_CHECKING:
    import pandas as pd


ORIGIN = "__origin__"
"""The column that says which row of the registry a row is."""
_SECRET = ("target", "response")
_PARTING = str.maketrans("|/;", "   ")


def read_registry(source: RegistrySource, seed: int) -> pd.DataFrame:
    """The rows of a task, with the columns that all data has, `row`, `formula`, and the space group where known."""
    import pandas as pd

    task = find_task(source)
    targets = task.targets
    columns = _columns(task, targets)
    groups = _groups(source, task, columns)
    order = _order(source, columns, seed)
    chosen = _limited(source.limit, groups.iloc[order], drawn=seed if source.order == "random" else None)
    if chosen.empty:
        limit = {name: value for name, value in asdict(source.limit).items() if value is not None}
        raise EvaluationError(
            f"{source.key}/limit: {shown(limit)} leaves no rows of {task.name}", fix="give a smaller min_rows_per_group"
        )
    positions = chosen.index.to_numpy()
    targets = targets.iloc[positions]
    of_table = task.input == "table"
    texts = _rows_as_text(task, positions) if of_table else targets["formula"].to_numpy(dtype=object)
    is_class = task.kind == "classification"
    frame = pd.DataFrame(
        {
            "id": chosen.to_numpy(),
            "sequence": chosen.groupby(chosen).cumcount().to_numpy(),
            "task": texts,
            "choices": _choices(task) if is_class else "real",
            "response": targets["target"].to_numpy(),
            "response_type": "single-choice" if is_class else "free",
            "domain": task.name,
            "row": task.ids[positions],
            **({} if of_table else {"formula": texts}),
        }
    )
    if "spacegroup" in columns:
        frame["spacegroup"] = pd.Series(_whole(columns["spacegroup"].iloc[positions]), dtype=object)
    origins = [Origin(task=task, position=int(position)) for position in positions]
    frame[ORIGIN] = pd.Series(origins, dtype=object)
    return frame


def _rows_as_text(task: Task, positions: NDArray[np.intp]) -> list[str]:
    """The inputs of rows of a table, as JSON by name of the column, for models that read texts."""
    rows = task.inputs.iloc[positions].astype(object)
    # CCOBRA takes these characters to part a task's text.
    texts = (orjson.dumps(dict(zip(rows.columns, row, strict=True))).decode() for row in rows.to_numpy().tolist())
    return [text.translate(_PARTING) for text in texts]


def _choices(task: Task) -> str:
    """The classes, as CCOBRA writes choices."""
    names = list(map(str, task.classes)) or ["True", "False"]
    if unfit := [name for name in names if set(name) & set("|/;")]:
        message = f"{task.name} has the class {unfit[0]!r}: in an evaluation, | / and ; part texts"
        raise EvaluationError(message, fix="rename the class in the benchmark's data")
    return "|".join(names)


def find_task(source: RegistrySource) -> Task:
    """The task of a source; without a benchmark, of the first built-in one that has it."""
    try:
        benchmarks = [load_benchmark(name) for name in (BUILT_IN if source.benchmark is None else (source.benchmark,))]
    except UnknownNameError as error:
        raise EvaluationError(f"{source.key}/benchmark: {error.message}", fix=error.fix) from error
    for benchmark in benchmarks:
        if source.task in benchmark:
            return benchmark[source.task]
    names = ", ".join(name for benchmark in benchmarks for name in benchmark.names)
    raise EvaluationError(f"{source.key}/task: there is no task {source.task!r}", fix=f"give one of {names}")


def _columns(task: Task, targets: pd.DataFrame) -> dict[str, pd.Series]:
    """What rows can be grouped and ordered by, in file order; never the target."""
    import pandas as pd

    columns: dict[str, pd.Series] = {}
    if "formula" in targets:
        columns["formula"] = targets["formula"]
    if task.tests_rows_once:
        columns["fold"] = pd.Series(task.fold_of_rows, index=targets.index)
    if "formula" in targets:
        columns["n_elements"] = targets["formula"].map(lambda formula: FAMILIES["chemsys"](formula).count("-") + 1)
    if "spacegroup" in targets:
        columns["spacegroup"] = targets["spacegroup"]
    if task.table is not None:
        table = read_table(task.table.path)
        for name in table.columns:
            if name != task.table.target and name not in columns:
                columns[str(name)] = table[name]
    return columns


def _groups(source: RegistrySource, task: Task, columns: dict[str, pd.Series]) -> pd.Series:
    """The group of every row, by position in file order."""
    import pandas as pd

    name, of_table = source.group_by, task.input == "table"
    if name in columns and (of_table or name not in (*FAMILIES, *OF_STRUCTURES)):
        values = ["unknown" if pd.isna(value) else plain_value(value) for value in columns[name]]
    elif name not in (*FAMILIES, *OF_STRUCTURES):
        raise _no_column(source, "group_by", name, (*FAMILIES, *OF_STRUCTURES, *columns))
    elif of_table:
        raise EvaluationError(
            f"{source.key}/group_by: {name!r} needs materials, {task.name} has columns of a table",
            fix=f"give a column: {', '.join(columns)}",
        )
    elif name in FAMILIES:
        values = [FAMILIES[name](formula) for formula in columns["formula"]]
    elif task.input != "structure":
        raise EvaluationError(
            f"{source.key}/group_by: {name!r} needs structures, {task.name} has compositions",
            fix=f"give {', '.join(FAMILIES)}, or a column: {', '.join(columns)}",
        )
    else:
        from matbench_lite.data import load_spacegroups

        numbers = _whole(load_spacegroups(task))
        if name == "spacegroup":
            values = ["unknown" if number is None else str(number) for number in numbers]
        else:
            values = [prototype(*pair) for pair in zip(columns["formula"], numbers, strict=True)]
    return pd.Series(values, dtype=object)


def _order(source: RegistrySource, columns: dict[str, pd.Series], seed: int) -> NDArray[np.intp]:
    rows = len(next(iter(columns.values())))
    if source.order == "file":
        return np.arange(rows)
    if source.order == "random":
        return np.random.default_rng(derived_seed(seed, "order", source.task)).permutation(rows)
    if source.order not in columns:
        raise _no_column(source, "order", source.order, ("file", "random", *columns))
    return np.asarray(columns[source.order].reset_index(drop=True).sort_values(kind="stable").index)


def _limited(limit: Limit, groups: pd.Series, drawn: int | None) -> pd.Series:
    """The rows that are taken, by position; groups are drawn with equal chances if there is a seed for it."""
    groups = groups.iloc[: limit.rows]
    if limit.min_rows_per_group is not None:
        groups = groups[groups.map(groups.value_counts()) >= limit.min_rows_per_group]
    if limit.groups is not None:
        names = list(dict.fromkeys(groups))
        if drawn is not None:
            names.sort(key=str)
            np.random.default_rng(derived_seed(drawn, "groups")).shuffle(names)
        groups = groups[groups.isin(names[: limit.groups])]
    if limit.rows_per_group is not None:
        groups = groups[groups.groupby(groups).cumcount() < limit.rows_per_group]
    return groups


def _whole(numbers: pd.Series) -> list[int | None]:
    return [None if missing else int(number) for number, missing in zip(numbers, numbers.isna(), strict=True)]


def _no_column(source: RegistrySource, key: str, name: str, known: tuple[str, ...]) -> EvaluationError:
    because = ": it would tell the target" if name in _SECRET else ""
    return EvaluationError(
        f"{source.key}/{key}: {name!r} is not allowed{because}", fix=f"give one of {', '.join(dict.fromkeys(known))}"
    )


_SYMBOL = re.compile(r"[A-Z][a-z]?")


@lru_cache(maxsize=2**17)
def chemical_system(formula: str) -> str:
    """The elements of a formula, in alphabetical order: Fe-O."""
    return "-".join(sorted(set(_SYMBOL.findall(formula))))


@lru_cache(maxsize=2**17)
def anion(formula: str) -> str:
    """The most electronegative element of a formula (Pauling's scale); several, joined by -, where they are equal."""
    values = {symbol: _electronegativity(symbol) for symbol in sorted(set(_SYMBOL.findall(formula)))}
    largest = max(values.values())
    return "-".join(symbol for symbol, value in values.items() if value == largest)


@lru_cache(maxsize=2**17)
def prototype(formula: str, spacegroup: int | None) -> str:
    """A cheap stand-in for a structure prototype: AB2C4-227 or AB2C4-unknown.

    Letters stand for the elements, by growing amount; then comes the space group.
    """
    from pymatgen.core import Composition

    return f"{Composition(formula).anonymized_formula}-{'unknown' if spacegroup is None else spacegroup}"


FAMILIES: dict[str, Callable[[str], str]] = {"chemsys": chemical_system, "anion": anion}
"""Families that follow from the formula alone."""
OF_STRUCTURES = ("spacegroup", "prototype")
"""Families that need space groups."""


@lru_cache(maxsize=256)
def _electronegativity(symbol: str) -> float:
    """Pauling's value; 0 for elements that have none."""
    from pymatgen.core import Element

    if symbol not in Element.__members__:
        raise EvaluationError(f"{symbol!r} is not an element", fix="group by an anion only where tasks are formulas")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # pymatgen warns of noble gases
        value = float(Element(symbol).X)
    return value if value == value else 0.0  # NaN is not equal to itself
