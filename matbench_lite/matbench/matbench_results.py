"""Matbench's results become submissions of ours, and ours results that Matbench 0.6 opens and finds valid."""

from __future__ import annotations

import json
import math
import re
import textwrap
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from matbench_lite import text
from matbench_lite.atomic import finish_replacing, write_bytes
from matbench_lite.documents import plain
from matbench_lite.matbench.matbench_decoder import decode_info, decode_results, fold_arrays
from matbench_lite.matbench.matbench_files import matbench_hash, sorted_form
from matbench_lite.matbench.matbench_form import (
    BENCHMARK,
    DATESTAMP,
    METRICS,
    UNCERTAINTY_KEYS,
    VERSION,
    MatbenchError,
    fold_key,
    known_task,
)
from matbench_lite.metrics import interval_from_std, std_from_interval
from matbench_lite.submission import TOLERANCE, FoldPredictions, RecordedFold, Submission, same_score, score_fold
from matbench_lite.tasks import Task

FilePath = str | PathLike[str]

_HOME = "https://github.com/materialsproject/matbench/tree/main/benchmarks"
_LINE = 500
"""Characters that an author or a requirement may have in an entry."""
_NAMES = ("results.json.gz", "results.json")
Recorded = Mapping[int, RecordedFold]


def read_results(
    path: FilePath, info: FilePath | None = None, *, url: str | None = None, allow_hash_mismatch: bool = False
) -> Submission:
    """Read a result of Matbench 0.1.0 to 0.6: `results.json.gz`, gzipped or not.

    Predictions are taken by row id. Scores are not: they are computed from the predictions, as for any submission. The
    published ones are kept in `submission.imported["scores"]`; `compare_published` says where they differ.

    Args:
        path: The result.
        info: Its `info.json`: authors, references, requirements. By default the one beside it, if there is one.
        url: Where it is published. By default its folder in Matbench's repository, if the name tells.
        allow_hash_mismatch: Whether to take a result that was changed after Matbench wrote it; it is marked so.

    A `MatbenchError` if it is damaged, malformed, of unknown tasks, or its hash is wrong; a `RecordError` if
    predictions are NaN, infinite or no probabilities, or a row lies outside its own interval.
    """
    file = Path(path)
    document, matches = decode_results(file, allow_hash_mismatch=allow_hash_mismatch)
    beside = file.with_name("info.json")
    about = decode_info(Path(beside if info is None else info)) if info is not None or beside.is_file() else {}
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
    """Record all folds of one task of a result, checked by `check_task`; rows are arrays by name, or as in the file."""
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


def described(info: Mapping[str, Any], *, fallback: str) -> dict[str, Any]:
    """What `info.json` says, as arguments of a `Submission`; people fill it in by hand: anything may be missing."""
    authors = info.get("authors")
    if isinstance(authors, str):
        authors = re.split(r"\s*[,;]\s*(?:and\s+)?|\s+and\s+", authors)
    return {
        "algorithm": next(iter(_lines(info.get("algorithm"))), None) or fallback,
        "authors": _lines(authors),
        "description": str(info.get("algorithm_long") or ""),
        "references": [text for text in _texts(info.get("bibtex_refs")) if text.strip()],
        "requirements": _lines(info.get("requirements")),
    }


def _lines(value: Any) -> list[str]:
    return [line for text in _texts(value) for part in text.splitlines() for line in textwrap.wrap(part.strip(), _LINE)]


def _texts(value: Any) -> Iterator[str]:
    """Every text in a value: one, a list of them, or a list per language."""
    if isinstance(value, Mapping):
        value = list(value.values())
    if isinstance(value, list):
        for item in value:
            yield from _texts(item)
    elif value is not None:
        yield str(value)


def results_in(folder: Path) -> dict[str, Path]:
    """Every result below a folder of entries, by the name that the entry's folder gets here.

    A `MatbenchError` if there is none, or two would get the same name.
    """
    found: dict[str, Path] = {}
    for entry in sorted(folder.iterdir()) if folder.is_dir() else []:
        path = next((entry / name for name in _NAMES if (entry / name).is_file()), None)
        if path is None:
            continue
        slug = text.slug(entry.name.removeprefix(f"{BENCHMARK}_"), "entry")
        if slug in found:
            raise MatbenchError(f"{found[slug].parent} and {entry} would both become {slug}", fix="rename one of them")
        found[slug] = path
    if not found:
        raise MatbenchError(
            f"there is no */results.json.gz in {folder}", fix="give the folder benchmarks/ of a checkout of Matbench"
        )
    return found


def is_taken(folder: Path) -> bool:
    """Whether there is something in a folder that an import could harm; what a killed one left is nothing."""
    finish_replacing(folder)
    return folder.exists() and (not folder.is_dir() or any(not path.name.startswith(".") for path in folder.iterdir()))


def write_results(submission: Submission, path: FilePath) -> Path:
    """Write a submission as Matbench 0.6 would have: plain JSON whatever the name, which is all that 0.6 can read.

    Scores are those that Matbench computes, its `rocauc` on labels included. It is written in one go. A `MatbenchError`
    if it is of another benchmark than `matbench_v0.1`, or a fold of a task is not recorded.
    """
    if submission.benchmark.name != BENCHMARK:
        raise MatbenchError(f"the submission is on {submission.benchmark.name}, Matbench has only {BENCHMARK}")
    if not submission.tasks:
        raise MatbenchError("nothing is recorded yet", fix="record all folds of at least one task")
    if partly := [task.name for task in submission.tasks if task.name not in submission.complete_tasks]:
        raise MatbenchError(
            f"some folds of {', '.join(partly)} are not recorded, and Matbench knows no part of a task",
            fix="record all folds of every task in it",
        )
    document = results_document(
        [(task, submission.recorded(task.name)) for task in submission.tasks],
        user_metadata=submission.metadata,
        created=datetime.now(UTC) if submission.created is None else datetime.fromisoformat(submission.created),
    )
    target = Path(path)
    write_bytes(target, json.dumps(document).encode())
    return target


def results_document(
    tasks: Iterable[tuple[Task, Recorded]], *, user_metadata: Mapping[str, Any], created: datetime
) -> dict[str, Any]:
    """A whole result, made at a time in UTC, as plain data with Matbench's hash."""
    document = {
        "@module": "matbench.bench",
        "@class": "MatbenchBenchmark",
        "version": VERSION,
        "tasks": {task.name: task_document(task, recorded) for task, recorded in tasks},
        "user_metadata": plain(user_metadata),
        "benchmark_name": BENCHMARK,
        "datestamp": created.strftime(DATESTAMP),
    }
    return {**document, "hash": matbench_hash(document)}


def task_document(task: Task, recorded: Recorded) -> dict[str, Any]:
    """The results of one task as plain data."""
    return {
        "@class": "MatbenchTask",
        "@module": "matbench.task",
        "benchmark_name": BENCHMARK,
        "dataset_name": task.name,
        "results": {fold_key(fold): fold_document(task, fold, held) for fold, held in recorded.items()},
    }


def fold_document(task: Task, fold: int, held: RecordedFold) -> dict[str, Any]:
    """One fold as plain data: predictions and uncertainties by row id, parameters, scores."""
    return {
        "data": dict(zip(task.test_ids(fold), as_recorded(held.predictions).tolist(), strict=True)),
        "parameters": sorted_form(held.params),
        "scores": written_scores(task, fold, held.predictions),
        "uncertainty": uncertainty_by_id(task, fold, held.predictions),
    }


def as_recorded(predictions: FoldPredictions) -> NDArray[np.float64] | NDArray[np.bool_]:
    """The predictions of a fold as they were recorded: labels as booleans."""
    return predictions.prediction == 1 if predictions.type == "label" else predictions.prediction


def uncertainty_by_id(task: Task, fold: int, predictions: FoldPredictions) -> dict[str, dict[str, float | None]] | None:
    """Interval and standard deviation by row id, each from the other where only one is recorded; None without both."""
    prediction, std = predictions.prediction, predictions.std
    if predictions.lower is not None and predictions.upper is not None:
        lower, upper = predictions.lower.astype(float), predictions.upper.astype(float)
        deviations = std_from_interval(prediction, lower, upper) if std is None else std
    elif std is not None:
        lower, upper = interval_from_std(prediction, std)
        deviations = std
    else:
        return None
    stds = [None] * len(prediction) if deviations is None else deviations.astype(float).tolist()
    rows = zip(lower.tolist(), upper.tolist(), stds, strict=True)
    return {
        row_id: dict(zip(UNCERTAINTY_KEYS, row, strict=True))
        for row_id, row in zip(task.test_ids(fold), rows, strict=True)
    }


_TOLERANCES = {"mape": 1e-6}
"""A target of 1e-5 divides the rounding of the targets to ten decimals by 1e-5."""
_ON_LABELS = "Matbench computed it on labels, where it is the balanced accuracy; recomputed on the probabilities"
_OTHER_RULE = (
    "computed by another rule: recomputed by that of Matbench 0.6, over rows with |target| > 1e-5; "
    "all other scores agree"
)


def true_scores(task: Task, fold: int, predictions: FoldPredictions) -> dict[str, float]:
    """Matbench's metrics of one fold. The `rocauc` of labels is their balanced accuracy: a step has one corner."""
    scores = score_fold(task, fold, predictions)
    scores.setdefault("rocauc", scores.get("balanced_accuracy", float("nan")))
    return {metric: float(scores[metric]) for metric in METRICS[task.kind]}


def written_scores(task: Task, fold: int, predictions: FoldPredictions) -> dict[str, float]:
    """What Matbench writes for one fold: it turns probabilities into labels before it computes `rocauc`."""
    scores = true_scores(task, fold, predictions)
    return scores | {"rocauc": scores["balanced_accuracy"]} if task.kind == "classification" else scores


@dataclass(frozen=True, kw_only=True)
class PublishedDifference:
    """One published score that is not what the predictions give, and why, if known; None if it is not defined."""

    task: str
    fold: int
    metric: str
    published: float | None
    recomputed: float | None
    reason: str | None


def compare_published(submission: Submission) -> list[PublishedDifference]:
    """Compare every published score of an entry that `read_results` has read with the one that its predictions give.

    Relative differences up to 1e-9 are rounding; for mape up to 1e-6. The targets must be here.
    """
    return [difference for task in submission.tasks for difference in _of_task(submission, task)]


def _of_task(submission: Submission, task: Task) -> Iterator[PublishedDifference]:
    for fold, held in submission.recorded(task.name).items():
        published = _stated(submission, task.name, fold)
        scores = {metric: _finite(value) for metric, value in true_scores(task, fold, held.predictions).items()}
        different = [metric for metric, value in published.items() if not _same(metric, value, scores.get(metric))]
        for metric in different:
            reason = None
            if metric == "rocauc" and _same(metric, published[metric], scores["balanced_accuracy"]):
                reason = _ON_LABELS
            elif different == ["mape"]:
                reason = _OTHER_RULE
            yield PublishedDifference(
                task=task.name,
                fold=fold,
                metric=metric,
                published=published[metric],
                recomputed=scores.get(metric),
                reason=reason,
            )


def _stated(submission: Submission, task: str, fold: int) -> dict[str, float | None]:
    """The published scores of one fold; an entry on disk may be a stranger's, and say anything."""
    by_task = (submission.imported or {}).get("scores")
    by_metric = by_task.get(task) if isinstance(by_task, dict) else None
    if not isinstance(by_metric, dict):
        return {}
    return {
        str(metric): _finite(values[fold])
        for metric, values in by_metric.items()
        if isinstance(values, list) and len(values) > fold
    }


def _finite(value: Any) -> float | None:
    return float(value) if isinstance(value, int | float) and math.isfinite(value) else None


def _same(metric: str, published: float | None, recomputed: float | None) -> bool:
    return same_score(published, recomputed, _TOLERANCES.get(metric, TOLERANCE))
