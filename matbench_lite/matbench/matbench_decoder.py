"""Matbench's files, decoded in the airlock: what comes out is plain data and, for every fold, arrays in fold order."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from matbench_lite.airlock import Limits, Reply, inside
from matbench_lite.documents import plain
from matbench_lite.errors import AirlockError
from matbench_lite.matbench import matbench_files as files
from matbench_lite.matbench import matbench_form as form
from matbench_lite.tasks import Task

_LIMITS = Limits(seconds=20, megabytes=1500)
"""All 13 tasks with uncertainty, the largest result there can be, take a fifth of the time and half of the memory."""

Found = tuple[Any, Mapping[str, NDArray[Any]]]


def decode_results(file: Path, *, allow_hash_mismatch: bool = False) -> tuple[dict[str, Any], bool]:
    """Read a result, its form checked: its folds have their rows as `arrays` by name; and whether its hash is right."""
    reply = _decoded(results_decoder, {"name": str(file), "allow_hash_mismatch": allow_hash_mismatch}, file)
    document, matches = reply.content
    for name, content in document["tasks"].items():
        _put_back(content, name, reply)
    return document, matches


def decode_task(file: Path) -> dict[str, Any]:
    """Read what `MatbenchTask.to_file` wrote, as `decode_results` does."""
    reply = _decoded(task_decoder, {"name": str(file)}, file)
    content: dict[str, Any] = reply.content
    _put_back(content, content["dataset_name"], reply)
    return content


def decode_info(file: Path) -> dict[str, Any]:
    """Read an `info.json`."""
    return dict(_decoded(info_decoder, {"name": str(file)}, file).content)


def results_decoder(about: Any, blobs: Sequence[memoryview]) -> Found:
    """In the airlock: a result."""
    content = files.unpack(blobs[0], about["name"])
    document = _around_rows(content)
    matches = document is not None
    if document is None:
        document = files.parse_object(content, about["name"], exact=True)
        form.check_document(document)
        matches = files.has_right_hash(document)
    if not matches and not about["allow_hash_mismatch"]:
        raise files.wrong_hash(document, f"{about['name']}: ")
    arrays: dict[str, NDArray[Any]] = {}
    for name, task in document["tasks"].items():
        arrays |= _taken_out(task, name)
    return [plain(document), matches], arrays


def task_decoder(about: Any, blobs: Sequence[memoryview]) -> Found:
    """In the airlock: one task."""
    content = files.parse_object(files.unpack(blobs[0], about["name"]), about["name"])
    arrays = _taken_out(content, form.check_task(content).name)
    return plain(content), arrays


def info_decoder(about: Any, blobs: Sequence[memoryview]) -> Found:
    """In the airlock: an `info.json`."""
    content = files.parse_object(files.unpack(blobs[0], about["name"]), about["name"])
    form.check_object("info.json", content)
    return plain(content), {}


def _decoded(decoder: Any, about: dict[str, Any], file: Path) -> Reply:
    try:
        return inside(decoder, about, files.read_packed(file), limits=_LIMITS)
    except AirlockError as error:
        raise form.MatbenchError(f"{file} cannot be read: {error.message}", fix="download or copy it again") from error


def _around_rows(content: bytes) -> dict[str, Any] | None:
    """The result with its predictions as text, if its hash is right; None if all of it has to be parsed."""
    try:
        document = files.parse_around_rows(content)
    except ValueError:
        return None
    form.check_document(document)
    return document if files.has_right_hash(document) else None


def _taken_out(content: dict[str, Any], name: str) -> dict[str, NDArray[Any]]:
    """Take the rows of every fold out of a task, as arrays."""
    task = form.known_task(name)
    arrays: dict[str, NDArray[Any]] = {}
    for fold in task.folds:
        rows = content["results"][form.fold_key(fold)]
        found = fold_arrays(task, fold, rows)
        arrays |= {f"{name}/{fold}/{column}": array for column, array in found.items()}
        del rows["data"]
        rows.pop("uncertainty", None)
    return arrays


def _put_back(content: Mapping[str, Any], name: str, reply: Reply) -> None:
    for fold in form.known_task(name).folds:
        mark = f"{name}/{fold}/"
        found = {key.removeprefix(mark): array for key, array in reply.arrays.items() if key.startswith(mark)}
        content["results"][form.fold_key(fold)]["arrays"] = found


def fold_arrays(task: Task, fold: int, content: Mapping[str, Any]) -> dict[str, NDArray[Any]]:
    """What a result holds for the rows of one fold, in the order of `task.test_ids(fold)`, by name of the column."""
    predictions = _predictions_in_order(task, fold, content["data"])
    return {"prediction": predictions, **_uncertainty_in_order(task, fold, content.get("uncertainty"))}


def _predictions_in_order(task: Task, fold: int, data: Any) -> NDArray[Any]:
    """Decimal numbers, or for a classification booleans."""
    if isinstance(data, memoryview):
        try:
            data = files.parse(bytes(data))
        except ValueError as error:
            raise form.MatbenchError(f"{task.name} {form.fold_key(fold)}: data is not valid JSON: {error}") from error
    values = _in_order(task, fold, data, "predictions")
    kinds = set(map(type, values))
    if kinds == {float} or (kinds == {bool} and task.kind == "classification"):
        return np.array(values)
    wanted = "decimal numbers" if task.kind == "regression" else "all booleans or all decimal numbers"
    found = ", ".join(sorted(kind.__name__ for kind in kinds))
    raise form.MatbenchTypeError(f"{task.name} {form.fold_key(fold)}: predictions are {found}, not {wanted}")


def _uncertainty_in_order(task: Task, fold: int, uncertainty: Any) -> dict[str, NDArray[Any]]:
    """Ends of 95 % intervals, and standard deviations where there are any."""
    if uncertainty is None:
        return {}
    if isinstance(uncertainty, dict):
        # Matbench 0.6 adds two empty objects to what it validates, and saves them.
        uncertainty = {key: value for key, value in uncertainty.items() if key not in ("std", "ci") or value != {}}
    place = f"{task.name} {form.fold_key(fold)}: uncertainty"
    rows = _in_order(task, fold, uncertainty, "uncertainties")
    for row in rows:
        if not isinstance(row, dict) or row.keys() != set(form.UNCERTAINTY_KEYS):
            raise form.MatbenchKeyError(f"{place}: each row needs {', '.join(form.UNCERTAINTY_KEYS)}, and nothing else")
    lower, upper, std = ([_number(row[key]) for row in rows] for key in form.UNCERTAINTY_KEYS)
    if not all(type(value) is float for value in (*lower, *upper)):
        raise form.MatbenchTypeError(f"{place}: an end of an interval is not a decimal number")
    kinds = set(map(type, std))
    if kinds not in ({type(None)}, {float}):
        raise form.MatbenchError(f"{place}: std is not a decimal number in every row, nor null in every row")
    deviations = {"std": np.array(std)} if kinds == {float} else {}
    return {**deviations, "lower": np.array(lower), "upper": np.array(upper)}


def _in_order(task: Task, fold: int, by_id: Any, what: str) -> list[Any]:
    place = f"{task.name} {form.fold_key(fold)}"
    if not isinstance(by_id, Mapping):
        raise form.MatbenchTypeError(f"{place}: {what} are a JSON {type(by_id).__name__}, not an object by row id")
    ids = _test_ids(task, fold)
    if list(by_id) == ids:
        return list(by_id.values())
    missing, extra = [row for row in ids if row not in by_id], by_id.keys() - set(ids)
    if missing or extra:
        raise form.MatbenchError(
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
