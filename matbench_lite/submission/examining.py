"""Everything in an entry's folder, looked at once: for the reader, which stops at the first problem, and the checks."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from matbench_lite.atomic import finish_replacing
from matbench_lite.submission import table
from matbench_lite.submission.canonical import MAX_BYTES
from matbench_lite.submission.decoding import Decoded, largest_file
from matbench_lite.submission.document import from_version_1
from matbench_lite.submission.folder import DOCUMENT, PREDICTIONS, other_files, read_bounded, read_files
from matbench_lite.submission.predictions import FoldPredictions
from matbench_lite.submission.problem import Complain, Problem
from matbench_lite.submission.recorded import RecordedFold
from matbench_lite.submission.schema import MAX_PROBLEMS, FormProblem
from matbench_lite.submission.untrusted import DecodedDocument, decode_document, decode_predictions
from matbench_lite.tasks import BUILT_IN, Benchmark, Task, load_benchmark

_NEEDED = ("benchmark", "files", "tasks", "predictions_sha256", "values_sha256")
"""Keys without which the rest of the folder cannot be judged."""
_MAX_PREDICTIONS = 64_000_000  # bytes, where the benchmark does not tell


@dataclass(frozen=True, kw_only=True)
class Examined:
    """What was found in an entry's folder.

    Args:
        folder: The folder.
        document: `submission.json` as plain data, as of the present version if it is in form; None if it cannot be
            parsed.
        form: In what it differs from the schema; None if there is no document of a known version.
        benchmark: Its benchmark; None if that is not known.
        files: Content of the other files by name, but for those that are too large.
        folds: What is recorded and sound, by task name and fold number.
        whole: Whether everything that the document records is in `folds`, and the document is in form.
        size: Bytes of all files that were read.
    """

    folder: Path
    document: Mapping[str, Any] | None
    form: tuple[FormProblem, ...] | None = None
    benchmark: Benchmark | None = None
    files: Mapping[str, bytes] = field(default_factory=dict)
    folds: Mapping[str, Mapping[int, RecordedFold]] = field(default_factory=dict)
    whole: bool = False
    size: int = 0


def examine(folder: Path, benchmark: Benchmark | None, complain: Complain, *, as_it_is: bool = False) -> Examined:
    """Read all of an entry; complain about everything missing, out of form or changed. Scores are not looked at.

    Args:
        folder: The entry's folder.
        benchmark: Its benchmark; needed only if it is not a built-in one.
        complain: What to do with a problem. If it raises, nothing more is looked at.
        as_it_is: Whether a save that was committed and not finished is left so: what others sent is only read.
    """
    if not as_it_is:
        with suppress(OSError):  # a folder that may only be read: it is as it was
            finish_replacing(folder)
    text = read_bounded(folder / DOCUMENT, MAX_BYTES, complain)
    decoded = DecodedDocument(document=None, form=None) if text is None else decode_document(text, complain)
    document, form = decoded.document, decoded.form
    usable = _usable(decoded)
    bench = None if usable is None else _benchmark(usable, benchmark, complain)
    files = _check_files(folder, None if usable is None else usable["files"], complain)
    content = read_bounded(folder / PREDICTIONS, largest_predictions(bench), complain)
    size = sum(map(len, (text or b"", content or b"", *files.values())))
    folds: dict[str, dict[int, RecordedFold]] = {}
    whole = False
    if bench is not None and usable is not None and content is not None:
        folds, whole = _check_predictions(bench, usable, content, complain)
    return Examined(
        folder=folder,
        document=usable if form == () and usable is not None else document,
        form=form,
        benchmark=bench,
        files=files,
        folds=folds,
        whole=whole and form == (),
        size=size,
    )


def largest_predictions(benchmark: Benchmark | None) -> int:
    """The most bytes that `predictions.parquet` can need."""
    return _MAX_PREDICTIONS if benchmark is None else largest_file(sum(task.rows for task in benchmark))


def _usable(decoded: DecodedDocument) -> Mapping[str, Any] | None:
    """The document as of the present version, if the rest can be judged by it, out of form or not."""
    document, problems = decoded.document, decoded.form
    if document is None or problems is None:
        return None
    concerned = {problem.place[0] for problem in problems if problem.place}
    all_known = len(problems) < MAX_PROBLEMS  # else there may be more, anywhere
    if not all_known or not concerned.isdisjoint(_NEEDED) or not all(key in document for key in _NEEDED):
        return None
    return from_version_1(document) if document["schema_version"] == 1 else document


def _benchmark(document: Mapping[str, Any], given: Benchmark | None, complain: Complain) -> Benchmark | None:
    name = document["benchmark"]
    if given is not None and given.name == name:
        return given
    if given is None and name in BUILT_IN:  # never the path of a file: a stranger wrote it
        return load_benchmark(name)
    known = (
        f"there is no built-in benchmark {name!r}"
        if given is None
        else f"the entry is of {name!r}, not of {given.name!r}"
    )
    fix = f"use one of {', '.join(BUILT_IN)}, or give the TOML file of its benchmark"
    complain(Problem(kind="benchmark", message=known, fix=fix, file=DOCUMENT))
    return None


def _check_files(folder: Path, stated: Mapping[str, str] | None, complain: Complain) -> dict[str, bytes]:
    """The other files, compared with what the document states of them, if anything."""
    present = other_files(folder, complain)
    if stated is not None:
        for name in sorted(set(stated) - set(present)):
            message = f"{name[:100]} is listed in {DOCUMENT} and not there"
            complain(Problem(kind="missing listed", message=message, file=name[:100]))
        for name in sorted(set(present) - set(stated)):
            message = f"there is {name[:100]}, which {DOCUMENT} does not list"
            complain(Problem(kind="not listed", message=message, file=name))
    # The listed ones first: where there are too many files, those are the entry.
    contents = read_files(folder, sorted(present, key=lambda name: (name not in (stated or ()), name)), complain)
    for name, content in contents.items():
        if stated is not None and name in stated and hashlib.sha256(content).hexdigest() != stated[name]:
            message = f"{name[:100]} was changed after the entry was saved"
            complain(Problem(kind="changed file", message=message, file=name))
    return contents


def _check_predictions(
    bench: Benchmark, document: Mapping[str, Any], content: bytes, complain: Complain
) -> tuple[dict[str, dict[int, RecordedFold]], bool]:
    """The folds that are sound, and whether these are all that the document records."""
    tasks = _known_tasks(bench, document["tasks"], complain)
    if hashlib.sha256(content).hexdigest() != document["predictions_sha256"]:
        message = f"{PREDICTIONS} was changed after it was saved"
        complain(Problem(kind="changed predictions", message=message, file=PREDICTIONS))
    types = {name: about["predictions"] for name, about in tasks.items()}
    decoded = decode_predictions(bench, content, types, complain)
    if decoded is None:
        return {}, False
    folds: dict[str, dict[int, RecordedFold]] = {}
    for name, about in tasks.items():
        folds[name] = _check_task(bench[name], about, decoded, complain)
    whole = all(len(folds.get(name, {})) == len(about["folds"]) for name, about in document["tasks"].items())
    if whole and table.values_sha256(bench, decoded.folds) != document["values_sha256"]:
        message = "values_sha256 is not that of the predictions"
        complain(Problem(kind="values digest", message=message, file=DOCUMENT))
    return folds, whole


def _known_tasks(bench: Benchmark, tasks: Mapping[str, Any], complain: Complain) -> dict[str, Any]:
    known: dict[str, Any] = {}
    for name, about in tasks.items():
        if name not in bench:
            message = f"{DOCUMENT} records the task {name!r}, which {bench.name} does not have"
            fix = f"use one of {', '.join(bench.names)}"
            complain(Problem(kind="unknown task", message=message, fix=fix, file=DOCUMENT))
            continue
        known[name] = about
        if about["folds_sha256"] != bench[name].folds_sha256:
            message = f"the predictions for {name} belong to other folds than the registry's"
            complain(Problem(kind="other folds", message=message, file=DOCUMENT, task=name))
        if (about["predictions"] == "value") != (bench[name].kind == "regression"):
            message = f"{name} is a {bench[name].kind} task, its predictions are called {about['predictions']!r}"
            complain(Problem(kind="prediction type", message=message, file=DOCUMENT, task=name))
    return known


def _check_task(task: Task, about: Mapping[str, Any], decoded: Decoded, complain: Complain) -> dict[int, RecordedFold]:
    stated = {fields["fold"]: fields for fields in about["folds"]}
    seen = sorted(fold for name, fold in decoded.seen if name == task.name)
    if sorted(stated) != seen or len(stated) != len(about["folds"]):
        numbers = sorted(fields["fold"] for fields in about["folds"])
        message = f"{task.name}: {DOCUMENT} lists folds {numbers}, {PREDICTIONS} has {seen}"
        complain(Problem(kind="missing fold", message=message, file=DOCUMENT, task=task.name))
    sound = decoded.folds.get(task.name, {})
    for fold in sorted(stated.keys() & sound.keys()):
        if stated[fold]["values_sha256"] != sound[fold].sha256:
            message = f"{task.name} fold {fold}: values_sha256 is not that of its predictions"
            complain(Problem(kind="values digest", message=message, file=DOCUMENT, task=task.name, fold=fold))
    if task.kind == "classification" and (uncertain := [fold for fold in sound if len(sound[fold].arrays) > 1]):
        message = f"{task.name} has std or intervals in folds {uncertain}, which are for regression"
        complain(Problem(kind="uncertainty", message=message, file=PREDICTIONS, task=task.name))
    return {fold: _recorded(stated[fold], sound[fold]) for fold in sorted(stated.keys() & sound.keys())}


def _recorded(fields: Mapping[str, Any], predictions: FoldPredictions) -> RecordedFold:
    return RecordedFold(
        predictions=predictions,
        params=fields["params"],
        seconds=fields["seconds"],
        peak_memory_mb=fields["peak_memory_mb"],
        stated=fields.get("stated"),
    )
