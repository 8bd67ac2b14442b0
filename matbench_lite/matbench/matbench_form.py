"""What Matbench calls things, what it refuses with which errors, and what it tells while it works."""

from __future__ import annotations

import logging
import sys
from collections.abc import Collection, Mapping
from itertools import islice
from typing import Any

from matbench_lite.errors import MatbenchLiteError
from matbench_lite.metrics import METRICS as REGISTRY
from matbench_lite.submission import is_deeper
from matbench_lite.tasks import Task, load_benchmark

BENCHMARK = "matbench_v0.1"
VERSION = "0.6"
"""The version of Matbench whose files we write."""
DATESTAMP = "%Y.%m.%d %H:%M.%S"
DOCUMENT_KEYS = ("@module", "@class", "version", "tasks", "user_metadata", "benchmark_name", "datestamp", "hash")
TASK_KEYS = ("@module", "@class", "benchmark_name", "dataset_name", "results")
FOLD_KEYS = ("data", "parameters", "scores")
UNCERTAINTY_KEYS = ("ci_lower", "ci_upper", "std")
METRICS = {
    kind: tuple(sorted(metric.name for metric in REGISTRY.values() if metric.published and kind in metric.kinds))
    for kind in ("regression", "classification")
}
MAX_DEPTH = 50
"""Levels of parameters and metadata: far more than anybody needs, far less than a stack holds."""
_COLUMNS = {"composition": "Chemical formula.", "structure": "Pymatgen Structure of the material."}
logger = logging.getLogger("matbench_lite.matbench")


class MatbenchError(MatbenchLiteError, ValueError):
    """A result that cannot be taken as it is, or a call that cannot be answered; a ValueError in Matbench too."""


class MatbenchKeyError(MatbenchError, KeyError):
    """Something of that name is missing, unknown or too much; a KeyError in Matbench."""


class MatbenchTypeError(MatbenchError, TypeError):
    """Something has the wrong type; a TypeError in Matbench."""


def fold_key(fold: int) -> str:
    """The name of a fold in a file."""
    return f"fold_{fold}"


def check_document(document: Mapping[str, Any]) -> None:
    """Check a result, but for the rows of its folds: its keys, and that its tasks are those of the benchmark."""
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
    """Check one task of a result, but for the rows of its folds, and say which task it is."""
    if not isinstance(content, dict):
        raise MatbenchTypeError(f"a task is {_shown(content)}, not an object")
    _check_keys("a task", content, TASK_KEYS, MatbenchKeyError)
    if content["benchmark_name"] != BENCHMARK:
        raise MatbenchError(f"a task is of {_shown(content['benchmark_name'])}, known is only {BENCHMARK!r}")
    task = known_task(content["dataset_name"])
    if not isinstance(content["results"], dict):
        raise MatbenchTypeError(f"the results of {task.name} are {_shown(content['results'])}, not an object")
    folds = [fold_key(fold) for fold in task.folds]
    # Matbench writes a fold that was asked for but never recorded as {"data": {}}.
    recorded = {k for k, v in content["results"].items() if isinstance(v, dict) and v.get("data") not in (None, {})}
    if missing := [name for name in folds if name not in recorded]:
        raise MatbenchError(f"{task.name}: {_listed(missing)} not recorded", fix="record all folds of a task")
    if extra := content["results"].keys() - set(folds):
        raise MatbenchKeyError(f"{task.name} has {_listed(extra)}, which is none of its folds")
    for name in folds:
        _check_fold(task, name, content["results"][name])
    return task


def known_task(name: Any) -> Task:
    """The task of that name; refused if there is none."""
    benchmark = load_benchmark(BENCHMARK)
    if not isinstance(name, str) or name not in benchmark:
        raise MatbenchKeyError(
            f"there is no task {_shown(name)} in {BENCHMARK}", fix=f"use one of {', '.join(benchmark.names)}"
        )
    return benchmark[name]


def check_object(what: str, content: Any) -> None:
    """Check that it is an object of reasonable depth."""
    if not isinstance(content, dict):
        raise MatbenchTypeError(f"{what} is {_shown(content)}, not an object")
    if is_deeper(content, MAX_DEPTH):
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


class AttributeDict(dict[str, Any]):
    """A dictionary with attribute access at every level; a name that is not there is an error, unlike in Matbench."""

    def __init__(self, content: Mapping[str, Any] | None = None) -> None:
        super().__init__()
        for key, value in (content or {}).items():
            self[key] = value

    def __setitem__(self, key: str, value: Any) -> None:
        nested = isinstance(value, dict) and not isinstance(value, AttributeDict)
        super().__setitem__(key, AttributeDict(value) if nested else value)

    def __getattr__(self, name: str) -> Any:
        try:
            return self[name]
        except KeyError:
            known = ", ".join(list(self)[:20])
            raise AttributeError(f"there is no {name!r}: use one of {known}") from None

    def __setattr__(self, name: str, value: Any) -> None:
        self[name] = value


def benchmark_metadata() -> AttributeDict:
    """The metadata of all tasks by name, in alphabetical order as in Matbench."""
    benchmark = load_benchmark(BENCHMARK)
    return AttributeDict({name: task_metadata(benchmark[name]) for name in sorted(benchmark.names)})


def task_metadata(task: Task) -> AttributeDict:
    """Input, target, unit, size and source of one task under Matbench's names."""
    spread = {"mad": task.mean_absolute_deviation} if task.kind == "regression" else {"frac_true": task.fraction_true}
    source = task.original
    return AttributeDict(
        {
            **spread,
            "input_type": task.input,
            "n_samples": task.rows,
            "target": task.target,
            "task_type": task.kind,
            "unit": task.unit or None,
            "bibtex_refs": [*load_benchmark(BENCHMARK).references, *task.references],
            "columns": {task.input: _COLUMNS[task.input], task.target: f"Target variable. {task.description}"},
            "description": task.description,
            "file_type": "json.gz",
            "num_entries": task.rows,
            "reference": task.references[0] if task.references else None,
            "url": source.urls[0] if source else None,
            "hash": source.sha256 if source else None,
        }
    )


def task_info(task: Task) -> str:
    """The metadata of one task as text."""
    about = task_metadata(task)
    columns = "".join(f"\n\t{name}: {text}" for name, text in about.columns.items())
    references = "\n".join(about.bibtex_refs)
    return (
        f"Dataset: {task.name}\nDescription: {about.description}\nColumns:{columns}\n"
        f"Num Entries: {about.num_entries}\nReference: {about.reference}\nBibtex citations: {references}\n"
        f"File type: {about.file_type}\nURL: {about.url}\nSHA256 Hash Digest: {about.hash}\n"
    )


class _Shown(logging.Handler):
    """Writes to whatever standard output is at the time: a notebook or a test may have replaced it."""

    def emit(self, record: logging.LogRecord) -> None:
        sys.stdout.write(f"{self.format(record)}\n")


def show_messages() -> None:
    """Show the messages on standard output, as Matbench does, unless the program has handlers of its own."""
    if not logger.hasHandlers():
        handler = _Shown()
        handler.setFormatter(logging.Formatter("%(asctime)s %(levelname)-8s %(message)s", "%Y-%m-%d %H:%M:%S"))
        logger.addHandler(handler)
        logger.setLevel(logging.INFO)
