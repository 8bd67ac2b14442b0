"""Everything in an entry's folder, looked at once: for the reader, which stops at the first problem, and the checks.

A stranger's `submission.json` and `predictions.parquet` are decoded in the airlock; plain data and arrays come out.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any

from numpy.typing import NDArray

from matbench_lite.airlock import Limits, Reply, inside
from matbench_lite.atomic import finish_replacing
from matbench_lite.errors import AirlockError, EntryError
from matbench_lite.submission import entry_rules as rules
from matbench_lite.submission.entry_document import (
    MAX_BYTES,
    MAX_PROBLEMS,
    FormProblem,
    canonical_bytes,
    digest,
    form_problems,
    from_version_1,
    parse_canonical,
    parse_or_complain,
    version_finding,
)
from matbench_lite.submission.entry_files import other_files, read_bounded, read_files
from matbench_lite.submission.entry_rules import DOCUMENT, PREDICTIONS, READING, Complain, Finding, refuse
from matbench_lite.submission.fold_predictions import COLUMNS, FoldPredictions, RecordedFold
from matbench_lite.submission.predictions_parquet import Decoded, decode, largest_file, values_sha256
from matbench_lite.tasks import BUILT_IN, Benchmark, Task, load_benchmark

_NEEDED = ("benchmark", "files", "tasks", "predictions_sha256", "values_sha256")
"""Keys without which the rest of the folder cannot be judged."""
_MAX_PREDICTIONS = 64_000_000  # bytes, where the benchmark does not tell
_BYTES_PER_SECOND = 4_000_000


@dataclass(frozen=True, kw_only=True)
class Examined:
    """What was found in an entry's folder; the other files but for those that are too large, the folds that are sound.

    Args:
        document: `submission.json` as plain data, as of the present version if it is in form; None if it cannot be
            parsed.
        in_form: Whether it is a document of a known version that differs in nothing from the schema.
        whole: Whether everything that the document records is in `folds`, and the document is in form.
        size: Bytes of all files that were read.
    """

    folder: Path
    document: Mapping[str, Any] | None
    in_form: bool = False
    benchmark: Benchmark | None = None
    files: Mapping[str, bytes] = field(default_factory=dict)
    folds: Mapping[str, Mapping[int, RecordedFold]] = field(default_factory=dict)
    whole: bool = False
    size: int = 0


@dataclass(frozen=True, kw_only=True)
class Entry:
    """What was read from an entry's folder, all of it checked: `submission.json`, and folds by task name and number."""

    benchmark: Benchmark
    document: Mapping[str, Any]
    folds: Mapping[str, Mapping[int, RecordedFold]]


def examine(folder: Path, benchmark: Benchmark | None, complain: Complain, *, as_it_is: bool = False) -> Examined:
    """Read all of an entry; complain about everything missing, malformed or changed. Scores are not looked at.

    The benchmark is needed only if it is not a built-in one. If `complain` raises, nothing more is looked at. A save
    that was committed and not finished is left so, if `as_it_is`: what others sent is only read.
    """
    if not as_it_is:
        finish_replacing(folder)
    text = read_bounded(folder / DOCUMENT, MAX_BYTES, complain)
    document, form = (None, None) if text is None else decode_document(text, complain)
    usable = _usable(document, form)
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
        document=usable if form == [] and usable is not None else document,
        in_form=form == [],
        benchmark=bench,
        files=files,
        folds=folds,
        whole=whole and form == [],
        size=size,
    )


def read_entry(folder: Path, benchmark: Benchmark | None = None) -> Entry:
    """Read an entry and check that it is whole, in form and unchanged; else an EntryError. Scores are not looked at."""
    return as_entry(examine(folder, benchmark, partial(refuse, folder=folder)))


def as_entry(examined: Examined) -> Entry:
    """What was examined, as an entry; all that it records must be sound."""
    if examined.document is None or examined.benchmark is None or not examined.whole:
        raise EntryError(f"{examined.folder} cannot be read as a whole", fix="run `mbl check` on it")
    return Entry(benchmark=examined.benchmark, document=examined.document, folds=examined.folds)


def largest_predictions(benchmark: Benchmark | None) -> int:
    """The most bytes that `predictions.parquet` can need."""
    if benchmark is None:
        return _MAX_PREDICTIONS
    return largest_file(sum(task.tested_rows for task in benchmark), _most_classes(benchmark))


def _most_classes(benchmark: Benchmark) -> int:
    """Columns of probabilities that its predictions can have."""
    return max((len(task.classes) for task in benchmark if task.scored_as == "multiclass"), default=0)


def _usable(document: Mapping[str, Any] | None, problems: list[FormProblem] | None) -> Mapping[str, Any] | None:
    """The document as of the present version, if the rest can be judged by it, malformed or not."""
    if document is None or problems is None:
        return None
    concerned = {problem.place[0] for problem in problems if problem.place}
    all_known = len(problems) < MAX_PROBLEMS  # else there may be more, anywhere
    if not all_known or not concerned.isdisjoint(_NEEDED) or not all(key in document for key in _NEEDED):
        return None
    return from_version_1(document) if document["schema_version"] == 1 else document


def _benchmark(document: Mapping[str, Any], given: Benchmark | None, complain: Complain) -> Benchmark | None:
    name = document["benchmark"]
    known = f"there is no built-in benchmark {name!r}"
    if given is not None:
        if given.name == name:
            return given
        known = f"the entry is of {name!r}, not of {given.name!r}"
    elif name in BUILT_IN:  # never the path of a file: a stranger wrote it
        return load_benchmark(name)
    fix = f"use one of {', '.join(BUILT_IN)}, or give the TOML file of its benchmark"
    complain(rules.UNKNOWN_BENCHMARK.found(known, fix=fix, file=DOCUMENT))
    return None


def _check_files(folder: Path, stated: Mapping[str, str] | None, complain: Complain) -> dict[str, bytes]:
    """The other files, compared with what the document states of them, if anything."""
    present = other_files(folder, complain)
    if stated is not None:
        for name in sorted(set(stated) - set(present)):
            message = f"{name[:100]} is listed in {DOCUMENT} but missing"
            complain(rules.LISTED_MISSING.found(message, file=name[:100]))
        for name in sorted(set(present) - set(stated)):
            message = f"there is {name[:100]}, which {DOCUMENT} does not list"
            complain(rules.NOT_LISTED.found(message, file=name))
    # The listed ones first: where there are too many files, those are the entry.
    contents = read_files(folder, sorted(present, key=lambda name: (name not in (stated or ()), name)), complain)
    for name, content in contents.items():
        if stated is not None and name in stated and hashlib.sha256(content).hexdigest() != stated[name]:
            message = f"{name[:100]} was changed after the entry was saved"
            complain(rules.FILE_CHANGED.found(message, file=name))
    return contents


def _check_predictions(
    bench: Benchmark, document: Mapping[str, Any], content: bytes, complain: Complain
) -> tuple[dict[str, dict[int, RecordedFold]], bool]:
    """The folds that are sound, and whether these are all that the document records."""
    tasks = _known_tasks(bench, document["tasks"], complain)
    if hashlib.sha256(content).hexdigest() != document["predictions_sha256"]:
        message = f"{PREDICTIONS} was changed after it was saved"
        complain(rules.PREDICTIONS_CHANGED.found(message, file=PREDICTIONS))
    types = {name: about["predictions"] for name, about in tasks.items()}
    decoded = decode_predictions(bench, content, types, complain)
    if decoded is None:
        return {}, False
    folds = {name: _check_task(bench[name], about, decoded, complain) for name, about in tasks.items()}
    whole = all(len(folds.get(name, {})) == len(about["folds"]) for name, about in document["tasks"].items())
    if whole and values_sha256(bench, decoded.folds) != document["values_sha256"]:
        message = "values_sha256 is not that of the predictions"
        complain(rules.VALUES_DIGEST.found(message, file=DOCUMENT))
    return folds, whole


def _known_tasks(bench: Benchmark, tasks: Mapping[str, Any], complain: Complain) -> dict[str, Any]:
    known: dict[str, Any] = {}
    for name, about in tasks.items():
        if name not in bench:
            message = f"{DOCUMENT} records the task {name!r}, which {bench.name} does not have"
            fix = f"use one of {', '.join(bench.names)}"
            complain(rules.UNKNOWN_TASK.found(message, fix=fix, file=DOCUMENT))
            continue
        known[name] = about
        if about["folds_sha256"] != bench[name].folds_sha256:
            message = f"the predictions for {name} are for other folds than the registry's"
            complain(rules.OTHER_FOLDS.found(message, file=DOCUMENT, task=name))
        if (about["predictions"] == "value") != (bench[name].kind == "regression"):
            message = f"{name} is a {bench[name].kind} task, its predictions are called {about['predictions']!r}"
            complain(rules.PREDICTION_TYPE.found(message, file=DOCUMENT, task=name))
    return known


def _check_task(task: Task, about: Mapping[str, Any], decoded: Decoded, complain: Complain) -> dict[int, RecordedFold]:
    stated = {fields["fold"]: fields for fields in about["folds"]}
    seen = sorted(fold for name, fold in decoded.seen if name == task.name)
    if sorted(stated) != seen or len(stated) != len(about["folds"]):
        numbers = sorted(fields["fold"] for fields in about["folds"])
        message = f"{task.name}: {DOCUMENT} lists folds {numbers}, {PREDICTIONS} has {seen}"
        complain(rules.MISSING_FOLD.found(message, file=DOCUMENT, task=task.name))
    sound = decoded.folds.get(task.name, {})
    for fold in sorted(stated.keys() & sound.keys()):
        if stated[fold]["values_sha256"] != sound[fold].sha256:
            message = f"{task.name} fold {fold}: values_sha256 is not that of its predictions"
            complain(rules.VALUES_DIGEST.found(message, file=DOCUMENT, task=task.name, fold=fold))
    uncertain = [fold for fold in sound if not sound[fold].arrays.keys().isdisjoint(("std", "lower", "upper"))]
    if task.kind == "classification" and uncertain:
        message = f"{task.name} has std or intervals in folds {uncertain}, which are for regression"
        complain(rules.UNCERTAINTY.found(message, file=PREDICTIONS, task=task.name))
    return {fold: RecordedFold.of(sound[fold], stated[fold]) for fold in sorted(stated.keys() & sound.keys())}


def decode_document(content: bytes, complain: Complain) -> tuple[dict[str, Any] | None, list[FormProblem] | None]:
    """Parse a stranger's `submission.json`, and complain about its form and about changes since it was saved.

    It is plain data, None if it cannot be parsed; with it comes in what it differs from the schema, None if there is no
    document of a known version.
    """
    reply, findings = _inside(document_decoder, None, content, DOCUMENT)
    problems = None if reply is None else reply.content["form"]
    form = None if problems is None else [FormProblem(tuple(place), message) for place, message in problems]
    if form:
        parts = tuple(rules.MALFORMED.found(str(problem), file=DOCUMENT) for problem in form)
        complain(rules.MALFORMED.found(f"{DOCUMENT} does not match its schema:", file=DOCUMENT, parts=parts))
    for finding in findings:
        complain(finding)
    return None if reply is None else reply.content["document"], form


def decode_predictions(
    benchmark: Benchmark, content: bytes, types: Mapping[str, str], complain: Complain
) -> Decoded | None:
    """Read a stranger's `predictions.parquet`; None if it has no rows that belong to tasks and folds."""
    recorded = [task for task in benchmark if task.name in types]
    about = {
        "outline": {task.name: [len(task.test_rows(fold)) for fold in task.folds] for task in recorded},
        "classes": {task.name: len(task.classes) for task in recorded},
        "most_rows": sum(task.tested_rows for task in benchmark),
        "most_classes": _most_classes(benchmark),
        "types": types,
    }
    reply, findings = _inside(predictions_decoder, about, content, PREDICTIONS)
    for finding in findings:
        rows: tuple[str, ...] = ()
        if finding.rows and finding.task is not None and finding.fold is not None:  # by their positions in the fold
            rows = tuple(map(str, benchmark[finding.task].test_ids(finding.fold)[list(map(int, finding.rows))]))
        complain(replace(finding, rows=rows))
    if reply is None or reply.content["seen"] is None:
        return None
    folds: dict[str, dict[int, FoldPredictions]] = {}
    for task, fold in reply.content["folds"]:
        arrays = {name: reply.arrays.get(f"{task}/{fold}/{name}") for name in COLUMNS}
        folds.setdefault(task, {})[fold] = FoldPredictions(type=types[task], **arrays)  # type: ignore[arg-type]
    return Decoded(folds=folds, seen=frozenset((task, fold) for task, fold in reply.content["seen"]))


def document_decoder(_: None, blobs: Sequence[memoryview]) -> tuple[Any, Mapping[str, NDArray[Any]]]:
    """In the airlock: a `submission.json`."""
    content = bytes(blobs[0])
    findings: list[Finding] = []
    document = parse_canonical(content)
    canonical = document is not None
    if document is None:
        document = parse_or_complain(content, DOCUMENT, findings.append)
    form = None
    if document is not None:
        if version := version_finding(document):
            findings.append(version)
        else:
            form = [[problem.place, problem.message] for problem in form_problems(document)]
        changed = f"{DOCUMENT} was changed after it was saved"
        if document.get("digest") != digest(document):
            findings.append(rules.DIGEST.found(changed, file=DOCUMENT))
        if not canonical and canonical_bytes(document) != content:
            findings.append(rules.NOT_CANONICAL.found(f"{changed}: it is not in its canonical form", file=DOCUMENT))
    return {"findings": [finding.as_dict() for finding in findings], "document": document, "form": form}, {}


def predictions_decoder(about: Any, blobs: Sequence[memoryview]) -> tuple[Any, Mapping[str, NDArray[Any]]]:
    """In the airlock: a `predictions.parquet`."""
    findings: list[Finding] = []
    decoded = decode(blobs[0], findings.append, **about)
    content: dict[str, Any] = {"findings": [finding.as_dict() for finding in findings], "seen": None}
    if decoded is None:
        return content, {}
    arrays = {
        f"{task}/{fold}/{name}": array
        for task, folds in decoded.folds.items()
        for fold, predictions in folds.items()
        for name, array in predictions.arrays.items()
    }
    found = [(task, fold) for task, folds in decoded.folds.items() for fold in folds]
    return {**content, "folds": found, "seen": sorted(decoded.seen)}, arrays


def _inside(decoder: Any, about: Any, content: bytes, file: str) -> tuple[Reply | None, list[Finding]]:
    """Run a decoder; what it gives, None if the file was its end, and what it found."""
    limits = Limits(seconds=2 + len(content) / _BYTES_PER_SECOND, megabytes=400 + 20 * len(content) // 1_000_000)
    try:
        reply = inside(decoder, about, content, limits=limits)
        return reply, [_found(fields) for fields in reply.content["findings"]]
    except AirlockError as error:
        return None, [rules.DEADLY.found(f"{file} cannot be read: {error.message}", file=file)]


def _found(fields: Mapping[str, Any]) -> Finding:
    """A finding that came out of the airlock: how bad it is, its rule says."""
    if fields["code"] not in READING:
        raise AirlockError(f"it gives what no file can give: a finding of {fields['code']!r}")
    place = {name: fields[name] for name in ("file", "task", "fold", "row_count") if name in fields}
    rows = tuple(map(str, fields.get("rows", ())))
    return READING[fields["code"]].found(fields["message"], fix=fields["fix"], rows=rows, **place)
