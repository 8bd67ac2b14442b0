"""A checkpoint: every recorded fold on disk at once, so that a run that dies loses nothing.

A folder with `checkpoint.json` (who and what) and one small file per recorded fold, each written atomically.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping
from io import BytesIO
from pathlib import Path
from typing import Any

import numpy as np

from matbench_lite.atomic import write_bytes
from matbench_lite.errors import EntryError
from matbench_lite.submission.entry_document import canonical_bytes, parse
from matbench_lite.submission.fold_predictions import COLUMNS, FoldPredictions, RecordedFold, unsound_values
from matbench_lite.tasks import Benchmark

_HEADER = "checkpoint.json"


class Checkpoint:
    """The folder that a submission keeps its recorded folds in while it runs; made if it is not there."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def exists(self) -> bool:
        """Whether a submission was begun here."""
        return (self.folder / _HEADER).is_file()

    def begin(self, header: Mapping[str, Any]) -> None:
        """Note who and what; the folds follow."""
        self._write(_HEADER, canonical_bytes(header))

    def header(self) -> dict[str, Any]:
        """What `begin` noted; an `EntryError` if there is no checkpoint here, or it cannot be read."""
        path = self.folder / _HEADER
        if not path.is_file():
            raise EntryError(
                f"there is no checkpoint in {self.folder}", fix="start with Submission(…, checkpoint=PATH)"
            )
        return parse(path.read_bytes(), str(path))

    def keep(self, task: str, fold: int, recorded: RecordedFold) -> None:
        """Put one fold on disk; it is safe when this returns."""
        about = json.dumps({"type": recorded.predictions.type, **recorded.facts}).encode()
        arrays: dict[str, Any] = {"about": np.frombuffer(about, dtype=np.uint8), **recorded.predictions.arrays}
        buffer = BytesIO()
        np.savez(buffer, **arrays)
        content = buffer.getvalue()
        self._write(f"{task}.{fold}.npz", hashlib.sha256(content).digest() + content)

    def _write(self, name: str, content: bytes) -> None:
        try:
            write_bytes(self.folder / name, content)
        except OSError as error:
            raise EntryError(
                f"the checkpoint {self.folder / name} cannot be written: {error.strerror}",
                fix="free some space, or choose another folder; what is recorded is still in memory: save it",
            ) from error

    def folds(self, benchmark: Benchmark) -> Iterator[tuple[str, int, RecordedFold]]:
        """Every fold that was kept; an `EntryError` if a file is damaged, with its name."""
        for task in benchmark:
            for fold in task.folds:
                path = self.folder / f"{task.name}.{fold}.npz"
                if path.is_file():
                    yield task.name, fold, _read(path, len(task.test_rows(fold)), len(task.classes))


def _read(path: Path, rows: int, classes: int) -> RecordedFold:
    content = path.read_bytes()
    try:
        if hashlib.sha256(content[32:]).digest() != content[:32]:
            raise ValueError("its checksum is wrong")
        with np.load(BytesIO(content[32:]), allow_pickle=False) as arrays:
            about = json.loads(arrays["about"].tobytes())
            columns = {name: arrays[name] for name in COLUMNS if name in arrays}
        predictions = FoldPredictions(type=about.pop("type"), **columns)
        if wrong := [name for name, array in predictions.arrays.items() if array.shape != (rows,)]:
            raise ValueError(f"{wrong[0]} has {predictions.arrays[wrong[0]].shape} numbers, the fold has {rows} rows")
        if found := unsound_values(predictions, classes):
            raise ValueError(f"it {found[0][1]}")
        return RecordedFold(predictions=predictions, **about)
    except Exception as error:
        raise EntryError(f"{path} is damaged: {error}", fix="delete it; only that fold is trained again") from error
