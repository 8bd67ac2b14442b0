"""How the verdict on an entry looks in a terminal."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from typing import TYPE_CHECKING

from rich.text import Text

from matbench_lite.cli.output import out, plain_table

if TYPE_CHECKING:
    from matbench_lite.review import Checked

_STYLES = {"error": "bold red", "warning": "yellow", "note": "cyan"}
_WIDEST = 120  # longer lines are hard to read


def print_checked(checked: Checked) -> None:
    """Print the verdict on one entry: the category and why, every finding with its fix, and what was not run."""
    from matbench_lite.review.printable import printable

    out.print(_headline(checked), soft_wrap=True)
    if checked.submission is not None and checked.category is not None:
        name = printable(checked.submission.algorithm, 80)
        _line(f"  {name}: {checked.category.reason}: {checked.category}")
        known = sum(checked.verified.values())
        _line(f"  scores recomputed from the published targets: {known} of {len(checked.verified)} tasks")
    if checked.findings:
        table = plain_table("", "finding", "fix")
        table.width = min(out.width, _WIDEST)
        table.columns[1].ratio, table.columns[2].ratio = 3, 2
        for finding in checked.findings:
            label = Text(f"{finding.code}\n{finding.severity}", style=_STYLES[finding.severity])
            told = Text(finding.message)
            if finding.place and not told.plain.startswith(finding.place):
                told.append(f"\n{finding.place}", style="dim")
            table.add_row(label, told, Text(finding.fix))
        out.print()
        out.print(table)
    reasons: dict[str, list[str]] = defaultdict(list)
    for code, reason in checked.not_run.items():
        reasons[reason].append(code)
    for reason, codes in reasons.items():
        _line(f"  {', '.join(codes)}: {reason}")


def print_verdicts(verdicts: Sequence[Checked]) -> None:
    """Print the verdicts on several entries, and one line over all of them."""
    for position, checked in enumerate(verdicts):
        if position:
            out.print()
        print_checked(checked)
    _total(verdicts)


def _total(verdicts: Sequence[Checked]) -> None:
    failed = [checked.slug for checked in verdicts if not checked.ok]
    if len(verdicts) > 1:
        out.print(f"\n{len(verdicts) - len(failed)} of {len(verdicts)} entries pass", highlight=False)
    if any(checked.findings for checked in verdicts):
        out.print("each code has a page in the docs: rules/CODE", highlight=False, style="dim")


def _headline(checked: Checked) -> Text:
    counts = [f"{n} {word}{'s' if n > 1 else ''}" for word in _STYLES if (n := checked.count(word))]  # type: ignore[arg-type]
    line = Text(checked.slug, style="bold")
    line.append(": ")
    line.append("passes" if checked.ok else "does not pass", style="bold green" if checked.ok else "bold red")
    return line.append(f" ({', '.join(counts)})" if counts else "")


def _line(text: str) -> None:
    out.print(Text(text), soft_wrap=True)
