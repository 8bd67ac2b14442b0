"""The journal of a run: every piece that is done, on disk when it is done, so that a run that is killed goes on.

```
<folder>/header.json       what is run, where a folder holds one run
<folder>/<token>.jsonl     one line per piece, of one program; several programs write side by side
<folder>/lock              held by the program that has the folder for itself
```

A line is the digest of its text, a space, and JSON: what the outcome follows from (`mark`), which piece it is, and the
outcome. A line that was cut off or damaged is a piece that is not done.
"""

from __future__ import annotations

import base64
import hashlib
import json
import os
import secrets
import time
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from filelock import FileLock, Timeout

from matbench_lite.atomic import LOCK_SECONDS, flush, write_bytes
from matbench_lite.documents import plain
from matbench_lite.errors import MachineError, RunError
from matbench_lite.train.bagging import from_npz, to_npz
from matbench_lite.train.jobs import Job, Outcome, PieceRecord

HEADER, LOCK = "header.json", "lock"
_DIGITS = 16


@dataclass(frozen=True, kw_only=True)
class Kept:
    """One line: what was done, in the names and numbers of its `Job`, and what became of it."""

    mark: str
    model: str
    protocol: str
    task: str
    piece: int
    label: str
    outcome: Outcome

    @property
    def key(self) -> tuple[str, int]:
        """Which piece of what: a later line of the same key replaces an earlier one."""
        return self.mark, self.piece


class Journal:
    r"""What was done in a folder.

    Args:
        folder: The folder; made when something is to be kept.
        keep_every: Seconds between two writes, for pieces that take less: what a kill may lose.

    Examples:
        >>> import tempfile
        >>> from matbench_lite import load_benchmark
        >>> from matbench_lite.train import Folds, Job, load_model
        >>> job = Job(model=load_model("dummy"), protocol=Folds(task=load_benchmark("mini")["mini_gap"]), piece=0)
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     journal = Journal(Path(folder))
        ...     before = journal.known([job])
        ...     journal.keep(job, job.work())
        ...     after = Journal(Path(folder)).known([job])
        >>> len(before), len(after[job.mark, 0].predictions["test"].rows)
        (0, 100)
    """

    def __init__(self, folder: Path, *, keep_every: float = 0.0) -> None:
        self.folder = folder
        self._keep_every = keep_every
        self._waiting: list[bytes] = []
        self._torn = False
        self._written = time.monotonic()
        self._file = folder / f"{secrets.token_hex(6)}.jsonl"

    @contextmanager
    def locked(self) -> Iterator[None]:
        """Keep a second program out; the lock of one that was killed is free."""
        with self.writing():
            self.folder.mkdir(parents=True, exist_ok=True)
            try:
                lock = FileLock(self.folder / LOCK, timeout=LOCK_SECONDS).acquire()
            except Timeout:
                raise RunError(
                    f"a run is going on in {self.folder}", fix="wait for it, or choose another --output"
                ) from None
        with lock:
            yield

    def header(self) -> dict[str, Any] | None:
        """What is run here; None if nothing is."""
        path = self.folder / HEADER
        if not path.is_file():
            return None
        try:
            document = json.loads(path.read_bytes())
            if not isinstance(document, dict):
                raise ValueError("it is no object")
        except (OSError, ValueError) as error:
            raise RunError(f"{path} is damaged: {error}", fix="begin again with --fresh") from error
        return document

    def begin(self, header: Mapping[str, Any]) -> None:
        """Say what is run here."""
        with self.writing():
            write_bytes(self.folder / HEADER, json.dumps(plain(header), indent=2, ensure_ascii=False).encode() + b"\n")

    def forget(self) -> None:
        """Remove all that is kept; the header first: what is left then belongs to nothing."""
        with self.writing():
            for path in (self.folder / HEADER, *self.folder.glob("*.jsonl")):
                path.unlink(missing_ok=True)

    def read(self) -> list[Kept]:
        """Every piece that was done or has failed, in the order of task and piece."""
        found: dict[tuple[str, int], Kept] = {}
        for path in sorted(self.folder.glob("*.jsonl"), key=lambda path: (path.stat().st_mtime_ns, path.name)):
            for line in path.read_bytes().split(b"\n"):
                kept = _parsed(line)
                if kept is None:
                    continue
                before = found.get(kept.key)
                # A piece that was done stays so, whoever else has failed with it.
                if before is None or before.outcome.record.error or not kept.outcome.record.error:
                    found[kept.key] = kept
        return sorted(found.values(), key=lambda kept: (kept.model, kept.task, kept.piece))

    def known(self, jobs: Iterable[Job]) -> dict[tuple[str, int], Outcome]:
        """What was done of some jobs, by mark and piece; without what has failed."""
        wanted = {(job.mark, job.piece) for job in jobs}
        return {
            kept.key: kept.outcome for kept in self.read() if kept.key in wanted and kept.outcome.record.error is None
        }

    def keep(self, job: Job, outcome: Outcome) -> None:
        """Put what became of a job on disk: at once, or with the next ones that come within `keep_every`."""
        self._waiting.append(_line(job, outcome))
        if time.monotonic() - self._written >= self._keep_every:
            self.flush()

    def flush(self) -> None:
        """Have all that was kept on disk."""
        if not self._waiting:
            return
        with self.writing():
            self.folder.mkdir(parents=True, exist_ok=True)
            is_new = not self._file.exists()
            # A line that could not be finished must not swallow the next one.
            lines, self._torn = (b"\n" if self._torn else b"") + b"".join(self._waiting), True
            with self._file.open("ab") as stream:
                stream.write(lines)
                stream.flush()
                os.fsync(stream.fileno())
            self._torn = False
            if is_new:
                flush(self.folder)
        self._waiting = []
        self._written = time.monotonic()

    @contextmanager
    def writing(self) -> Iterator[None]:
        """What the disk refuses, as an error of ours: no fault of what is run."""
        try:
            yield
        except OSError as error:
            raise MachineError(
                f"{self.folder} cannot be written: {error.strerror}", fix="free some space, or choose another --output"
            ) from error


def _line(job: Job, outcome: Outcome) -> bytes:
    usual = vars(PieceRecord())
    record = {name: value for name, value in vars(outcome.record).items() if value != usual[name]}
    document: dict[str, Any] = {
        "mark": job.mark,
        "model": job.model.name,
        "protocol": job.protocol.name,
        "task": job.protocol.task_name,
    }
    document |= {"piece": job.piece, "label": job.protocol.label(job.piece), "record": plain(record)}
    if outcome.predictions:
        document["predictions"] = base64.b64encode(to_npz(outcome.predictions)).decode()
    if outcome.answers:
        document["answers"] = outcome.answers
    text = json.dumps(document, separators=(",", ":")).encode()
    return hashlib.sha256(text).hexdigest()[:_DIGITS].encode() + b" " + text + b"\n"


def _parsed(line: bytes) -> Kept | None:
    """What a line says; None if it was cut off or damaged, or is of another version."""
    digest, _, text = line.partition(b" ")
    if hashlib.sha256(text).hexdigest()[:_DIGITS].encode() != digest:
        return None
    try:
        document = json.loads(text)
        predictions = document.pop("predictions", None)
        outcome = Outcome(
            predictions={} if predictions is None else from_npz(base64.b64decode(predictions)),
            answers=document.pop("answers", ()),
            record=PieceRecord(**document.pop("record")),
        )
        return Kept(outcome=outcome, **document)
    except (ValueError, KeyError, TypeError):
        return None


LOG_FILE = Path(".run") / "log.txt"
"""What was done when, what models printed, every traceback; a run that goes on adds to it."""


class Log:
    r"""Appends to the log of an output folder.

    Examples:
        >>> import tempfile
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     Log(Path(folder)).note("begun")
        ...     (Path(folder) / LOG_FILE).read_text().endswith("begun\n")
        True
    """

    def __init__(self, output: Path) -> None:
        self.path = output / LOG_FILE
        self.path.parent.mkdir(parents=True, exist_ok=True)

    def note(self, text: str) -> None:
        """Add a line, with the time in UTC."""
        now = datetime.now(UTC).isoformat(sep=" ", timespec="seconds")
        with self.path.open("a", encoding="utf-8") as stream:
            stream.write(f"{now} {text}\n")

    def note_outcome(self, outcome: Outcome, summary: str) -> None:
        """Add what became of a piece, with the traceback and what the model printed."""
        parts = [summary]
        for title, text in (("traceback", outcome.record.traceback or ""), ("printed", outcome.record.printed)):
            if text.strip():
                parts += [f"  {title}:", *(f"    {line}" for line in text.strip().splitlines())]
        self.note("\n".join(parts))
