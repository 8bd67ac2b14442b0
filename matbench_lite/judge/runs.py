"""Runs: what one algorithm did on one dataset with one seed; all of them side by side; and their files.

On disk they are lines of JSON, as `mbl judge run` writes them, or a table (CSV or Parquet) with one row per run:

    algorithm, dataset, run                 which run it is
    r2  or  predictions                     accuracy on the test rows; a list of numbers, as JSON in a CSV file
    expression  or  complexity              the formula, or the number of parameters or features
    property                                left out if the dataset is known and says how to measure it
    r2_train, beyond, seconds               where they are known
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from itertools import count, islice
from pathlib import Path
from typing import Any

import numpy as np
import orjson
from numpy.typing import NDArray

from matbench_lite.atomic import write_bytes
from matbench_lite.cleaner import for_csv, from_csv
from matbench_lite.data import read_table
from matbench_lite.documents import read_regular
from matbench_lite.errors import DataFormatError, JudgingError, raising

CRITERIA = ("accuracy", "simplicity", "property")
"""The three criteria, in the order in which arrays hold them."""
ARRAYS = ("r2", "r2_train", "components", "property_value")
"""What is known of a run in numbers."""
_NAN = float("nan")
_MOST_BYTES = 4_000_000_000


@dataclass(frozen=True, kw_only=True)
class Run:
    """One run of one algorithm on one dataset.

    Runs of one number are compared with each other. R2 is on the test rows, `r2_train` on the training rows;
    `components` is the size of the model: nodes of its simplified formula, or the number of parameters or features that
    it declares, 1 or more. A larger `property_value` is better; `asked` is the property, in words. `expression` is the
    formula as the algorithm gave it, `simplified` as it was counted. Predictions are for the test rows and for those
    `beyond` the training range, in the target's unit; `seconds` is the time to train and predict, s. `problem` is why
    the run cannot count, where that is known; `notes` are what a reader should know.

    Examples:
        >>> run = Run(algorithm="a", dataset="d", run=0, r2=0.9, components=5.0, property_value=1.0)
        >>> run.flaw is None, Run(algorithm="a", dataset="d", run=1, r2=0.9).flaw
        (True, 'no number for simplicity and property')
    """

    algorithm: str
    dataset: str
    run: int
    r2: float = _NAN
    components: float = _NAN
    property_value: float = _NAN
    r2_train: float = _NAN
    expression: str | None = None
    simplified: str | None = None
    predictions: tuple[float, ...] | None = None
    beyond: tuple[float, ...] | None = None
    seconds: float | None = None
    problem: str | None = None
    asked: str | None = None
    notes: tuple[str, ...] = ()

    @property
    def values(self) -> tuple[float, float, float]:
        """R2, components and property."""
        return self.r2, self.components, self.property_value

    @property
    def flaw(self) -> str | None:
        """Why the run cannot count on any criterion; None if it can."""
        if self.problem:
            return self.problem
        missing = [name for name, value in zip(CRITERIA, self.values, strict=True) if not math.isfinite(value)]
        if missing:
            return f"no number for {' and '.join(missing)}"
        return None if self.components >= 1 else f"{self.components:g} components, at least 1 are possible"


@dataclass(frozen=True, kw_only=True)
class DatasetRuns:
    """All runs on one dataset as arrays of shape (runs, algorithms); what is missing or flawed is NaN everywhere.

    `numbers` are those of the runs; an R2 on training rows that is not known is NaN, too.
    """

    dataset: str
    numbers: tuple[int, ...]
    r2: NDArray[np.float64]
    r2_train: NDArray[np.float64]
    components: NDArray[np.float64]
    property_value: NDArray[np.float64]

    def take(self, rows: NDArray[np.intp]) -> DatasetRuns:
        """Some runs again, shape (..., runs); for draws with replacement."""
        arrays = {name: getattr(self, name)[rows] for name in ARRAYS}
        return DatasetRuns(dataset=self.dataset, numbers=self.numbers, **arrays)


@dataclass(frozen=True, kw_only=True)
class Field:
    """All algorithms on all datasets, both sorted by name, whatever the order of the input.

    `runs` has every run by algorithm, dataset and number.
    """

    algorithms: tuple[str, ...]
    datasets: tuple[DatasetRuns, ...]
    runs: Mapping[tuple[str, str, int], Run]

    def of(self, algorithm: str, dataset: str) -> tuple[Run, ...]:
        """The runs of one algorithm on one dataset, by number."""
        numbers = next(item.numbers for item in self.datasets if item.dataset == dataset)
        found = (self.runs.get((algorithm, dataset, number)) for number in numbers)
        return tuple(run for run in found if run is not None)


def arrange(
    runs: Iterable[Run], *, algorithms: Sequence[str] = (), datasets: Sequence[str] = (), n_runs: int = 0
) -> Field:
    """Put runs side by side. Nothing is skipped: what is missing is there as NaN.

    `algorithms` and `datasets` should be there; other datasets are left out, unless none is named. Each dataset should
    have `n_runs` at least; 0: as many as any algorithm has on it.

    Raises:
        JudgingError: If a run is there twice, or there is no run.

    Examples:
        >>> field = arrange([Run(algorithm="b", dataset="d", run=0, r2=0.9, components=3, property_value=1)], n_runs=2)
        >>> field.algorithms, field.datasets[0].r2.tolist()
        (('b',), [[0.9], [nan]])
    """
    known: dict[tuple[str, str, int], Run] = {}
    for run in runs:
        if datasets and run.dataset not in datasets:
            continue
        key = (run.algorithm, run.dataset, run.run)
        if key in known:
            raise JudgingError(
                f"run {run.run} of {run.algorithm} on {run.dataset} is there twice", fix="keep one of the two"
            )
        known[key] = run
    if not known:
        raise JudgingError(
            "there are no runs to judge", fix="run `mbl judge run` first, or check the names of datasets"
        )
    names = tuple(sorted({run.algorithm for run in known.values()} | set(algorithms)))
    found = []
    for dataset in sorted({run.dataset for run in known.values()} | set(datasets)):
        there = {run.run for run in known.values() if run.dataset == dataset}
        # Where there are too few runs, those with the lowest numbers that are free are missing.
        spare = (number for number in count() if number not in there)
        numbers = sorted({*there, *islice(spare, max(0, max(n_runs, 1) - len(there)))})
        found.append(_dataset_runs(dataset, names, known, tuple(numbers)))
    return Field(algorithms=names, datasets=tuple(found), runs=known)


def without(field: Field, algorithms: Iterable[str]) -> Field:
    """The field without some algorithms."""
    gone = set(algorithms)
    kept = tuple(name for name in field.algorithms if name not in gone)
    runs = {key: run for key, run in field.runs.items() if run.algorithm not in gone}
    # The runs of those that are gone stay missing for those that are left.
    datasets = tuple(_dataset_runs(item.dataset, kept, runs, item.numbers) for item in field.datasets)
    return Field(algorithms=kept, datasets=datasets, runs=runs)


def _dataset_runs(
    dataset: str, algorithms: tuple[str, ...], runs: Mapping[tuple[str, str, int], Run], numbers: tuple[int, ...]
) -> DatasetRuns:
    # One array for all four: a flawed run is NaN in each.
    values = np.full((4, len(numbers), len(algorithms)), np.nan)
    for row, number in enumerate(numbers):
        for column, algorithm in enumerate(algorithms):
            run = runs.get((algorithm, dataset, number))
            if run is not None and run.flaw is None:
                values[:, row, column] = [getattr(run, name) for name in ARRAYS]
    return DatasetRuns(dataset=dataset, numbers=numbers, **dict(zip(ARRAYS, values, strict=True)))


RESULTS = "results.jsonl"
_KEY = ("algorithm", "dataset", "run")
_LISTS = ("predictions", "beyond")
_COLUMNS = (*_KEY, "r2", "r2_train", "complexity", "property", "expression", *_LISTS, "seconds", "problem")
_FIELDS = {"complexity": "components", "property": "property_value"}
"""What a `Run` calls these columns; the others have the same name in both."""


def read_results(paths: Iterable[Path]) -> list[Run]:
    r"""Read the runs of result files, or of folders with `results.jsonl`.

    Raises:
        JudgingError: If a file cannot be read, with the row and column of the mistake.

    Examples:
        >>> import tempfile
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     table = Path(folder) / "results.csv"
        ...     _ = table.write_text("algorithm,dataset,run,r2,complexity,property\nmine,d,0,0.9,7,1\n")
        ...     read_results([table])[0].components
        7.0
    """
    runs: list[Run] = []
    for path in paths:
        with raising(JudgingError, f"{path} cannot be read", fix="give a .csv, .parquet or .jsonl file, or a folder"):
            file = path / RESULTS if path.is_dir() else path
            runs += read_lines(file)[0].values() if file.suffix == ".jsonl" else _read_table(file)
    return runs


Key = tuple[str, str, int]
"""Algorithm, dataset, number of the run."""


def read_lines(path: Path) -> tuple[dict[Key, Run], dict[Key, dict[str, str]]]:
    """Runs, and what each of them was made with; a later line replaces an earlier one of the same run.

    Only the last line may be damaged: it was cut off.
    """
    runs: dict[Key, Run] = {}
    made_with: dict[Key, dict[str, str]] = {}
    lines = read_regular(path, _MOST_BYTES).split(b"\n")
    for number, line in enumerate(lines, start=1):
        if not line.strip():
            continue
        try:
            document = json.loads(line)
            run = _run(document["run"])
        except (ValueError, KeyError, TypeError, RecursionError) as error:
            if number == len(lines):
                break  # the program was stopped while it wrote: this run is done again
            raise JudgingError(f"{path} line {number} is damaged: {error}", fix="remove that line") from error
        key = (run.algorithm, run.dataset, run.run)
        runs[key], made_with[key] = run, document.get("made_with", {})
    return runs, made_with


def write_lines(runs: Mapping[Key, Run], made_with: Mapping[Key, dict[str, str]], path: Path) -> None:
    """Write runs as lines; numbers that JSON has not become null."""
    documents = ({"run": run, "made_with": made_with.get(key, {})} for key, run in runs.items())
    option = orjson.OPT_APPEND_NEWLINE | orjson.OPT_SERIALIZE_NUMPY
    write_bytes(path, b"".join(orjson.dumps(document, option=option) for document in documents))


def write_table(runs: Iterable[Run], path: Path) -> None:
    """Write a table for people, without predictions; it can be read and judged again."""
    import pandas as pd

    names = [name for name in _COLUMNS if name not in _LISTS]
    rows = [
        [getattr(replace(run, expression=run.simplified or run.expression), _FIELDS.get(name, name)) for name in names]
        for run in sorted(runs, key=lambda run: (run.dataset, run.algorithm, run.run))
    ]
    cells = pd.DataFrame(rows, columns=names).map(lambda cell: for_csv(cell) if isinstance(cell, str) else cell)
    write_bytes(path, cells.to_csv(index=False).encode())


def _run(cells: Mapping[str, Any]) -> Run:
    """A run from the cells of a row, or what a line says; a `ValueError` names what is missing or wrong."""
    there = {name: cell for name, cell in cells.items() if cell is not None and not _is_nan(cell)}
    values: dict[str, Any] = {}
    for name in dict.fromkeys((*_KEY, *there)):
        try:
            values[_FIELDS.get(name, name)] = _READ.get(name, str)(there[name])
        except (KeyError, TypeError, ValueError, RecursionError) as error:
            raise ValueError(f"{name} is {there.get(name, 'empty')!r}") from error
    return Run(**{field.name: values[field.name] for field in fields(Run) if field.name in values})


def _read_table(path: Path) -> list[Run]:
    if path.suffix not in (".csv", ".parquet"):
        raise JudgingError(f"{path} is not a .csv, .parquet or .jsonl file", fix="save the results as one of these")
    text = dict.fromkeys(("algorithm", "dataset", "expression", "problem", *_LISTS), str)
    try:
        table = read_table(path, lists=True, dtype=text)
    except DataFormatError as error:
        raise JudgingError(error.message, fix="save it again as a table with a header") from error
    if path.suffix == ".csv":
        table = table.map(lambda cell: from_csv(cell) if isinstance(cell, str) else cell)
    missing = [name for name in _KEY if name not in table.columns]
    unknown = [str(name) for name in table.columns if name not in _COLUMNS]
    if missing or unknown:
        lacks = f"lacks the column {', '.join(missing)}" if missing else f"has an unknown column {', '.join(unknown)}"
        raise JudgingError(f"{path} {lacks}", fix=f"use the columns {', '.join(_COLUMNS)}")
    found = []
    for place, row in enumerate(table.to_dict("records"), start=1):
        with raising(JudgingError, f"{path} row {place}", fix="correct that cell", on=ValueError):
            found.append(_run({str(name): cell for name, cell in row.items()}))
    return found


def _whole(value: Any) -> int:
    if float(value) != int(value):
        raise ValueError(value)
    return int(value)


def _numbers(value: Any) -> tuple[float, ...]:
    return tuple(float(item) for item in (json.loads(value) if isinstance(value, str) else value))


def _is_nan(value: Any) -> bool:
    return isinstance(value, float) and not math.isfinite(value)


_READ: dict[str, Callable[[Any], Any]] = {
    "run": _whole,
    "notes": tuple,
    **dict.fromkeys(_LISTS, _numbers),
    **dict.fromkeys((*ARRAYS, *_FIELDS, "seconds"), float),
}
"""What makes a value of a cell; all others are texts."""
