"""The rows of an event: from a task of a benchmark or a table of the organiser's own, to datasets on disk."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from matbench_lite.atomic import write_bytes
from matbench_lite.cleaner import for_csv
from matbench_lite.data import read_table
from matbench_lite.errors import DataFormatError, EventError, raising
from matbench_lite.event.event_settings import BENCHMARK_FILE
from matbench_lite.tasks import BUILT_IN, Benchmark, Input, Kind, Table, Task
from matbench_lite.templating import render

if TYPE_CHECKING:
    import pandas as pd
    from numpy.typing import NDArray

_LABELS = {"true", "false"}
_NUMBERED = {"0", "1", "0.0", "1.0"}
INPUT_COLUMNS: Mapping[Input, str] = {"composition": "formula", "structure": "structure"}
"""How the input of a material is called in files; a table has columns of its own."""
_CLUSTER = "row_cluster"
_OWN = ("id", "target", "part", _CLUSTER)
_NO_TARGETS = "private_inputs"


@dataclass(frozen=True, kw_only=True)
class Source:
    """The rows of an event: columns `id`, `target` and the inputs, as the files of the event have them.

    Inputs of materials are texts: a formula, or a structure as JSON. The task has no address of data. `kin` tells which
    rows go to one dataset: those of one reduced formula; of a table, those of one group, or of the same inputs;
    `labels` has the number of every row's class, for classification. What is `already_public` anybody can look up: the
    targets are those of a built-in benchmark.
    """

    task: Task
    frame: pd.DataFrame
    kin: tuple[str, ...]
    labels: NDArray[np.intp] | None
    already_public: bool = False

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns with inputs."""
        return tuple(name for name in self.frame.columns if name not in _OWN)


def benchmark_source(bench: Benchmark, task: Task) -> Source:
    """The rows of a task of a benchmark.

    Raises:
        DataMissingError: If its data is not on this machine.

    Examples:
        >>> from matbench_lite import load_benchmark
        >>> bench = load_benchmark("mini")
        >>> benchmark_source(bench, bench["mini_gap"]).frame.columns.tolist()
        ['id', 'formula', 'target']
    """
    return _source(task, already_public=bench.name in BUILT_IN)


def table_source(
    path: Path,
    *,
    target: str,
    input: Input,
    column: str | None = None,
    columns: Sequence[str] = (),
    id: str | None = None,
    kind: Kind | None = None,
    unit: str = "",
    structure_format: Literal["json", "cif", "poscar"] = "json",
) -> Source:
    """The rows of a CSV or Parquet file.

    A model sees the `column` with formulas or structures, by default named as the input, or "formula"; of a table, some
    `columns`, by default all but the id and the target. Rows are numbered in random order where there is no `id`.
    Whether the target is a number or a class is found out by default.

    Raises:
        DataError: If the file is not there, or a column or value in it is wrong.
        EventError: If it cannot be told what kind of target it is.
    """
    if not path.exists():
        raise DataFormatError(f"there is no {path}", fix="give a CSV or Parquet file")
    frame = _read(path)
    chosen = column or next((name for name in (input, "formula") if name in frame.columns), input)
    if input == "table":
        chosen, columns = "", columns or [str(name) for name in frame.columns if name not in (id, target)]
    task = Task(
        benchmark=path.stem,
        name=target,
        input=input,
        # Of a column that is not there, the loader of tables will say so.
        kind=kind or (_kind(frame[target], path) if target in frame.columns else "regression"),
        target=target,
        unit=unit,
        rows=len(frame),
        description="",
        references=(),
        n_folds=1,
        seed=0,
        table=Table(
            path=path, id=id, input=chosen, target=target, columns=tuple(columns), structure_format=structure_format
        ),
    )
    source = _source(replace(task, classes=task.own_data.classes))
    if id:
        return source
    # A row's number must not tell where in the file it was: files are often sorted by what is to be predicted.
    numbers = np.random.default_rng().permutation(len(frame)) + 1
    width = len(str(len(numbers)))
    return replace(source, frame=source.frame.assign(id=[f"row-{number:0{width}d}" for number in numbers]))


def _source(task: Task, *, already_public: bool = False) -> Source:
    import pandas as pd

    targets = task.targets
    # Participants open the kit's CSV files in a spreadsheet: an id must be no formula there.
    ids = [for_csv(id) for id in targets.index]
    if task.input == "table":
        inputs = task.inputs
        if taken := [name for name in inputs.columns if name in _OWN]:
            raise EventError(
                f"a column for models is named {taken[0]!r}, as one of the event's own",
                fix=f"rename it: {', '.join(_OWN)} are taken",
            )
        groups = task.marks.groups
        kin = [repr(row) for row in inputs.to_numpy().tolist()] if groups is None else groups.tolist()
        frame = pd.DataFrame({"id": ids, **{name: inputs[name].to_numpy() for name in inputs.columns}})
    else:
        kin = targets["formula"].tolist()
        frame = pd.DataFrame({"id": ids, INPUT_COLUMNS[task.input]: [_text(value) for value in task.inputs]})
    return Source(
        task=replace(task, table=None, original=None),
        frame=frame.assign(target=targets["target"].to_numpy()),
        kin=tuple(map(str, kin)),
        labels=None if task.kind == "regression" else task.target_values.astype(np.intp),
        already_public=already_public,
    )


def _text(value: Any) -> str:
    if isinstance(value, str):
        return value
    import orjson

    return orjson.dumps(value.as_dict(), option=orjson.OPT_SERIALIZE_NUMPY).decode()


def _read(path: Path) -> pd.DataFrame:
    """A table; of a CSV file, all values are texts."""
    return read_table(path, dtype=str, keep_default_na=False)


def _kind(target: pd.Series, path: Path) -> Kind:
    import pandas as pd

    texts = target.astype(str).str.lower()
    if texts.isin(_LABELS).all() or pd.to_numeric(texts, errors="coerce").isna().all():
        return "classification"
    if texts.isin(_NUMBERED).all():
        raise EventError(
            f"{path}: {target.name!r} has only 0 and 1: a class, or a number?",
            fix="say --kind classification or --kind regression",
        )
    return "regression"


def write_dataset(
    folder: Path, source: Source, name: str, train: NDArray[np.intp], test: NDArray[np.intp], **values: str
) -> None:
    """Write rows to train and to test on, given by position, to `data/<name>`, and the benchmark file that names it.

    Of private rows of a table, a column says which are kin: they are no independent witnesses. Of materials, formulas
    say it. `values` has name and title of the benchmark, for its template.
    """
    task = source.task
    rows = np.concatenate([train, test])
    frame = source.frame.iloc[rows].assign(part=np.repeat(["train", "test"], [len(train), len(test)]))
    cluster = _CLUSTER if name == "private" and task.input == "table" else ""
    if cluster:
        frame[cluster] = np.unique(source.kin, return_inverse=True)[1][rows]
    data = f"data/{data_file(name, task.input)}"
    _write(folder / data, frame)
    more = {"task": task, "data": data, "columns": source.columns, "cluster": cluster}
    write_bytes(folder / BENCHMARK_FILE, render(f"event/files/{BENCHMARK_FILE}.j2", **values, **more).encode())


def write_inputs(folder: Path, source: Source, rows: NDArray[np.intp]) -> None:
    """Write the ids and inputs of some rows, and nothing else of them."""
    frame = source.frame.iloc[rows][["id", *source.columns]]
    _write(folder / "data" / data_file(_NO_TARGETS, source.task.input), frame)


def read_inputs(folder: Path, task: Task) -> pd.Series | pd.DataFrame:
    """Inputs that come without targets, as `Task.inputs` gives them, by row id; an `EventError` if there are none."""
    import pandas as pd

    columns = [INPUT_COLUMNS[task.input]] if task.table is None or task.input != "table" else list(task.table.columns)
    with _reading_inputs(folder, task) as path:
        frame = _read(path)
        ids, inputs = pd.Index(frame["id"], name="id"), frame[columns]
    if task.input == "table":
        return inputs.set_index(ids)
    texts = inputs[columns[0]].tolist()
    if task.input == "composition":
        return pd.Series(texts, index=ids, name="composition")
    import orjson

    from matbench_lite.data import StructureArray, StructureColumns, encode_structures

    structures = StructureColumns(encode_structures(orjson.loads(text) for text in texts))
    return pd.Series(StructureArray(structures), index=ids, name="structure")


def input_ids(folder: Path, task: Task) -> list[str]:
    """The ids of such rows, in their order."""
    import pandas as pd

    with _reading_inputs(folder, task) as path:
        frame = pd.read_parquet(path, columns=["id"]) if path.suffix == ".parquet" else _read(path)
        return [str(id) for id in frame["id"]]


@contextmanager
def _reading_inputs(folder: Path, task: Task) -> Iterator[Path]:
    path = folder / "data" / data_file(_NO_TARGETS, task.input)
    wrong = (OSError, ValueError, KeyError, DataFormatError)
    with raising(EventError, f"{path} cannot be read", fix="unpack the kit again", on=wrong):
        yield path


def data_file(name: str, input: Input) -> str:
    """The file of a dataset."""
    # Structures are long texts, which a compressed file holds better and no spreadsheet shows; in a table, a text that
    # looks like a number must stay a text.
    return f"{name}.csv" if input == "composition" else f"{name}.parquet"


def _write(path: Path, frame: pd.DataFrame) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    if path.suffix == ".parquet":
        frame.to_parquet(path, index=False)
    else:
        frame.to_csv(path, index=False, lineterminator="\n")
