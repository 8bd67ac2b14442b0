"""Options that several commands have."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

if TYPE_CHECKING:
    from matbench_lite.train import Resources

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
BackendOption = Annotated[str, typer.Option(metavar="[local|dask]", help="This machine, or a Dask cluster.")]
SchedulerOption = Annotated[
    str | None, typer.Option("--scheduler", help="Address of a Dask scheduler; by default a cluster is started here.")
]
ThreadsOption = Annotated[int, typer.Option("--threads", min=1, help="Threads of each; numbers repeat with 1.")]
DeviceOption = Annotated[
    str | None, typer.Option("--device", help='Devices, e.g. "0,1": one for each of --jobs, as CUDA_VISIBLE_DEVICES.')
]
MemoryOption = Annotated[
    float | None, typer.Option("--memory", metavar="MB", min=1, help="Give up on what takes more memory than this.")
]
EntryOption = Annotated[
    Path | None,
    typer.Option("--output", "-o", help="Folder of the entry; by default the model's own, or submissions/NAME."),
]
JsonOption = Annotated[bool, typer.Option("--json", help="Print JSON for a machine to read.")]


def resources_of(device: str | None, backend: str = "local", **given: Any) -> Resources:
    """What training may take, as options say; "joblib" is the old word for this machine."""
    from matbench_lite.train import Resources

    if backend not in ("local", "dask", "joblib"):
        raise typer.BadParameter(f"{backend!r} is not one of local, dask", param_hint="--backend")
    devices = tuple((device or "").replace(",", " ").split())
    return Resources(devices=devices, backend="dask" if backend == "dask" else "local", **given)
