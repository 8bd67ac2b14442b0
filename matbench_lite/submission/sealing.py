"""Sealing an entry anew after its README, its code or its header was edited: nothing is trained, nothing recorded."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from functools import partial
from os import PathLike
from pathlib import Path
from typing import Any

from matbench_lite.atomic import write_bytes
from matbench_lite.errors import EntryError
from matbench_lite.submission.entry import as_entry, sealed
from matbench_lite.submission.examining import Examined, examine
from matbench_lite.submission.folder import DOCUMENT
from matbench_lite.submission.problem import Problem, ProblemKind, refuse
from matbench_lite.submission.submission import Submission
from matbench_lite.tasks import Benchmark

_MENDED: frozenset[ProblemKind] = frozenset({"changed file", "digest", "missing listed", "not canonical", "not listed"})
"""What sealing is for. Anything else, above all predictions that are not those recorded, is refused."""


def reseal(
    folder: str | PathLike[str], *, header: Mapping[str, Any] | None = None, benchmark: Benchmark | None = None
) -> list[str]:
    """Take the files of an entry's folder as they are now; the predictions must be those that were recorded.

    Scores are computed again where the targets are on this machine. `submission.json` is replaced in one step.

    Args:
        folder: The entry's folder.
        header: What the entry is to say of itself from now on: arguments of `Submission`, e.g. `authors`.
        benchmark: Its benchmark; needed only if it is not a built-in one.

    Returns:
        What changed, in words; nothing if the entry was sealed already.

    Raises:
        EntryError: If it is no entry, or its predictions are not those that were recorded; it is left as it was.

    Examples:
        >>> import tempfile
        >>> sub = Submission("mini", algorithm="Zero")
        >>> sub.record("mini_gap", 0, [0.0] * 100)
        >>> with tempfile.TemporaryDirectory() as home:
        ...     entry = sub.save(Path(home) / "zero")
        ...     _ = (entry / "README.md").write_text("Nothing is nothing.")
        ...     reseal(entry, header={"authors": ["A. Name"]})
        ...     reseal(entry)
        ['README.md is new', 'authors changed']
        []
    """
    path = Path(folder)
    examined = examine(path, benchmark, partial(_refuse_others, folder=path))
    submission = Submission.from_entry(as_entry(examined))
    for name, value in (header or {}).items():
        if not hasattr(submission, name):
            raise EntryError(f"an entry has no {name!r}", fix="use the arguments of Submission")
        setattr(submission, name, value)
    old = examined.document or {}
    new = submission._document()
    text = sealed(new, examined.files, predictions_sha256=old["predictions_sha256"], values_sha256=old["values_sha256"])
    if text == (path / DOCUMENT).read_bytes():
        return []
    changes = [*_file_changes(examined), *_document_changes(old, new)]
    try:
        write_bytes(path / DOCUMENT, text)
    except OSError as error:
        raise EntryError(f"{path} cannot be written: {error.strerror}", fix="see to its permissions") from error
    return changes or [f"{DOCUMENT} is in its canonical form again"]


def _refuse_others(problem: Problem, folder: Path) -> None:
    if problem.kind not in _MENDED:
        refuse(problem, folder)


def _file_changes(examined: Examined) -> list[str]:
    stated = (examined.document or {})["files"]
    found = {name: hashlib.sha256(content).hexdigest() for name, content in examined.files.items()}
    words = {(True, False): "is gone", (False, True): "is new", (True, True): "changed"}
    return [
        f"{name} {words[name in stated, name in found]}"
        for name in sorted({*stated, *found})
        if stated.get(name) != found.get(name)
    ]


def _document_changes(old: Mapping[str, Any], new: Mapping[str, Any]) -> list[str]:
    """The keys of the header, and the scores, that are not what they were."""
    changed = [f"{key} changed" for key in new if key not in ("declarations", "tasks") and old.get(key) != new[key]]
    changed += [f"{key} changed" for key, value in new["declarations"].items() if old["declarations"][key] != value]
    return changed + [
        f"scores of {name} changed" for name, about in new["tasks"].items() if old["tasks"][name] != about
    ]
