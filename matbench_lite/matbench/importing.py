"""A Matbench result becomes a submission of ours."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime
from os import PathLike
from pathlib import Path
from typing import Any

from matbench_lite.matbench.about import described
from matbench_lite.matbench.errors import MatbenchError
from matbench_lite.matbench.files import parse_object, read_content, read_json
from matbench_lite.matbench.form import check_document, check_object, known_task
from matbench_lite.matbench.hashing import has_right_hash, wrong_hash
from matbench_lite.matbench.names import BENCHMARK, DATESTAMP, METRICS, fold_key
from matbench_lite.matbench.raw import parse_around_rows
from matbench_lite.matbench.rows import predictions_in_order, uncertainty_in_order
from matbench_lite.submission import Submission
from matbench_lite.submission.canonical import plain
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
    document, matches = read_document(file)
    if not matches and not allow_hash_mismatch:
        raise wrong_hash(document, f"{file}: ")
    about = _read_info(file, None if info is None else Path(info))
    metadata = plain(document["user_metadata"])
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


def read_document(file: Path) -> tuple[dict[str, Any], bool]:
    """Read a result as plain data, its form checked but for the rows, and whether its hash is right.

    Raises:
        MatbenchError: If it is damaged or out of form.
    """
    content = read_content(file)
    document = _around_rows(content)
    if document is None:
        document = parse_object(content, file, exact=True)
        check_document(document)
        return document, has_right_hash(document)
    return document, True


def _around_rows(content: bytes) -> dict[str, Any] | None:
    """The result with its predictions as text, if its hash is right; None if all of it has to be parsed."""
    try:
        document = parse_around_rows(content)
    except ValueError:
        return None
    check_document(document)
    return document if has_right_hash(document) else None


def record_folds(submission: Submission, task: Task, results: Mapping[str, Any]) -> None:
    """Record all folds of one task of a result.

    Args:
        submission: Where they are recorded.
        task: The task.
        results: Its results, checked by `check_task`.

    Raises:
        MatbenchError: If rows are missing, too many, or of the wrong type.
        RecordError: If predictions are NaN, infinite or no probabilities, or a row lies outside its own interval.
    """
    for fold in task.folds:
        content = results[fold_key(fold)]
        predictions = predictions_in_order(task, fold, content["data"])
        std, interval = uncertainty_in_order(task, fold, content.get("uncertainty"))
        submission.record(task.name, fold, predictions, std=std, interval=interval, params=content["parameters"])


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
    content = read_json(info or beside)
    check_object("info.json", content)
    plain_content: dict[str, Any] = plain(content)
    return plain_content


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
