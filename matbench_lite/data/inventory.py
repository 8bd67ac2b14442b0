"""What is in the store, whether it is still what it was, and its targets as one file for others."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal

from matbench_lite.atomic import replacing
from matbench_lite.data.access import load_formulas, load_inputs, load_targets
from matbench_lite.data.store import PARTS, Holding, Part, holdings
from matbench_lite.data.verification import is_verified
from matbench_lite.errors import DataError, DataMissingError
from matbench_lite.tasks import Benchmark, Task

State = Literal["verified", "unverified", "damaged", "missing"]


@dataclass(frozen=True, kw_only=True)
class PartStatus:
    """One part of one task's data: its state, where it lies, its size, and the name of the file it was made from."""

    task: str
    part: Part
    state: State
    source: str = ""
    path: Path | None = None
    bytes: int = 0


def status(benchmark: Benchmark) -> list[PartStatus]:
    """What is on this machine of every task's targets and inputs."""
    return [_look(task, part, holdings(task).get(part))[0] for task in benchmark for part in PARTS]


def verify(benchmark: Benchmark) -> Iterator[tuple[PartStatus, str | None]]:
    """Read everything in the store again and compare it with its checksums and with the registry.

    Yields:
        Each part that is there, with what is wrong with it or None.
    """
    for task in benchmark:
        for part in PARTS:
            holding = holdings(task).get(part)
            if holding is None:
                continue
            found, problem = _look(task, part, holding)
            if task.table is not None:
                try:
                    _ = task.targets if part == "targets" else task.inputs
                except DataError as error:
                    problem = error.message
            yield found, problem


def _look(task: Task, part: Part, holding: Holding | None) -> tuple[PartStatus, str | None]:
    """A part, and what is wrong with it or None; a user's own table is not read."""
    found = PartStatus(task=task.name, part=part, state="missing")
    if holding is None:
        return found, None
    try:
        found = replace(found, source=holding.source, path=holding.path, bytes=holding.path.stat().st_size)
        return replace(found, state="verified" if is_verified(task, part, holding) else "unverified"), None
    except FileNotFoundError:
        problem = "the file is gone"
    except DataError as error:
        problem = error.message
    except OSError as error:
        problem = f"cannot be read: {error}"
    return replace(found, state="missing" if found.path is None else "damaged"), problem


def export_targets(benchmark: Benchmark, path: Path) -> list[str]:
    """Write the targets of every task that has them here; `mbl data add` reads the file back.

    Args:
        benchmark: The benchmark.
        path: The Parquet file to write.

    Returns:
        Names of the tasks in it.

    Raises:
        DataMissingError: If there are no targets at all.
        DataError: If the file cannot be written.
    """
    import pandas as pd

    present = {(item.task, item.part) for item in status(benchmark) if item.state != "missing"}
    tasks = [task for task in benchmark if (task.name, "targets") in present]
    if not tasks:
        raise DataMissingError(f"no targets of {benchmark.name} are on this machine", fix="run `mbl data fetch` first")
    frames = []
    for task in tasks:
        targets = load_targets(task)
        has_compositions = task.input == "composition" and (task.name, "inputs") in present
        formulas = load_formulas(task)
        compositions = load_inputs(task).tolist() if has_compositions else formulas
        frames.append(
            pd.DataFrame(
                {
                    "task": task.name,
                    "mbid": targets.index,
                    "target": task.target_values.astype(float),
                    "composition": compositions,
                    "spg_num": targets["spacegroup"].to_numpy() if "spacegroup" in targets else None,
                }
            ).astype({"spg_num": "Int16"})
        )
    whole = pd.concat(frames, ignore_index=True).astype({"task": "category"})
    try:
        with replacing(path) as temporary:
            whole.to_parquet(temporary, compression="zstd", index=False)
    except OSError as error:
        raise DataError(f"{path} cannot be written: {error}", fix="choose another place") from error
    return [task.name for task in tasks]
