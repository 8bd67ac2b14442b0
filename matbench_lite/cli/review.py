"""`mbl review`: the pull-request report."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from matbench_lite.atomic import write_bytes
from matbench_lite.cli.output import errors, out, print_json
from matbench_lite.cli.tasks import JsonOption


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

    from matbench_lite.review.pull_request import render_markdown, report_json
    from matbench_lite.review.pull_request import review as review_change

    report = review_change(repository, base, head)
    text = render_markdown(report)
    write_bytes(output / "report.json", report_json(report))
    write_bytes(output / "report.md", text.encode())
    if json:
        print_json(report.as_dict())
    else:
        out.print(Markdown(text))
    if report.base == report.head:
        errors.print(f"{base} is what is checked out: if you have committed to it, compare with --base origin/{base}")
    errors.print(f"\nwritten: {output / 'report.md'}, {output / 'report.json'}", highlight=False, markup=False)
    return int(not report.ok)
