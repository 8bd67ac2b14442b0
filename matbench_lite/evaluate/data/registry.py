"""Data of an evaluation from a task of the registry: its rows in groups, in an order, limited."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from matbench_lite.errors import EvaluationError, UnknownNameError
from matbench_lite.evaluate.data.grouping import FAMILIES, OF_STRUCTURES, prototype
from matbench_lite.evaluate.data.item import Origin, Shelf
from matbench_lite.evaluate.file.schema import shown
from matbench_lite.evaluate.file.specification import Limit, RegistrySource
from matbench_lite.run import derived_seed
from matbench_lite.tasks import BUILT_IN, Task, load_benchmark

if TYPE_CHECKING:
    import pandas as pd

ORIGIN = "__origin__"
"""The column that says which row of the registry a row is."""
_SECRET = ("target", "response")


def read_registry(source: RegistrySource, seed: int) -> pd.DataFrame:
    """The rows of a task, with the columns that all data has, `row`, `formula`, and the space group where it is known.

    Args:
        source: The task, its groups, order and limit.
        seed: For a random order.

    Raises:
        EvaluationError: If there is no such task, column or group.
        DataMissingError: If the data is not on this machine.
    """
    import numpy as np
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
            f"{source.key}/limit: {shown(limit)} leaves no rows of {task.name}",
            fix="give a smaller min_rows_per_group",
        )
    positions = chosen.index.to_numpy()
    targets = targets.iloc[positions]
    boolean = task.kind == "classification"
    frame = pd.DataFrame(
        {
            "id": chosen.to_numpy(),
            "sequence": chosen.groupby(chosen).cumcount().to_numpy(),
            "task": targets["formula"].to_numpy(dtype=object),
            "choices": "True|False" if boolean else "real",
            "response": targets["target"].to_numpy(),
            "response_type": "single-choice" if boolean else "free",
            "domain": task.name,
            "row": task.ids[positions],
            "formula": targets["formula"].to_numpy(dtype=object),
        }
    )
    if "spacegroup" in columns:
        numbers = columns["spacegroup"].iloc[positions]
        plain = [None if pd.isna(number) else int(number) for number in numbers]
        frame["spacegroup"] = pd.Series(plain, dtype=object)
    origins = np.empty(len(frame), dtype=object)
    shelf = Shelf(task)
    origins[:] = [Origin(shelf=shelf, position=int(position)) for position in positions]
    frame[ORIGIN] = origins
    return frame


def find_task(source: RegistrySource) -> Task:
    """The task of a source.

    Raises:
        EvaluationError: If there is no such benchmark or task.
    """
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

    columns = {
        "formula": targets["formula"],
        "fold": pd.Series(task.fold_of_rows, index=targets.index),
        "n_elements": targets["formula"].map(lambda formula: FAMILIES["chemsys"](formula).count("-") + 1),
    }
    if "spacegroup" in targets:
        columns["spacegroup"] = targets["spacegroup"]
    if task.table is not None:
        path = task.table.path
        table = pd.read_parquet(path) if path.suffix == ".parquet" else pd.read_csv(path)
        for name in table.columns:
            if name != task.table.target and name not in columns:
                columns[str(name)] = table[name]
    return columns


def _groups(source: RegistrySource, task: Task, columns: dict[str, pd.Series]) -> pd.Series:
    """The group of every row, by position in file order."""
    import pandas as pd

    name = source.group_by
    if name in FAMILIES:
        values = [FAMILIES[name](formula) for formula in columns["formula"]]
    elif name in OF_STRUCTURES:
        if task.input != "structure":
            raise EvaluationError(
                f"{source.key}/group_by: {name!r} needs structures, {task.name} has compositions",
                fix=f"give {', '.join(FAMILIES)}, or a column: {', '.join(columns)}",
            )
        from matbench_lite.data import load_spacegroups

        numbers = [None if pd.isna(number) else int(number) for number in load_spacegroups(task)]
        if name == "spacegroup":
            values = ["unknown" if number is None else str(number) for number in numbers]
        else:
            values = [prototype(*pair) for pair in zip(columns["formula"], numbers, strict=True)]
    elif name in columns:
        values = ["unknown" if pd.isna(value) else _plain(value) for value in columns[name]]
    else:
        raise _no_column(source, "group_by", name, (*FAMILIES, *OF_STRUCTURES, *columns))
    return pd.Series(values, dtype=object)


def _order(source: RegistrySource, columns: dict[str, pd.Series], seed: int) -> Any:
    """Positions of all rows, in the order that the source wants."""
    import numpy as np

    rows = len(columns["formula"])
    if source.order == "file":
        return np.arange(rows)
    if source.order == "random":
        return np.random.default_rng(derived_seed(seed, "order", source.task)).permutation(rows)
    if source.order not in columns:
        raise _no_column(source, "order", source.order, ("file", "random", *columns))
    return columns[source.order].reset_index(drop=True).sort_values(kind="stable").index.to_numpy()


def _limited(limit: Limit, groups: pd.Series, drawn: int | None) -> pd.Series:
    """The rows that are taken, by position; groups are drawn with equal chances if there is a seed for it."""
    import numpy as np

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


def _plain(value: Any) -> Any:
    return value.item() if hasattr(value, "item") else value


def _no_column(source: RegistrySource, key: str, name: str, known: tuple[str, ...]) -> EvaluationError:
    because = ": it would tell the target" if name in _SECRET else ""
    return EvaluationError(
        f"{source.key}/{key}: {name!r} is not allowed{because}", fix=f"give one of {', '.join(dict.fromkeys(known))}"
    )
