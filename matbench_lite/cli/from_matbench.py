"""`mbl from-matbench`: a Matbench result becomes an entry."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict
from itertools import groupby
from pathlib import Path
from statistics import mean
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.markup import escape

from matbench_lite.cli.output import errors, out, print_json
from matbench_lite.cli.tasks import JsonOption
from matbench_lite.errors import MatbenchLiteError

if TYPE_CHECKING:
    from matbench_lite.matbench import PublishedDifference


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
            "--allow-hash-mismatch", help="Take a result that was changed after Matbench wrote it, marked so."
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
    from matbench_lite.matbench.checkout import is_taken, results_in

    if results is not None and all_ is None:
        found = {output: results}
    elif all_ is not None and results is None and info is None and url is None:
        found = {output / slug: path for slug, path in results_in(all_).items()}
    else:
        raise typer.BadParameter("give either RESULTS (with --info and --url if you like) or --all FOLDER")
    reports: list[dict[str, Any]] = []
    for folder, path in found.items():
        if all_ is not None and is_taken(folder):
            reports.append({"results": str(path), "entry": str(folder), "left_alone": True, "differences": []})
            if not json:
                said = f"{folder.name}: left alone, {folder} is there already"
                out.print(said, highlight=False, markup=False, soft_wrap=True)
            continue
        try:
            report, differences = _import(path, folder, info=info, url=url, allow_hash_mismatch=allow_hash_mismatch)
        except MatbenchLiteError as error:
            report, differences = {"results": str(path), "error": str(error)}, []
            errors.print(f"[red]{escape(str(path))}: not imported[/]\n  {escape(str(error))}", highlight=False)
        reports.append({**report, "differences": [asdict(item) for item in differences]})
        if not json and "error" not in report:
            _print(report, differences)
    if json:
        print_json(reports)
    unexplained = any(item["reason"] is None for report in reports for item in report["differences"])
    return int(unexplained or any("error" in report for report in reports))


def _import(path: Path, folder: Path, **options: Any) -> tuple[dict[str, Any], list[PublishedDifference]]:
    from matbench_lite.matbench import compare_published, read_results

    submission = read_results(path, **options)
    differences = compare_published(submission)
    submission.save(folder)
    about = submission.imported or {}
    report = {
        "results": str(path),
        "entry": str(folder),
        "algorithm": submission.algorithm,
        "category": str(submission.category),
        "tasks": len(submission.tasks),
        "hash_matches": about["hash_matches"],
        "published": sum(len(folds) for metrics in about["scores"].values() for folds in metrics.values()),
    }
    return report, differences


def _print(report: dict[str, Any], differences: list[PublishedDifference]) -> None:
    same = report["published"] - len(differences)
    tasks = "1 task" if report["tasks"] == 1 else f"{report['tasks']} tasks"
    out.print(
        f"[bold]{escape(report['algorithm'])}[/]: {tasks}, {report['category']}; "
        f"{same} of {report['published']} published scores reproduced -> {escape(report['entry'])}",
        highlight=False,
        soft_wrap=True,
    )
    if not report["hash_matches"]:
        out.print("  [red]its hash is wrong: it was changed after Matbench wrote it[/]")
    for (task, metric, reason), group in groupby(differences, key=lambda item: (item.task, item.metric, item.reason)):
        items = list(group)
        published, recomputed = _mean(item.published for item in items), _mean(item.recomputed for item in items)
        colour = "red" if reason is None else "yellow"
        out.print(
            f"  [{colour}]{escape(f'{task} {metric}')}[/], {len(items)} folds: published {published}, "
            f"recomputed {recomputed} (means): {reason or 'not known why'}",
            highlight=False,
            soft_wrap=True,
        )


def _mean(values: Iterable[float | None]) -> str:
    defined = [value for value in values if value is not None]
    return f"{mean(defined):.6g}" if defined else "not defined"
