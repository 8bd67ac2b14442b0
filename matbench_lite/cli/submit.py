"""`mbl submit`: from an entry on disk to a pull request."""

from __future__ import annotations

import shlex
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from matbench_lite.cli.output import errors, out

if TYPE_CHECKING:
    from matbench_lite.review.submitting import Plan, Step


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
    from matbench_lite.cli.checked_text import print_checked
    from matbench_lite.review import check_paths
    from matbench_lite.review.submitting import do_steps, prepare

    (checked,) = check_paths([entry])
    print_checked(checked)
    if not checked.ok or checked.submission is None:
        errors.print(f"\nmend the errors, then: mbl submit {entry}", highlight=False, markup=False)
        return 1
    plan = prepare(entry, algorithm=checked.submission.algorithm, repository=repository)
    _print(plan)
    if plan.route == "upload" or not (yes or _asked()):
        return 0
    do_steps(plan, _announce)
    return 0


def _asked() -> bool:
    return sys.stdin.isatty() and typer.confirm("\nDo it now?", default=False)


def _print(plan: Plan) -> None:
    for remark in plan.remarks:
        errors.print(f"[yellow]note:[/] {remark}", highlight=False)
    ways = {"gh": "with GitHub's program gh", "git": "with git", "upload": "on GitHub's upload page"}
    where = "" if plan.route == "upload" else f", in {plan.folder}"
    out.print(f"\nto a pull request, {ways[plan.route]}{where}:\n", highlight=False, markup=False, soft_wrap=True)
    for step in plan.steps:
        _announce(step)


def _announce(step: Step) -> None:
    out.print(f"# {step.say}", highlight=False, markup=False, soft_wrap=True, style="dim")
    for line in (None if step.command is None else shlex.join(step.command), step.page):
        if line is not None:
            out.print(line, highlight=False, markup=False, soft_wrap=True)
