"""Doing the steps of a plan, as far as commands can."""

from __future__ import annotations

import shlex
import subprocess
from collections.abc import Callable

from matbench_lite.errors import RepositoryError
from matbench_lite.review.submitting.plan import Plan, Step


def do_steps(plan: Plan, report: Callable[[Step], None]) -> None:
    """Run the commands of a plan one after the other; what they print is shown.

    Args:
        plan: The plan.
        report: Called before each step, also those that a person does.

    Raises:
        RepositoryError: If a command fails; the rest is not done.
    """
    for step in plan.steps:
        report(step)
        if step.command is None:
            continue
        try:
            subprocess.run(step.command, cwd=plan.folder, check=True)
        except (OSError, subprocess.CalledProcessError) as error:
            raise RepositoryError(
                f"this command failed, and the rest is not done: {shlex.join(step.command)}",
                fix="see what it says above, then run mbl submit again: what is done is not done twice",
            ) from error
