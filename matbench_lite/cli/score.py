"""`mbl score`: every metric again, from the predictions."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.markup import escape

from matbench_lite.cli.output import errors, out, plain_table, print_json
from matbench_lite.cli.tasks import JsonOption
from matbench_lite.errors import MatbenchLiteError

if TYPE_CHECKING:
    from matbench_lite.submission import ScoreDifference, Scores, Submission


def score(
    entries: Annotated[list[Path], typer.Argument(help="Folders of entries.")],
    benchmark: Annotated[
        str | None, typer.Option("--benchmark", "-b", help="Path of the TOML file, if the benchmark is not built in.")
    ] = None,
    json: JsonOption = False,
) -> int:
    """Recompute all metrics of an entry from its predictions and the targets, and compare with what it recorded.

    Examples:
        mbl score submissions/my-forest

        mbl score submissions/* --json
    """
    from matbench_lite.submission import Submission, compare_scores

    results: list[dict[str, Any]] = []
    for path in entries:
        try:
            submission = Submission.load(path, benchmark)
            scores, differences = submission.scores, compare_scores(submission)
        except MatbenchLiteError as error:
            results.append({"entry": str(path), "error": str(error)})
            errors.print(f"[red]{escape(str(path))}: cannot be scored[/]\n  {escape(str(error))}", highlight=False)
            continue
        results.append(_plain(path, submission, scores, differences))
        if not json:
            _print(submission, scores, differences)
    if json:
        print_json(results)
    return int(any("error" in result or result["differences"] for result in results))


def _plain(path: Path, submission: Submission, scores: Scores, differences: list[ScoreDifference]) -> dict[str, Any]:
    return {
        "entry": str(path),
        "algorithm": submission.algorithm,
        "category": str(submission.category),
        "scores": {
            name: {metric: asdict(value) for metric, value in task.metrics.items()} for name, task in scores.items()
        },
        "differences": [asdict(item) for item in differences],
    }


def _print(submission: Submission, scores: Scores, differences: list[ScoreDifference]) -> None:
    from matbench_lite.digits import spread
    from matbench_lite.metrics import METRICS

    out.print(f"[bold]{escape(submission.algorithm)}[/]: {submission.category}", highlight=False)
    table = plain_table("task", "metric", "mean ± std", "min", "max", "unit", right=("mean ± std", "min", "max"))
    for name, task in scores.items():
        for position, (metric, value) in enumerate(task.metrics.items()):
            unit = task.unit if METRICS[metric].in_target_unit else ""
            label = "" if position else name
            table.add_row(label, metric, spread(value), f"{value.min:.4g}", f"{value.max:.4g}", unit)
    out.print(table)
    if differences:
        errors.print(f"[red]{len(differences)} stated scores are not those of the predictions:[/]")
        for item in differences:
            errors.print(f"  {item}", highlight=False, markup=False)
    elif any(held.stated for task in submission.tasks for held in submission.recorded(task.name).values()):
        out.print("all stated scores are those of the predictions")
