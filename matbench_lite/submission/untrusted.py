"""A stranger's `submission.json` and `predictions.parquet`: decoded in the airlock, plain data and arrays outside."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any, get_args

from matbench_lite.airlock import Limits, Reply, inside
from matbench_lite.errors import AirlockError
from matbench_lite.submission.canonical import canonical_bytes, digest, parse_canonical, parse_or_complain
from matbench_lite.submission.decoding import Decoded, decode
from matbench_lite.submission.folder import DOCUMENT, PREDICTIONS
from matbench_lite.submission.predictions import COLUMNS, FoldPredictions
from matbench_lite.submission.problem import Complain, Problem, ProblemKind
from matbench_lite.submission.schema import FormProblem, as_lines, form_problems, version_problem

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from matbench_lite.tasks import Benchmark

_BYTES_PER_SECOND = 4_000_000
_FIX = "save the entry again, or restore the file"


@dataclass(frozen=True, kw_only=True)
class DecodedDocument:
    """What is in a `submission.json`.

    Args:
        document: As plain data; None if it cannot be parsed.
        form: In what it differs from the schema; None if there is no document of a known version.
    """

    document: dict[str, Any] | None
    form: tuple[FormProblem, ...] | None


def decode_document(content: bytes, complain: Complain) -> DecodedDocument:
    """Parse a stranger's `submission.json`, and complain about its form and about changes since it was saved."""
    reply = _inside(document_decoder, None, content, DOCUMENT, complain)
    if reply is None:
        return DecodedDocument(document=None, form=None)
    form = reply.content["form"]
    return DecodedDocument(
        document=reply.content["document"],
        form=None if form is None else tuple(FormProblem(tuple(place), message) for place, message in form),
    )


def decode_predictions(
    benchmark: Benchmark, content: bytes, types: Mapping[str, str], complain: Complain
) -> Decoded | None:
    """Read a stranger's `predictions.parquet`; None if it has no rows that belong to tasks and folds.

    Args:
        benchmark: The benchmark of the entry.
        content: The bytes of the file.
        types: Per recorded task, what its predictions are.
        complain: What to do with a problem.
    """
    recorded = [task for task in benchmark if task.name in types]
    about = {
        "outline": [[task.name, [len(task.test_rows(fold)) for fold in task.folds]] for task in recorded],
        "most_rows": sum(task.rows for task in benchmark),
        "types": types,
    }
    reply = _inside(predictions_decoder, about, content, PREDICTIONS, complain)
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
    problems: list[Problem] = []
    document = parse_canonical(content)
    canonical = document is not None
    if document is None:
        document = parse_or_complain(content, DOCUMENT, problems.append)
    form = None
    if document is not None:
        if problem := version_problem(document):
            problems.append(problem)
        else:
            form = form_problems(document)
            if form:
                message = f"{DOCUMENT} is out of form:{as_lines(form)}"
                problems.append(Problem(kind="out of form", message=message, file=DOCUMENT))
        changed = f"{DOCUMENT} was changed after it was saved"
        if document.get("digest") != digest(document):
            problems.append(Problem(kind="digest", message=changed, file=DOCUMENT))
        if not canonical and canonical_bytes(document) != content:
            message = f"{changed}: it is not in its canonical form"
            problems.append(Problem(kind="not canonical", message=message, file=DOCUMENT))
    told = None if form is None else [[problem.place, problem.message] for problem in form]
    return {"problems": list(map(asdict, problems)), "document": document, "form": told}, {}


def predictions_decoder(about: Any, blobs: Sequence[memoryview]) -> tuple[Any, Mapping[str, NDArray[Any]]]:
    """In the airlock: a `predictions.parquet`."""
    problems: list[Problem] = []
    decoded = decode(dict(about["outline"]), blobs[0], about["types"], problems.append, most_rows=about["most_rows"])
    content: dict[str, Any] = {"problems": list(map(asdict, problems)), "seen": None}
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


def _inside(decoder: Any, about: Any, content: bytes, file: str, complain: Complain) -> Reply | None:
    """Run a decoder, and pass on its complaints; None if the file was its end."""
    limits = Limits(seconds=2 + len(content) / _BYTES_PER_SECOND, megabytes=400 + 20 * len(content) // 1_000_000)
    try:
        reply = inside(decoder, about, content, limits=limits)
        problems = [_problem(fields) for fields in reply.content["problems"]]
    except AirlockError as error:
        message = f"{file} cannot be read: {error.message}"
        complain(Problem(kind="deadly", message=message, fix=_FIX, file=file))
        return None
    for problem in problems:
        complain(problem)
    return reply


def _problem(fields: Mapping[str, Any]) -> Problem:
    if fields["kind"] not in get_args(ProblemKind):
        raise AirlockError(f"it gives what no file can give: the problem {fields['kind']!r}")
    return Problem(**{**fields, "rows": tuple(fields["rows"])})
