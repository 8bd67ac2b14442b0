"""What is known of an entry whose code was trained again: a file per entry, which a maintainer commits.

It lies beside the folder of entries, not in it: what an author sends is no word of ours on it. It counts for these
predictions and this code alone, by their digests.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any, Literal, get_args

from matbench_lite.atomic import write_bytes
from matbench_lite.documents import TomlTable, toml_document
from matbench_lite.errors import EntryError, raising
from matbench_lite.submission.entry_document import code_names
from matbench_lite.submission.entry_files import read_document

REPRODUCTIONS = "reproductions"
"""The folder of such files, beside that of the entries."""
Likeness = Literal["equal", "within spread", "not reproduced"]
"""How retrained predictions and recorded ones compare, best first."""
_LIKENESSES = get_args(Likeness)
_MOST_BYTES = 1_000_000
_HEADER = "# Written by `mbl reproduce`: the code of this entry was trained again. It counts for these digests alone.\n"


@dataclass(frozen=True, kw_only=True)
class ReproducedFold:
    """One fold on which the code of an entry was trained again, with the figures that its verdict follows from.

    Scores are of the metric that ranks, in its unit; `spread` is their standard deviation over the entry's folds of the
    task. Differences are absolute, in the unit of the target (of classes: of probabilities or labels): the largest
    between retrained and recorded predictions, their mean, and the mean error of the recorded ones. `nearer` is the
    share of the rows that differ on which the recorded one is nearer to the truth, a half where fewer than 20 do.
    `code_bits` are bits of compressed code for each different prediction of the entry. `seconds` is wall time, s.
    """

    task: str
    fold: int
    date: str
    verdict: Likeness
    identical: bool
    metric: str
    score: float
    recorded_score: float
    spread: float
    largest_difference: float
    mean_difference: float
    mean_error: float
    nearer: float
    code_bits: float
    seed: int
    seconds: float
    versions: tuple[str, ...] = ()

    @property
    def place(self) -> str:
        """Which task and fold, in words."""
        return f"{self.task} fold {self.fold}"


@dataclass(frozen=True, kw_only=True)
class Reproduced:
    """What the record of an entry comes to: the worst verdict, the last date, which folds, of which predictions."""

    verdict: Likeness
    date: str
    folds: str
    values_sha256: str


def code_sha256(document: Mapping[str, Any]) -> str:
    """A digest over the names and digests of an entry's code, as its document lists them."""
    listed = document["files"]
    lines = (f"{name} {listed[name]}\n" for name in code_names(document, listed))
    return hashlib.sha256("".join(lines).encode()).hexdigest()


def keep_reproduction(folder: Path, slug: str, document: Mapping[str, Any], fold: ReproducedFold) -> Path:
    """Add a fold to the record of an entry, and give its file; what was recorded of other digests goes.

    Raises:
        EntryError: If what is there cannot be read, or nothing can be written.
    """
    file = folder / f"{slug}.toml"
    kept = {(each.task, each.fold): each for each in (_read(file, document) if file.exists() else ())}
    kept[fold.task, fold.fold] = fold
    parts = [
        _HEADER,
        _as_toml(_digests(document)),
        *(f"\n[[folds]]\n{_as_toml(vars(kept[at]))}" for at in sorted(kept)),
    ]
    with raising(EntryError, f"{file} cannot be written", fix="choose another folder"):
        folder.mkdir(parents=True, exist_ok=True)
        write_bytes(file, "".join(parts).encode())
    return file


def read_reproductions(entries: Iterable[Path]) -> dict[str, Reproduced]:
    """What is known of some entries, by slug (folder name); records of other predictions or other code do not count.

    Raises:
        EntryError: If a record cannot be read.
    """
    found = {}
    for folder in entries:
        file = folder.resolve().parent.parent / REPRODUCTIONS / f"{folder.name}.toml"
        if not file.is_file():
            continue
        document = read_document(folder)
        if folds := _read(file, document):
            found[folder.name] = Reproduced(
                verdict=max((each.verdict for each in folds), key=_LIKENESSES.index),
                date=max(each.date for each in folds),
                folds=", ".join(each.place for each in folds),
                values_sha256=document["values_sha256"],
            )
    return found


def _digests(document: Mapping[str, Any]) -> dict[str, str]:
    return {"values_sha256": document["values_sha256"], "code_sha256": code_sha256(document)}


def _read(file: Path, document: Mapping[str, Any]) -> list[ReproducedFold]:
    """The folds of a record; none if it is of other predictions or other code."""
    with toml_document(file, EntryError, most_bytes=_MOST_BYTES) as top:
        digests = {name: top.take(name, str) for name in ("values_sha256", "code_sha256")}
        tables = top.take("folds", list)
        folds = [_fold(TomlTable(table, f"folds[{n}].", top.problems)) for n, table in enumerate(tables)]
        top.close()
    return folds if digests == _digests(document) else []


def _fold(table: TomlTable) -> ReproducedFold:
    kinds: dict[str, type[Any]] = {"str": str, "int": int, "float": float, "bool": bool}
    taken = {one.name: table.take(one.name, kinds[one.type]) for one in fields(ReproducedFold) if one.type in kinds}
    taken |= {"verdict": table.choice("verdict", _LIKENESSES), "versions": table.texts("versions")}
    table.close()
    return ReproducedFold(**taken)


def _as_toml(content: Mapping[str, Any]) -> str:
    """Keys and values: of plain texts, numbers and lists, JSON's form is TOML's."""
    return "".join(f"{name} = {json.dumps(value)}\n" for name, value in content.items())
