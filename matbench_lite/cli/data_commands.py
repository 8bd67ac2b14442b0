"""`mbl tasks`: the registry; `mbl data`: what data is here, and getting more."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.text import Text

from matbench_lite import board, data, stats
from matbench_lite.cleaner import for_terminal
from matbench_lite.cli.leaderboard import print_refused
from matbench_lite.cli.options import BenchmarkOption, JsonOption, SubmissionsOption
from matbench_lite.cli.output import coloured, errors, out, plain_table, print_fitted, print_json, say, text_column
from matbench_lite.errors import DataError, MetricError
from matbench_lite.tasks import Benchmark, Task, load_benchmark
from matbench_lite.text import MISSING, count, file_size

app = typer.Typer(help="Targets and inputs: what is here, and getting more.", no_args_is_help=True)


@app.command()
def status(benchmark: BenchmarkOption = "matbench_v0.1", json: JsonOption = False) -> None:
    """Show what is on this machine: targets and inputs of every task, verified or not, size, where.

    Examples:
        mbl data status

        MATBENCH_LITE_DATA=/scratch/matbench mbl data status --json
    """
    items = data.status(load_benchmark(benchmark))
    if json:
        print_json({"directory": str(data.data_directory()), "parts": [asdict(item) for item in items]})
        return
    rows = []
    for targets, inputs in zip(items[::2], items[1::2], strict=True):
        sources = " + ".join(dict.fromkeys(item.source for item in (targets, inputs) if item.source))
        # One file may hold both.
        size = sum({item.path: item.bytes for item in (targets, inputs)}.values())
        rows.append((targets.task, targets.state, inputs.state, file_size(size) if size else MISSING, sources or "–"))
    _print_rows(("task", "targets", "inputs", "size", "from"), rows, spare="from", right="size")
    say(f"\ndata directory: {data.data_directory()}")
    if any(item.state == "missing" for item in items):
        say("to get what is missing: mbl data fetch TASK…, or mbl data add PATH… for files you have", soft_wrap=False)


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
    again: Annotated[bool, typer.Option("--again", help="Fetch again what is already here.")] = False,
    json: JsonOption = False,
) -> int:
    """Download published data: checked by its sha256, resumed where it broke off.

    Examples:
        mbl data fetch matbench_steels matbench_expt_gap

        mbl data fetch --targets-only

        mbl data fetch matbench_steels --mirror https://example.org/matbench
    """
    bench = load_benchmark(benchmark)

    def fetched(task: Task) -> dict[str, Any]:
        try:
            parts = data.fetch(task, targets_only=targets_only, mirrors=mirror or (), again=again)
        except DataError as error:
            return {"task": task.name, "parts": {}, "error": str(error)}
        return {"task": task.name, "parts": _verified(parts)}

    chosen = bench.select(names=tasks) if tasks else bench.tasks
    return _report(map(fetched, chosen), json=json, failure="not fetched")


@app.command()
def add(
    paths: Annotated[
        list[Path],
        typer.Argument(metavar="PATH", help="Original .json.gz files, targets as .parquet, or folders of them."),
    ],
    benchmark: BenchmarkOption = "matbench_v0.1",
    task: Annotated[str | None, typer.Option(help="The task, if the name of the file does not say it.")] = None,
    allow_unverified: Annotated[
        bool, typer.Option("--allow-unverified", help="Accept data whose checksum is not the published one.")
    ] = False,
    json: JsonOption = False,
) -> int:
    """Add data files that you have; the checksum decides whether they are the published ones.

    Examples:
        mbl data add ~/Downloads/matbench_steels.json.gz

        mbl data add targets/ --json

        mbl data add rebuilt/ --allow-unverified
    """
    results = (
        {"file": str(added.path), "task": added.task, "parts": _verified(added.parts)}
        | ({} if added.error is None else {"error": str(added.error)})
        for added in data.add(paths, load_benchmark(benchmark), task=task, allow_unverified=allow_unverified)
    )
    return _report(results, json=json, failure="refused")


@app.command()
def verify(benchmark: BenchmarkOption = "matbench_v0.1", json: JsonOption = False) -> int:
    """Read everything in the store again and compare it with its checksums and the registry.

    Examples:
        mbl data verify

        mbl data verify --benchmark mini
    """
    found = []
    for item, problem in data.verify(load_benchmark(benchmark)):
        found.append({"task": item.task, "part": item.part, "state": item.state, "problem": problem})
        if not json:
            say(f"{item.task} {item.part}: ", (problem, "red") if problem else coloured(item.state))
    if json:
        print_json(found)
    elif not found:
        say("there is nothing to verify: no data on this machine yet", to=errors)
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
    names = data.export_targets(load_benchmark(benchmark), output)
    size = output.stat().st_size
    if json:
        print_json({"file": str(output), "tasks": names, "bytes": size})
    else:
        say(f"{output}: targets of {count(len(names), 'task')}, {file_size(size)}")


def _verified(parts: Mapping[Any, Any]) -> dict[str, bool]:
    return {part: not holding.accepted for part, holding in parts.items()}


def _report(results: Iterable[dict[str, Any]], *, json: bool, failure: str) -> int:
    """Tell each result as soon as it is there, or all of them as JSON; 1 if one is an error."""
    found = []
    for result in results:
        found.append(result)
        if not json:
            _print_result(result, failure=failure)
    if json:
        print_json(found)
    return int(any("error" in result for result in found))


def _print_result(result: dict[str, Any], *, failure: str) -> None:
    name = result["task"] or result["file"]
    if "error" in result:
        say((f"{name}: {failure}", "red"), f"\n  {result['error']}", to=errors)
        return
    parts: list[str | tuple[str, str]] = []
    for part, verified in sorted(result["parts"].items(), reverse=True):
        parts += [f", {part} " if parts else f"{part} ", coloured("verified" if verified else "unverified")]
    say(f"{name}: ", *parts)


def tasks(
    name: Annotated[str | None, typer.Argument(metavar="TASK", help="One task; without it, all of them.")] = None,
    benchmark: BenchmarkOption = "matbench_v0.1",
    measure_scatter: Annotated[
        bool,
        typer.Option(
            "--measure-scatter", help="Measure by how much folds scatter beyond their rows, for your benchmark's file."
        ),
    ] = False,
    submissions: SubmissionsOption = Path("submissions"),
    json: JsonOption = False,
) -> int:
    """List the tasks of a benchmark, or show all that is known about one.

    With --measure-scatter, the entries of a folder say by how much the folds of
    each task scatter beyond their rows. Put the line that is printed into the
    file of your benchmark: from then on it is a constant of the task, and no
    entry can move it. Without it, 2 is assumed. Ten entries or more are needed
    for a number worth its digits.

    Examples:
        mbl tasks

        mbl tasks matbench_steels

        mbl tasks --benchmark mini --json

        mbl tasks --benchmark alloys.toml --measure-scatter --submissions entries
    """
    bench = load_benchmark(benchmark)
    if measure_scatter:
        return _measure_scatter(bench, bench.tasks if name is None else (bench[name],), submissions, json=json)
    if name is None:
        print_json([_plain(task) for task in bench]) if json else _print_all(bench)
    else:
        print_json(_plain(bench[name])) if json else _print_one(bench[name])
    return 0


def _measure_scatter(bench: Benchmark, tasks: Sequence[Task], submissions: Path, *, json: bool) -> int:
    """Print the lines for the file of a benchmark; the exit code is 1 if a task cannot be measured."""
    entries = board.read_entries(submissions, bench)
    refused = print_refused(entries)
    results = board.Results(bench, entries.read)
    measured: list[dict[str, Any]] = []
    for task in tasks:
        every = results.all_pairs(task)
        try:
            if every is None:
                raise MetricError("there are no entries, or no targets", fix="record it, or fetch the targets")
            scatter = round(stats.fold_scatter(every.moments), 2)
            measured.append({"task": task.name, "fold_scatter": scatter, "entries": len(every.slugs)})
        except MetricError as error:
            say((f"{task.name} is left out:", "yellow"), f" {error}", to=errors)
    if json:
        print_json(measured)
    else:
        for one in measured:
            say(f"# {one['task']}, measured on {count(one['entries'], 'entry')}")
            say(f"fold_scatter = {one['fold_scatter']:.2f}")
    return int(refused or len(measured) < len(tasks))


def _plain(task: Task) -> dict[str, Any]:
    return {**asdict(task), "folds": list(task.folds)}


def _print_all(bench: Benchmark) -> None:
    headers = ("task", "input", "kind", "target", "unit", "rows")
    rows = [
        # The unit tells the kind where there is no room for a column of its own.
        (task.name, task.input, task.kind, task.target, task.unit or _classes(task), f"{task.rows:,}")
        for task in bench
    ]
    _print_rows(headers, rows, spare="kind", right="rows", title=bench.title)
    inputs: dict[str, int] = {kind: len(bench.select(input=kind)) for kind in ("structure", "composition")}
    if tables := len(bench.select(input="table")):
        inputs = {**{kind: number for kind, number in inputs.items() if number}, "table": tables}
    kinds = {kind: len(bench.select(kind=kind)) for kind in ("regression", "classification")}
    counts = ", ".join(f"{number} {name}" for name, number in {**kinds, **inputs}.items())
    say(f"\n{count(len(bench), 'task')}: {counts}", soft_wrap=False)
    say(f"details of one: mbl tasks {bench.names[0]}", soft_wrap=False)


def _classes(task: Task) -> str:
    return f"{len(task.classes)} classes" if task.classes else "true/false"


def _print_rows(
    headers: Sequence[str], rows: Iterable[Sequence[str]], *, spare: str, right: str, title: str | None = None
) -> None:
    columns = [
        text_column(name, cells, right=name == right, spare=int(name == spare))
        for name, cells in zip(headers, zip(*rows, strict=True), strict=True)
    ]
    print_fitted(columns, title=title)


def _folds(task: Task) -> str:
    given = task.table and (task.table.part or task.table.fold or task.table.group or task.table.time)
    if given or task.scheme == "repeats":
        return f"{task.n_folds}, by {given or 'columns of repeats'}"
    share = f" draws of {task.test_share:.0%} of the rows" if task.test_share else ""
    return f"{task.n_folds}{share}, seed {task.seed}"


def _print_one(task: Task) -> None:
    facts = {
        "benchmark": task.benchmark,
        "input": task.input,
        "kind": task.kind,
        "target": task.target,
        "unit": task.unit,
        "rows": f"{task.rows:,}",
        "row ids": f"{task.ids[0]} … {task.ids[-1]}",
        "classes": ", ".join(map(str, task.classes)),
        "folds": _folds(task),
        "deviation": ""
        if task.mean_absolute_deviation is None
        else f"{task.mean_absolute_deviation:.6g} {task.unit} (mean absolute deviation from the mean)",
        "share of true": "" if task.fraction_true is None else f"{task.fraction_true:.2%}",
        "folds sha256": task.folds_sha256 or "",
        "targets sha256": task.targets_sha256 or "",
        "inputs sha256": task.inputs_sha256 or "",
        "original file": "" if task.original is None else task.original.name,
        "file sha256": "" if task.original is None else task.original.sha256,
        "data": "" if task.table is None else str(task.table.path),
    }
    # Labels of up to 14 letters: beside them, a sha256 fits into 80 columns.
    table = plain_table("", "", title=task.name)
    table.show_header = False
    for label, text in facts.items():
        if text:
            table.add_row(label, Text(for_terminal(text, None)))
    out.print(table)
    if task.description:
        say(f"\n{task.description}", soft_wrap=False)
    for reference in task.references:
        say(f"\n{reference.strip()}")
