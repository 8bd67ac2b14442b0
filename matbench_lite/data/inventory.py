"""What is in the store, and whether it is still what it was."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from matbench_lite.data.store import PARTS, Holding, Part, file_sha256, holdings
from matbench_lite.errors import DataError
from matbench_lite.tasks import Benchmark, Task, inputs_digest, targets_digest

State = Literal["verified", "unverified", "missing"]


@dataclass(frozen=True, kw_only=True)
class PartStatus:
    """One part of one task's data.

    Args:
        task: Name of the task.
        part: Targets or inputs.
        state: Whether it is there, and proven to be the published data.
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
    state: State = "verified" if held.verified else "unverified"
    return PartStatus(task=task.name, part=part, state=state, source=held.source, path=held.path, bytes=size)


def _size(path: Path) -> int | None:
    try:
        return path.stat().st_size
    except FileNotFoundError:
        return None


def _problem(task: Task, part: Part, held: Holding) -> str | None:
    if not held.path.is_file():
        return "the file is gone"
    if held.sha256 and file_sha256(held.path) != held.sha256:
        return "the file was changed: its sha256 is not the one noted when it was added"
    try:
        return _content_problem(task, part, held)
    except (DataError, ValueError, OSError) as error:
        return f"cannot be read: {error}"


def _content_problem(task: Task, part: Part, held: Holding) -> str | None:
    """Whether verified data really is what the registry says."""
    if not held.verified:
        return None
    if part == "targets":
        return (
            None if targets_digest(task.ids, task.target_values) == task.targets_sha256 else "not the published targets"
        )
    inputs = task.inputs
    if task.input == "composition":
        return None if inputs_digest(task.ids, inputs) == task.inputs_sha256 else "not the published compositions"
    from matbench_lite.data.formulas import reduced_formulas
    from matbench_lite.data.structures import read_structures

    if task.table is not None:
        return None
    same = reduced_formulas(read_structures(held.path)) == task.targets["formula"].tolist()
    return None if same else "the formulas of the structures are not those of the targets"
