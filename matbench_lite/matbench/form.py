"""The form of a Matbench result: what Matbench itself would refuse is refused here, with the same kind of error."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from itertools import islice
from typing import Any

from matbench_lite.matbench.errors import MatbenchError, MatbenchKeyError, MatbenchTypeError
from matbench_lite.matbench.names import BENCHMARK, DOCUMENT_KEYS, FOLD_KEYS, METRICS, TASK_KEYS, fold_key
from matbench_lite.tasks import Task, load_benchmark

MAX_DEPTH = 50
"""Levels of parameters and metadata: far more than anybody needs, far less than a stack holds."""


def check_document(document: Mapping[str, Any]) -> None:
    """Check a result, but for the rows of its folds.

    Raises:
        MatbenchError: If keys are missing or too many, or the tasks are not those of one known benchmark.
    """
    _check_keys("the result", document, DOCUMENT_KEYS, MatbenchError)
    check_object("user_metadata", document["user_metadata"])
    for key in ("version", "datestamp", "hash"):
        if not isinstance(document[key], str):
            raise MatbenchTypeError(f"{key} is {_shown(document[key])}, not a text")
    if document["benchmark_name"] != BENCHMARK:
        raise MatbenchError(f"the benchmark is {_shown(document['benchmark_name'])}, known is only {BENCHMARK!r}")
    if not isinstance(document["tasks"], dict) or not document["tasks"]:
        raise MatbenchTypeError("tasks is not an object with at least one task")
    for name, content in document["tasks"].items():
        if check_task(content).name != name:
            raise MatbenchError(f"{name} holds the results of {content['dataset_name']}")


def check_task(content: Any) -> Task:
    """Check one task of a result, but for the rows of its folds, and say which task it is.

    Raises:
        MatbenchKeyError: If keys are missing or too many, or there is no such task.
        MatbenchTypeError: If a score is no number, or something else is of the wrong type.
        MatbenchError: If a fold is missing.
    """
    if not isinstance(content, dict):
        raise MatbenchTypeError(f"a task is {_shown(content)}, not an object")
    _check_keys("a task", content, TASK_KEYS, MatbenchKeyError)
    if content["benchmark_name"] != BENCHMARK:
        raise MatbenchError(f"a task is of {_shown(content['benchmark_name'])}, known is only {BENCHMARK!r}")
    task = known_task(content["dataset_name"])
    if not isinstance(content["results"], dict):
        raise MatbenchTypeError(f"the results of {task.name} are {_shown(content['results'])}, not an object")
    folds = [fold_key(fold) for fold in task.folds]
    if missing := [name for name in folds if not _has_data(content["results"].get(name))]:
        raise MatbenchError(f"{task.name}: {_listed(missing)} not recorded", fix="record all folds of a task")
    if extra := content["results"].keys() - set(folds):
        raise MatbenchKeyError(f"{task.name} has {_listed(extra)}, which is none of its folds")
    for name in folds:
        _check_fold(task, name, content["results"][name])
    return task


def known_task(name: Any) -> Task:
    """The task of that name.

    Raises:
        MatbenchKeyError: If there is none.
    """
    benchmark = load_benchmark(BENCHMARK)
    if not isinstance(name, str) or name not in benchmark:
        raise MatbenchKeyError(
            f"there is no task {_shown(name)} in {BENCHMARK}", fix=f"use one of {', '.join(benchmark.names)}"
        )
    return benchmark[name]


def check_object(what: str, content: Any) -> None:
    """Check that it is an object of reasonable depth, level by level: no recursion on a stranger's data.

    Raises:
        MatbenchError: If it is something else, or nested too deeply.
    """
    if not isinstance(content, dict):
        raise MatbenchTypeError(f"{what} is {_shown(content)}, not an object")
    level: list[Any] = [content]
    for _ in range(MAX_DEPTH):
        inner = (item.values() if isinstance(item, dict) else item for item in level)
        level = [value for values in inner for value in values if isinstance(value, dict | list)]
        if not level:
            return
    raise MatbenchError(f"{what} has more than {MAX_DEPTH} levels")


def _check_fold(task: Task, name: str, content: dict[str, Any]) -> None:
    place = f"{task.name} {name}"
    _check_keys(place, content, FOLD_KEYS, MatbenchKeyError, optional=("uncertainty",))
    if content["parameters"] is not None:
        check_object(f"{place}: parameters", content["parameters"])
    scores = content["scores"]
    if not isinstance(scores, dict):
        raise MatbenchTypeError(f"{place}: scores are {_shown(scores)}, not an object")
    _check_keys(f"{place}: scores", scores, METRICS[task.kind], MatbenchKeyError)
    for metric, value in scores.items():
        if type(value) is not float:
            raise MatbenchTypeError(f"{place}: {metric} is {_shown(value)}, not a decimal number")


def _has_data(fold: Any) -> bool:
    # Matbench writes a fold that was asked for but never recorded as {"data": {}}.
    return isinstance(fold, dict) and fold.get("data") not in (None, {})


def _check_keys(
    what: str, content: Any, required: Collection[str], error: type[MatbenchError], optional: Collection[str] = ()
) -> None:
    if missing := [key for key in required if key not in content]:
        raise error(f"{what} lacks {_listed(missing)}")
    if extra := [key for key in content if key not in required and key not in optional]:
        raise error(f"{what} has {_listed(extra)}, which Matbench does not know")


def _listed(names: Collection[str]) -> str:
    """The first few of a stranger's names: there may be millions of them, and each may be long."""
    more = f" and {len(names) - 5} more" if len(names) > 5 else ""
    return ", ".join(sorted(repr(name[:60]) for name in islice(names, 5))) + more


def _shown(value: Any) -> str:
    """A stranger's value, for a message."""
    text = repr(value) if isinstance(value, str | int | float | None) else f"a JSON {type(value).__name__}"
    return text if len(text) < 60 else f"{text[:60]}…"
