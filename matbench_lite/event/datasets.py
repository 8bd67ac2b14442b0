"""The datasets of an event on disk: a benchmark file, its rows, and inputs that come without targets."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from matbench_lite.atomic import write_bytes
from matbench_lite.errors import EventError
from matbench_lite.event.settings import BENCHMARK_FILE
from matbench_lite.filling import fill

if TYPE_CHECKING:
    import pandas as pd
    from numpy.typing import NDArray

    from matbench_lite.event.source import Source
    from matbench_lite.tasks import Input, Task

INPUT_COLUMNS: Mapping[Input, str] = {"composition": "formula", "structure": "structure"}
TEMPLATES = Path(__file__).parent / "templates"
_NO_TARGETS = "private_inputs"


def write_dataset(
    folder: Path,
    source: Source,
    *,
    benchmark: str,
    title: str,
    name: str,
    train: NDArray[np.intp],
    test: NDArray[np.intp],
) -> None:
    """Write rows with their targets and parts, and the benchmark file that speaks of them.

    Args:
        folder: Gets `benchmark.toml` and `data/<name>`.
        source: The rows.
        benchmark: Name of the benchmark.
        title: Its name for people.
        name: Name of the data file without its ending.
        train: Positions of the rows to train on.
        test: Positions of the rows to test on.
    """
    task = source.task
    rows = np.concatenate([train, test])
    frame = source.frame.iloc[rows].rename(columns={"input": INPUT_COLUMNS[task.input]})
    frame = frame.assign(part=np.repeat(["train", "test"], [len(train), len(test)]))
    data = f"data/{_file_name(name, task.input)}"
    _write(folder / data, frame)
    values = {"benchmark": benchmark, "title": title, "task": task, "data": data, "column": INPUT_COLUMNS[task.input]}
    write_bytes(folder / BENCHMARK_FILE, fill(TEMPLATES / f"{BENCHMARK_FILE}.j2", values).encode())


def write_inputs(folder: Path, source: Source, rows: NDArray[np.intp]) -> None:
    """Write the ids and inputs of some rows, and nothing else of them."""
    frame = source.frame.iloc[rows][["id", "input"]].rename(columns={"input": INPUT_COLUMNS[source.task.input]})
    _write(folder / "data" / _file_name(_NO_TARGETS, source.task.input), frame)


def read_inputs(folder: Path, task: Task) -> pd.Series:
    """Inputs that come without targets, as `Task.inputs` gives them; indexed by row id.

    Raises:
        EventError: If they are not there or cannot be read.
    """
    import pandas as pd

    path = folder / "data" / _file_name(_NO_TARGETS, task.input)
    column = INPUT_COLUMNS[task.input]
    try:
        if path.suffix == ".parquet":
            frame = pd.read_parquet(path)
        else:
            frame = pd.read_csv(path, dtype=str, keep_default_na=False)
        ids, texts = pd.Index(frame["id"], name="id"), frame[column].tolist()
    except (OSError, ValueError, KeyError) as error:
        raise EventError(f"{path} cannot be read: {error}", fix="unpack the kit again") from error
    if task.input == "composition":
        return pd.Series(texts, index=ids, name="composition")
    import orjson

    from matbench_lite.data.structures import StructureColumns, encode_structures
    from matbench_lite.data.structures.array import StructureArray

    columns = StructureColumns(encode_structures(orjson.loads(text) for text in texts))
    return pd.Series(StructureArray(columns), index=ids, name="structure")


def _file_name(name: str, input: Input) -> str:
    # Structures are long texts, which a compressed file holds better and no spreadsheet shows.
    return f"{name}.csv" if input == "composition" else f"{name}.parquet"


def _write(path: Path, frame: pd.DataFrame) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    if path.suffix == ".parquet":
        frame.to_parquet(path, index=False)
    else:
        frame.to_csv(path, index=False, lineterminator="\n")
