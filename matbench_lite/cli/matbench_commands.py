"""`mbl from-matbench` and `mbl to-matbench`: a Matbench result becomes an entry, and an entry a Matbench result."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict
from itertools import groupby
from pathlib import Path
from statistics import mean
from typing import Annotated, Any

import typer

from matbench_lite import matbench, submission
from matbench_lite.cli.options import JsonOption
from matbench_lite.cli.output import errors, print_json, say
from matbench_lite.errors import MatbenchLiteError
from matbench_lite.text import count


def from_matbench(
    output: Annotated[Path, typer.Option("--output", "-o", help="Folder of the entry; with --all, of all entries.")],
    results: Annotated[Path | None, typer.Argument(help="A results.json.gz of Matbench 0.1.0 to 0.6.")] = None,
    info: Annotated[
        Path | None, typer.Option(help="Its info.json: authors, references. By default the one beside it.")
    ] = None,
    all_: Annotated[
        Path | None, typer.Option("--all", help="The folder benchmarks/ of a checkout of Matbench: every entry in it.")
    ] = None,
    url: Annotated[str | None, typer.Option(help="Where it is published.")] = None,
    allow_hash_mismatch: Annotated[
        bool,
        typer.Option(
            "--allow-hash-mismatch", help="Accept a result that was changed after Matbench wrote it; it is marked."
        ),
    ] = False,
    json: JsonOption = False,
) -> int:
    """Turn Matbench results into entries: hash checked, every score recomputed and compared with the published one.

    With --all, entries that are there already are left alone.

    Examples:
        mbl from-matbench results.json.gz --info info.json --output submissions/my-forest

        mbl from-matbench --all matbench/benchmarks --output submissions
    """
    if results is not None and all_ is None:
        found = {output: results}
    elif all_ is not None and results is None and info is None and url is None:
        found = {output / slug: path for slug, path in matbench.results_in(all_).items()}
    else:
        raise typer.BadParameter("give either RESULTS (with --info and --url if you like) or --all FOLDER")
    reports: list[dict[str, Any]] = []
    for folder, path in found.items():
        if all_ is not None and matbench.is_taken(folder):
            reports.append({"results": str(path), "entry": str(folder), "left_alone": True, "differences": []})
            if not json:
                say(f"{folder.name}: left alone, {folder} already exists")
            continue
        try:
            report, differences = _import(path, folder, info=info, url=url, allow_hash_mismatch=allow_hash_mismatch)
        except MatbenchLiteError as error:
            report, differences = {"results": str(path), "error": str(error)}, []
            say((f"{path}: not imported", "red"), f"\n  {error}", to=errors)
        reports.append({**report, "differences": [asdict(item) for item in differences]})
        if not json and "error" not in report:
            _print(report, differences)
    if json:
        print_json(reports)
    unexplained = any(item["reason"] is None for report in reports for item in report["differences"])
    return int(unexplained or any("error" in report for report in reports))


def _import(path: Path, folder: Path, **options: Any) -> tuple[dict[str, Any], list[matbench.PublishedDifference]]:
    entry = matbench.read_results(path, **options)
    differences = matbench.compare_published(entry)
    entry.save(folder)
    imported = entry.imported or {}
    report = {
        "results": str(path),
        "entry": str(folder),
        "algorithm": entry.algorithm,
        "category": str(entry.category),
        "tasks": len(entry.tasks),
        "hash_matches": imported["hash_matches"],
        "published": sum(len(folds) for metrics in imported["scores"].values() for folds in metrics.values()),
    }
    return report, differences


def _print(report: dict[str, Any], differences: list[matbench.PublishedDifference]) -> None:
    same = report["published"] - len(differences)
    tasks = count(report["tasks"], "task")
    reproduced = f"{same} of {report['published']} published scores reproduced -> {report['entry']}"
    say((report["algorithm"], "bold"), f": {tasks}, {report['category']}; {reproduced}")
    if not report["hash_matches"]:
        say(("  its hash is wrong: it was changed after Matbench wrote it", "red"))
    for (task, metric, reason), group in groupby(differences, key=lambda item: (item.task, item.metric, item.reason)):
        items = list(group)
        published, recomputed = _mean(item.published for item in items), _mean(item.recomputed for item in items)
        means = f"{count(len(items), 'fold')}: published {published}, recomputed {recomputed} (means)"
        say(
            (f"  {task} {metric}", "red" if reason is None else "yellow"),
            f", {means}: {reason or 'for an unknown reason'}",
        )


def _mean(values: Iterable[float | None]) -> str:
    defined = [value for value in values if value is not None]
    return f"{mean(defined):.6g}" if defined else "not defined"


def to_matbench(
    entry: Annotated[Path, typer.Argument(help="Folder of an entry on matbench_v0.1.")],
    output: Annotated[Path, typer.Option("--output", "-o", help="The file to write.")],
) -> None:
    """Write an entry as a file that matbench 0.6 opens and finds valid: plain JSON, the only form that 0.6 reads.

    Examples:
        mbl to-matbench submissions/my-forest --output results.json
    """
    matbench.write_results(submission.Submission.load(entry), output)
    say(f"written: {output}")
