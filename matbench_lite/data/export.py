"""The targets of a benchmark as one file: what CI of a leaderboard caches, or a group publishes for itself."""

from __future__ import annotations

from pathlib import Path

from matbench_lite.atomic import replacing
from matbench_lite.data.access import load_inputs, load_targets
from matbench_lite.data.inventory import status
from matbench_lite.errors import DataError, DataMissingError
from matbench_lite.tasks import Benchmark


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
        compositions = load_inputs(task) if has_compositions else targets["formula"]
        frames.append(
            pd.DataFrame(
                {
                    "task": task.name,
                    "mbid": targets.index,
                    "target": targets["target"].to_numpy().astype(float),
                    "composition": compositions.to_numpy(),
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
