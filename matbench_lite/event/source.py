"""Where the rows of an event come from: a task of a benchmark, or a table of the organiser's own."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from matbench_lite.errors import DataError, DataFormatError, EventError
from matbench_lite.tasks import BUILT_IN, Benchmark, Input, Kind, Table, Task

if TYPE_CHECKING:
    import pandas as pd

_LABELS = {"true", "false"}
_NUMBERED = {"0", "1", "0.0", "1.0"}


@dataclass(frozen=True, kw_only=True)
class Source:
    """The rows of an event.

    Args:
        task: What they are; without any address of data.
        frame: Columns `id`, `input` (text: a formula, or a structure as JSON) and `target`.
        formulas: Reduced formula of every row.
        already_public: Whether anybody can look the targets up, because they are those of a built-in benchmark.
    """

    task: Task
    frame: pd.DataFrame
    formulas: tuple[str, ...]
    already_public: bool = False


def benchmark_source(bench: Benchmark, task: Task) -> Source:
    """The rows of a task of a benchmark.

    Raises:
        DataMissingError: If its data is not on this machine.

    Examples:
        >>> from matbench_lite import load_benchmark
        >>> bench = load_benchmark("mini")
        >>> benchmark_source(bench, bench["mini_gap"]).frame.columns.tolist()
        ['id', 'input', 'target']
    """
    return _source(task, already_public=bench.name in BUILT_IN)


def table_source(
    path: Path,
    *,
    target: str,
    input: Input,
    column: str | None = None,
    id: str | None = None,
    kind: Kind | None = None,
    unit: str = "",
    structure_format: Literal["json", "cif", "poscar"] = "json",
) -> Source:
    """The rows of a CSV or Parquet file.

    Args:
        path: The file.
        target: Column with the target.
        input: What a model gets to see.
        column: Column with formulas or structures; by default named as the input, or "formula".
        id: Column with row ids; rows are numbered in random order where there is none.
        kind: Whether the target is a number or true/false; found out by default.
        unit: Unit of the target.
        structure_format: How structures are written.

    Raises:
        DataError: If the file is not there, or a column or value in it is wrong.
        EventError: If it cannot be told what kind of target it is.
    """
    frame = _read(path)
    chosen = column or next((name for name in (input, "formula") if name in frame.columns), input)
    for name in (target, chosen, *([id] if id else [])):
        if name not in frame.columns:
            raise DataFormatError(
                f"{path} has no column {name!r}", fix=f"use one of {', '.join(map(str, frame.columns))}"
            )
    kept = frame[[*([id] if id else []), chosen, target]]
    if id is None:
        kept = kept.assign(id=range(1, len(kept) + 1))
    with TemporaryDirectory() as folder:
        table = Table(
            path=Path(folder) / "rows.parquet",
            id=id or "id",
            input=chosen,
            target=target,
            structure_format=structure_format,
        )
        kept.astype({table.id: str}).to_parquet(table.path)
        task = Task(
            benchmark=path.stem,
            name=target,
            input=input,
            kind=kind or _kind(kept[target], path),
            target=target,
            unit=unit,
            rows=len(kept),
            description="",
            references=(),
            n_folds=1,
            seed=0,
            table=table,
        )
        try:
            source = _source(task)
        except DataError as error:
            raise type(error)(error.message.replace(str(table.path), str(path)), fix=error.fix) from error
    return source if id else _numbered_at_random(source)


def _numbered_at_random(source: Source) -> Source:
    """A row's number must not tell where in the file it was: files are often sorted by what is to be predicted."""
    numbers = np.random.default_rng().permutation(len(source.frame)) + 1
    width = len(str(len(numbers)))
    return replace(source, frame=source.frame.assign(id=[f"row-{number:0{width}d}" for number in numbers]))


def _source(task: Task, *, already_public: bool = False) -> Source:
    import pandas as pd

    targets = task.targets
    inputs = [_text(value) for value in task.inputs]
    frame = pd.DataFrame({"id": targets.index, "input": inputs, "target": targets["target"].to_numpy()})
    return Source(
        task=replace(task, table=None, original=None),
        frame=frame,
        formulas=tuple(targets["formula"]),
        already_public=already_public,
    )


def _text(value: Any) -> str:
    if isinstance(value, str):
        return value
    import orjson

    return orjson.dumps(value.as_dict(), option=orjson.OPT_SERIALIZE_NUMPY).decode()


def _read(path: Path) -> pd.DataFrame:
    import pandas as pd

    try:
        if path.suffix == ".parquet":
            return pd.read_parquet(path)
        # As text: the loader of tables, which is asked next, decides what is a number.
        return pd.read_csv(path, dtype=str, keep_default_na=False)
    except FileNotFoundError as error:
        raise DataFormatError(f"there is no {path}", fix="give a CSV or Parquet file") from error
    except (ValueError, OSError) as error:
        raise DataFormatError(f"{path} cannot be read: {error}", fix="give a CSV or Parquet file") from error


def _kind(target: pd.Series, path: Path) -> Kind:
    values = set(target.astype(str).str.lower())
    if values <= _LABELS:
        return "classification"
    if values <= _NUMBERED:
        raise EventError(
            f"{path}: {target.name!r} has only 0 and 1: a class, or a number?",
            fix="say --kind classification or --kind regression",
        )
    return "regression"
