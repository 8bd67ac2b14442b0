"""What `submission.json` says of a submission, and back; and what version 1 of it said, in the words of version 2."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import PurePath
from typing import Any

from matbench_lite.submission.recorded import RecordedFold
from matbench_lite.tasks import Task

CARD = (
    "algorithm", "authors", "description", "references", "requirements", "single_configuration", "external_data",
)  # fmt: skip
"""What the authors say of an entry: arguments of `Submission`."""
BESIDE = ("metadata", "imported")
"""The other arguments of `Submission` that an entry keeps."""
_CODE = (".py", ".ipynb")


def header_document(header: Mapping[str, Any]) -> dict[str, Any]:
    """The constructor's arguments as the file has them: what the authors say is the card."""
    rest = {key: value for key, value in header.items() if key not in CARD}
    return {**rest, "card": {key: header[key] for key in CARD}}


def constructor_arguments(document: Mapping[str, Any]) -> dict[str, Any]:
    """The inverse of `header_document`, but for the benchmark."""
    return {**document["card"], **{key: document[key] for key in BESIDE if key in document}}


def task_document(task: Task, recorded: Mapping[int, RecordedFold]) -> dict[str, Any]:
    """What the file says of one task: per fold params, times and the digest of the predictions; scores follow."""
    return {
        "predictions": next(iter(recorded.values())).predictions.type,
        "folds_sha256": task.folds_sha256,
        "folds": [
            {
                "fold": fold,
                "params": held.params,
                "seconds": held.seconds,
                "peak_memory_mb": held.peak_memory_mb,
                "values_sha256": held.predictions.sha256,
            }
            for fold, held in recorded.items()
        ],
    }


def code_names(document: Mapping[str, Any], files: Iterable[str]) -> list[str]:
    """Which files of an entry are its code: those that were, and Python files and notebooks that are new.

    Args:
        document: What the entry said before; nothing of it need be in form. Version 1 did not name the code.
        files: Names of the files that the entry has now.
    """
    code, listed = document.get("code"), document.get("files")
    known = set(filter(_is_text, code)) if isinstance(code, list) else None
    old = set(listed) if known is not None and isinstance(listed, Mapping) else set()
    return sorted(
        name for name in files if name in (known or ()) or (name not in old and PurePath(name).suffix in _CODE)
    )


def _is_text(value: object) -> bool:
    return isinstance(value, str)


def from_version_1(document: Mapping[str, Any]) -> dict[str, Any]:
    """A document of version 1 as one of version 2; the scores that it states stay, as `stated` of a fold.

    Args:
        document: Its tasks are in form; the rest is taken as it is.
    """
    said = {key: value for key, value in document.items() if key not in CARD and key != "declarations"}
    described = {key: document[key] for key in CARD if key in document}
    tasks = {name: about | {"folds": list(map(_stated, about["folds"]))} for name, about in document["tasks"].items()}
    declared = document.get("declarations")
    card = {**described, **(declared if isinstance(declared, dict) else {})}
    return {**said, "schema_version": 2, "card": card, "tasks": tasks}


def _stated(fold: Mapping[str, Any]) -> dict[str, Any]:
    return {"stated" if key == "scores" else key: value for key, value in fold.items()}
