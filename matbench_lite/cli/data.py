"""`mbl data`: what data is here, and getting more."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.markup import escape

from matbench_lite.cli.output import coloured, errors, out, print_json, print_table
from matbench_lite.cli.tasks import BenchmarkOption, JsonOption
from matbench_lite.errors import DataError
from matbench_lite.tasks import load_benchmark

app = typer.Typer(help="Targets and inputs: what is here, and getting more.", no_args_is_help=True)


@app.command()
def status(benchmark: BenchmarkOption = "matbench_v0.1", json: JsonOption = False) -> None:
    """Show what is on this machine: targets and inputs of every task, verified or not, size, where.

    Examples:
        mbl data status

        MATBENCH_LITE_DATA=/scratch/matbench mbl data status --json
    """
    from matbench_lite.data import data_directory
    from matbench_lite.data import status as data_status

    items = data_status(load_benchmark(benchmark))
    if json:
        print_json({"directory": str(data_directory()), "parts": [asdict(item) for item in items]})
        return
    rows = []
    for targets, inputs in zip(items[::2], items[1::2], strict=True):
        sources = " + ".join(dict.fromkeys(item.source for item in (targets, inputs) if item.source))
        # One file may hold both.
        size = sum({item.path: item.bytes for item in (targets, inputs)}.values())
        rows.append((targets.task, targets.state, inputs.state, _size(size), sources or "–"))
    print_table(("task", "targets", "inputs", "size", "from"), rows, spare="from", right=("size",))
    out.print(f"\ndata directory: {data_directory()}", highlight=False, markup=False, soft_wrap=True)
    if any(item.state == "missing" for item in items):
        out.print("what is missing: mbl data fetch TASK…, or mbl data add PATH… for files you have", highlight=False)


@app.command()
def fetch(
    tasks: Annotated[
        list[str] | None, typer.Argument(metavar="TASK", help="Tasks; without any, all of the benchmark.")
    ] = None,
    benchmark: BenchmarkOption = "matbench_v0.1",
    targets_only: Annotated[
        bool, typer.Option("--targets-only", help="Keep only targets and formulas: enough to score, review and rank.")
    ] = False,
    mirror: Annotated[
        list[str] | None,
        typer.Option(help="Address or folder to try first; also MATBENCH_LITE_MIRRORS. May be given several times."),
    ] = None,
    again: Annotated[bool, typer.Option("--again", help="Fetch what is here already, too.")] = False,
    json: JsonOption = False,
) -> int:
    """Download published data: checked by its sha256, resumed where it broke off.

    Examples:
        mbl data fetch matbench_steels matbench_expt_gap

        mbl data fetch --targets-only

        mbl data fetch matbench_steels --mirror https://example.org/matbench
    """
    from matbench_lite.data import fetch as fetch_data

    bench = load_benchmark(benchmark)
    chosen = bench.select(names=tasks) if tasks else bench.tasks
    results: list[dict[str, Any]] = []
    for task in chosen:
        try:
            parts = fetch_data(task, targets_only=targets_only, mirrors=mirror or (), again=again)
            results.append({"task": task.name, "parts": {part: not held.accepted for part, held in parts.items()}})
        except DataError as error:
            results.append({"task": task.name, "parts": {}, "error": str(error)})
        if not json:
            _print_result(results[-1], failure="not fetched")
    if json:
        print_json(results)
    return int(any("error" in result for result in results))


@app.command()
def add(
    paths: Annotated[
        list[Path],
        typer.Argument(metavar="PATH", help="Original .json.gz files, targets as .parquet, or folders of them."),
    ],
    benchmark: BenchmarkOption = "matbench_v0.1",
    task: Annotated[str | None, typer.Option(help="The task, for a file whose name does not tell.")] = None,
    allow_unverified: Annotated[
        bool, typer.Option("--allow-unverified", help="Take data whose checksum is not the published one.")
    ] = False,
    json: JsonOption = False,
) -> int:
    """Add data files that you have; the checksum decides whether they are the published ones.

    Examples:
        mbl data add ~/Downloads/matbench_steels.json.gz

        mbl data add targets/ --json

        mbl data add rebuilt/ --allow-unverified
    """
    from matbench_lite.data import add as add_data

    results = []
    for added in add_data(paths, load_benchmark(benchmark), task=task, allow_unverified=allow_unverified):
        result: dict[str, Any] = {
            "file": str(added.path),
            "task": added.task,
            "parts": {part: not held.accepted for part, held in added.parts.items()},
        }
        if added.error is not None:
            result["error"] = str(added.error)
        results.append(result)
        if not json:
            _print_result(result, failure="refused")
    if json:
        print_json(results)
    return int(any("error" in result for result in results))


@app.command()
def verify(benchmark: BenchmarkOption = "matbench_v0.1", json: JsonOption = False) -> int:
    """Read everything in the store again and compare it with its checksums and the registry.

    Examples:
        mbl data verify

        mbl data verify --benchmark mini
    """
    from matbench_lite.data import verify as verify_data

    found = []
    for item, problem in verify_data(load_benchmark(benchmark)):
        found.append({"task": item.task, "part": item.part, "state": item.state, "problem": problem})
        if not json:
            verdict = f"[red]{escape(problem)}[/]" if problem else coloured(item.state)
            out.print(f"{escape(item.task)} {item.part}: {verdict}", highlight=False, soft_wrap=True)
    if json:
        print_json(found)
    elif not found:
        errors.print("there is nothing to verify: no data on this machine yet")
    return int(any(item["problem"] for item in found))


@app.command("export-targets")
def export_targets(
    output: Annotated[Path, typer.Option("--output", "-o", help="The Parquet file to write.")] = Path(
        "targets.parquet"
    ),
    benchmark: BenchmarkOption = "matbench_v0.1",
    json: JsonOption = False,
) -> None:
    """Write all targets that are here to one file, which a leaderboard's CI can cache and `mbl data add` reads.

    Examples:
        mbl data export-targets --output targets.parquet
    """
    from matbench_lite.data import export_targets as export

    names = export(load_benchmark(benchmark), output)
    size = output.stat().st_size
    if json:
        print_json({"file": str(output), "tasks": names, "bytes": size})
    else:
        tasks = "1 task" if len(names) == 1 else f"{len(names)} tasks"
        out.print(f"{output}: targets of {tasks}, {_size(size)}", highlight=False, markup=False, soft_wrap=True)


def _print_result(result: dict[str, Any], *, failure: str) -> None:
    name = escape(result["task"] or result["file"])
    if "error" in result:
        errors.print(f"[red]{name}: {failure}[/]", highlight=False)
        errors.print(f"  {result['error']}", markup=False, highlight=False)
        return
    states = {part: "verified" if verified else "unverified" for part, verified in result["parts"].items()}
    shown = ", ".join(f"{part} {coloured(states[part])}" for part in sorted(states, reverse=True))
    out.print(f"{name}: {shown}", highlight=False)


def _size(size: int) -> str:
    if not size:
        return "–"
    return f"{size / 1e6:.1f} MB" if size >= 1e5 else f"{size / 1e3:.1f} kB"
