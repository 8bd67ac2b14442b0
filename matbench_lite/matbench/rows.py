"""The rows of one fold in a Matbench result: predictions and uncertainties by row id, brought into fold order."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from matbench_lite.matbench.errors import MatbenchError, MatbenchKeyError, MatbenchTypeError
from matbench_lite.matbench.names import UNCERTAINTY_KEYS, fold_key
from matbench_lite.matbench.raw import RawRows
from matbench_lite.tasks import Task

Interval = tuple[NDArray[np.float64], NDArray[np.float64]]


def fold_arrays(task: Task, fold: int, content: Mapping[str, Any]) -> dict[str, NDArray[Any]]:
    """What a result holds for the rows of one fold, in the order of `task.test_ids(fold)`, by name of the column.

    Raises:
        MatbenchError: If rows are missing, too many, or of the wrong type.
    """
    std, interval = uncertainty_in_order(task, fold, content.get("uncertainty"))
    lower, upper = interval or (None, None)
    columns = {"prediction": predictions_in_order(task, fold, content["data"]), "std": std}
    return {name: array for name, array in {**columns, "lower": lower, "upper": upper}.items() if array is not None}


def predictions_in_order(task: Task, fold: int, data: Any) -> NDArray[Any]:
    """The predictions in the order of `task.test_ids(fold)`: decimal numbers, or for a classification booleans.

    Raises:
        MatbenchError: If rows are missing or too many.
        MatbenchTypeError: If a prediction has a type that Matbench does not take.
    """
    if isinstance(data, RawRows):
        try:
            data = data.parsed()
        except ValueError as error:
            raise MatbenchError(f"{task.name} {fold_key(fold)}: data is not valid JSON: {error}") from error
    values = _in_order(task, fold, data, "predictions")
    kinds = set(map(type, values))
    if kinds == {float} or (kinds == {bool} and task.kind == "classification"):
        return np.array(values)
    wanted = "decimal numbers" if task.kind == "regression" else "all booleans or all decimal numbers"
    found = ", ".join(sorted(kind.__name__ for kind in kinds))
    raise MatbenchTypeError(f"{task.name} {fold_key(fold)}: predictions are {found}, not {wanted}")


def uncertainty_in_order(task: Task, fold: int, uncertainty: Any) -> tuple[NDArray[np.float64] | None, Interval | None]:
    """Standard deviations and 95 % intervals in the order of `task.test_ids(fold)`; None for what is not there.

    Raises:
        MatbenchError: If rows are missing or too many, or only some rows have a standard deviation.
        MatbenchTypeError: If an uncertainty is not made of numbers.
    """
    if uncertainty is None:
        return None, None
    if isinstance(uncertainty, dict):
        # Matbench 0.6 adds two empty objects to what it validates, and saves them.
        uncertainty = {key: value for key, value in uncertainty.items() if key not in ("std", "ci") or value != {}}
    place = f"{task.name} {fold_key(fold)}: uncertainty"
    rows = _in_order(task, fold, uncertainty, "uncertainties")
    for row in rows:
        if not isinstance(row, dict) or row.keys() != set(UNCERTAINTY_KEYS):
            raise MatbenchKeyError(f"{place}: each row needs {', '.join(UNCERTAINTY_KEYS)}, and nothing else")
    lower, upper, std = ([_number(row[key]) for row in rows] for key in UNCERTAINTY_KEYS)
    if not all(type(value) is float for value in (*lower, *upper)):
        raise MatbenchTypeError(f"{place}: an end of an interval is not a decimal number")
    interval = np.array(lower), np.array(upper)
    kinds = set(map(type, std))
    if kinds == {type(None)}:
        return None, interval
    if kinds != {float}:
        raise MatbenchError(f"{place}: std is not a decimal number in every row, nor null in every row")
    return np.array(std), interval


def _in_order(task: Task, fold: int, by_id: Any, what: str) -> list[Any]:
    place = f"{task.name} {fold_key(fold)}"
    if not isinstance(by_id, Mapping):
        raise MatbenchTypeError(f"{place}: {what} are a JSON {type(by_id).__name__}, not an object by row id")
    ids = _test_ids(task, fold)
    if list(by_id) == ids:
        return list(by_id.values())
    missing, extra = [row for row in ids if row not in by_id], by_id.keys() - set(ids)
    if missing or extra:
        raise MatbenchError(
            f"{place}: {what} are of other rows: {len(missing)} missing{_example(missing)}, "
            f"{len(extra)} unknown{_example(sorted(extra))}"
        )
    return [by_id[row] for row in ids]


def _test_ids(task: Task, fold: int) -> list[str]:
    """The row ids of one fold, made for this look only: `task.test_ids` keeps those of the whole task in memory."""
    template = f"{task.id_prefix}-%0{len(str(task.rows))}d"
    return [template % row for row in (task.test_rows(fold) + 1).tolist()]


def _number(value: Any) -> Any:
    # Matbench stores the std that it derives from an interval as a list of one number.
    return value[0] if isinstance(value, list | tuple) and len(value) == 1 else value


def _example(ids: list[str]) -> str:
    return f" ({ids[0][:60]!r}{', …' if len(ids) > 1 else ''})" if ids else ""
