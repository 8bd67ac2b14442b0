"""Commands for an entry on its way: `mbl new`, `seal`, `score`, `submit`, and the reviewer's `mbl review`."""

from __future__ import annotations

import shlex
import sys
from dataclasses import asdict
from pathlib import Path
from typing import Annotated, Any

import typer

from matbench_lite import check, metrics, submission
from matbench_lite import review as reviewing
from matbench_lite import submit as submitting
from matbench_lite.atomic import write_bytes
from matbench_lite.cli.check import print_checked
from matbench_lite.cli.options import JsonOption, OwnBenchmarkOption, SubmissionsOption
from matbench_lite.cli.output import errors, out, print_fitted, print_json, say, text_column
from matbench_lite.errors import MatbenchLiteError
from matbench_lite.tasks import load_benchmark
from matbench_lite.text import spread


def score(
    entries: Annotated[list[Path], typer.Argument(help="Folders of entries.")],
    benchmark: OwnBenchmarkOption = None,
    json: JsonOption = False,
) -> int:
    """Recompute all metrics of an entry from its predictions and the targets, and compare with what it recorded.

    Examples:
        mbl score submissions/my-forest

        mbl score submissions/* --json
    """
    results: list[dict[str, Any]] = []
    for path in entries:
        try:
            entry = submission.Submission.load(path, benchmark)
            scores, differences = entry.scores, submission.compare_scores(entry)
        except MatbenchLiteError as error:
            results.append({"entry": str(path), "error": str(error)})
            say((f"{path}: cannot be scored", "red"), f"\n  {error}", to=errors)
            continue
        results.append(_plain(path, entry, scores, differences))
        if not json:
            _print(entry, scores, differences)
    if json:
        print_json(results)
    return int(any("error" in result or result["differences"] for result in results))


def _plain(
    path: Path, entry: submission.Submission, scores: submission.Scores, differences: list[submission.ScoreDifference]
) -> dict[str, Any]:
    return {
        "entry": str(path),
        "algorithm": entry.algorithm,
        "category": str(entry.category),
        "scores": {
            name: {metric: asdict(value) for metric, value in task.metrics.items()} for name, task in scores.items()
        },
        "differences": [asdict(item) for item in differences],
    }


def _print(
    entry: submission.Submission, scores: submission.Scores, differences: list[submission.ScoreDifference]
) -> None:
    say((entry.algorithm, "bold"), f": {entry.category}", soft_wrap=False)
    rows = [(name, task.unit, *item) for name, task in scores.items() for item in task.metrics.items()]
    first = {name: place for place, (name, *_) in reversed(list(enumerate(rows)))}
    units = [unit if metrics.METRICS[metric].in_target_unit else "" for _, unit, metric, _ in rows]
    print_fitted(
        [
            text_column("task", [name if first[name] == place else "" for place, (name, *_) in enumerate(rows)]),
            text_column("metric", [metric for *_, metric, _ in rows]),
            text_column("mean ± std", [spread(value) for *_, value in rows], right=True),
            text_column("min", [f"{value.min:.4g}" for *_, value in rows], right=True),
            text_column("max", [f"{value.max:.4g}" for *_, value in rows], right=True),
            text_column("unit", units),
        ]
    )
    if differences:
        say((f"{len(differences)} stated scores are not those of the predictions:", "red"), to=errors)
        for item in differences:
            say(f"  {item}", to=errors)
    elif any(held.stated for task in entry.tasks for held in entry.recorded(task.name).values()):
        say("all stated scores are those of the predictions")


def new(
    slug: Annotated[str, typer.Argument(help="Name of the entry: lowercase letters, digits and dashes.")],
    baseline: Annotated[str, typer.Option("--from", help="The baseline that the model starts from.")] = "rf-magpie",
    submissions: SubmissionsOption = Path("submissions"),
) -> None:
    """Make a folder to start an entry from: a model that runs, who made it, and a page about it.

    Examples:
        mbl new my-model

        mbl new my-boosting --from gbt-magpie
    """
    for path in submitting.make_entry_folder(submissions / slug, baseline=baseline):
        say(f"written: {path}")
    folder = submissions / slug
    say("\nnext: the model runs as it is; edit model.py and about.toml as you like, then", soft_wrap=False)
    steps = (
        (f"mbl try {folder} --benchmark mini", "a first test"),
        (f"mbl run {folder}", "train on every fold, record"),
        (f"mbl check {folder}", "what the review will say"),
        (f"mbl submit {folder}", "how to send it in"),
    )
    width = max(len(command) for command, _ in steps)
    for command, why in steps:
        say(f"  {command:<{width}}  # {why}")


def seal(
    entries: Annotated[list[Path], typer.Argument(metavar="ENTRY…", help="Folders of entries.")],
    benchmark: OwnBenchmarkOption = None,
) -> None:
    """Bring an entry up to date after you edited its README, its code or about.toml; nothing is trained again.

    An entry lists a checksum of every file, so that no later change goes
    unseen. Predictions cannot be sealed anew: record them again.

    Examples:
        mbl seal submissions/my-model
    """
    bench = None if benchmark is None else load_benchmark(benchmark)
    for entry in entries:
        changes = submission.seal(entry, benchmark=bench)
        for change in changes:
            say(f"{entry}: {change}")
        say(f"{entry}: {'sealed' if changes else 'was already sealed'}")


def submit(
    entry: Annotated[Path, typer.Argument(help="Folder of the entry.")],
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Do it, without asking.")] = False,
    repository: Annotated[
        str | None, typer.Option(help="OWNER/NAME of the project on GitHub, where the clone does not tell.")
    ] = None,
) -> int:
    """Check an entry, then show the exact steps to a pull request, and do them if you say so.

    In a clone: with GitHub's program gh if it is here and logged in, else with
    git. Outside of one: GitHub's upload page, and what to drag onto it.

    Examples:
        mbl submit submissions/my-model

        mbl submit submissions/my-model --yes
    """
    (checked,) = check.check_paths([entry])
    print_checked(checked)
    if not checked.ok or checked.submission is None:
        say(f"\nfix the errors, then: mbl submit {entry}", to=errors)
        return 1
    plan = submitting.prepare(entry, algorithm=checked.submission.algorithm, repository=repository)
    _print_plan(plan)
    agreed = yes or (plan.route != "upload" and sys.stdin.isatty() and typer.confirm("\nDo it now?", default=False))
    if plan.route != "upload" and agreed:
        submitting.do_steps(plan, _announce)
    return 0


def _print_plan(plan: submitting.Plan) -> None:
    for remark in plan.remarks:
        say(("note:", "yellow"), f" {remark}", to=errors)
    ways = {"gh": "with GitHub's program gh", "git": "with git", "upload": "on GitHub's upload page"}
    where = "" if plan.route == "upload" else f", in {plan.folder}"
    say(f"\nto a pull request, {ways[plan.route]}{where}:\n")
    for step in plan.steps:
        _announce(step)


def _announce(step: submitting.Step) -> None:
    say((f"# {step.say}", "dim"))
    for line in (None if step.command is None else shlex.join(step.command), step.page):
        if line is not None:
            say(line)


def review(
    base: Annotated[str, typer.Option(help="What the change is to be merged into: a branch, tag or commit.")],
    head: Annotated[
        str | None,
        typer.Option(help="The branch, tag or commit to review; without it, what is checked out, committed or not."),
    ] = None,
    repository: Annotated[Path, typer.Option("--repository", "-C", help="A folder inside the clone.")] = Path(),
    output: Annotated[Path, typer.Option("--output", "-o", help="Folder for report.md and report.json.")] = Path(
        "build/review"
    ),
    json: JsonOption = False,
) -> int:
    """Review what a branch does to the entries: checks, category, ranks before and after, what moves on the boards.

    Entries are read from git and checked by the rules of the installed
    matbench_lite; nothing of the change is imported or executed.

    Examples:
        mbl review --base main

        mbl review --base origin/main --head their-branch --output report
    """
    from rich.markdown import Markdown

    report = reviewing.review(repository, base, head)
    text = reviewing.render_markdown(report)
    write_bytes(output / "report.json", reviewing.report_json(report))
    write_bytes(output / "report.md", text.encode())
    if json:
        print_json(report.as_dict())
    else:
        out.print(Markdown(text))
    if report.base == report.head:
        say(f"{base} is what is checked out: if you have committed to it, compare with --base origin/{base}", to=errors)
    say(f"\nwritten: {output / 'report.md'}, {output / 'report.json'}", to=errors)
    return int(not report.ok)
