"""Who has looked at the official test part: a note in the folder, and in every entry made there afterwards."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path

from matbench_lite.atomic import write_bytes
from matbench_lite.errors import RunError
from matbench_lite.tasks import Task

_NOTES = Path(".run") / "official-test"


@dataclass(frozen=True, kw_only=True)
class OfficialTestUse:
    """One fold of a task whose official test part was looked at while a model was being made.

    Args:
        benchmark: Name of the benchmark.
        task: Name of the task.
        fold: The fold.
        first: When it was first looked at, in UTC.
        last: When it was last looked at.
        times: How often.
    """

    benchmark: str
    task: str
    fold: int
    first: str
    last: str
    times: int


def note_official_test(folder: Path, task: Task, fold: int) -> OfficialTestUse:
    """Note that the official test part of a fold is shown to whoever makes the model in `folder`.

    Raises:
        RunError: If the note cannot be written: then nothing may be shown.

    Examples:
        >>> import tempfile
        >>> from matbench_lite import load_benchmark
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     _ = note_official_test(Path(folder), load_benchmark("mini")["mini_gap"], 0)
        ...     uses = official_test_uses(Path(folder))
        >>> [(use.task, use.fold, use.times) for use in uses]
        [('mini_gap', 0, 1)]
    """
    # One file per fold, so that two programs at work in one folder cannot lose each other's notes.
    path = folder / _NOTES / f"{task.benchmark}.{task.name}.{fold}.json"
    now = datetime.now(UTC).isoformat(timespec="seconds")
    before = _read(path) if path.is_file() else None
    use = OfficialTestUse(
        benchmark=task.benchmark,
        task=task.name,
        fold=fold,
        first=before.first if before else now,
        last=now,
        times=1 + (before.times if before else 0),
    )
    try:
        write_bytes(path, json.dumps(asdict(use), indent=2).encode() + b"\n")
    except OSError as error:
        raise RunError(f"{path} cannot be written: {error.strerror}", fix="choose another output folder") from error
    return use


def official_test_uses(folder: Path) -> tuple[OfficialTestUse, ...]:
    """What was noted in a folder, by benchmark, task and fold; empty where nobody looked.

    Raises:
        RunError: If a note is damaged.

    Examples:
        >>> official_test_uses(Path("nowhere"))
        ()
    """
    uses = [_read(path) for path in (folder / _NOTES).glob("*.json")]
    return tuple(sorted(uses, key=lambda use: (use.benchmark, use.task, use.fold)))


def _read(path: Path) -> OfficialTestUse:
    try:
        return OfficialTestUse(**json.loads(path.read_bytes()))
    except (OSError, ValueError, TypeError) as error:
        raise RunError(
            f"the note {path} about the official test part cannot be read: {error}", fix="restore it, or delete it"
        ) from error
