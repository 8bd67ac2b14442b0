"""Options that several commands have."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

import typer

BenchmarkOption = Annotated[
    str, typer.Option("--benchmark", "-b", help="matbench_v0.1, mini, or the path of a TOML file.")
]
OwnBenchmarkOption = Annotated[
    str | None, typer.Option("--benchmark", "-b", help="Path of the TOML file, if the benchmark is not built in.")
]
SubmissionsOption = Annotated[Path, typer.Option("--submissions", "-s", help="Folder with one folder per entry.")]
CsvOption = Annotated[bool, typer.Option("--csv", help="Print CSV: every column, every digit.")]
ModelArgument = Annotated[str, typer.Argument(help="A .py file, a folder with model.py, or the name of a baseline.")]
TasksArgument = Annotated[list[str] | None, typer.Argument(metavar="TASK", help="Tasks; the same as --tasks.")]
TrainedAtATime = Annotated[int, typer.Option("--jobs", "-j", min=1, help="Inner folds to train at a time.")]
BackendOption = Annotated[Literal["joblib", "dask"], typer.Option(help="This machine, or a Dask cluster.")]
EntryOption = Annotated[
    Path | None,
    typer.Option("--output", "-o", help="Folder of the entry; by default the model's own, or submissions/NAME."),
]
JsonOption = Annotated[bool, typer.Option("--json", help="Print JSON for a machine to read.")]
