"""`mbl tasks`: the registry."""

from __future__ import annotations

from dataclasses import asdict
from typing import Annotated, Any

import typer
from rich.markup import escape

from matbench_lite.cli.output import out, plain_table, print_json, print_table
from matbench_lite.tasks import Benchmark, Task, load_benchmark

BenchmarkOption = Annotated[
    str, typer.Option("--benchmark", "-b", help="matbench_v0.1, mini, or the path of a TOML file.")
]
JsonOption = Annotated[bool, typer.Option("--json", help="Print JSON for a machine to read.")]


def tasks(
    name: Annotated[str | None, typer.Argument(metavar="TASK", help="One task; without it, all of them.")] = None,
    benchmark: BenchmarkOption = "matbench_v0.1",
    json: JsonOption = False,
) -> None:
    """List the tasks of a benchmark, or show all that is known of one.

    Examples:
        mbl tasks

        mbl tasks matbench_steels

        mbl tasks --benchmark mini --json
    """
    bench = load_benchmark(benchmark)
    if name is None:
        print_json([_plain(task) for task in bench]) if json else _print_all(bench)
    else:
        print_json(_plain(bench[name])) if json else _print_one(bench[name])


def _plain(task: Task) -> dict[str, Any]:
    return {**asdict(task), "folds": list(task.folds)}


def _print_all(bench: Benchmark) -> None:
    headers = ("task", "input", "kind", "target", "unit", "rows")
    rows = [
        # The unit tells the kind where there is no room for a column of its own.
        (task.name, task.input, task.kind, task.target, task.unit or "true/false", f"{task.rows:,}")
        for task in bench
    ]
    print_table(headers, rows, spare="kind", title=bench.title, right=("rows",))
    inputs = {kind: len(bench.select(input=kind)) for kind in ("structure", "composition")}
    kinds = {kind: len(bench.select(kind=kind)) for kind in ("regression", "classification")}
    counts = ", ".join(f"{count} {name}" for name, count in {**kinds, **inputs}.items())
    out.print(f"\n{len(bench)} tasks: {counts}", highlight=False)
    out.print(f"more on one: mbl tasks {bench.names[0]}", highlight=False, markup=False)


def _print_one(task: Task) -> None:
    facts = {
        "benchmark": task.benchmark,
        "input": task.input,
        "kind": task.kind,
        "target": task.target,
        "unit": task.unit,
        "rows": f"{task.rows:,}",
        "row ids": f"{task.ids[0]} … {task.ids[-1]}",
        "folds": f"{task.n_folds}, seed {task.seed}",
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
            table.add_row(label, escape(text))
    out.print(table)
    if task.description:
        out.print(f"\n{task.description}", highlight=False, markup=False)
    for reference in task.references:
        out.print(f"\n{reference.strip()}", highlight=False, markup=False, soft_wrap=True)
