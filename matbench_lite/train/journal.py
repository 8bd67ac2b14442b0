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
import json
import secrets
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from filelock import FileLock, Timeout

from matbench_lite.atomic import LOCK_SECONDS, add_lines, whole_lines, write_bytes
from matbench_lite.documents import plain
from matbench_lite.errors import MachineError, RunError, raising
from matbench_lite.train.bagging import from_npz, to_npz
from matbench_lite.train.jobs import Job, Outcome, PieceRecord

HEADER, LOCK = "header.json", "lock"


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


class Journal:
    r"""What was done in a folder.

    Of pieces that take less than `keep_every` seconds, several are written at once: what a kill may lose.

    Examples:
        >>> import tempfile
        >>> from matbench_lite import load_benchmark
        >>> from matbench_lite.train import Folds, Job, load_model
        >>> job = Job(model=load_model("dummy"), protocol=Folds(task=load_benchmark("mini")["mini_gap"]), piece=0)
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     journal = Journal(Path(folder))
        ...     before, missing = journal.known([job])
        ...     journal.keep(job, job.work())
        ...     [(_, after)], _ = Journal(Path(folder)).known([job])
        >>> len(before), len(missing), len(after.predictions["test"].rows)
        (0, 1, 100)
    """

    def __init__(self, folder: Path, *, keep_every: float = 0.0) -> None:
        self.folder = folder
        self._keep_every = keep_every
        self._waiting: list[bytes] = []
        self._written = time.monotonic()
        self._file = folder / f"{secrets.token_hex(6)}.jsonl"

    @contextmanager
    def locked(self) -> Iterator[None]:
        """Keep a second program out; the lock of one that was killed is free."""
        with self._writing():
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
        with raising(RunError, f"{path} is damaged", fix="begin again with --fresh", on=(OSError, ValueError)):
            document = json.loads(path.read_bytes())
            if not isinstance(document, dict):
                raise ValueError("it is no object")
        return document

    def begin(self, header: Mapping[str, Any]) -> None:
        """Say what is run here."""
        with self._writing():
            write_bytes(self.folder / HEADER, json.dumps(plain(header), indent=2, ensure_ascii=False).encode() + b"\n")

    def forget(self) -> None:
        """Remove all that is kept; the header first: what is left then belongs to nothing."""
        with self._writing():
            for path in (self.folder / HEADER, *self.folder.glob("*.jsonl")):
                path.unlink(missing_ok=True)

    def read(self) -> list[Kept]:
        """Every piece that was done or has failed, in the order of task and piece."""
        found: dict[tuple[str, int], Kept] = {}
        for path in sorted(self.folder.glob("*.jsonl"), key=lambda path: (path.stat().st_mtime_ns, path.name)):
            for line in whole_lines(path):
                kept = _parsed(line)
                if kept is None:
                    continue
                before = found.get((kept.mark, kept.piece))
                # A piece that was done stays so, whoever else has failed with it.
                if before is None or before.outcome.record.error or not kept.outcome.record.error:
                    found[kept.mark, kept.piece] = kept
        return sorted(found.values(), key=lambda kept: (kept.model, kept.task, kept.piece))

    def known(self, jobs: Sequence[Job]) -> tuple[list[tuple[Job, Outcome]], list[Job]]:
        """The jobs that were done, with what became of them, and those that were not or have failed."""
        found = {(kept.mark, kept.piece): kept.outcome for kept in self.read() if kept.outcome.record.error is None}
        keyed = [(job, found.get((job.mark, job.piece))) for job in jobs]
        done = [(job, outcome) for job, outcome in keyed if outcome is not None]
        return done, [job for job, outcome in keyed if outcome is None]

    def keep(self, job: Job, outcome: Outcome) -> None:
        """Put what became of a job on disk: at once, or with the next ones that come within `keep_every`."""
        self._waiting.append(_line(job, outcome))
        if time.monotonic() - self._written >= self._keep_every:
            self.flush()

    def flush(self) -> None:
        """Have all that was kept on disk."""
        if not self._waiting:
            return
        with self._writing():
            add_lines(self._file, self._waiting)
        self._waiting = []
        self._written = time.monotonic()

    def _writing(self) -> AbstractContextManager[None]:
        """What the disk refuses, as an error of ours: no fault of what is run."""
        fix = "free some space, or choose another --output"
        return raising(MachineError, f"{self.folder} cannot be written", fix=fix)


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
    return json.dumps(document, separators=(",", ":")).encode()


def _parsed(line: bytes) -> Kept | None:
    """What a line says; None if it is of another version."""
    try:
        document = json.loads(line)
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
    """Appends to the log of an output folder."""

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
