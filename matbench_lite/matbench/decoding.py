"""Matbench's files, decoded in the airlock: what comes out is plain data and, for every fold, arrays of numbers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from matbench_lite.airlock import Limits, Reply, inside
from matbench_lite.documents import plain
from matbench_lite.errors import AirlockError
from matbench_lite.matbench.errors import MatbenchError
from matbench_lite.matbench.files import parse_object, read_packed, unpack
from matbench_lite.matbench.form import check_document, check_object, check_task, known_task
from matbench_lite.matbench.hashing import has_right_hash, wrong_hash
from matbench_lite.matbench.names import fold_key
from matbench_lite.matbench.raw import parse_around_rows
from matbench_lite.matbench.rows import fold_arrays

if TYPE_CHECKING:
    from numpy.typing import NDArray

_LIMITS = Limits(seconds=20, megabytes=1500)
"""All 13 tasks with uncertainty, the largest result there can be, take a fifth of the time and half of the memory."""

Found = tuple[Any, Mapping[str, "NDArray[Any]"]]


def decode_results(file: Path, *, allow_hash_mismatch: bool = False) -> tuple[dict[str, Any], bool]:
    """Read a result, its form checked: its folds have their rows as `arrays` by name; and whether its hash is right.

    Raises:
        MatbenchError: If it is damaged, out of form, or was changed after Matbench wrote it and that is not allowed.
    """
    reply = _decoded(results_decoder, {"name": str(file), "allow_hash_mismatch": allow_hash_mismatch}, file)
    document, matches = reply.content
    for name, content in document["tasks"].items():
        _put_back(content, name, reply)
    return document, matches


def decode_task(file: Path) -> dict[str, Any]:
    """Read what `MatbenchTask.to_file` wrote, as `decode_results` does.

    Raises:
        MatbenchError: If it is damaged or out of form.
    """
    reply = _decoded(task_decoder, {"name": str(file)}, file)
    content: dict[str, Any] = reply.content
    _put_back(content, content["dataset_name"], reply)
    return content


def decode_info(file: Path) -> dict[str, Any]:
    """Read an `info.json`.

    Raises:
        MatbenchError: If it is damaged or out of form.
    """
    content: dict[str, Any] = _decoded(info_decoder, {"name": str(file)}, file).content
    return content


def results_decoder(about: Any, blobs: Sequence[memoryview]) -> Found:
    """In the airlock: a result."""
    content = unpack(blobs[0], about["name"])
    document = _around_rows(content)
    matches = document is not None
    if document is None:
        document = parse_object(content, about["name"], exact=True)
        check_document(document)
        matches = has_right_hash(document)
    if not matches and not about["allow_hash_mismatch"]:
        raise wrong_hash(document, f"{about['name']}: ")
    arrays: dict[str, NDArray[Any]] = {}
    for name, task in document["tasks"].items():
        arrays |= _taken_out(task, name)
    return [plain(document), matches], arrays


def task_decoder(about: Any, blobs: Sequence[memoryview]) -> Found:
    """In the airlock: one task."""
    content = parse_object(unpack(blobs[0], about["name"]), about["name"])
    arrays = _taken_out(content, check_task(content).name)
    return plain(content), arrays


def info_decoder(about: Any, blobs: Sequence[memoryview]) -> Found:
    """In the airlock: an `info.json`."""
    content = parse_object(unpack(blobs[0], about["name"]), about["name"])
    check_object("info.json", content)
    return plain(content), {}


def _decoded(decoder: Any, about: dict[str, Any], file: Path) -> Reply:
    try:
        return inside(decoder, about, read_packed(file), limits=_LIMITS)
    except AirlockError as error:
        raise MatbenchError(f"{file} cannot be read: {error.message}", fix="download or copy it again") from error


def _around_rows(content: bytes) -> dict[str, Any] | None:
    """The result with its predictions as text, if its hash is right; None if all of it has to be parsed."""
    try:
        document = parse_around_rows(content)
    except ValueError:
        return None
    check_document(document)
    return document if has_right_hash(document) else None


def _taken_out(content: dict[str, Any], name: str) -> dict[str, NDArray[Any]]:
    """Take the rows of every fold out of a task, as arrays."""
    task = known_task(name)
    arrays: dict[str, NDArray[Any]] = {}
    for fold in task.folds:
        rows = content["results"][fold_key(fold)]
        found = fold_arrays(task, fold, rows)
        arrays |= {f"{name}/{fold}/{column}": array for column, array in found.items()}
        del rows["data"]
        rows.pop("uncertainty", None)
    return arrays


def _put_back(content: Mapping[str, Any], name: str, reply: Reply) -> None:
    for fold in known_task(name).folds:
        mark = f"{name}/{fold}/"
        found = {key.removeprefix(mark): array for key, array in reply.arrays.items() if key.startswith(mark)}
        content["results"][fold_key(fold)]["arrays"] = found
