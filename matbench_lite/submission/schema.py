"""The form of `submission.json`: its JSON Schema, and its version."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import islice
from pathlib import Path
from typing import Any

from matbench_lite.submission.folder import DOCUMENT
from matbench_lite.submission.problem import Problem

SCHEMA_VERSION = 2
SCHEMA_FILE = Path(__file__).parent / "submission.schema.json"
_SCHEMAS = {1: Path(__file__).parent / "submission-1.schema.json", 2: SCHEMA_FILE}
_FREE = ("metadata", "provenance", "imported")
_MAX_VALUES = 20_000
MAX_PROBLEMS = 100
_MAX_SHOWN = 20
_MAX_MESSAGE = 300


@dataclass(frozen=True)
class FormProblem:
    """One difference from the schema.

    Args:
        place: The keys and positions that lead to it; empty for the document as a whole.
        message: What is wrong.
    """

    place: tuple[str | int, ...]
    message: str

    def __str__(self) -> str:
        return f"{'/'.join(map(str, self.place)) or 'submission.json'}: {self.message}"


def version_problem(document: Mapping[str, Any]) -> Problem | None:
    """What is wrong with the version of a document."""
    version = document.get("schema_version")
    if type(version) is int and version in _SCHEMAS:
        return None
    return Problem(
        kind="schema version",
        message=f"submission.json has schema_version {str(version)[:60]}, this matbench_lite reads "
        f"{' and '.join(map(str, _SCHEMAS))}",
        fix="upgrade matbench_lite, or save the entry again",
        file=DOCUMENT,
    )


def form_problems(document: Mapping[str, Any], *, partly: bool = False) -> list[FormProblem]:
    """Everything in which a document differs from the schema, each with its place; the first of very many.

    Args:
        document: `submission.json`.
        partly: Whether keys may be missing: for a submission that is not finished.
    """
    outline = _outline(document)
    if _too_many(outline):
        return [FormProblem(("tasks",), f"more than {_MAX_VALUES:,} values in it, params and metadata aside")]
    return [
        FormProblem(tuple(step[:100] if isinstance(step, str) else step for step in error.instance_path), _said(error))
        for error in islice(_validator(_version(document), partly).iter_errors(outline), MAX_PROBLEMS)
    ]


def _outline(document: Mapping[str, Any]) -> dict[str, Any]:
    """The document without what the schema says nothing of but that it is an object: validating it takes gigabytes."""
    outline = {key: {} if key in _FREE and isinstance(value, dict) else value for key, value in document.items()}
    if isinstance(outline.get("tasks"), dict):
        outline["tasks"] = {name: _task_outline(about) for name, about in outline["tasks"].items()}
    return outline


def _task_outline(about: Any) -> Any:
    if not isinstance(about, dict) or not isinstance(about.get("folds"), list):
        return about
    folds = [
        fold | {"params": {}} if isinstance(fold, dict) and isinstance(fold.get("params"), dict) else fold
        for fold in about["folds"]
    ]
    return about | {"folds": folds}


def _too_many(document: dict[str, Any]) -> bool:
    """Whether there are more values than the validator should be given; level by level, no deeper than needed."""
    level: list[Any] = [document]
    count = 0
    while level:
        inner = (item.values() if isinstance(item, dict) else item for item in level)
        values = [value for values in inner for value in values]
        count += len(values)
        if count > _MAX_VALUES:
            return True
        level = [value for value in values if isinstance(value, dict | list)]
    return False


def as_lines(problems: Sequence[FormProblem]) -> str:
    """Problems as lines of a message."""
    shown = [str(problem) for problem in problems[:_MAX_SHOWN]]
    return "".join(f"\n  {line}" for line in (*shown, *(["… and more"] if len(problems) > _MAX_SHOWN else [])))


def _said(error: Any) -> str:
    message: str = error.message
    return message if len(message) <= _MAX_MESSAGE else f"{message[:_MAX_MESSAGE]}…"


def _version(document: Mapping[str, Any]) -> int:
    version = document.get("schema_version")
    return version if version in _SCHEMAS else SCHEMA_VERSION


@cache
def _validator(version: int, partly: bool) -> Any:
    import jsonschema_rs

    schema = json.loads(_SCHEMAS[version].read_text(encoding="utf-8"))
    if partly:
        del schema["required"]
    return jsonschema_rs.validator_for(schema)
