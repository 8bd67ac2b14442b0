"""`mbl check`: the validator."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from matbench_lite.cli.output import print_json
from matbench_lite.cli.tasks import JsonOption


class Format(StrEnum):
    """What to print."""

    table = "table"
    github = "github"


def check(
    entries: Annotated[list[Path], typer.Argument(metavar="PATH…", help="Folders of entries, or a folder of them.")],
    benchmark: Annotated[
        str | None, typer.Option("--benchmark", "-b", help="Path of the TOML file, if the benchmark is not built in.")
    ] = None,
    submissions: Annotated[
        Path | None,
        typer.Option("--submissions", "-s", help="Folder of the other entries, where the clone does not tell."),
    ] = None,
    format: Annotated[
        Format, typer.Option("--format", help="A table, or annotations for a GitHub workflow.")
    ] = Format.table,
    json: JsonOption = False,
) -> int:
    """Check entries: every problem at once, each with what to do about it.

    Nothing of an entry is executed. Scores are recomputed where the targets are
    on this machine (mbl data fetch --targets-only); nothing is fetched. In a
    clone, an entry is compared with the others; elsewhere those checks are
    listed as not run. Exit code 1 if there is any error; warnings are for a
    person to weigh.

    Examples:
        mbl check submissions/my-forest

        mbl check submissions --json

        mbl check submissions/my-forest --format github
    """
    from matbench_lite.cli.checked_text import print_verdicts
    from matbench_lite.review import check_paths
    from matbench_lite.review.annotations import annotation
    from matbench_lite.tasks import load_benchmark

    bench = None if benchmark is None else load_benchmark(Path(benchmark))
    verdicts = check_paths(entries, submissions=submissions, benchmark=bench)
    if json:
        print_json([checked.as_dict() for checked in verdicts])
    elif format is Format.github:
        for checked in verdicts:
            for finding in checked.findings:
                typer.echo(annotation(checked, finding))
    else:
        print_verdicts(verdicts)
    return int(not all(checked.ok for checked in verdicts))
