"""Sealing an entry anew: after its README, its code or its card was edited, and to bring it to the present version."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from os import PathLike
from pathlib import Path
from typing import Any

from matbench_lite.atomic import replace_files
from matbench_lite.errors import EntryError, raising
from matbench_lite.submission import entry_rules as rules
from matbench_lite.submission.entry_document import (
    ABOUT_FILE,
    BESIDE,
    CARD,
    SCHEMA_VERSION,
    code_names,
    parse,
    read_about,
)
from matbench_lite.submission.entry_files import entry_text, sealed
from matbench_lite.submission.entry_rules import DOCUMENT, Finding, refuse
from matbench_lite.submission.examination import Examined, as_entry, examine
from matbench_lite.submission.submission import Submission
from matbench_lite.tasks import Benchmark

_MENDED = (rules.FILE_CHANGED, rules.DIGEST, rules.LISTED_MISSING, rules.NOT_CANONICAL, rules.NOT_LISTED)
"""What sealing is for. Anything else, above all predictions that are not those recorded, is refused."""


def seal(
    folder: str | PathLike[str], *, changes: Mapping[str, Any] | None = None, benchmark: Benchmark | None = None
) -> list[str]:
    """Take the files of an entry's folder as they are now; the predictions must be those that were recorded.

    What `about.toml` says goes into the entry; what it does not say stays as it was. `changes` are what else the entry
    is to say from now on, arguments of `Submission`. An entry of version 1 becomes one of the present version.
    Predictions are never touched, and `submission.json` is replaced in one step. What changed comes back, in words;
    nothing if the entry was sealed already.

    Raises:
        EntryError: If it is no entry, or its predictions are not those that were recorded; it is left as it was.
        ModelError: If `about.toml` has a mistake; it is left as it was.

    Examples:
        >>> import tempfile
        >>> sub = Submission("mini", algorithm="Zero")
        >>> sub.record("mini_gap", 0, [0.0] * 100)
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     entry = sub.save(Path(folder) / "zero")
        ...     _ = (entry / "README.md").write_text("Nothing is nothing.")
        ...     seal(entry, changes={"authors": ["A. Name"]}), seal(entry)
        (['README.md is new', 'authors changed'], [])
    """
    path = Path(folder)
    before = entry_text(path) or b""
    examined = examine(path, benchmark, partial(_refuse_others, folder=path))
    entry = as_entry(examined)
    old = entry.document
    file = path / ABOUT_FILE
    # A quick run is marked in its name and description: the file does not know of it.
    about = read_about(file) if file.is_file() and not old["metadata"].get("quick") else {}
    said = _changed(old, {**about, **(changes or {})})
    new = {**Submission.from_entry(replace(entry, document=said))._document(), "code": code_names(old, examined.files)}
    text = sealed(new, examined.files, predictions_sha256=old["predictions_sha256"], values_sha256=old["values_sha256"])
    if text == before:
        return []
    words = _file_changes(examined)
    words += [f"{key} changed" for key in CARD if old["card"].get(key) != new["card"].get(key)]
    words += [f"{key} changed" for key in BESIDE if old.get(key) != new.get(key)]
    if parse(before, DOCUMENT)["schema_version"] != SCHEMA_VERSION:
        words.append(f"{DOCUMENT} is now of version {SCHEMA_VERSION}: its scores are computed, not stated")
    with raising(EntryError, f"{path} cannot be written", fix="free some space, or check its permissions"):
        replace_files(path, {DOCUMENT: text}, unless_changed={DOCUMENT: before})
    return words or [f"{DOCUMENT} is in its canonical form again"]


def _changed(document: Mapping[str, Any], changes: Mapping[str, Any]) -> dict[str, Any]:
    if unknown := changes.keys() - {*CARD, *BESIDE}:
        raise EntryError(f"an entry has no {min(unknown)!r}", fix=f"use {', '.join((*CARD, *BESIDE))}")
    beside = {key: changes[key] for key in BESIDE if key in changes}
    card = {key: changes[key] for key in CARD if key in changes}
    return {**document, **beside, "card": {**document["card"], **card}}


def _refuse_others(finding: Finding, folder: Path) -> None:
    if finding.code not in [rule.code for rule in _MENDED]:
        refuse(finding, folder)


def _file_changes(examined: Examined) -> list[str]:
    stated = (examined.document or {})["files"]
    found = {name: hashlib.sha256(content).hexdigest() for name, content in examined.files.items()}
    words = {(True, False): "is gone", (False, True): "is new", (True, True): "changed"}
    return [
        f"{name} {words[name in stated, name in found]}"
        for name in sorted({*stated, *found})
        if stated.get(name) != found.get(name)
    ]
