"""Results on disk: lines of JSON as `mbl judge run` adds them, or a table that was made elsewhere.

A table (CSV or Parquet) has one row per run:

    algorithm, dataset, run                 which run it is
    r2  or  predictions                     accuracy on the test rows; a list of numbers, as JSON in a CSV file
    expression  or  complexity              the formula, or the number of parameters or features
    property                                left out if the dataset is known and says how to measure it
    r2_train, beyond, seconds               where they are known
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Mapping
from dataclasses import asdict, fields
from pathlib import Path
from typing import Any

from matbench_lite.atomic import write_bytes
from matbench_lite.cleaner import for_csv, from_csv
from matbench_lite.errors import JudgingError
from matbench_lite.judge.runs import Run

RESULTS = "results.jsonl"
_NUMBERS = {"r2": "r2", "complexity": "components", "property": "property_value", "r2_train": "r2_train"}
_LISTS = ("predictions", "beyond")
_COLUMNS = ("algorithm", "dataset", "run", *_NUMBERS, "expression", *_LISTS, "seconds", "problem")
_FIELDS = {field.name for field in fields(Run)}


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
        file = path / RESULTS if path.is_dir() else path
        try:
            runs += read_lines(file)[0].values() if file.suffix == ".jsonl" else _read_table(file)
        except OSError as error:
            raise JudgingError(
                f"{file} cannot be read: {error.strerror or error}",
                fix="give a .csv, .parquet or .jsonl file, or a folder",
            ) from error
    return runs


Key = tuple[str, str, int]
"""Algorithm, dataset, number of the run."""


def read_lines(path: Path) -> tuple[dict[Key, Run], dict[Key, dict[str, str]]]:
    """Runs, and what each of them was made with; a later line replaces an earlier one of the same run.

    Only the last line may be damaged: it was cut off.
    """
    runs: dict[Key, Run] = {}
    made_with: dict[Key, dict[str, str]] = {}
    lines = path.read_bytes().split(b"\n")
    for number, line in enumerate(lines, start=1):
        if not line.strip():
            continue
        try:
            document = json.loads(line)
            run = _run(document["run"])
        except (ValueError, KeyError, TypeError) as error:
            if number == len(lines):
                break  # the program was stopped while it wrote: this run is done again
            raise JudgingError(f"{path} line {number} is damaged: {error}", fix="remove that line") from error
        key = (run.algorithm, run.dataset, run.run)
        runs[key], made_with[key] = run, document.get("made_with", {})
    return runs, made_with


def write_lines(runs: Mapping[Key, Run], made_with: Mapping[Key, Mapping[str, str]], path: Path) -> None:
    """Write runs as lines; numbers that JSON has not become null."""
    lines = []
    for key, run in runs.items():
        values = {name: None if _is_nan(value) else value for name, value in asdict(run).items()}
        document = {"run": values, "made_with": dict(made_with.get(key, {}))}
        lines.append(json.dumps(document, ensure_ascii=False).encode() + b"\n")
    write_bytes(path, b"".join(lines))


def write_table(runs: Iterable[Run], path: Path) -> None:
    """Write a table for people, without predictions; it can be read and judged again."""
    import pandas as pd

    columns = {"r2": "r2", "r2_train": "r2_train", "components": "complexity", "property_value": "property"}
    names = ["algorithm", "dataset", "run", *columns, "expression", "seconds", "problem"]
    rows = [
        {**asdict(run), "expression": run.simplified or run.expression}
        for run in sorted(runs, key=lambda run: (run.dataset, run.algorithm, run.run))
    ]
    table = pd.DataFrame(rows, columns=names).rename(columns=columns)
    cells = table.map(lambda cell: for_csv(cell) if isinstance(cell, str) else cell)
    write_bytes(path, cells.to_csv(index=False).encode())


def _run(document: dict[str, Any]) -> Run:
    values = {name: value for name, value in document.items() if name in _FIELDS}
    for name in _NUMBERS.values():
        values[name] = math.nan if values.get(name) is None else float(values[name])
    for name in _LISTS:
        values[name] = None if values.get(name) is None else tuple(map(float, values[name]))
    values["notes"] = tuple(values.get("notes") or ())
    return Run(**values)


def _read_table(path: Path) -> list[Run]:
    import pandas as pd

    if path.suffix == ".parquet":
        table = pd.read_parquet(path)
    elif path.suffix == ".csv":
        try:
            text = dict.fromkeys(("algorithm", "dataset", "expression", "problem", *_LISTS), str)
            table = pd.read_csv(path, dtype=text).map(lambda cell: from_csv(cell) if isinstance(cell, str) else cell)
        except ValueError as error:
            raise JudgingError(f"{path} is not a CSV file: {error}", fix="save it as CSV with a header") from error
    else:
        raise JudgingError(f"{path} is not a .csv, .parquet or .jsonl file", fix="save the results as one of these")
    missing = [name for name in ("algorithm", "dataset", "run") if name not in table.columns]
    unknown = [str(name) for name in table.columns if name not in _COLUMNS]
    if missing or unknown:
        lacks = f"lacks the column {', '.join(missing)}" if missing else f"has an unknown column {', '.join(unknown)}"
        raise JudgingError(f"{path} {lacks}", fix=f"use the columns {', '.join(_COLUMNS)}")
    return [_row(path, place, row) for place, row in enumerate(table.to_dict("records"), start=1)]


def _row(path: Path, place: int, row: dict[str, Any]) -> Run:
    there = {name: value for name, value in row.items() if not _is_nan(value) and value is not None}
    column = "run"
    try:
        values: dict[str, Any] = {"run": _whole(there["run"])}
        for column in ("algorithm", "dataset"):
            values[column] = str(there[column])
        for column, name in _NUMBERS.items():
            values[name] = float(there[column]) if column in there else math.nan
        for column in ("seconds", *_LISTS):
            if column in there:
                values[column] = float(there[column]) if column == "seconds" else _numbers(there[column])
    except (KeyError, TypeError, ValueError) as error:
        raise JudgingError(
            f"{path} row {place}: {column} is {there.get(column, 'empty')!r}", fix="correct that cell"
        ) from error
    return Run(**values, expression=there.get("expression"), problem=there.get("problem"))


def _whole(value: Any) -> int:
    if float(value) != int(value):
        raise ValueError(value)
    return int(value)


def _numbers(value: Any) -> tuple[float, ...]:
    return tuple(float(item) for item in (json.loads(value) if isinstance(value, str) else value))


def _is_nan(value: Any) -> bool:
    return isinstance(value, float) and not math.isfinite(value)
