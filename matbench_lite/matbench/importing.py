"""A Matbench result becomes a submission of ours."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime
from os import PathLike
from pathlib import Path
from typing import Any

from matbench_lite.matbench.about import described
from matbench_lite.matbench.decoding import decode_info, decode_results
from matbench_lite.matbench.errors import MatbenchError
from matbench_lite.matbench.form import known_task
from matbench_lite.matbench.names import BENCHMARK, DATESTAMP, METRICS, fold_key
from matbench_lite.matbench.rows import fold_arrays
from matbench_lite.submission import Submission
from matbench_lite.tasks import Task

FilePath = str | PathLike[str]

_HOME = "https://github.com/materialsproject/matbench/tree/main/benchmarks"


def read_results(
    path: FilePath, info: FilePath | None = None, *, url: str | None = None, allow_hash_mismatch: bool = False
) -> Submission:
    """Read a result of Matbench 0.1.0 to 0.6: `results.json.gz`, gzipped or not.

    Predictions are taken by row id. Scores are not: they are computed from the predictions, as for any submission.
    The published ones are kept in `submission.imported["scores"]`; `compare_published` says where they differ.

    Args:
        path: The result.
        info: Its `info.json`: authors, references, requirements. By default the one beside it, if there is one.
        url: Where it is published. By default its folder in Matbench's repository, if the name tells.
        allow_hash_mismatch: Whether to take a result that was changed after Matbench wrote it; it is marked so.

    Raises:
        MatbenchError: If it is damaged, out of form, of unknown tasks, or its hash is wrong.
        RecordError: If predictions are NaN, infinite or no probabilities, or a row lies outside its own interval.
    """
    file = Path(path)
    document, matches = decode_results(file, allow_hash_mismatch=allow_hash_mismatch)
    about = _read_info(file, None if info is None else Path(info))
    metadata = document["user_metadata"]
    fallback = metadata.get("algorithm")
    submission = Submission(
        BENCHMARK,
        **described(about, fallback=fallback if isinstance(fallback, str) and fallback else _name(file)),
        metadata=metadata,
        imported={
            "from": "matbench",
            "version": document["version"],
            "hash": document["hash"],
            "hash_matches": matches,
            "url": url or _address(file),
            "notes": about.get("notes"),
            "scores": _published(document["tasks"]),
        },
    )
    submission.created = _created(document["datestamp"])
    submission.provenance = {}  # where it was made is not known; certainly not here
    tasks = document.pop("tasks")
    for task in submission.benchmark.select(names=list(tasks)):
        record_folds(submission, task, tasks.pop(task.name)["results"])
    return submission


def record_folds(submission: Submission, task: Task, results: Mapping[str, Any]) -> None:
    """Record all folds of one task of a result.

    Args:
        submission: Where they are recorded.
        task: The task.
        results: Its results, checked by `check_task`; the rows of a fold as arrays by name, or as in the file.

    Raises:
        MatbenchError: If rows are missing, too many, or of the wrong type.
        RecordError: If predictions are NaN, infinite or no probabilities, or a row lies outside its own interval.
    """
    for fold in task.folds:
        content = results[fold_key(fold)]
        arrays = content["arrays"] if "arrays" in content else fold_arrays(task, fold, content)
        submission.record(
            task.name,
            fold,
            arrays["prediction"],
            std=arrays.get("std"),
            interval=(arrays["lower"], arrays["upper"]) if "lower" in arrays else None,
            params=content["parameters"],
        )


def _published(tasks: Mapping[str, Any]) -> dict[str, dict[str, list[float]]]:
    """The scores in the file: by task and metric, one per fold."""
    return {
        name: {
            metric: [content["results"][fold_key(fold)]["scores"][metric] for fold in task.folds]
            for metric in METRICS[task.kind]
        }
        for name, content in tasks.items()
        for task in [known_task(name)]
    }


def _read_info(results: Path, info: Path | None) -> dict[str, Any]:
    beside = results.with_name("info.json")
    if info is None and not beside.is_file():
        return {}
    return decode_info(info or beside)


def _name(file: Path) -> str:
    """The folder says more than `results.json.gz`."""
    stem = file.name.partition(".")[0]
    return file.absolute().parent.name if stem == "results" else stem


def _address(file: Path) -> str:
    folder = file.absolute().parent.name
    return f"{_HOME}/{folder}" if folder.startswith(BENCHMARK) else _HOME


def _created(datestamp: str) -> str:
    try:
        moment = datetime.strptime(datestamp, DATESTAMP)
    except ValueError as error:
        raise MatbenchError(f"the datestamp is {datestamp[:60]!r}, not like '2021.07.16 05:59.36'") from error
    return moment.replace(tzinfo=UTC).isoformat(timespec="seconds")
