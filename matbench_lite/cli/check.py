"""`mbl check`: the validator, and how a verdict looks in a terminal and beside a pull request."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

import typer
from rich.text import Text

from matbench_lite import check as checks
from matbench_lite import submission
from matbench_lite.cleaner import for_terminal
from matbench_lite.cli.options import JsonOption, OwnBenchmarkOption
from matbench_lite.cli.output import out, plain_table, print_json, say, targets_of
from matbench_lite.tasks import load_benchmark
from matbench_lite.text import count


def check(
    entries: Annotated[list[Path], typer.Argument(metavar="PATH…", help="Folders of entries, or a folder of them.")],
    benchmark: OwnBenchmarkOption = None,
    submissions: Annotated[
        Path | None,
        typer.Option("--submissions", "-s", help="Folder of the other entries, where the clone does not tell."),
    ] = None,
    format: Annotated[
        Literal["table", "github"], typer.Option("--format", help="A table, or annotations for a GitHub workflow.")
    ] = "table",
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
    bench = None if benchmark is None else load_benchmark(Path(benchmark))
    verdicts = checks.check_paths(entries, submissions=submissions, benchmark=bench)
    if json:
        print_json([checked.as_dict() for checked in verdicts])
    elif format == "github":
        for checked in verdicts:
            for finding in checked.findings:
                typer.echo(annotation(checked, finding))
    else:
        for position, checked in enumerate(verdicts):
            if position:
                say()
            print_checked(checked)
        if len(verdicts) > 1:
            say(f"\n{sum(checked.ok for checked in verdicts)} of {len(verdicts)} entries pass")
        if any(checked.findings for checked in verdicts):
            say(("each code has a page in the docs: rules/CODE", "dim"))
    return int(not all(checked.ok for checked in verdicts))


_STYLES = {"error": "bold red", "warning": "yellow", "note": "cyan"}
_WIDEST = 120  # longer lines are hard to read


def print_checked(checked: checks.Checked) -> None:
    """Print the verdict on one entry: the category and why, every finding with its fix, and what was not run."""
    counts = ", ".join(count(n, word) for word in _STYLES if (n := checked.count(word)))  # type: ignore[arg-type]
    verdict = ("passes", "bold green") if checked.ok else ("does not pass", "bold red")
    say((checked.slug, "bold"), ": ", verdict, f" ({counts})" if counts else "")
    if checked.submission is not None:
        category = checked.submission.category
        say(f"  {for_terminal(checked.submission.algorithm, 80)}: {category.reason}: {category}")
        recomputed = f"{sum(checked.verified.values())} of {count(len(checked.verified), 'task')}"
        say(f"  scores recomputed from {targets_of(checked.submission.benchmark)}: {recomputed}")
    if checked.findings:
        table = plain_table("", "finding", "fix")
        table.width = min(out.width, _WIDEST)
        table.columns[1].ratio, table.columns[2].ratio = 3, 2
        for finding in checked.findings:
            label = Text(f"{finding.code}\n{finding.severity}", style=_STYLES[finding.severity])
            message = Text(for_terminal(finding.message, None))
            if finding.place and not finding.message.startswith(finding.place):
                message.append(f"\n{for_terminal(finding.place, None)}", style="dim")
            table.add_row(label, message, Text(for_terminal(finding.fix, None)))
        out.print()
        out.print(table)
    for reason, codes in checks.codes_by_reason(checked.not_run).items():
        say(f"  {', '.join(codes)}: {reason}")


_COMMANDS = {"error": "error", "warning": "warning", "note": "notice"}


def annotation(checked: checks.Checked, finding: checks.Finding) -> str:
    r"""One finding as one line that GitHub's runner understands.

    Everything a stranger wrote is escaped as the runner asks: a message cannot end the line, nor begin a command of
    its own.

    Examples:
        >>> from matbench_lite.check import Checked, Finding
        >>> found = Finding(code="MBL201", severity="error", message="50% of it\nis wrong", fix="save it again")
        >>> checked = Checked(slug="a", folder=Path("submissions/a"), findings=(found,), not_run={}, submission=None,
        ...                   verified={}, digest=None, size=0)
        >>> annotation(checked, found)
        '::error file=submissions/a/submission.json,title=MBL201 a::50%25 of it%0Ais wrong%0Afix: save it again'
    """
    # The path as GitHub knows it: from the root of the repository, where a workflow runs.
    path, here = checked.folder / (finding.file or submission.DOCUMENT), Path.cwd()
    path = path.relative_to(here) if path.is_relative_to(here) else path
    properties = {"file": path.as_posix(), "title": f"{finding.code} {checked.slug}"}
    place = f"{finding.place}: " if finding.place and finding.place != finding.file else ""
    escaped = {name: _data(value).replace(":", "%3A").replace(",", "%2C") for name, value in properties.items()}
    stated = ",".join(f"{name}={value}" for name, value in escaped.items())
    text = f"{place}{finding.message}\nfix: {finding.fix}"
    return f"::{_COMMANDS[finding.severity]} {stated}::{_data(text)}"


def _data(text: str) -> str:
    # A lone carriage return is written out, too: it does not show.
    return for_terminal(text, None).replace("%", "%25").replace("\n", "%0A")
