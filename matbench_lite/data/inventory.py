"""What is in the store, and whether it is still what it was."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from matbench_lite.data.store import PARTS, Holding, Part, holdings
from matbench_lite.data.verification import is_verified
from matbench_lite.errors import DataError
from matbench_lite.tasks import Benchmark, Task

State = Literal["verified", "unverified", "damaged", "missing"]


@dataclass(frozen=True, kw_only=True)
class PartStatus:
    """One part of one task's data.

    Args:
        task: Name of the task.
        part: Targets or inputs.
        state: Whether it is there, whole, and proven to be the published data.
        source: Name of the file it was made from.
        path: Where it lies.
        bytes: Its size.
    """

    task: str
    part: Part
    state: State
    source: str = ""
    path: Path | None = None
    bytes: int = 0


def status(benchmark: Benchmark) -> list[PartStatus]:
    """What is on this machine of every task's targets and inputs."""
    return [_status(task, part, holdings(task).get(part)) for task in benchmark for part in PARTS]


def verify(benchmark: Benchmark) -> Iterator[tuple[PartStatus, str | None]]:
    """Read everything in the store again and compare it with its checksums and with the registry.

    Yields:
        Each part that is there, with what is wrong with it or None.
    """
    for task in benchmark:
        for part in PARTS:
            held = holdings(task).get(part)
            if held is not None:
                yield _status(task, part, held), _problem(task, part, held)


def _status(task: Task, part: Part, held: Holding | None) -> PartStatus:
    size = None if held is None else _size(held.path)
    if held is None or size is None:
        return PartStatus(task=task.name, part=part, state="missing")
    state: State
    try:
        state = "verified" if is_verified(task, part, held) else "unverified"
    except (DataError, OSError):
        state = "damaged"
    return PartStatus(task=task.name, part=part, state=state, source=held.source, path=held.path, bytes=size)


def _size(path: Path) -> int | None:
    try:
        return path.stat().st_size
    except FileNotFoundError:
        return None


def _problem(task: Task, part: Part, held: Holding) -> str | None:
    try:
        if task.table is not None:
            _ = task.targets if part == "targets" else task.inputs
        else:
            is_verified(task, part, held)
    except FileNotFoundError:
        return "the file is gone"
    except DataError as error:
        return error.message
    except OSError as error:
        return f"cannot be read: {error}"
    return None
